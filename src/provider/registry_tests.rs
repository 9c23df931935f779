use super::*;

fn registry(sources: &[&str]) -> Result<Registry, LayerError> {
    let layers = sources.iter().enumerate().map(|(i, source)| Layer::parse(&format!("layer {i}"), source));
    Registry::new(layers.collect::<Result<_, _>>()?)
}

#[test]
fn what_extends_acp_needs_a_name_and_a_command() {
    let registry = |source: &str| Registry::new(vec![Layer::parse("own", source).unwrap()]);
    let own = registry("[provider.own]\nextends = 'acp'\ncommand = 'own'\nsubcommand = ['serve', '--acp']\n")
        .unwrap()
        .get("own")
        .unwrap()
        .manifest;
    let acp = own.acp.clone().unwrap();
    assert_eq!(
        (acp.command, acp.usage, own.is_acp_alone),
        (["own", "serve", "--acp"].map(str::to_owned).to_vec(), crate::provider::AcpUse::Always, true)
    );
    assert!(!own.can_stage());
    let stager = registry("[provider.own]\nextends = 'acp'\ncommand = 'own'\nacp.modes.tooled = 'ask'\n").unwrap();
    assert!(stager.get("own").unwrap().manifest.can_stage());
    for (fields, error) in [
        ("", "`provider.own.command`: `command` is missing"),
        ("command = './own'", "`provider.own.command`: `./own` is a relative path"),
        ("command = 'own'\nbare_flags = ['--x']", "`provider.own.bare_flags`: has no meaning with `extends = \"acp\"`"),
        ("command = 'own'\noutput = 'json'", "`provider.own.output`: has no meaning"),
        ("command = 'own'\nsession.first = ['-s']", "`provider.own.session.first`: has no meaning"),
        ("command = 'own'\nreasoning_levels.low = ['-l']", "`provider.own.reasoning_levels.low`: has no meaning"),
        ("command = 'own'\nacp.command = ['other']", "`provider.own.acp.command`: has no meaning"),
        ("command = 'own'\nacp.use = 'never'", "`provider.own.acp.use`: has no meaning"),
        ("command = 'own'\nacp.model_option = 'argv'", "`acp.model_option = \"argv\"` needs `model_flag`"),
    ] {
        let found = registry(&format!("[provider.own]\nextends = 'acp'\n{fields}")).unwrap_err().to_string();
        assert!(found.contains(error), "{found}");
    }
    let other = registry("[provider.claude]\nextends = 'acp'").unwrap_err().to_string();
    assert!(other.contains("`provider.claude.extends`: a built-in provider extends nothing"), "{other}");
    let relative = registry("[provider.a]\ncommand = 'a'\nacp.command = ['bin/a']").unwrap_err().to_string();
    assert!(relative.contains("`provider.a.acp.command`: `bin/a` is a relative path"), "{relative}");
    let word = Layer::parse("own", "[provider.a]\nextends = 'apc'").unwrap_err().to_string();
    assert_eq!(word, "`provider.a.extends`: `apc` is not allowed; use `\"acp\"`");
}

#[test]
fn a_user_changes_one_field_of_a_built_in_and_keeps_the_rest() {
    let plain = registry(&[]).unwrap().get("claude").unwrap();
    let changed = registry(&["[provider.claude]\ndefault_model = 'opus'"]).unwrap().get("claude").unwrap();
    assert_eq!(changed.source, Source::BuiltIn);
    assert_eq!(&*changed.fields.get("default_model").unwrap().layer, "layer 0");
    assert_eq!(changed.manifest, Manifest { default_model: "opus".to_owned(), ..plain.manifest });
}

#[test]
fn layers_of_one_provider_are_judged_together() {
    let split = registry(&["[provider.own]\nmodel_flag = '-m'", "[provider.own]\ncommand = 'own'"]).unwrap();
    let own = split.get("own").unwrap();
    assert_eq!((own.source, own.manifest.command.as_str(), own.manifest.detect.as_str()), (Source::User, "own", "own"));
    assert_eq!(split.names().last().unwrap(), "own");
}

#[test]
fn what_makes_no_manifest_is_an_error_at_once() {
    let table = [
        (
            "[provider.own]\nmodel_flag = '-m'",
            "`provider.own.command`: `command` is missing: it names the program to run",
        ),
        (
            "[provider.claude]\nname = 'clod'",
            "`provider.claude.name`: `clod` disagrees with the table's key; use the key, or leave the field out",
        ),
        (
            "[provider.own]\ncommand = './agent'",
            "`provider.own.command`: `./agent` is a relative path; use a name that is on `PATH`, or an absolute path",
        ),
        (
            "[provider.own]\ncommand = 'agent'\ndetect = 'bin/agent'",
            "`provider.own.detect`: `bin/agent` is a relative path; use a name that is on `PATH`, or an absolute path",
        ),
        (
            "[provider.own]\ncommand = 'agent'\nprompt_delivery = 'flag'",
            "`provider.own.prompt_delivery`: `prompt_delivery = \"flag\"` needs `prompt_flag`",
        ),
        (
            "[provider.offline]\ncommand = 'sh'",
            "`provider.offline.command`: the offline provider runs no program, so its fields cannot be changed",
        ),
    ];
    for (source, expected) in table {
        let error = registry(&[source]).expect_err(source);
        assert_eq!(error.to_string(), expected);
        let LayerError::Manifest(error) = error else { panic!("{source}") };
        assert_eq!(&*error.layer, "layer 0", "{source}");
        assert!(error.span.is_some(), "{source}");
    }
}

