//! Filling in the templates, and the templates themselves: text files beside the code, so that words can be read and
//! changed as words.

macro_rules! templates {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$doc])* pub(super) const $name: &str = include_str!(concat!("templates/", $file));)*
    };
}

templates! {
    MESSAGE_SYSTEM = "message_system.txt";
    MESSAGE_USER = "message_user.txt";
    PLANNER_SYSTEM = "planner_system.txt";
    PLANNER_AUTO = "planner_auto.txt";
    PLANNER_FORCED = "planner_forced.txt";
    PLANNER_SINGLE_FORM = "planner_single_form.txt";
    PLANNER_USER = "planner_user.txt";
    STAGER_SYSTEM = "stager_system.txt";
    STAGER_USER = "stager_user.txt";
    TOOLED_SYSTEM = "tooled_system.txt";
    TOOLED_USER = "tooled_user.txt";
    TASK = "task.txt";
    ARBITER_SYSTEM = "arbiter_system.txt";
    ARBITER_USER = "arbiter_user.txt";
    FRAMING = "framing.txt";
    CONCEPTS = "concepts.txt";
    HUNKS = "hunks.txt";
    REST = "rest.txt";
    STYLE_LEARNED = "style_learned.txt";
    STYLE_CONVENTIONAL = "style_conventional.txt";
    STYLE_GITMOJI = "style_gitmoji.txt";
    STYLE_PLAIN = "style_plain.txt";
    BODY_REQUIRED = "body_required.txt";
    BODY_OPTIONAL = "body_optional.txt";
    BODY_NONE = "body_none.txt";
    LOCALE = "locale.txt";
    AUTHOR = "author.txt";
    BACKGROUND = "background.txt";
    TAKEN = "taken.txt";
    FAULT = "fault.txt";
    HOOK = "hook.txt";
    CHANGE = "change.txt";
    PARTS_COURSE = "parts_course.txt";
    PARTS_FIRST = "parts_first.txt";
    PARTS_NEXT = "parts_next.txt";
    PARTS_LAST = "parts_last.txt";
    READING_COURSE = "reading_course.txt";
    READING_FIRST = "reading_first.txt";
    READING_LIST = "reading_list.txt";
    READING_WORK = "reading_work.txt";
    READING_GIVEN = "reading_given.txt";
    READING_GONE = "reading_gone.txt";
    READING_ON = "reading_on.txt";
    READING_END = "reading_end.txt";
}

/// Replaces each `{name}` by its value, once: what a value contains is not looked at. A line that only holds a name whose
/// value is empty goes away with it. A name without a value stays as it is.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    for line in template.split_inclusive('\n') {
        let alone = line.trim().strip_prefix('{').and_then(|line| line.strip_suffix('}'));
        let value = alone.and_then(|name| value_of(values, name));
        match value {
            Some("") => {}
            Some(value) => {
                out.push_str(value.trim_end_matches('\n'));
                out.push('\n');
            }
            None => fill_line(&mut out, line, values),
        }
    }
    out
}

fn value_of<'a>(values: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn fill_line(out: &mut String, line: &str, values: &[(&str, &str)]) {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let filled = after.split_once('}').and_then(|(name, tail)| Some((value_of(values, name)?, tail)));
        rest = if let Some((value, tail)) = filled {
            out.push_str(value);
            tail
        } else {
            out.push('{');
            after
        };
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_values_once() {
        let values = [("a", "1 {b}"), ("b", "2"), ("none", "")];
        assert_eq!(fill("x {a} y {b} {c} {", &values), "x 1 {b} y 2 {c} {");
    }

    #[test]
    fn a_line_of_nothing_goes() {
        let values = [("none", ""), ("more", "one\ntwo\n\n")];
        assert_eq!(fill("first\n{none}\n{more}\nlast\n", &values), "first\none\ntwo\nlast\n");
    }
}
