//! `stagecoach config schema`

use super::Failure;

/// The JSON Schema of a configuration file.
pub(super) fn text() -> Result<String, Failure> {
    let schema = crate::config::json_schema(&crate::provider::json_schema());
    let mut text = serde_json::to_string_pretty(&schema)
        .map_err(|error| Failure::new("output", "cannot write JSON", error.to_string(), "this is a bug"))?;
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/config.schema.json");

    fn is_valid(text: &str) -> bool {
        let schema: serde_json::Value = serde_json::from_str(&super::text().unwrap()).unwrap();
        let value: toml::Value = toml::from_str(text).unwrap();
        jsonschema::is_valid(&schema, &serde_json::to_value(value).unwrap())
    }

    /// `UPDATE_DOCS=1 cargo test --lib cli::config::schema` renews the file.
    #[test]
    fn the_committed_schema_is_the_one_that_is_printed() {
        let text = text().unwrap();
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(COMMITTED, &text).unwrap();
        }
        let committed = std::fs::read_to_string(COMMITTED).unwrap_or_default();
        assert!(committed == text, "docs/config.schema.json is not up to date: UPDATE_DOCS=1 cargo test --lib schema");
    }

    #[test]
    fn it_takes_what_configuration_takes_and_nothing_else() {
        let document = include_str!("../../../docs/configuration.md");
        for example in document.split("```toml\n").skip(1) {
            let text = example.split("```").next().unwrap();
            assert!(is_valid(text), "{text}");
        }
        for text in [
            "defaults.timeout = '1h30m'",
            "defaults.timeout = 90",
            "defaults.verbose = true",
            "[provider.x]\ncommand = 'x'\n[provider.x.env]\nA = '1'\n[provider.x.failures]\nok_exit = [3]",
        ] {
            assert!(is_valid(text), "{text}");
        }
        for text in [
            "defaults.timeout = 'soon'",
            "defaults.timeout = ''",
            "defaults.timeout = 0",
            "defaults.verbose = 3",
            "defaults.modle = 'x'",
            "generation.format = 'poem'",
            "generation.diff_context = 4",
            "generation.exclude = 'a'",
            "[provider.x]\ncomand = 'x'",
            "[provider.x.checks]\nversion = 'x'",
            "telepathy = true",
        ] {
            assert!(!is_valid(text), "{text}");
        }
    }
}
