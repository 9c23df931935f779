//! `stagecoach man`: manual pages made from the definition of the command line, and of the files from their tables.

mod formats;

use std::path::Path;

use super::args::whole_definition;
use super::{Failure, to_stdout};

pub(super) fn run(folder: Option<&Path>) -> Result<(), Failure> {
    let pages = pages()?;
    let Some(folder) = folder else {
        return to_stdout(pages.first().map_or("", |(_, text)| text));
    };
    let failed = |path: &Path, error: std::io::Error| {
        Failure::new("output", format!("cannot write {}", path.display()), error.to_string(), "choose another folder")
    };
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, text) in pages {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// File name and text of every page, the program's own first.
fn pages() -> Result<Vec<(String, String)>, Failure> {
    let mut root = whole_definition().disable_version_flag(false).version(env!("CARGO_PKG_VERSION"));
    root.build();
    let mut pages = Vec::new();
    collect(&root, &mut pages)?;
    pages.extend(formats::pages());
    Ok(pages)
}

fn collect(command: &clap::Command, pages: &mut Vec<(String, String)>) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::new("output", "cannot make the page", error.to_string(), "this is a bug");
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut text = Vec::new();
    // No date: a page must not change because a day has passed.
    let page = clap_mangen::Man::new(command.clone().name(name.clone())).date("").manual("stagecoach");
    page.render(&mut text).map_err(failed)?;
    if command.get_name() == "stagecoach" {
        let mut roff = clap_mangen::roff::Roff::new();
        formats::see_also(&mut roff, &[("stagecoach-config", 5), ("stagecoach-providers", 5)]);
        text.extend(format!("\n{}", roff.to_roff()).into_bytes());
    }
    pages.push((format!("{name}.1"), String::from_utf8_lossy(&text).into_owned()));
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        collect(inner, pages)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages in `man/` are the ones that this definition makes; `stagecoach man --dir man` renews them.
    #[test]
    fn the_committed_pages_are_up_to_date() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
        let pages = pages().unwrap();
        for (name, text) in &pages {
            let committed = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert!(committed == *text, "man/{name} is not up to date: run `stagecoach man --dir man`");
        }
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(pages.iter().any(|(page, _)| *page == name), "man/{name} is not one of the program's pages");
        }
    }

    #[test]
    fn the_pages_of_files_name_every_key() {
        use crate::config::options::Key;
        use crate::provider::fields::{FIELDS, SUB_TABLES};

        let [(_, config), (_, providers)] = formats::pages();
        let escaped = |text: &str| text.replace('-', "\\-");
        for key in Key::all().filter(|key| key.role().is_none()) {
            assert!(config.contains(&format!("\n\\fB{}\\fR (", key.field())), "{key:?}");
            for name in [key.flag(), key.variable(), key.git_key()].into_iter().flatten() {
                assert!(config.contains(&format!("\\fB{}\\fR", escaped(&name))), "{name}");
            }
        }
        for field in FIELDS.iter().chain(SUB_TABLES.iter().flat_map(|table| table.keys)) {
            assert!(providers.contains(&format!("\n\\fB{}\\fR (", field.name)), "{}", field.name);
        }
    }

    /// Every page reaches the places where packages have them.
    #[test]
    fn both_sections_are_packed() {
        for (file, packs) in [
            (
                "Cargo.toml",
                &["\"man/*.N\", \"usr/share/man/manN/\"", "\"man/*.N\", dest = \"/usr/share/man/manN/\""][..],
            ),
            ("packaging/homebrew/stagecoach.rb.in", &["manN.install Dir[\"man/*.N\"]"]),
            ("packaging/nix/flake.nix", &["man/*.N"]),
            ("packaging/check", &["man/*.N"]),
        ] {
            let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
            for (pack, section) in packs.iter().flat_map(|pack| [(pack, "1"), (pack, "5")]) {
                let pack = pack.replace('N', section);
                assert!(text.contains(&pack), "{file} does not have {pack}");
            }
        }
    }
}
