//! Section 5 of the manual: the configuration file and the manifests of providers, from the tables that read them.

use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use crate::config::options::{Key, OTHER_VARIABLES, TABLE};
use crate::provider::fields::{FIELDS, Field, SUB_TABLES};
use crate::role::Role;

const CONFIG_EXAMPLE: &str = "\
config_version = 3

[defaults]
provider = \"claude\"
model = \"haiku\"

[role.planner]
model = \"opus\"

[generation]
format = \"conventional+body\"
exclude = [\"*.svg\"]

[provider.myagent]
command = \"/opt/myagent/bin/agent\"
";

const PROVIDER_EXAMPLE: &str = "\
config_version = 3

[provider.myagent]
command = \"/opt/myagent/bin/agent\"
print_flag = \"--once\"
model_flag = \"--model\"
system_prompt_flag = \"--system\"

[provider.claude]
default_model = \"haiku\"
";

/// File name and text of both pages.
pub(super) fn pages() -> [(String, String); 2] {
    [("stagecoach-config.5".to_owned(), config()), ("stagecoach-providers.5".to_owned(), providers())]
}

fn config() -> String {
    let mut page = Page::new("stagecoach-config", "the configuration file of stagecoach");
    page.section("SYNOPSIS");
    for file in ["$XDG_CONFIG_HOME/stagecoach/config.toml", "~/.config/stagecoach/config.toml", ".stagecoach.toml"] {
        page.line([italic(file)]);
    }
    page.section("DESCRIPTION");
    page.paragraph(
        "The file is TOML. Nothing needs to be set. `stagecoach config init` writes one that works, `stagecoach config \
         path` says which files are read, and `stagecoach config show --origin` which value counts and what set it.",
    );
    page.paragraph(
        "From the lowest to the highest, these set a value: the built-in default, the provider's manifest, your file, \
         `.stagecoach.toml` at the root of the working tree, git's configuration, variables, options. The highest counts. \
         Until it is trusted (`stagecoach trust`), a repository's file may only shape messages.",
    );
    page.paragraph(
        "A duration is written as `90`, `90s`, `8m` or `1h30m`. A key that is not known, or a value that a key does not \
         take, is an error that says where it stands.",
    );
    page.section("KEYS");
    page.entry("config_version", "a whole number; 3", "which layout the file has", &[]);
    let mut last = String::new();
    for key in Key::all().filter(|key| key.role().is_none()) {
        let section = key.section();
        if last != section {
            page.subsection(&format!("[{section}]"));
            last = section;
        }
        let default = key.default_value().map_or_else(|| "unset".to_owned(), ToString::to_string);
        page.entry(key.field(), &format!("{}; {default}", key.expects()), key.declaration().doc, &named(key));
    }
    role_keys(&mut page);
    page.subsection("[provider.NAME]");
    page.paragraph("How an agent is called; see `stagecoach-providers`(5).");
    page.section("ENVIRONMENT");
    page.paragraph("Besides the variables above:");
    for (name, does) in OTHER_VARIABLES {
        page.term(name);
        page.prose(does);
    }
    page.section("EXAMPLE");
    page.verbatim(CONFIG_EXAMPLE);
    page.see_also(&[("stagecoach", 1), ("stagecoach-config", 1), ("stagecoach-providers", 5)])
}

/// One table for all roles: only the name differs, and a default where a role has its own.
fn role_keys(page: &mut Page) {
    let names: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
    page.subsection("[role.ROLE]");
    page.paragraph(&format!(
        "ROLE is one of {}. What is not set here is inherited from `[defaults]`. ROLE is part of the variable, the key and \
         the option too, as in `STAGECOACH_PLANNER_MODEL`, `stagecoach.role.planner.model` and `--planner-model`.",
        names.join(", ")
    ));
    for declaration in &TABLE {
        let Some(general) = Key::find(declaration.key) else { continue };
        let of_roles: Vec<Key> =
            Key::all().filter(|key| key.role().is_some() && key.of_all_roles() == general).collect();
        if of_roles.is_empty() {
            continue;
        }
        let own = of_roles.iter().filter_map(|key| Some(format!("{} for {}", key.default_value()?, key.role()?)));
        let default = std::iter::once("inherited".to_owned()).chain(own).collect::<Vec<_>>().join(", ");
        page.entry(general.field(), &format!("{}; {default}", general.expects()), declaration.doc, &[]);
    }
}

/// What else sets a key.
fn named(key: Key) -> Vec<(&'static str, String)> {
    let names = [("option", key.flag()), ("variable", key.variable()), ("git config", key.git_key())];
    names.into_iter().filter_map(|(kind, name)| Some((kind, name?))).collect()
}

fn providers() -> String {
    let mut page = Page::new("stagecoach-providers", "how stagecoach calls agents: manifests of providers");
    page.section("SYNOPSIS");
    page.line([bold("[provider."), italic("NAME"), bold("]"), roman(" in a configuration file")]);
    page.section("DESCRIPTION");
    page.paragraph(
        "A provider is an agent program that stagecoach can ask. Its manifest says how the program is called and how what \
         it prints becomes a message. The known ones are built in; `stagecoach providers list` names them, and `stagecoach \
         providers show NAME` prints one.",
    );
    page.paragraph(
        "A table in a configuration file lies over the built-in manifest of that name, field by field, or makes a new \
         provider, which needs `command` alone. Lists replace each other; tables merge key by key. A `.stagecoach.toml` \
         defines providers only once it is trusted.",
    );
    page.section("FIELDS");
    for field in &FIELDS {
        page.field(field);
    }
    page.section("TABLES");
    for table in &SUB_TABLES {
        page.subsection(&format!("[provider.NAME.{}]", table.name));
        table.keys.iter().for_each(|key| page.field(key));
    }
    page.section("EXAMPLE");
    page.paragraph("A new provider, and another model for a built-in one:");
    page.verbatim(PROVIDER_EXAMPLE);
    page.see_also(&[("stagecoach", 1), ("stagecoach-providers", 1), ("stagecoach-config", 5)])
}

/// A page in the making.
struct Page(Roff);

impl Page {
    fn new(name: &str, about: &str) -> Page {
        let mut page = Page(Roff::new());
        let version = format!("stagecoach {}", env!("CARGO_PKG_VERSION"));
        page.0.control("TH", [name, "5", "", &version, "stagecoach"]);
        // Names are to be copied: none is divided at the end of a line.
        page.0.control("nh", []);
        page.section("NAME");
        page.line([roman(format!("{name} - {about}"))]);
        page
    }

    fn section(&mut self, title: &str) {
        self.0.control("SH", [title]);
    }

    fn subsection(&mut self, title: &str) {
        self.0.control("SS", [title]);
    }

    /// A line of its own.
    fn line(&mut self, words: impl Into<Vec<Inline>>) {
        self.0.text(words);
        self.0.control("br", []);
    }

    fn prose(&mut self, text: &str) {
        self.0.text(inline(text));
    }

    fn paragraph(&mut self, text: &str) {
        self.0.control("PP", []);
        self.prose(text);
    }

    fn term(&mut self, name: &str) {
        self.0.control("TP", []);
        self.0.text([bold(name)]);
    }

    /// A key: what it takes and its default, what it decides, and what else sets it.
    fn entry(&mut self, name: &str, takes: &str, meaning: &str, others: &[(&str, String)]) {
        self.0.control("TP", []);
        let mut head = vec![bold(name), roman(" (")];
        head.extend(inline(takes));
        head.push(roman(")"));
        self.0.text(head);
        self.line(inline(meaning));
        let mut also = Vec::new();
        for (kind, name) in others {
            also.push(roman(if also.is_empty() { format!("{kind} ") } else { format!(", {kind} ") }));
            also.push(bold(name));
        }
        if !also.is_empty() {
            self.0.text(also);
        }
    }

    fn field(&mut self, field: &Field) {
        let default = match field.default {
            "required" => "required".to_owned(),
            default => format!("default: {default}"),
        };
        self.entry(field.name, &format!("{}; {default}", field.kind.describe()), field.meaning, &[]);
    }

    fn verbatim(&mut self, text: &str) {
        self.0.control("PP", []);
        self.0.control("RS", ["4"]);
        self.0.control("nf", []);
        for line in text.lines() {
            self.0.text([roman(line)]);
        }
        self.0.control("fi", []);
        self.0.control("RE", []);
    }

    fn see_also(mut self, pages: &[(&str, u8)]) -> String {
        see_also(&mut self.0, pages);
        self.0.render()
    }
}

/// The last section of a page.
pub(super) fn see_also(roff: &mut Roff, pages: &[(&str, u8)]) {
    roff.control("SH", ["SEE ALSO"]);
    let mut words = Vec::new();
    for (name, section) in pages {
        words.extend((!words.is_empty()).then(|| roman(", ")));
        words.extend([bold(*name), roman(format!("({section})"))]);
    }
    roff.text(words);
}

/// Text in which code stands between backticks.
fn inline(text: &str) -> Vec<Inline> {
    let part = |(index, part): (usize, &str)| if index % 2 == 0 { roman(part) } else { bold(part) };
    text.split('`').enumerate().map(part).collect()
}
