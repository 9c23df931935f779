//! Tokens and cost, as far as agents report them: of one call, and added up over the calls of a run.
//!
//! What was not reported is absent, and never zero. The numbers come from programs nobody vouches for: what no call can
//! have used counts as not reported.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::role::Role;

/// No call uses more tokens.
const MOST_TOKENS: u64 = 1_000_000_000_000;
/// The same, for numbers with a point or an exponent.
const MOST_TOKENS_AS_FLOAT: f64 = 1e12;
/// No call costs more, in dollars.
const MOST_DOLLARS: f64 = 1_000_000.0;
const NANOS: f64 = 1e9;

/// An amount of US dollars, in billionths, so that sums are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost(u64);

impl Cost {
    /// From dollars; `None` where that is no amount that a call can have cost.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is checked to be in between")]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        (0.0..=MOST_DOLLARS).contains(&dollars).then(|| Self((dollars * NANOS).round() as u64))
    }

    /// In dollars.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "only beyond nine million dollars")]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / NANOS
    }

    /// What it is more than an earlier amount; `None` where it is less.
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<Self> {
        self.0.checked_sub(earlier.0).map(Self)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = match self.0 {
            1..1_000 => 9,
            1_000..10_000_000 => 6,
            _ => 4,
        };
        write!(f, "${:.digits$}", self.dollars())
    }
}

/// What one call used, as far as its agent reported it. Some agents count cached tokens among those of the input, some
/// beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens that were sent to the model.
    pub input: Option<u64>,
    /// Tokens that the model answered with.
    pub output: Option<u64>,
    /// Tokens that were read from a cache.
    pub cached: Option<u64>,
    /// What it cost.
    pub cost: Option<Cost>,
}

impl Usage {
    /// Whether nothing was reported.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A number of tokens as JSON, also one that is written as `2.0` or `1e3`; `None` for anything else.
#[must_use]
pub fn tokens(value: &Value) -> Option<u64> {
    value.as_u64().filter(|tokens| *tokens <= MOST_TOKENS).or_else(|| whole(value.as_f64()?))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is checked to be in between, and whole")]
fn whole(number: f64) -> Option<u64> {
    let is_whole = (0.0..=MOST_TOKENS_AS_FLOAT).contains(&number) && number.fract() == 0.0;
    is_whole.then_some(number as u64)
}

/// A number of dollars as JSON; `None` for anything else.
#[must_use]
pub fn cost(value: &Value) -> Option<Cost> {
    value.as_f64().and_then(Cost::from_dollars)
}

/// A number of which some calls may not have reported their share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount<T> {
    /// The sum of what was reported.
    pub value: T,
    /// Not every call reported it, so that it is the least that it can have been.
    pub is_partial: bool,
}

/// What several calls used together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Total {
    calls: usize,
    input: Sum,
    output: Sum,
    cached: Sum,
    cost: Sum,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sum {
    value: u64,
    /// How many calls have a share in it.
    calls: usize,
}

impl Sum {
    fn add(&mut self, share: Option<u64>) {
        if let Some(share) = share {
            self.value = self.value.saturating_add(share);
            self.calls += 1;
        }
    }

    fn join(&mut self, other: Self) {
        self.value = self.value.saturating_add(other.value);
        self.calls += other.calls;
    }
}

impl Total {
    /// How many calls there were, whatever they reported.
    #[must_use]
    pub const fn calls(&self) -> usize {
        self.calls
    }

    /// Tokens that were sent to models; `None` where no call reported any.
    #[must_use]
    pub fn input(&self) -> Option<Amount<u64>> {
        self.amount(self.input, |value| value)
    }

    /// Tokens that models answered with; likewise.
    #[must_use]
    pub fn output(&self) -> Option<Amount<u64>> {
        self.amount(self.output, |value| value)
    }

    /// Tokens that were read from a cache; likewise.
    #[must_use]
    pub fn cached(&self) -> Option<Amount<u64>> {
        self.amount(self.cached, |value| value)
    }

    /// What it cost; likewise.
    #[must_use]
    pub fn cost(&self) -> Option<Amount<Cost>> {
        self.amount(self.cost, Cost)
    }

    /// Whether no call reported anything.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.input.calls == 0 && self.output.calls == 0 && self.cached.calls == 0 && self.cost.calls == 0
    }

    fn amount<T>(&self, sum: Sum, of: impl FnOnce(u64) -> T) -> Option<Amount<T>> {
        (sum.calls > 0).then(|| Amount { value: of(sum.value), is_partial: sum.calls < self.calls })
    }

    fn add(&mut self, usage: &Usage) {
        self.calls += 1;
        self.input.add(usage.input);
        self.output.add(usage.output);
        self.cached.add(usage.cached);
        self.cost.add(usage.cost.map(|Cost(nanos)| nanos));
    }

    fn join(&mut self, other: &Self) {
        self.calls += other.calls;
        self.input.join(other.input);
        self.output.join(other.output);
        self.cached.join(other.cached);
        self.cost.join(other.cost);
    }
}

/// The calls of a run, by role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger(BTreeMap<Role, Total>);

impl Ledger {
    /// Adds a call.
    pub fn add(&mut self, role: Role, usage: &Usage) {
        self.0.entry(role).or_default().add(usage);
    }

    /// What each role used that was asked.
    pub fn roles(&self) -> impl Iterator<Item = (Role, &Total)> {
        self.0.iter().map(|(role, total)| (*role, total))
    }

