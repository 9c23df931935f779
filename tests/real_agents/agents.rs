//! The agents, and how each is pointed at the mock model service: nothing of this is known to stagecoach.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::json;

/// The tools that a bare call is known to offer the model.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tools {
    /// None at all.
    None,
    /// These, which cannot be taken away, and change nothing or do nothing.
    Harmless(&'static [&'static str]),
}

/// A file of an agent's home.
#[derive(Debug)]
pub(crate) struct Configuration {
    /// Its place in the home.
    file: &'static str,
    /// Its content, made from the service's address.
    content: fn(&str) -> String,
}

/// An agent program.
#[derive(Debug)]
pub(crate) struct Agent {
    /// Its built-in manifest.
    pub(crate) provider: &'static str,
    /// The package in npm.
    pub(crate) package: &'static str,
    /// The program.
    pub(crate) command: &'static str,
    /// What `--model` has to say for the mock to be asked.
    pub(crate) model: Option<&'static str>,
    /// What the model is offered.
    pub(crate) tools: Tools,
    /// Variables that point it at the service; `{base}` is the service's address.
    pub(crate) variables: &'static [(&'static str, &'static str)],
    /// A file of its home that does so.
    pub(crate) configuration: Option<Configuration>,
}

impl Agent {
    /// Writes the configuration into a scratch home.
    pub(crate) fn configure(&self, home: &Path, base: &str) -> Result<()> {
        let Some(Configuration { file, content }) = &self.configuration else { return Ok(()) };
        let file = home.join(file);
        fs::create_dir_all(file.parent().context("no folder")?)?;
        Ok(fs::write(file, content(base))?)
    }

    /// The variables for a service at `base`.
    pub(crate) fn environment<'a>(&'a self, base: &'a str) -> impl Iterator<Item = (&'static str, String)> + 'a {
        self.variables.iter().map(move |(name, value)| (*name, value.replace("{base}", base)))
    }
}

pub(crate) fn claude() -> Agent {
    Agent {
        provider: "claude",
        package: "@anthropic-ai/claude-code",
        command: "claude",
        model: None,
        tools: Tools::None,
        variables: &[("ANTHROPIC_BASE_URL", "{base}"), ("ANTHROPIC_API_KEY", "mock")],
        configuration: None,
    }
}

pub(crate) fn codex() -> Agent {
    Agent {
        provider: "codex",
        package: "@openai/codex",
        command: "codex",
        // Its own default, since what is offered depends on the model.
        model: None,
        tools: Tools::Harmless(&["exec", "send_message_to_user_async", "wait"]),
        variables: &[("MOCK_KEY", "mock")],
        configuration: Some(Configuration {
            file: ".codex/config.toml",
            content: |base| {
                format!(
                    "model_provider = \"mock\"\n\n[model_providers.mock]\nname = \"mock\"\n\
                 base_url = \"{base}/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n"
                )
            },
        }),
    }
}

pub(crate) fn opencode() -> Agent {
    Agent {
        provider: "opencode",
        package: "opencode-ai",
        command: "opencode",
        model: Some("mock/mock-model"),
        tools: Tools::None,
        variables: &[],
        configuration: Some(Configuration {
            file: ".config/opencode/opencode.json",
            content: |base| {
                let options = json!({ "baseURL": format!("{base}/v1"), "apiKey": "mock" });
                let models = json!({ "mock-model": {}, "mock-small": {} });
                let mock = json!({ "npm": "@ai-sdk/openai-compatible", "options": options, "models": models });
                json!({ "provider": { "mock": mock }, "small_model": "mock/mock-small" }).to_string()
            },
        }),
    }
}

pub(crate) fn pi() -> Agent {
    Agent {
        provider: "pi",
        package: "@earendil-works/pi-coding-agent",
        command: "pi",
        model: Some("mock/mock-model"),
        tools: Tools::None,
        variables: &[],
        configuration: Some(Configuration {
            file: ".pi/agent/models.json",
            content: |base| {
                let mock = json!({
                    "baseUrl": format!("{base}/v1"),
                    "api": "openai-completions",
                    "apiKey": "mock",
                    "models": [{ "id": "mock-model" }],
                });
                json!({ "providers": { "mock": mock } }).to_string()
            },
        }),
    }
}

pub(crate) fn qwen() -> Agent {
    Agent {
        provider: "qwen",
        package: "@qwen-code/qwen-code",
        command: "qwen",
        model: Some("mock-model"),
        tools: Tools::None,
        variables: &[("OPENAI_BASE_URL", "{base}/v1"), ("OPENAI_API_KEY", "mock")],
        configuration: Some(Configuration {
            file: ".qwen/settings.json",
            content: |_| json!({ "security": { "auth": { "selectedType": "openai" } } }).to_string(),
        }),
    }
}

pub(crate) fn copilot() -> Agent {
    Agent {
        provider: "copilot",
        package: "@github/copilot",
        command: "copilot",
        model: None,
        tools: Tools::None,
        variables: &[
            ("COPILOT_PROVIDER_BASE_URL", "{base}/v1"),
            ("COPILOT_PROVIDER_TYPE", "openai"),
            ("COPILOT_PROVIDER_API_KEY", "mock"),
            ("COPILOT_MODEL", "mock-model"),
        ],
        configuration: None,
    }
}

pub(crate) fn gemini() -> Agent {
    Agent {
        provider: "gemini",
        package: "@google/gemini-cli",
        command: "gemini",
        model: None,
        tools: Tools::Harmless(&[
            "enter_plan_mode",
            "glob",
            "google_web_search",
            "grep_search",
            "invoke_agent",
            "list_directory",
            "read_file",
            "update_topic",
        ]),
        variables: &[("GOOGLE_GEMINI_BASE_URL", "{base}"), ("GEMINI_API_KEY", "mock")],
        configuration: Some(Configuration {
            file: ".gemini/settings.json",
            content: |_| json!({ "security": { "auth": { "selectedType": "gemini-api-key" } } }).to_string(),
        }),
    }
}
