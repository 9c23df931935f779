//! A diff is cut into parts without loss, and no part but a single character is larger than it may be.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stagecoach::payload::{PartSize, estimate, parts};

fuzz_target!(|data: (u16, u16, &str)| {
    let (tokens, bytes, text) = data;
    let size = PartSize { tokens: usize::from(tokens), bytes: usize::from(bytes) };
    let cut = parts(text, size);
    assert_eq!(cut.concat(), text, "text is lost");
    for part in cut {
        assert!(!part.is_empty(), "an empty part");
        let fits = part.len() <= size.bytes && estimate(part) <= size.tokens;
        assert!(fits || part.chars().count() == 1, "a part is too large");
    }
});
