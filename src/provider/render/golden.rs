//! What every built-in is called with, pinned: each mode, reasoning level and delivery, and the turns of a session.

use std::fmt::Write as _;
use std::path::Path;

use super::{Call, Invocation, Mode, Turn, render};
use crate::provider::schema::{Delivery, Manifest, SessionMode};
use crate::provider::{Registry, builtin};
use crate::role::Reasoning;

const BARE: Mode<'_> = Mode::Bare;

fn tooled() -> Mode<'static> {
    Mode::Tooled { repo: Path::new("/scratch/repo"), git_dir: Path::new("/scratch/repo/.git") }
}

fn write(text: &mut String, title: &str, invocation: &Invocation) {
    let stdin = invocation.stdin.as_deref().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
    writeln!(text, "{title}\n  argv  {:?}\n  stdin {stdin:?}", invocation.argv).unwrap();
    for note in &invocation.notes {
        writeln!(text, "  note  {note}").unwrap();
    }
}

fn golden(manifest: &Manifest) -> String {
    let mut text = format!("set {:?}\nunset {:?}\n\n", manifest.env, manifest.run.unset_env);
    let model = if manifest.provider_flag.is_empty() { "MODEL" } else { "BACKEND/MODEL" };
    let call = Call { model: Some(model), ..Call::bare("SYSTEM", "PAYLOAD @FILE") };
    for (delivery, how) in [(Delivery::Stdin, "stdin"), (Delivery::Positional, "positional"), (Delivery::Flag, "flag")]
    {
        let manifest = Manifest { prompt_delivery: delivery, prompt_flag: "--prompt".to_owned(), ..manifest.clone() };
        for (mode, what) in [(BARE, "bare"), (tooled(), "tooled")] {
            for reasoning in Reasoning::ALL {
                let title = format!("{what}, {reasoning}, {how}");
                match render(&manifest, &Call { mode, reasoning, ..call }) {
                    Ok(invocation) => write(&mut text, &title, &invocation),
                    Err(error) => writeln!(text, "{title}\n  error {error}").unwrap(),
                }
            }
        }
    }
    let retry = render(manifest, &Call { retry: true, model: None, ..call }).unwrap();
    write(&mut text, "bare, default model, retry", &retry);
    if manifest.session_mode == SessionMode::Append {
        for (turn, what) in [(Turn::First("ID-1"), "first turn"), (Turn::Next("ID-1"), "next turn")] {
            write(&mut text, what, &render(manifest, &Call { turn: Some(turn), ..call }).unwrap());
        }
    }
    text
}

#[test]
fn every_built_in_is_called_like_this() {
    let registry = Registry::default();
    for name in builtin::agents() {
        insta::assert_snapshot!(name, golden(&registry.get(name).unwrap().manifest));
    }
}
