use proptest::prelude::*;

use super::*;
use crate::provider::{Layer, Registry};

fn provider(source: &str, name: &str) -> Provider {
    Registry::new(vec![Layer::parse("config.toml", source).unwrap()]).unwrap().get(name).unwrap()
}

#[test]
fn every_field_is_printed_in_order_with_its_layer() {
    let own = provider(
        "[provider.own]\ncommand = '/opt/own'\nbare_flags = ['--a', '']\nreasoning_levels.low = ['-l']\n\
         env = { LANG = 'C', OWN_API_KEY = 'hidden' }\nfailures.auth = ['(?i)\\blog in\\b']\nacp.command = ['own', 'acp']\n\
         acp.modes.bare = 'ask'\nrun.max_payload_bytes = 1000",
        "own",
    );
    insta::assert_snapshot!(show(&own, Secrets::Hidden), @r#"
    # defined by your configuration
    [provider.own]
    name = "own"  # default
    detect = "/opt/own"  # default
    command = "/opt/own"  # config.toml
    list_models_command = []  # default
    subcommand = []  # default
    prompt_delivery = "stdin"  # default
    prompt_flag = ""  # default
    print_flag = ""  # default
    model_flag = ""  # default
    default_model = ""  # default
    system_prompt_flag = ""  # default
    provider_flag = ""  # default
    session_mode = ""  # default
    bare_flags = ["--a", ""]  # config.toml
    tooled_flags = []  # default
    output = "raw"  # default
    json_field = ""  # default
    strip_code_fence = true  # default
    retry_instruction = "Output ONLY the commit message. No preamble, no markdown, no quotes."  # default
    env.LANG = "C"  # config.toml
    # env.OWN_API_KEY is set but not shown  # config.toml
    reasoning_levels.low = ["-l"]  # config.toml
    experimental = false  # default

    [provider.own.failures]
    auth = ['(?i)\blog in\b']  # config.toml

    [provider.own.run]
    max_payload_bytes = 1000  # config.toml

    [provider.own.acp]
    command = ["own", "acp"]  # config.toml
    modes.bare = "ask"  # config.toml
    "#);
}

#[test]
fn what_extends_acp_says_so_and_reads_back() {
    let source = "[provider.own]\nextends = 'acp'\ncommand = 'own'\nsubcommand = ['acp']";
    let own = provider(source, "own");
    let printed = show(&own, Secrets::Hidden);
    assert!(printed.starts_with(
        "# defined by your configuration; asked over ACP: own acp\n[provider.own]\nextends = \"acp\"  # config.toml\n"
    ));
    assert_eq!(provider(&printed, "own").manifest, own.manifest);
    assert_eq!(crate::provider::show_json(&own, Secrets::Hidden)["extends"], "acp");
}

#[test]
fn built_ins_read_back_to_themselves() {
    for provider in Registry::default().all().unwrap() {
        let printed = show(&provider, Secrets::Shown);
        assert_eq!(self::provider(&printed, &provider.manifest.name).manifest, provider.manifest, "{printed}");
        for field in &FIELDS {
            let set = |line: &str| {
                line.starts_with(&format!("{} =", field.name)) || line.starts_with(&format!("{}.", field.name))
            };
            assert!(printed.lines().any(set), "{} is missing in\n{printed}", field.name);
        }
    }
}

#[test]
fn offline_is_honest() {
    let printed = show(&Registry::default().get("offline").unwrap(), Secrets::Hidden);
    assert!(printed.starts_with("# part of stagecoach: runs no program, asks no model"));
    assert!(printed.contains("command = \"\""));
}

#[test]
fn a_label_cannot_break_out_of_its_comment() {
    let layer = Layer::parse("a\nb = 1 #", "[provider.own]\ncommand = 'own'").unwrap();
    let provider = Registry::new(vec![layer]).unwrap().get("own").unwrap();
    let printed = show(&provider, Secrets::Shown);
    assert!(printed.contains("command = \"own\"  # a?b = 1 #\n"), "{printed}");
}

/// Any string that a configuration file can hold.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[^\\x00]{0,12}", "[a-z'\"\\\\\n\t{}#=]{0,12}"]
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_to_the_same(
        command in "[a-z]{1,8}",
        texts in prop::collection::vec(text(), 8),
        lists in prop::collection::vec(prop::collection::vec(text(), 0..3), 6),
        variables in prop::collection::btree_map("[^\\x00=]{1,10}", text(), 0..4),
        flags in prop::collection::vec(any::<bool>(), 3),
        choice in 0_usize..3,
        limit in any::<u32>(),
        name in "[a-z][a-z0-9._-]{0,8}",
    ) {
        prop_assume!(name != "offline");
        let mut table = toml::Table::new();
        table.insert("command".into(), command.into());
        for (key, text) in ["print_flag", "model_flag", "default_model", "system_prompt_flag", "json_field", "retry_instruction"].iter().zip(&texts) {
            table.insert((*key).into(), text.clone().into());
        }
        table.insert("prompt_flag".into(), "--prompt".into());
        table.insert("prompt_delivery".into(), ["stdin", "positional", "flag"][choice].into());
        for (key, list) in ["bare_flags", "tooled_flags", "subcommand", "list_models_command"].iter().zip(&lists) {
            table.insert((*key).into(), list.clone().into());
        }
        table.insert("experimental".into(), flags[0].into());
        table.insert("strip_code_fence".into(), flags[1].into());
        table.insert("env".into(), toml::Value::try_from(&variables).unwrap());
        table.insert("reasoning_levels".into(), toml::Value::try_from([("high", &lists[4])].into_iter().collect::<std::collections::BTreeMap<_, _>>()).unwrap());
        let mut run = toml::Table::new();
        run.insert("escape_at".into(), flags[2].into());
        run.insert("max_payload_bytes".into(), i64::from(limit).into());
        run.insert("unset_env".into(), lists[5].clone().into());
        table.insert("run".into(), run.into());
        table.insert("models".into(), toml::Value::try_from([("message", &texts[6]), ("verified", &texts[7])].into_iter().collect::<std::collections::BTreeMap<_, _>>()).unwrap());
        let mut providers = toml::Table::new();
        providers.insert(name.clone(), table.into());
        let mut document = toml::Table::new();
        document.insert("provider".into(), providers.into());

        let first = provider(&document.to_string(), &name);
        let printed = show(&first, Secrets::Shown);
        prop_assert_eq!(&provider(&printed, &name).manifest, &first.manifest, "{}", printed);
        prop_assert_eq!(printed.lines().filter(|line| line.contains("# config.toml")).count() > 0, true);
    }
}
