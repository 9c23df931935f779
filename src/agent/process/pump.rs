//! Moves bytes between us and a process, on threads, with bounded memory.

use std::io::{self, Read, Write};
use std::process::ChildStdin;
use std::sync::{Arc, Mutex, PoisonError};

use crate::run::{detached, read_some};

/// How much is read at once, in bytes. Most answers are shorter.
const CHUNK: usize = 16 * 1024;

/// Which part of an output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// The first so many bytes.
    First(usize),
    /// The last so many bytes.
    Last(usize),
}

/// What was read from one output so far.
#[derive(Debug)]
pub(super) struct Captured {
    keep: Keep,
    bytes: Vec<u8>,
    total: u64,
}

impl Captured {
    pub(super) const fn new(keep: Keep) -> Self {
        Self { keep, bytes: Vec::new(), total: 0 }
    }

    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.total = self.total.saturating_add(chunk.len() as u64);
        match self.keep {
            Keep::First(limit) => {
                let room = limit.saturating_sub(self.bytes.len()).min(chunk.len());
                self.bytes.extend_from_slice(chunk.get(..room).unwrap_or_default());
            }
            Keep::Last(limit) => {
                self.bytes.extend_from_slice(chunk);
                // Moving the tail to the front only when as much again has come keeps the work linear.
                if self.bytes.len() > limit.saturating_mul(2) {
                    self.cut_front(limit);
                }
            }
        }
    }

    fn cut_front(&mut self, limit: usize) {
        let surplus = self.bytes.len().saturating_sub(limit);
        self.bytes.drain(..surplus);
    }

    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    fn kept(&mut self) -> &mut Vec<u8> {
        if let Keep::Last(limit) = self.keep {
            self.cut_front(limit);
        }
        &mut self.bytes
    }

    /// What was kept, and how much there was in all.
    fn take(&mut self) -> (Vec<u8>, u64) {
        (std::mem::take(self.kept()), self.total)
    }
}

/// One output of a process that is being read on a thread of its own.
#[derive(Debug, Clone)]
pub(super) struct Tap {
    captured: Arc<Mutex<Captured>>,
}

impl Tap {
    /// Reads `source` to its end. `flooded` is called once, when more than `flood_limit` bytes have come, and reading
    /// goes on; `ended` is called last.
    pub(super) fn open(
        name: &str,
        mut source: impl Read + Send + 'static,
        keep: Keep,
        flood_limit: u64,
        flooded: impl FnOnce() + Send + 'static,
        ended: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let captured = Arc::new(Mutex::new(Captured::new(keep)));
        let tap = Self { captured: Arc::clone(&captured) };
        let into = tap.clone();
        detached(name, move || {
            let mut flooded = Some(flooded);
            let mut buffer = vec![0; CHUNK];
            while let Some(chunk) = read_some(&mut source, &mut buffer) {
                let total = into.with(|captured| {
                    captured.push(chunk);
                    captured.total()
                });
                if total > flood_limit
                    && let Some(tell) = flooded.take()
                {
                    tell();
                }
            }
            ended();
        })?;
        Ok(tap)
    }

    /// How many bytes have come so far.
    pub(super) fn total(&self) -> u64 {
        self.with(|captured| captured.total())
    }

    /// What was kept, and how much there was in all. Later bytes are lost.
    pub(super) fn take(&self) -> (Vec<u8>, u64) {
        self.with(Captured::take)
    }

    /// What is kept so far.
    pub(super) fn peek(&self) -> Vec<u8> {
        self.with(|captured| captured.kept().clone())
    }

    fn with<T>(&self, what: impl FnOnce(&mut Captured) -> T) -> T {
        what(&mut self.captured.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Writes all bytes and closes the pipe. A process need not read its input, so a closed pipe is no error; and there is
/// no other way to fail that the process itself would not show by how it ends.
pub(super) fn feed(mut sink: ChildStdin, bytes: Vec<u8>) -> io::Result<()> {
    let written = at_once(&sink, &bytes)?;
    if written == bytes.len() {
        return Ok(());
    }
    detached("stdin", move || {
        let _ = sink.write_all(bytes.get(written..).unwrap_or_default()).and_then(|()| sink.flush());
    })
}

/// Writes as much as the pipe holds, which is all of most prompts, and returns how much that was: it saves a thread.
#[cfg(unix)]
fn at_once(sink: &ChildStdin, bytes: &[u8]) -> io::Result<usize> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    // The end that the process has is another open file, and goes on to wait.
    let flags = fcntl_getfl(sink)?;
    fcntl_setfl(sink, flags | OFlags::NONBLOCK)?;
    let written = rustix::io::write(sink, bytes).unwrap_or(0);
    fcntl_setfl(sink, flags)?;
    Ok(written)
}

#[cfg(not(unix))]
fn at_once(_sink: &ChildStdin, _bytes: &[u8]) -> io::Result<usize> {
    Ok(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn captured(keep: Keep, chunks: &[Vec<u8>]) -> (Vec<u8>, u64) {
        let mut captured = Captured::new(keep);
        for chunk in chunks {
            captured.push(chunk);
        }
        captured.take()
    }

    proptest! {
        #[test]
        fn the_first_and_the_last_bytes_are_kept(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..40),
            limit in 0usize..100,
        ) {
            let all = chunks.concat();
            let (first, total) = captured(Keep::First(limit), &chunks);
            prop_assert_eq!(&first[..], &all[..all.len().min(limit)]);
            prop_assert_eq!(total, all.len() as u64);
            let (last, total) = captured(Keep::Last(limit), &chunks);
            prop_assert_eq!(&last[..], &all[all.len().saturating_sub(limit)..]);
            prop_assert_eq!(total, all.len() as u64);
        }
    }

    #[test]
    fn memory_stays_bounded() {
        let mut captured = Captured::new(Keep::Last(1000));
        for _ in 0..1000 {
            captured.push(&[7; 300]);
            assert!(captured.bytes.len() <= 2300);
        }
    }
}
