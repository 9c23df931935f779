//! Whatever tables of providers say: they are refused, or they are providers whose calls are rendered without a panic, and
//! that are the same after they were printed and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stagecoach::provider::{
    AtEscape, Call, Layer, Manifest, Mode, Registry, Secrets, Turn, output, payload_limit, render, show,
};

const LABEL: &str = "fuzzed";
const SYSTEM: &str = "You write commit messages.";
const PAYLOAD: &str = "--flag\n@file and a \"quote\" of $HOME\n";

fn calls() -> Vec<Call<'static>> {
    let bare = Call::bare(SYSTEM, PAYLOAD);
    vec![
        bare,
        Call::bare("", PAYLOAD),
        Call { retry: true, model: Some("vendor/model"), ..bare },
        Call { model: Some(""), ..bare },
        Call { mode: Mode::Tooled { repo: "/scratch/repo".as_ref(), git_dir: "/scratch/repo/.git".as_ref() }, ..bare },
        Call { turn: Some(Turn::First("0123")), ..bare },
        Call { turn: Some(Turn::Next("0123")), ..bare },
    ]
}

/// The payload is passed on once: on standard input or in an argument.
fn call(manifest: &Manifest, call: &Call<'_>) {
    let escape = AtEscape::choose(&[SYSTEM, PAYLOAD]);
    for call in [*call, Call { escape: escape.as_ref(), ..*call }] {
        let Ok(invocation) = render(manifest, &call) else { continue };
        let shown = invocation.display_argv.concat();
        assert!(shown.chars().all(|c| !c.is_control()), "a control character is shown: {shown:?}");
        assert!(!invocation.argv.is_empty(), "no program");
        let stdin = invocation.stdin.clone().unwrap_or_default();
        let carries = |bytes: &[u8]| bytes.windows(6).any(|window| window == b"--flag");
        let carriers = invocation.argv.iter().filter(|argument| carries(argument.as_encoded_bytes())).count()
            + usize::from(carries(&stdin));
        assert!(carriers >= 1, "the payload is lost: {invocation:?}");
        let rules = output::Rules::new(manifest, None, None);
        drop(output::read(&rules, &invocation, b"{\"result\": \"an answer\"}"));
    }
}

fuzz_target!(|text: &str| {
    let Ok(layer) = Layer::parse(LABEL, text) else { return };
    let Ok(registry) = Registry::new(vec![layer]) else { return };
    for name in registry.names() {
        let Ok(provider) = registry.get(&name) else { panic!("{name} was accepted and is not there") };
        // The others are as they were before.
        if !provider.fields.iter().any(|(_, entry)| &*entry.layer == LABEL) {
            continue;
        }
        let limit = payload_limit(&provider.manifest);
        assert!(limit.is_none_or(|limit| limit > 0), "no room for anything");
        drop(provider.manifest.failures.compile());
        calls().iter().for_each(|wanted| call(&provider.manifest, wanted));
        let printed = show(&provider, Secrets::Shown);
        let again = Layer::parse("printed", &printed).expect("what is printed can be read");
        let again = Registry::new(vec![again]).expect("and is accepted").get(&name).expect("under its name");
        assert_eq!(again.manifest, provider.manifest, "{printed}");
    }
});
