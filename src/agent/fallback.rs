//! Several providers for one role: the chosen one, and those that are asked in order when it fails for a reason of its own.
//!
//! A provider is never replaced silently: each switch is told. What makes a provider useless for a whole run, such as a
//! login that is missing, is remembered for all roles in [`Standing`], so that nobody waits for the same failure twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Agent, AgentFailure, Answer, FailureKind, Request, Session};
use crate::progress::Progress;
use crate::role::Role;
use crate::run::Cancel;

/// A provider that may play a role.
pub struct Candidate {
    /// How it is asked.
    pub agent: Box<dyn Agent>,
    /// Whose answers they are.
    pub name: Named,
    /// Whether it is the one that was chosen for the role.
    pub chosen: bool,
}

/// A provider with its model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// The provider's name.
    pub provider: String,
    /// The model passed on; empty where the agent uses its own default.
    pub model: String,
}

/// What all roles of a run know of providers.
#[derive(Debug, Default)]
pub struct Standing {
    /// Without a model: whatever the model.
    useless: Mutex<BTreeSet<(String, Option<String>)>>,
    substitutes: Mutex<BTreeMap<Role, Named>>,
}

impl Standing {
    /// Who answered for a role in the place of the chosen provider, the last one of several.
    #[must_use]
    pub fn substitutes(&self) -> BTreeMap<Role, Named> {
        self.substitutes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note_substitute(&self, role: Role, name: &Named) {
        self.substitutes.lock().unwrap_or_else(PoisonError::into_inner).insert(role, name.clone());
    }

    fn is_useless(&self, name: &Named) -> bool {
        let useless = self.useless.lock().unwrap_or_else(PoisonError::into_inner);
        [None, Some(name.model.clone())].into_iter().any(|model| useless.contains(&(name.provider.clone(), model)))
    }

    fn note_useless(&self, provider: &str, model: Option<&str>) {
        let mut useless = self.useless.lock().unwrap_or_else(PoisonError::into_inner);
        useless.insert((provider.to_owned(), model.map(str::to_owned)));
    }
}

/// How far a failure reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// This prompt only.
    Call,
    /// Whatever this role asks.
    Role,
    /// Whatever any role asks of the model.
    Model,
    /// Whatever any role asks of the provider.
    Provider,
}

/// `None`: no reason to ask another provider.
const fn reach(kind: FailureKind) -> Option<Reach> {
    match kind {
        FailureKind::Garbled | FailureKind::NoSeat | FailureKind::Cancelled(_) => None,
        FailureKind::Blank | FailureKind::TooLong => Some(Reach::Call),
        FailureKind::Timeout | FailureKind::Killed | FailureKind::Session | FailureKind::Exit => Some(Reach::Role),
        FailureKind::Quota | FailureKind::Model => Some(Reach::Model),
        FailureKind::Missing | FailureKind::Auth | FailureKind::Network | FailureKind::Flags => Some(Reach::Provider),
    }
}

/// An agent that is several.
pub struct Fallback {
    candidates: Vec<Candidate>,
    /// Where a call begins.
    current: AtomicUsize,
    /// A blank answer is the caller's business, who has other ways to ask before [`Agent::give_way`].
    leaves_blanks: bool,
    standing: Arc<Standing>,
    progress: Arc<dyn Progress>,
}

impl Fallback {
    /// Asks `candidates` in order.
    #[must_use]
    pub fn new(
        candidates: Vec<Candidate>,
        leaves_blanks: bool,
        standing: Arc<Standing>,
        progress: Arc<dyn Progress>,
    ) -> Self {
        Self { candidates, current: AtomicUsize::new(0), leaves_blanks, standing, progress }
    }

    /// The first candidate from `from` on that is not known to be useless.
    fn from(&self, from: usize) -> Option<(usize, &Candidate)> {
        let useful = |(_, candidate): &(usize, &Candidate)| !self.standing.is_useless(&candidate.name);
        self.candidates.iter().enumerate().skip(from).find(useful)
    }

    /// Where a call begins: where nobody is useful any more, with the last one.
    fn start(&self) -> Option<(usize, &Candidate)> {
        let last = || self.candidates.iter().enumerate().next_back();
        self.from(self.current.load(Ordering::SeqCst)).or_else(last)
    }