#[test]
fn an_unknown_name_comes_with_the_nearest() {
    let RegistryError::Unknown(error) = registry(&[]).unwrap().get("cluade").unwrap_err() else { panic!() };
    assert_eq!(error.nearest.as_deref(), Some("claude"));
    assert_eq!(
        error.to_string(),
        "there is no provider `cluade` (did you mean `claude`?); known are pi, opencode, cursor, agy, codex, claude, qwen, \
         copilot, gemini, offline"
    );
    assert!(matches!(
        registry(&[]).unwrap().get("zzz"),
        Err(RegistryError::Unknown(UnknownProvider { nearest: None, .. }))
    ));
}

#[test]
fn every_provider_can_be_had_by_its_name() {
    let registry = registry(&["[provider.own]\ncommand = 'own'"]).unwrap();
    let names: Vec<String> = registry.all().unwrap().into_iter().map(|provider| provider.manifest.name).collect();
    assert_eq!(names, registry.names());
    let offline = registry.get("offline").unwrap();
    assert_eq!(offline.source, Source::Offline);
    assert!(offline.manifest.is_offline());
}

#[test]
fn stagers_are_those_with_tooled_flags() {
    let registry = registry(&["[provider.own]\ncommand = 'own'", "[provider.claude]\ntooled_flags = []"]).unwrap();
    let stagers = registry.stagers().unwrap();
    assert!(stagers.contains(&"codex".to_owned()));
    assert!(!stagers.iter().any(|name| name == "own" || name == "claude" || name == "offline"));
}

#[cfg(unix)]
mod choosing {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn path_with(programs: &[&str]) -> (tempfile::TempDir, SearchPath) {
        let folder = tempfile::tempdir().unwrap();
        for program in programs {
            let path = folder.path().join(program);
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let search = SearchPath::new(Some(folder.path().as_os_str()));
        (folder, search)
    }

    fn chosen(layers: &[&str], programs: &[&str]) -> String {
        let (folder, path) = path_with(programs);
        let choice = registry(layers).unwrap().choose(&path).unwrap();
        match &choice {
            Choice::Installed { provider, program } => {
                assert_eq!(*program, folder.path().join(&provider.manifest.detect));
            }
            Choice::Offline(provider) => assert!(provider.manifest.is_offline()),
        }
        choice.provider().manifest.name.clone()
    }

    #[test]
    fn the_first_installed_agent_is_taken() {
        assert_eq!(chosen(&[], &["pi", "opencode", "agent", "claude"]), "pi");
        assert_eq!(
            chosen(&[], &["gemini", "copilot", "qwen", "claude", "codex", "agy", "agent", "opencode"]),
            "opencode"
        );
        assert_eq!(chosen(&[], &["claude", "codex", "agy", "agent"]), "cursor");
        assert_eq!(chosen(&[], &["claude", "codex", "agy"]), "agy");
        assert_eq!(chosen(&[], &["claude", "codex"]), "codex");
        assert_eq!(chosen(&[], &["gemini", "copilot", "qwen", "claude"]), "claude");
        assert_eq!(chosen(&[], &["gemini", "copilot", "qwen"]), "qwen");
        assert_eq!(chosen(&[], &["gemini", "copilot"]), "copilot");
        assert_eq!(chosen(&[], &["gemini"]), "gemini");
    }

    #[test]
    fn nothing_installed_means_offline_and_own_providers_are_never_taken() {
        assert_eq!(chosen(&[], &[]), "offline");
        assert_eq!(chosen(&["[provider.own]\ncommand = 'own'"], &["own"]), "offline");
    }

    #[test]
    fn another_stager_is_the_first_installed_agent_with_tools() {
        let other = |layers: &[&str], programs: &[&str], than: &str| {
            let (_folder, path) = path_with(programs);
            let found = registry(layers).unwrap().choose_stager(&path, than).unwrap();
            found.map(|provider| provider.manifest.name)
        };
        let programs = ["codex", "claude", "own"];
        assert_eq!(other(&[], &programs, "own").as_deref(), Some("codex"));
        assert_eq!(other(&[], &programs, "codex").as_deref(), Some("claude"));
        assert_eq!(other(&["[provider.codex]\ntooled_flags = []"], &programs, "own").as_deref(), Some("claude"));
        assert_eq!(other(&["[provider.own]\ncommand = 'own'\ntooled_flags = ['x']"], &["own"], "codex"), None);
    }

    #[test]
    fn detect_can_be_changed() {
        assert_eq!(chosen(&["[provider.claude]\ndetect = 'claude-next'"], &["claude"]), "offline");
        assert_eq!(chosen(&["[provider.claude]\ndetect = 'claude-next'"], &["claude-next"]), "claude");
        assert_eq!(chosen(&["[provider.claude]\ndetect = ''\ncommand = 'cl'"], &["cl"]), "claude");
    }
}
