//! A prompt that is never larger than it may be: assembled, measured, and assembled again with less of the diff.

use crate::payload::{PartSize, Share, estimate};

use super::Prompt;

/// How large a prompt may be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// The whole prompt, in [estimated](estimate) tokens; 0: the two caps below apply instead.
    pub token_limit: usize,
    /// Without a token limit: the cap on the diffs of all files but markdown, in bytes.
    pub max_diff_bytes: usize,
    /// Without a token limit: the cap on each markdown file's diff, in lines.
    pub max_md_lines: usize,
    /// The most bytes that the provider's way of delivery carries, system prompt and payload together, where there is such
    /// a limit.
    pub max_prompt_bytes: Option<usize>,
    /// What the provider puts before the payload on a retry; room is kept for it in every call.
    pub reserved: String,
}

/// A prompt within its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    /// What is sent.
    pub prompt: Prompt,
    /// One line for the user when the diff had to be cut.
    pub notice: Option<String>,
}

/// No prompt can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// Instructions and file list alone are larger than the token limit.
    #[error("a prompt without any diff takes {smallest} tokens, the limit is {limit}")]
    TokenLimit {
        /// The limit.
        limit: usize,
        /// The smallest limit that works.
        smallest: usize,
    },
    /// Instructions and file list alone are larger than the provider can be given.
    #[error("a prompt without any diff takes {smallest} bytes, the provider can be given {limit}")]
    Bytes {
        /// The limit.
        limit: usize,
        /// The smallest limit that works.
        smallest: usize,
    },
}

impl Limits {
    /// How many bytes of one file's diff can be shown at most: what [`crate::payload::Options::file_cap`] should be.
    #[must_use]
    pub fn file_cap(&self) -> usize {
        /// A token of a diff seldom stands for more.
        const BYTES_A_TOKEN: usize = 8;
        let by_kind = match self.token_limit {
            0 => self.max_diff_bytes,
            tokens => tokens.saturating_mul(BYTES_A_TOKEN),
        };
        by_kind.min(self.max_prompt_bytes.unwrap_or(usize::MAX))
    }

    /// The size of a prompt as it counts against the token limit.
    #[must_use]
    pub fn tokens(&self, prompt: &Prompt) -> usize {
        estimate(&prompt.system) + estimate(&prompt.user) + estimate(&self.reserved)
    }

    pub(super) fn bytes(&self, prompt: &Prompt) -> usize {
        /// The blank line that joins two parts where they travel as one.
        const JOINT: usize = 2;
        let reserved = if self.reserved.is_empty() { 0 } else { self.reserved.len() + JOINT };
        prompt.system.len() + JOINT + prompt.user.len() + reserved
    }

    /// How large a part of a diff may be in a prompt that is `frame` without it, at most `tokens`.
    ///
    /// # Errors
    /// The frame leaves no room that is worth using.
    pub(super) fn part_size(&self, frame: &Prompt, tokens: usize) -> Result<PartSize, PromptError> {
        /// Less says nothing, in tokens and in bytes.
        const LEAST: (usize, usize) = (150, 400);
        /// What two texts cost more where they are joined, in tokens.
        const JOINT: usize = 4;
        self.check(frame)?;
        let (used, bytes) = (self.tokens(frame) + JOINT, self.bytes(frame));
        let size = PartSize {
            tokens: if self.token_limit == 0 { tokens } else { tokens.min(self.token_limit.saturating_sub(used)) },
            bytes: self.max_prompt_bytes.map_or(usize::MAX, |limit| limit.saturating_sub(bytes)),
        };
        match (self.max_prompt_bytes, self.token_limit) {
            (Some(limit), _) if size.bytes < LEAST.1 => Err(PromptError::Bytes { limit, smallest: bytes + LEAST.1 }),
            (_, limit) if limit > 0 && size.tokens < LEAST.0 => {
                Err(PromptError::TokenLimit { limit, smallest: used + LEAST.0 })
            }
            _ => Ok(size),
        }
    }

    /// Checks the two limits, the one on tokens first.
    pub(super) fn check(&self, prompt: &Prompt) -> Result<(), PromptError> {
        if self.token_limit > 0 {
            let tokens = self.tokens(prompt);
            if tokens > self.token_limit {
                return Err(PromptError::TokenLimit { limit: self.token_limit, smallest: tokens });
            }
        }
        let bytes = self.bytes(prompt);
        match self.max_prompt_bytes {
            Some(limit) if bytes > limit => Err(PromptError::Bytes { limit, smallest: bytes }),
            _ => Ok(()),
        }
    }
}

/// The prompt with as much of the material as fits: `make` assembles it for a given room.
pub(super) fn fit(limits: &Limits, make: impl Fn(Share) -> Fitted) -> Result<Fitted, PromptError> {
    if limits.token_limit == 0 {
        let caps = Share::Caps { max_diff_bytes: limits.max_diff_bytes, max_md_lines: limits.max_md_lines };
        let whole = make(caps);
        if limits.check(&whole.prompt).is_ok() {
            return Ok(whole);
        }
    }
    let frame = make(Share::Bytes(0));
    limits.check(&frame.prompt)?;
    let (unit, mut room) = first_room(limits, &frame.prompt);
    while room > 0 {
        let fitted = make(unit(room));
        let Err(error) = limits.check(&fitted.prompt) else { return Ok(fitted) };
        room = smaller(room, &error, limits.token_limit > 0);
    }
    Ok(frame)
}

/// What the limit leaves once the frame has its part.
fn first_room(limits: &Limits, frame: &Prompt) -> (fn(usize) -> Share, usize) {
    match (limits.token_limit, limits.max_prompt_bytes) {
        (0, limit) => {
            let left = limit.unwrap_or(usize::MAX).saturating_sub(limits.bytes(frame));
            (Share::Bytes, left.min(limits.max_diff_bytes))
        }
        (tokens, _) => (Share::Tokens, tokens.saturating_sub(limits.tokens(frame))),
    }
}

/// The next smaller room to try: less by what was too much, and by enough to get there in few steps.
fn smaller(room: usize, error: &PromptError, in_tokens: bool) -> usize {
    let excess = match error {
        PromptError::TokenLimit { limit, smallest } if in_tokens => smallest - limit,
        PromptError::Bytes { limit, smallest } if !in_tokens => smallest - limit,
        _ => room / 4,
    };
    room.saturating_sub(excess.max(room / 64).max(1))
}
