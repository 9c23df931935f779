//! The messages of all commits, written several at once and handed on in the order of publication.
//!
//! Which message comes first must not decide anything: the drafts know nothing of each other, and a subject that an
//! earlier commit of the run already has is asked for again when its turn comes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::message::{Rules, Subjects, WriteFailure, Written};
use crate::progress::Progress;
use crate::prompt::Material;
use crate::run::workers;

use super::super::super::Failure;
use super::super::Run;
use super::super::prepare::Writer;
use super::super::words::at_once_or_in_turns;
use super::seats::Seats;
use super::{Setting, Step};

type Draft = Result<Written, WriteFailure>;

impl Run<'_> {
    /// Has all messages written and calls `arrived` for each as it comes, then `next` for each in order. What `next`
    /// refuses ends the run; drafts that are being written by then still arrive.
    pub(in super::super) fn drafts<E: From<Failure>>(
        &self,
        setting: &Setting<'_>,
        writer: &Writer,
        steps: &[Step],
        mut arrived: impl FnMut(usize, &Draft),
        mut next: impl FnMut(usize, Written) -> Result<(), E>,
        mut failed: impl FnMut(usize, WriteFailure) -> E,
    ) -> Result<(), E> {
        let sign_off = self.sign_off()?;
        let materials: Vec<Material<'_>> = steps
            .iter()
            .map(|step| Material {
                planned: step.planned(),
                ..self.material(setting.snapshot, &step.payload, setting.history, &step.scopes)
            })
            .collect();
        let most = self.settings.generation.max_parallel.min(steps.len());
        let (claimed, ended, seats) = (AtomicUsize::new(0), AtomicBool::new(false), Seats::new(most));
        let rules = self.rules(setting.wishes, sign_off.as_deref());
        let (agent, cancel, progress) = (writer.agent.as_ref(), self.cancel, self.progress.as_ref());
        if steps.len() > 1 {
            agent.expect_several();
        }
        let whole = self.whole(setting.wishes);
        let draft_of = |(step, material): (&Step, &Material<'_>), rules: &Rules<'_>| {
            progress.about((steps.len() > 1).then(|| step.title()));
            let change = &step.frozen.change;
            let draft = at_once_or_in_turns(whole.as_ref(), agent, material, rules, change, (cancel, progress));
            progress.about(None);
            draft
        };
        let pair = |number: usize| steps.get(number).zip(materials.get(number));
        std::thread::scope(|scope| {
            let (sender, drafts) = mpsc::channel();
            workers(scope, most, || {
                let (sender, pair, claimed, ended) = (sender.clone(), &pair, &claimed, &ended);
                let (rules, seats, draft_of) = (&rules, &seats, &draft_of);
                move || {
                    while !ended.load(Ordering::SeqCst) {
                        let step = claimed.fetch_add(1, Ordering::SeqCst);
                        let Some(pair) = pair(step) else { return };
                        let draft = seats.wait(|| draft_of(pair, rules));
                        if sender.send((step, draft)).is_err() {
                            return;
                        }
                    }
                }
            });
            drop(sender);
            let mut waiting: BTreeMap<usize, Draft> = BTreeMap::new();
            let mut subjects: Vec<String> = Vec::new();
            let mut outcome = Ok(());
            for (step, draft) in drafts {
                arrived(step, &draft);
                waiting.insert(step, draft);
                while outcome.is_ok()
                    && let Some(draft) = waiting.remove(&subjects.len())
                {
                    let step = subjects.len();
                    let draft = match (draft, pair(step)) {
                        (Ok(first), Some(pair)) if is_taken(&first, &subjects) => {
                            let rules = Rules { taken: &subjects, ..rules.clone() };
                            let again = seats.come_first(|| draft_of(pair, &rules));
                            again.map(|again| Written { retries: first.retries + 1 + again.retries, ..again })
                        }
                        (draft, _) => draft,
                    };
                    outcome = match draft {
                        Ok(written) => {
                            subjects.push(written.message.subject());
                            next(step, written)
                        }
                        Err(failure) => Err(failed(step, failure)),
                    };
                    ended.store(outcome.is_err(), Ordering::SeqCst);
                }
            }
            outcome
        })
    }
}

fn is_taken(written: &Written, subjects: &[String]) -> bool {
    Subjects::taken(&[], subjects).contains(&written.message.subject())
}
