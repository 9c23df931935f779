//! Who comes when, decided from the names in the folder alone – pure.

use std::time::Duration;

/// A moment on the system's clock that nobody sets, in milliseconds.
pub(super) type Moment = u64;

/// How long a call counts as starting, in milliseconds, unless it ends before. Agents take up to three seconds to be ready.
pub(super) const START: Moment = 5_000;

/// How many calls may go on at once, and how they follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatLimits {
    /// So many calls at once; at least one.
    pub active: usize,
    /// So many calls that began in the last five seconds; at least one.
    pub starts: usize,
    /// The least time between the beginnings of two calls.
    pub spacing: Duration,
}

/// What the name of a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Ticket(Ticket),
    /// When the last call began; only kept once somebody asks for spacing.
    LastStart(Moment),
}

/// A call that waits or has a seat. Numbers are given in the order in which calls come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) number: u64,
    pub(super) seated: Option<Moment>,
}

impl Name {
    pub(super) fn parse(name: &str) -> Option<Self> {
        let number = |text: &str| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            is_plain.then(|| text.parse().ok()).flatten()
        };
        if let Some(moment) = name.strip_prefix("start.") {
            return number(moment).map(Self::LastStart);
        }
        let (ticket, rest) = name.split_once('.')?;
        let seated = match rest.strip_prefix("seated.") {
            Some(moment) => Some(number(moment)?),
            None if rest == "waiting" => None,
            None => return None,
        };
        Some(Self::Ticket(Ticket { number: number(ticket)?, seated }))
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::LastStart(moment) => write!(f, "start.{moment}"),
            // Padded, so that a listing of the folder shows the line in its order.
            Self::Ticket(Ticket { number, seated: None }) => write!(f, "{number:08}.waiting"),
            Self::Ticket(Ticket { number, seated: Some(moment) }) => write!(f, "{number:08}.seated.{moment}"),
        }
    }
}

/// Everybody who waits or has a seat, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) tickets: Vec<Ticket>,
    pub(super) last_start: Option<Moment>,
}

/// Whether it is somebody's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It is.
    Now,
    /// So many wait before; `at_least` so long, where that is known.
    Later { ahead: usize, at_least: Option<Duration> },
}

impl Line {
    pub(super) fn of(names: impl Iterator<Item = Name>) -> Self {
        let mut line = Self::default();
        for name in names {
            match name {
                Name::Ticket(ticket) => line.tickets.push(ticket),
                Name::LastStart(moment) => line.last_start = line.last_start.max(Some(moment)),
            }
        }
        line.tickets.sort_unstable_by_key(|ticket| ticket.number);
        line
    }

    /// The number of whoever comes now.
    pub(super) fn next_number(&self) -> u64 {
        self.tickets.last().map_or(1, |last| last.number.saturating_add(1))
    }

    /// Those who have a seat.
    pub(super) fn seated(&self) -> impl Iterator<Item = &Ticket> {
        self.tickets.iter().filter(|ticket| ticket.seated.is_some())
    }

    /// Those who wait before `number`, in order.
    pub(super) fn ahead(&self, number: u64) -> impl Iterator<Item = &Ticket> {
        self.tickets.iter().filter(move |ticket| ticket.seated.is_none() && ticket.number < number)
    }

    /// Everybody who has to go before it is `number`'s turn, or may have to.
    pub(super) fn before(&self, number: u64) -> Vec<u64> {
        self.seated().chain(self.ahead(number)).map(|ticket| ticket.number).collect()
    }

    /// Leaves somebody out.
    pub(super) fn forget(&mut self, gone: Ticket) {
        self.tickets.retain(|ticket| *ticket != gone);
    }

    /// Whether it is `number`'s turn.
    pub(super) fn turn(&self, number: u64, limits: &SeatLimits, now: Moment) -> Turn {
        let ahead = self.ahead(number).count();
        if ahead > 0 || self.seated().count() >= limits.active {
            return Turn::Later { ahead, at_least: None };
        }
        match self.quiet(limits, now) {
            Some(at_least) => Turn::Later { ahead, at_least: Some(at_least) },
            None => Turn::Now,
        }
    }