    /// Remembers a failure, and says who is asked next.
    fn after(&self, index: usize, failure: &AgentFailure) -> Option<(usize, &Candidate)> {
        let reach = reach(failure.kind)?;
        if let Some(Candidate { name, .. }) = self.candidates.get(index) {
            match reach {
                Reach::Call | Reach::Role => {}
                Reach::Model => self.standing.note_useless(&name.provider, Some(&name.model)),
                Reach::Provider => self.standing.note_useless(&name.provider, None),
            }
        }
        let (next, candidate) = self.from(index + 1)?;
        if reach != Reach::Call {
            self.current.fetch_max(next, Ordering::SeqCst);
        }
        self.progress.notice(&format!("{failure}; {} is asked instead", candidate.name.provider));
        Some((next, candidate))
    }
}

impl Agent for Fallback {
    fn expect_several(&self) {
        self.candidates.iter().for_each(|candidate| candidate.agent.expect_several());
    }

    fn ask(&self, request: &Request<'_>, cancel: &Cancel) -> Result<Answer, AgentFailure> {
        let (mut at, mut retry) = (self.start(), request.retry);
        let mut last = None;
        while let Some((index, candidate)) = at {
            let failure = match candidate.agent.ask(&Request { retry, ..request.clone() }, cancel) {
                Ok(answer) => {
                    if !candidate.chosen {
                        self.standing.note_substitute(request.role, &candidate.name);
                    }
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            let is_blank = failure.kind == FailureKind::Blank;
            match (is_blank && !retry, last.is_some()) {
                // Whoever is asked in the place of another has a second try as well.
                (true, true) if !self.leaves_blanks => retry = true,
                _ if is_blank && (self.leaves_blanks || !retry) => return Err(failure),
                _ => (at, retry) = (self.after(index, &failure), false),
            }
            last = Some(failure);
        }
        Err(last.unwrap_or_else(nobody))
    }

    fn session<'a>(&'a self, texts: &[&str]) -> Option<Box<dyn Session + 'a>> {
        self.start()?.1.agent.session(texts)
    }

    fn give_way(&self, failure: &AgentFailure) -> bool {
        let named = |candidate: &Candidate| candidate.name.provider == failure.provider;
        let Some(index) = self.candidates.iter().position(named) else { return false };
        if reach(failure.kind).is_some() && index < self.current.load(Ordering::SeqCst) {
            // Another call has seen to it.
            return true;
        }
        let Some((next, _)) = self.after(index, failure) else { return false };
        self.current.fetch_max(next, Ordering::SeqCst);
        true
    }
}

