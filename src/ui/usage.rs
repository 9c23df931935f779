//! What calls used, in words.

use std::fmt::Display;

use crate::usage::{Amount, Total, Usage};

/// What all calls of a run used, on one line.
#[must_use]
pub fn usage_line(total: &Total) -> String {
    let said = match (total.calls(), words(total)) {
        (0, _) => "no agent was asked".to_owned(),
        (1, None) => "1 call, which reported neither tokens nor cost".to_owned(),
        (1, Some(words)) => format!("1 call, {words}"),
        (calls, None) => format!("{calls} calls, which reported neither tokens nor cost"),
        (calls, Some(words)) => format!("{calls} calls, {words}"),
    };
    format!("usage: {said}\n")
}

/// What one call reported; `None` for nothing.
pub(super) fn used(usage: &Usage) -> Option<String> {
    let sure = |value| Amount { value, is_partial: false };
    let tokens = [usage.input, usage.output, usage.cached].map(|number| number.map(sure));
    join(tokens, usage.cost.map(|value| Amount { value, is_partial: false }))
}

fn words(total: &Total) -> Option<String> {
    join([total.input(), total.output(), total.cached()], total.cost())
}

fn join([input, output, cached]: [Option<Amount<u64>>; 3], cost: Option<Amount<impl Display>>) -> Option<String> {
    let parts: Vec<String> = [part(input, " tokens in"), part(output, " tokens out"), part(cached, " tokens cached")]
        .into_iter()
        .chain([part(cost, "")])
        .flatten()
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn part(amount: Option<Amount<impl Display>>, unit: &str) -> Option<String> {
    let Amount { value, is_partial } = amount?;
    Some(format!("{}{value}{unit}", if is_partial { "at least " } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::Role;
    use crate::usage::{Cost, Ledger};

    #[test]
    fn the_line_says_what_was_reported_and_what_was_not() {
        let mut ledger = Ledger::default();
        let mut line_after = |role, usage: Usage| {
            ledger.add(role, &usage);
            usage_line(&ledger.total())
        };
        assert_eq!(usage_line(&Total::default()), "usage: no agent was asked\n");
        assert_eq!(
            line_after(Role::Planner, Usage::default()),
            "usage: 1 call, which reported neither tokens nor cost\n"
        );
        assert_eq!(
            line_after(Role::Message, Usage::default()),
            "usage: 2 calls, which reported neither tokens nor cost\n"
        );
        let usage = Usage { input: Some(1200), output: Some(30), cached: Some(0), cost: Cost::from_dollars(0.0125) };
        assert_eq!(
            line_after(Role::Message, usage),
            "usage: 3 calls, at least 1200 tokens in, at least 30 tokens out, at least 0 tokens cached, at least $0.0125\n"
        );
        assert_eq!(used(&usage).unwrap(), "1200 tokens in, 30 tokens out, 0 tokens cached, $0.0125");
        let mut one = Ledger::default();
        one.add(Role::Message, &Usage { input: Some(7), ..Usage::default() });
        assert_eq!(usage_line(&one.total()), "usage: 1 call, 7 tokens in\n");
        assert_eq!(used(&Usage::default()), None);
    }
}
