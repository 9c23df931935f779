//! The gitmoji table: which emoji stands for which purpose.

/// One emoji of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gitmoji {
    /// The emoji itself, with its variation selector where it has one.
    pub emoji: &'static str,
    /// Its code between colons, as forges accept it.
    pub code: &'static str,
    /// What it is for.
    pub meaning: &'static str,
}

/// The gitmoji at the beginning of a subject, as emoji (with or without variation selector) or as code, and what follows
/// it, trimmed.
#[must_use]
pub fn leading(subject: &str) -> Option<(&'static Gitmoji, &str)> {
    GITMOJI.iter().find_map(|gitmoji| {
        let bare = gitmoji.emoji.trim_end_matches(VARIATION);
        let rest = subject.strip_prefix(gitmoji.code).or_else(|| {
            let rest = subject.strip_prefix(bare)?;
            Some(rest.strip_prefix(VARIATION).unwrap_or(rest))
        })?;
        Some((gitmoji, rest.trim()))
    })
}

const VARIATION: char = '\u{fe0f}';

const fn entry(emoji: &'static str, code: &'static str, meaning: &'static str) -> Gitmoji {
    Gitmoji { emoji, code, meaning }
}

/// The table.
pub const GITMOJI: &[Gitmoji] = &[
    entry("✨", ":sparkles:", "something new that users can do"),
    entry("🐛", ":bug:", "a bug mended"),
    entry("🚑️", ":ambulance:", "an urgent mend of something broken in use"),
    entry("🩹", ":adhesive_bandage:", "a small mend of something not critical"),
    entry("♻️", ":recycle:", "code reshaped, behaviour unchanged"),
    entry("⚡️", ":zap:", "less time or memory"),
    entry("📝", ":memo:", "documentation"),
    entry("✅", ":white_check_mark:", "tests added, changed or made to pass"),
    entry("🧪", ":test_tube:", "a test that fails for now"),
    entry("🎨", ":art:", "structure or format of the code"),
    entry("🔥", ":fire:", "code or files taken away"),
    entry("⚰️", ":coffin:", "dead code taken away"),
    entry("🚚", ":truck:", "files, paths or names moved"),
    entry("💄", ":lipstick:", "look of the user interface"),
    entry("🚸", ":children_crossing:", "something made easier to use"),
    entry("♿️", ":wheelchair:", "accessibility"),
    entry("💬", ":speech_balloon:", "texts shown to users"),
    entry("🌐", ":globe_with_meridians:", "languages and regions"),
    entry("✏️", ":pencil2:", "a spelling mistake"),
    entry("🔒️", ":lock:", "a security or privacy problem"),
    entry("🔐", ":closed_lock_with_key:", "secrets"),
    entry("🛂", ":passport_control:", "permissions, roles and logins"),
    entry("🔧", ":wrench:", "configuration files"),
    entry("🔨", ":hammer:", "development scripts"),
    entry("👷", ":construction_worker:", "the CI system set up or changed"),
    entry("💚", ":green_heart:", "a CI build mended"),
    entry("🚀", ":rocket:", "deployment"),
    entry("🧱", ":bricks:", "infrastructure"),
    entry("📦️", ":package:", "built packages and compiled files"),
    entry("➕", ":heavy_plus_sign:", "a dependency added"),
    entry("➖", ":heavy_minus_sign:", "a dependency removed"),
    entry("⬆️", ":arrow_up:", "dependencies raised"),
    entry("⬇️", ":arrow_down:", "dependencies lowered"),
    entry("📌", ":pushpin:", "dependencies held at exact versions"),
    entry("🏷️", ":label:", "types"),
    entry("🥅", ":goal_net:", "errors caught"),
    entry("🔊", ":loud_sound:", "logging added or changed"),
    entry("🔇", ":mute:", "logging removed"),
    entry("🚨", ":rotating_light:", "warnings of compiler or linter removed"),
    entry("🦺", ":safety_vest:", "validation"),
    entry("🏗️", ":building_construction:", "the architecture changed"),
    entry("👔", ":necktie:", "business rules"),
    entry("💥", ":boom:", "a change that breaks users"),
    entry("🗑️", ":wastebasket:", "something deprecated that will go"),
    entry("🗃️", ":card_file_box:", "the database and its migrations"),
    entry("🌱", ":seedling:", "data that a database starts with"),
    entry("🧵", ":thread:", "threads and concurrency"),
    entry("📈", ":chart_with_upwards_trend:", "analytics"),
    entry("🩺", ":stethoscope:", "health checks"),
    entry("🧐", ":monocle_face:", "inspection of data"),
    entry("🔍️", ":mag:", "being found by search engines"),
    entry("🚩", ":triangular_flag_on_post:", "feature flags"),
    entry("⚗️", ":alembic:", "an experiment"),
    entry("💫", ":dizzy:", "animations and transitions"),
    entry("📱", ":iphone:", "layout that adapts to the screen"),
    entry("🍱", ":bento:", "images, fonts and other assets"),
    entry("🙈", ":see_no_evil:", "ignore files"),
    entry("📸", ":camera_flash:", "snapshots"),
    entry("🤡", ":clown_face:", "mocks"),
    entry("🥚", ":egg:", "an easter egg"),
    entry("💡", ":bulb:", "comments in the source"),
    entry("📄", ":page_facing_up:", "the licence"),
    entry("👥", ":busts_in_silhouette:", "contributors"),
    entry("🧑‍💻", ":technologist:", "work made easier for developers"),
    entry("👽️", ":alien:", "an outside interface that changed"),
    entry("🔖", ":bookmark:", "a release or version tag"),
    entry("🔀", ":twisted_rightwards_arrows:", "branches merged"),
    entry("⏪️", ":rewind:", "earlier changes taken back"),
    entry("🚧", ":construction:", "unfinished work"),
    entry("🎉", ":tada:", "the beginning of a project"),
    entry("💩", ":poop:", "code that needs to be better one day"),
    entry("🍻", ":beers:", "code written in high spirits"),
    entry("💸", ":money_with_wings:", "sponsoring and money"),
    entry("🦖", ":t-rex:", "support for older versions kept"),
    entry("✈️", ":airplane:", "use without a network"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn entries_are_distinct_and_whole() {
        let emoji: HashSet<_> = GITMOJI.iter().map(|entry| entry.emoji.trim_end_matches(VARIATION)).collect();
        let codes: HashSet<_> = GITMOJI.iter().map(|entry| entry.code).collect();
        assert_eq!((emoji.len(), codes.len()), (GITMOJI.len(), GITMOJI.len()));
        assert!(GITMOJI.iter().all(|entry| entry.code.starts_with(':') && entry.code.ends_with(':')));
        assert!(GITMOJI.iter().all(|entry| !entry.emoji.is_ascii() && !entry.meaning.is_empty()));
    }

    #[test]
    fn the_leading_emoji_is_found_in_each_way_of_writing_it() {
        for (subject, code, rest) in [
            ("✨ Add it", ":sparkles:", "Add it"),
            ("♻️ Split it", ":recycle:", "Split it"),
            ("♻ Split it", ":recycle:", "Split it"),
            (":bug: Mend it", ":bug:", "Mend it"),
            ("🧑‍💻 Ease it", ":technologist:", "Ease it"),
        ] {
            let (gitmoji, after) = leading(subject).unwrap();
            assert_eq!((gitmoji.code, after), (code, rest), "{subject}");
        }
    }

    #[test]
    fn other_beginnings_are_none() {
        for subject in ["Add it", "Add ✨", ":nothing: x", "🦀 crab", ""] {
            assert!(leading(subject).is_none(), "{subject}");
        }
    }
}
