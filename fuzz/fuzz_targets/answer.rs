//! Whatever an agent prints is read without a panic, and what comes out of cleaning is clean and stays so.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stagecoach::message::Message;
use stagecoach::provider::{clean, output};

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for (output, field) in [(stagecoach::provider::Output::Raw, ""), (stagecoach::provider::Output::Json, "result.text")] {
        let rules = output::Rules { output, json_field: field.to_owned(), strip_code_fence: true };
        let read = output::read_text(&rules, &text).text;
        let message = clean(&read);
        assert_eq!(clean(&message), message, "cleaning again changes a clean message");
        assert!(message.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'), "a control character survives");
        if let Ok(message) = Message::new(&message) {
            assert!(message.as_str().ends_with('\n'));
        }
    }
});