    /// How long nobody may begin, although there is a seat. A moment that lies ahead is from before the system's last
    /// start, and says nothing.
    pub(super) fn quiet(&self, limits: &SeatLimits, now: Moment) -> Option<Duration> {
        let left = |since: Moment, length: Moment| {
            now.checked_sub(since).and_then(|age| length.checked_sub(age)).filter(|left| *left > 0)
        };
        let spacing = Moment::try_from(limits.spacing.as_millis()).unwrap_or(Moment::MAX);
        let spaced = self.last_start.and_then(|start| left(start, spacing));
        let mut starting: Vec<Moment> =
            self.seated().filter_map(|ticket| left(ticket.seated.unwrap_or_default(), START)).collect();
        starting.sort_unstable();
        // As many have to be done with it as there are too many.
        let crowded = starting.len().checked_sub(limits.starts).and_then(|more| starting.get(more).copied());
        spaced.max(crowded).map(Duration::from_millis)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MANY: SeatLimits = SeatLimits { active: 2, starts: 2, spacing: Duration::ZERO };
    const LONG_AGO: Moment = 1;
    const NOW: Moment = 100_000;

    fn line(names: &[&str]) -> Line {
        Line::of(names.iter().filter_map(|name| Name::parse(name)))
    }

    fn later(ahead: usize) -> Turn {
        Turn::Later { ahead, at_least: None }
    }

    fn turn(names: &[&str], number: u64, limits: SeatLimits) -> Turn {
        line(names).turn(number, &limits, NOW)
    }

    #[test]
    fn names_say_what_they_were_made_of() {
        for name in ["00000012.waiting", "00000003.seated.77", "123456789.waiting", "start.5"] {
            assert_eq!(Name::parse(name).unwrap().to_string(), name);
        }
        let strangers =
            ["queue", "12", "12.", "12.seated", "12.seated.x", "-1.waiting", "+1.waiting", ".waiting", "start.", "a.b"];
        for name in strangers {
            assert_eq!(Name::parse(name), None, "{name}");
        }
    }

    #[test]
    fn whoever_comes_is_behind_all_others() {
        assert_eq!(line(&[]).next_number(), 1);
        assert_eq!(line(&["7.waiting", "12.seated.1", "3.waiting"]).next_number(), 13);
        assert_eq!(line(&["18446744073709551615.waiting"]).next_number(), u64::MAX);
    }

    #[test]
    fn seats_are_taken_in_order_and_never_too_many() {
        assert_eq!(turn(&[], 1, MANY), Turn::Now);
        assert_eq!(turn(&["1.seated.1"], 2, MANY), Turn::Now);
        assert_eq!(turn(&["1.seated.1", "2.seated.1"], 3, MANY), later(0));
        assert_eq!(turn(&["1.seated.1", "2.waiting"], 3, MANY), later(1));
        assert_eq!(turn(&["1.seated.1", "2.waiting", "3.waiting"], 2, MANY), Turn::Now);
        assert_eq!(turn(&["4.seated.1", "5.waiting", "6.waiting", "7.waiting"], 7, MANY), later(2));
    }

    #[test]
    fn whoever_is_forgotten_keeps_the_place() {
        let mut line = line(&["1.waiting", "2.waiting", "3.waiting"]);
        assert_eq!(line.before(3), [1, 2]);
        line.forget(Ticket { number: 1, seated: None });
        assert_eq!((line.turn(2, &MANY, NOW), line.turn(3, &MANY, NOW)), (Turn::Now, later(1)));
        assert_eq!(line.turn(1, &MANY, NOW), Turn::Now);
    }

    #[test]
    fn beginnings_are_spaced() {
        let spaced = SeatLimits { spacing: Duration::from_secs(2), ..MANY };
        let wait = |left| Turn::Later { ahead: 0, at_least: Some(Duration::from_millis(left)) };
        assert_eq!(turn(&["start.99000"], 1, spaced), wait(1000));
        assert_eq!(turn(&["start.100000"], 1, spaced), wait(2000));
        assert_eq!(turn(&["start.98000"], 1, spaced), Turn::Now);
        assert_eq!(turn(&["start.99000"], 1, MANY), Turn::Now);
        // The clock began anew since.
        assert_eq!(turn(&["start.100001"], 1, spaced), Turn::Now);
    }

    #[test]
    fn only_so_many_begin_at_once() {
        let limits = SeatLimits { active: 9, starts: 2, spacing: Duration::ZERO };
        let wait = |left| Turn::Later { ahead: 0, at_least: Some(Duration::from_millis(left)) };
        assert_eq!(turn(&["1.seated.99999"], 2, limits), Turn::Now);
        assert_eq!(turn(&["1.seated.99000", "2.seated.98000"], 3, limits), wait(3000));
        assert_eq!(turn(&["1.seated.99000", "2.seated.98000", "3.seated.97000"], 4, limits), wait(3000));
        assert_eq!(turn(&["1.seated.99000", "2.seated.95000"], 3, limits), Turn::Now);
    }

    proptest! {
        /// However calls come, go and look, in whatever order: never too many seats, and nobody before whoever came first.
        #[test]
        fn the_line_keeps_its_order(steps in prop::collection::vec((0_u8..3, 0_usize..8), 1..200), active in 1_usize..5) {
            let limits = SeatLimits { active, starts: active, spacing: Duration::ZERO };
            let mut line = Line::default();
            for (kind, which) in steps {
                match kind {
                    0 => line.tickets.push(Ticket { number: line.next_number(), seated: None }),
                    1 if !line.tickets.is_empty() => {
                        let index = which % line.tickets.len();
                        let ticket = line.tickets[index];
                        if ticket.seated.is_none() && line.turn(ticket.number, &limits, NOW) == Turn::Now {
                            prop_assert!(!line.tickets[..index].iter().any(|ahead| ahead.seated.is_none()));
                            line.tickets[index].seated = Some(LONG_AGO);
                        }
                    }
                    _ => {
                        let seated = line.tickets.iter().position(|ticket| ticket.seated.is_some());
                        seated.map(|index| line.tickets.remove(index));
                    }
                }
                prop_assert!(line.seated().count() <= active);
            }
        }
    }
}