/// There is always a candidate where there is a fallback.
fn nobody() -> AgentFailure {
    AgentFailure {
        kind: FailureKind::Missing,
        provider: String::new(),
        message: "there is no provider to ask".to_owned(),
        excerpt: String::new(),
        advice: "choose one with --provider".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::prompt::Prompt;
    use crate::run::Cause;

    /// Fails as often as it is told to, then answers with its name.
    struct Scripted(&'static str, Mutex<Vec<FailureKind>>, Arc<Told>);

    /// Who was asked, and what the user was told.
    #[derive(Default)]
    struct Told(Mutex<Vec<String>>);

    impl Told {
        fn say(&self, text: &str) {
            self.0.lock().unwrap().push(text.to_owned());
        }

        fn take(&self) -> Vec<String> {
            std::mem::take(&mut self.0.lock().unwrap())
        }
    }

    impl Progress for Told {
        fn notice(&self, text: &str) {
            self.say(text);
        }
    }

    impl Agent for Scripted {
        fn ask(&self, request: &Request<'_>, _cancel: &Cancel) -> Result<Answer, AgentFailure> {
            self.2.say(&format!("{}{}", self.0, if request.retry { " again" } else { "" }));
            match self.1.lock().unwrap().pop() {
                None => Ok(Answer { text: self.0.to_owned(), elapsed: Duration::ZERO, raw_fallback: false }),
                Some(kind) => Err(failure(self.0, kind)),
            }
        }
    }

    fn failure(provider: &str, kind: FailureKind) -> AgentFailure {
        AgentFailure { kind, provider: provider.to_owned(), message: format!("{provider} {kind:?}"), ..nobody() }
    }

    fn chain(told: &Arc<Told>, standing: &Arc<Standing>, leaves_blanks: bool, scripts: &[&[FailureKind]]) -> Fallback {
        let names = ["a", "b", "c"];
        let candidate = |(index, kinds): (usize, &&[FailureKind])| Candidate {
            agent: Box::new(Scripted(names[index], Mutex::new(kinds.iter().rev().copied().collect()), told.clone())),
            name: Named { provider: names[index].to_owned(), model: String::new() },
            chosen: index == 0,
        };
        let candidates = scripts.iter().enumerate().map(candidate).collect();
        Fallback::new(candidates, leaves_blanks, standing.clone(), told.clone())
    }

    fn ask(agent: &Fallback, retry: bool) -> Result<String, FailureKind> {
        let prompt = Prompt { system: String::new(), user: String::new() };
        let request = Request { role: Role::Message, prompt: &prompt, retry, facts: None };
        agent.ask(&request, &Cancel::new()).map(|answer| answer.text).map_err(|failure| failure.kind)
    }

    #[test]
    fn the_next_one_is_asked_and_stays() {
        let (told, standing) = (Arc::default(), Arc::default());
        let agent = chain(&told, &standing, true, &[&[FailureKind::Timeout], &[FailureKind::Auth], &[]]);
        assert_eq!(ask(&agent, false), Ok("c".to_owned()));
        assert_eq!(told.take(), ["a", "a Timeout; b is asked instead", "b", "b Auth; c is asked instead", "c"]);
        assert_eq!(ask(&agent, false), Ok("c".to_owned()));
        assert_eq!(told.take(), ["c"]);
        assert_eq!(standing.substitutes().get(&Role::Message).map(|name| name.provider.as_str()), Some("c"));

        // Another role: a time-out says nothing about it, a missing login does.
        let agent = chain(&told, &standing, true, &[&[FailureKind::Exit], &[], &[]]);
        assert_eq!(ask(&agent, false), Ok("c".to_owned()));
        assert_eq!(told.take(), ["a", "a Exit; c is asked instead", "c"]);
    }

    #[test]
    fn what_another_provider_would_not_better_ends_it() {
        for kind in [FailureKind::Garbled, FailureKind::Cancelled(Cause::Interrupt)] {
            let told = Arc::default();
            let agent = chain(&told, &Arc::default(), false, &[&[kind], &[]]);
            assert_eq!(ask(&agent, true), Err(kind));
            assert_eq!(told.take(), ["a again"]);
            assert!(!agent.give_way(&failure("a", kind)));
        }
    }

    #[test]
    fn the_last_failure_is_told_when_all_fail() {
        let told = Arc::default();
        let agent = chain(&told, &Arc::default(), false, &[&[FailureKind::Quota], &[FailureKind::Network]]);
        assert_eq!(ask(&agent, false), Err(FailureKind::Network));
        // Whoever is asked now knows that nobody is left, and tries the last one.
        assert_eq!(ask(&agent, false), Ok("b".to_owned()));
        assert_eq!(told.take(), ["a", "a Quota; b is asked instead", "b", "b"]);
    }

    #[test]
    fn a_blank_answer_is_asked_for_again_first() {
        let blank = FailureKind::Blank;
        let told = Arc::default();
        let agent = chain(&told, &Arc::default(), false, &[&[blank, blank], &[blank, blank], &[]]);
        assert_eq!(ask(&agent, false), Err(blank));
        assert_eq!(ask(&agent, true), Ok("c".to_owned()));
        let expected =
            ["a", "a again", "a Blank; b is asked instead", "b", "b again", "b Blank; c is asked instead", "c"];
        assert_eq!(told.take(), expected);
        // It was this prompt; the next one begins where it should.
        assert_eq!(ask(&agent, false), Ok("a".to_owned()));
    }

    #[test]
    fn where_there_are_other_ways_blanks_are_left_until_the_caller_gives_up() {
        let blank = FailureKind::Blank;
        let told = Arc::default();
        let agent = chain(&told, &Arc::default(), true, &[&[blank, blank], &[], &[]]);
        assert_eq!(ask(&agent, false), Err(blank));
        assert_eq!(ask(&agent, true), Err(blank));
        assert!(agent.give_way(&failure("a", blank)));
        assert!(agent.give_way(&failure("a", blank)), "another call has found the same");
        assert_eq!(ask(&agent, false), Ok("b".to_owned()));
        assert_eq!(told.take(), ["a", "a again", "a Blank; b is asked instead", "b"]);
        assert!(agent.give_way(&failure("b", blank)));
        assert!(!agent.give_way(&failure("c", blank)));
        assert!(!agent.give_way(&failure("unknown", blank)));
    }
}