    /// What all used together.
    #[must_use]
    pub fn total(&self) -> Total {
        let mut total = Total::default();
        self.0.values().for_each(|role| total.join(role));
        total
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_a_call_can_have_used_is_a_number() {
        for (value, expected) in [
            (json!(0), Some(0)),
            (json!(1200), Some(1200)),
            (json!(MOST_TOKENS), Some(MOST_TOKENS)),
            (json!(MOST_TOKENS + 1), None),
            (json!(u64::MAX), None),
            (json!(-1), None),
            (json!(2.0), Some(2)),
            (json!(1e3), Some(1000)),
            (json!(1e12), Some(MOST_TOKENS)),
            (json!(1e12 + 1.0), None),
            (json!(1.5), None),
            (json!(-2.0), None),
            (json!(1e300), None),
            (json!("1200"), None),
            (json!(null), None),
            (json!([1]), None),
        ] {
            assert_eq!(tokens(&value), expected, "{value}");
        }
        for (value, expected) in [
            (json!(0), Some(0)),
            (json!(0.0123), Some(12_300_000)),
            (json!(1_000_000), Some(1_000_000_000_000_000)),
            (json!(1_000_001), None),
            (json!(1e300), None),
            (json!(-0.01), None),
            (json!("0.01"), None),
            (json!({"usd": 1}), None),
        ] {
            assert_eq!(cost(&value).map(|cost| cost.0), expected, "{value}");
        }
        for strange in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Cost::from_dollars(strange), None);
        }
    }

    #[test]
    fn costs_add_up_exactly_and_are_shown_short() {
        let mut ledger = Ledger::default();
        for dollars in [0.1, 0.2] {
            ledger.add(Role::Message, &Usage { cost: Cost::from_dollars(dollars), ..Usage::default() });
        }
        let cost = ledger.total().cost().unwrap().value;
        assert_eq!(json!(cost.dollars()).to_string(), "0.3");
        for (dollars, shown) in [
            (0.0, "$0.0000"),
            (0.000_000_04, "$0.000000040"),
            (0.000_04, "$0.000040"),
            (0.0123, "$0.0123"),
            (12.5, "$12.5000"),
        ] {
            assert_eq!(Cost::from_dollars(dollars).unwrap().to_string(), shown);
        }
        let (less, more) = (Cost::from_dollars(1.0).unwrap(), Cost::from_dollars(1.5).unwrap());
        assert_eq!((more.since(less), less.since(more)), (Cost::from_dollars(0.5), None));
    }

    #[test]
    fn a_number_that_a_call_kept_to_itself_makes_the_sum_partial() {
        let mut ledger = Ledger::default();
        assert!(ledger.total().is_empty());
        ledger.add(Role::Planner, &Usage { input: Some(10), output: Some(1), ..Usage::default() });
        ledger.add(Role::Message, &Usage { input: Some(20), cost: Cost::from_dollars(0.5), ..Usage::default() });
        let total = ledger.total();
        assert_eq!(total.calls(), 2);
        assert_eq!(total.input(), Some(Amount { value: 30, is_partial: false }));
        assert_eq!(total.output(), Some(Amount { value: 1, is_partial: true }));
        assert_eq!(total.cached(), None);
        assert!(total.cost().unwrap().is_partial);
        let of = |role| ledger.roles().find(|(known, _)| *known == role).map(|(_, total)| *total);
        assert_eq!(of(Role::Planner).unwrap().output(), Some(Amount { value: 1, is_partial: false }));
        assert_eq!(of(Role::Arbiter), None);
    }

    fn usage() -> impl Strategy<Value = Usage> {
        let tokens = || proptest::option::of(prop_oneof![0..5000_u64, Just(MOST_TOKENS), Just(u64::MAX)]);
        let cost = proptest::option::of(0.0..MOST_DOLLARS).prop_map(|cost| cost.and_then(Cost::from_dollars));
        (tokens(), tokens(), tokens(), cost).prop_map(|(input, output, cached, cost)| Usage {
            input,
            output,
            cached,
            cost,
        })
    }

    proptest! {
        #[test]
        fn the_order_of_calls_and_their_roles_change_no_sum(calls in proptest::collection::vec((0..4_usize, usage()), 0..12)) {
            let mut ledger = Ledger::default();
            calls.iter().for_each(|(role, usage)| ledger.add(Role::ALL[*role], usage));
            let mut backwards = Ledger::default();
            calls.iter().rev().for_each(|(role, usage)| backwards.add(Role::ALL[(*role + 1) % 4], usage));
            prop_assert_eq!(ledger.total(), backwards.total());
            let total = ledger.total();
            let inputs: Vec<u64> = calls.iter().filter_map(|(_, usage)| usage.input).collect();
            let sum = inputs.iter().fold(0_u64, |sum, input| sum.saturating_add(*input));
            let expected = (!inputs.is_empty()).then_some(Amount { value: sum, is_partial: inputs.len() < calls.len() });
            prop_assert_eq!(total.input(), expected);
            prop_assert_eq!(total.is_empty(), calls.iter().all(|(_, usage)| usage.is_empty()));
        }

        #[test]
        fn no_number_breaks_it(number in any::<f64>()) {
            let value = json!(number);
            prop_assert!(tokens(&value).is_none_or(|tokens| tokens <= MOST_TOKENS));
            if let Some(cost) = cost(&value) {
                prop_assert!((cost.dollars() - number).abs() < 1e-6);
            }
        }
    }
}
