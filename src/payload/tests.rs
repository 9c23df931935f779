//! Whole payloads: what is shown, what is not, and that every size is kept.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::samples::{Store, options};
use super::*;
use crate::config::Secrets;
use crate::git::{Attributes, ChangedFile, FileMode, ObjectId, Side, Status};

const ALL: Share = Share::Bytes(usize::MAX);

fn side(path: &str, mode: FileMode, byte: u8) -> Side {
    Side { path: path.into(), mode, id: ObjectId::from_bytes(&[byte; 20]).unwrap() }
}

#[test]
fn a_payload_is_skeleton_then_diffs_then_placeholders_in_path_order() {
    let store = Store::default()
        .modified("src/a.rs", "fn main() {\n    one();\n    two();\n}\n", "fn main() {\n    one();\n    three();\n}\n")
        .added("logo.png", b"\x89PNG\0")
        .modified("Cargo.lock", "a\n", "b\nc\n")
        .deleted("old.txt", "gone")
        .file(ChangedFile::renamed(side("x", FileMode::Regular, 1), side("y z", FileMode::Executable, 1), 100))
        .file(ChangedFile::modified(side("lib", FileMode::Gitlink, 2), side("lib", FileMode::Gitlink, 3)).unwrap());
    let payload = store.payload();
    insta::assert_snapshot!(payload.excerpt(ALL).text.replace('\t', "→"), @r"
    M→2→1→Cargo.lock
    M→1→1→lib
    A→-→-→logo.png
    D→0→1→old.txt
    M→1→1→src/a.rs
    R→0→0→x => y z

    M→[lock] Cargo.lock
    M→[submodule] lib 0202020202020202020202020202020202020202..0303030303030303030303030303030303030303
    A→[binary] logo.png
    diff --git a/old.txt b/old.txt
    deleted file mode 100644
    --- a/old.txt
    +++ /dev/null
    @@ -1 +0,0 @@
    -gone
    \ No newline at end of file
    diff --git a/src/a.rs b/src/a.rs
    --- a/src/a.rs
    +++ b/src/a.rs
    @@ -2,3 +2,3 @@ fn main() {
         one();
    -    two();
    +    three();
     }
    diff --git a/x b/y z
    old mode 100644
    new mode 100755
    similarity index 100%
    rename from x
    rename to y z
    ");
    insta::assert_snapshot!(payload.notices().join("\n"), @r"
    not shown to the agent (binary), but committed: logo.png
    not shown to the agent (lock), but committed: Cargo.lock
    not shown to the agent (submodule), but committed: lib
    ");
}

#[test]
fn a_submodule_tells_the_subjects_it_brings() {
    let file = ChangedFile::modified(side("lib", FileMode::Gitlink, 2), side("lib", FileMode::Gitlink, 3)).unwrap();
    let mut options = options();
    options.submodule_log.insert("lib".into(), vec!["Mend\u{1b} it".to_owned(), "Add it".to_owned()]);
    let payload = build(&Change::new(vec![file]), &Store::default(), &options).unwrap();
    let text = payload.files()[0].text();
    assert!(text.ends_with("\n  > Mend it\n  > Add it\n"), "{text}");
    assert_eq!(payload.files()[0].skeleton(), "M\t1\t1\tlib");
}

#[test]
fn a_symlink_that_was_a_file_goes_and_comes() {
    let store = Store::default().deleted("a", "text\n").added("b", "target");
    let [old, new] = [0, 1].map(|at| store.change().files()[at].clone());
    let mut new_side = new.new_side().unwrap().clone();
    new_side.path = "a".into();
    new_side.mode = FileMode::Symlink;
    let file = ChangedFile::modified(old.old_side().unwrap().clone(), new_side).unwrap();
    assert_eq!(file.status(), Status::TypeChanged);
    let payload = build(&Change::new(vec![file]), &store, &options()).unwrap();
    insta::assert_snapshot!(payload.files()[0].text(), @r"
    diff --git a/a b/a
    deleted file mode 100644
    --- a/a
    +++ /dev/null
    @@ -1 +0,0 @@
    -text
    diff --git a/a b/a
    new file mode 120000
    --- /dev/null
    +++ b/a
    @@ -0,0 +1 @@
    +target
    \ No newline at end of file
    ");
}

#[test]
fn excluded_files_are_listed_but_never_shown() {
    let store = Store::default().added("secret/plan.txt", "the plan\n").added("src/a.rs", "code\n");
    let mut options = options();
    options.excludes = Excludes::new(&["secret/".to_owned()], Some("!secret/plan.txt\n")).unwrap();
    let payload = build(&store.change(), &store, &options).unwrap();
    let text = payload.excerpt(ALL).text;
    assert!(text.contains("A\t1\t0\tsecret/plan.txt\n") && text.contains("A\t[excluded] secret/plan.txt\n"));
    assert!(!text.contains("the plan"));
    assert_eq!(payload.warnings().len(), 1);
}

#[test]
fn attributes_decide_what_is_shown() {
    let store = Store::default().added("a.dat", "text\n").added("b.rs", "made\n");
    let shown = Attributes { diff: Some(true), ..Attributes::default() };
    let made = Attributes { generated: Some(true), ..Attributes::default() };
    let change = store.change();
    let files = change.files().iter().cloned().zip([shown, made]).map(|(file, of)| file.with_attributes(of));
    let payload = build(&Change::new(files.collect()), &store, &options()).unwrap();
    assert_eq!(payload.files().iter().map(|file| file.noise).collect::<Vec<_>>(), [None, Some(Noise::Generated)]);
}

#[test]
fn what_is_too_large_is_never_read() {
    let store = Store::default().claimed("big.txt", MAX_FILE + 1).added("small.txt", "x\n");
    let payload = store.payload();
    assert_eq!(payload.files()[0].skeleton(), "A\t-\t-\tbig.txt");
    assert_eq!(payload.files()[0].text(), "A\t[large] big.txt\n");
    assert_eq!(store.read.lock().unwrap().len(), 1);
}

#[test]
fn reading_stops_at_a_bound_and_large_files_wait() {
    let big = vec![b'x'; 15 << 20];
    let mut store = Store::default();
    for n in 0..6 {
        store = store.added(&format!("{n}.txt"), &big);
    }
    let payload = store.added("last.txt", "small\n").payload();
    let read = payload.files().iter().filter(|file| file.counts != Counts::Unknown).count();
    assert_eq!(read, 5);
    assert_eq!(payload.files()[6].skeleton(), "A\t1\t0\tlast.txt");
    assert_eq!(payload.files()[5].skeleton(), "A\t?\t?\t5.txt");
    assert_eq!(payload.files()[5].text(), "A\t[unread] 5.txt\n");
    assert!(payload.warnings()[0].ends_with("the agent sees 2 files by name only"));
}

#[test]
fn texts_of_too_many_lines_are_not_compared() {
    let lines = "\n".repeat(300_000);
    let payload = Store::default().modified("a.txt", &lines, format!("{lines}x\n")).payload();
    assert_eq!(payload.files()[0].noise, Some(Noise::Large));
    assert_eq!(payload.files()[0].counts, Counts::Unknown);
}

#[test]
fn a_diff_over_its_cap_is_not_made_but_counted() {
    let store = Store::default().added("a.txt", "line\n".repeat(100_000));
    let payload = build(&store.change(), &store, &Options { file_cap: 1000, ..options() }).unwrap();
    let file = &payload.files()[0];
    assert_eq!(file.counts, Counts::Lines { added: 100_000, deleted: 0 });
    assert!(file.text().len() < 1200 && !file.is_complete());
    assert!(payload.excerpt(ALL).text.ends_with("is not shown]\n"));
}

#[test]
fn nothing_is_an_error() {
    assert_eq!(build(&Change::default(), &Store::default(), &options()), Err(PayloadError::Empty));
}

#[test]
fn a_missing_blob_is_an_error_that_names_the_file() {
    let file = ChangedFile::added(side("a b", FileMode::Regular, 9));
    let error = build(&Change::new(vec![file]), &Store::default(), &options()).unwrap_err();
    assert_eq!(error.to_string(), "the content of `a b` cannot be read");
}

#[test]
fn bytes_that_are_no_text_cannot_break_it() {
    let odd = Attributes { diff: Some(true), ..Attributes::default() };
    let store = Store::default().added("a", b"caf\xe9 \0 x\n");
    let file = store.change().files()[0].clone().with_attributes(odd);
    let payload = build(&Change::new(vec![file]), &store, &options()).unwrap();
    assert!(payload.files()[0].text().ends_with("+caf\u{fffd} \u{fffd} x\n"));
}

#[test]
fn credentials_stop_the_run_when_they_are_to() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let store = Store::default().added("a.rs", format!("let t = \"{token}\";\n"));
    let with = |secrets| build(&store.change(), &store, &Options { secrets, ..options() });
    let error = with(Secrets::Abort).unwrap_err();
    assert_eq!(error.to_string(), "the change holds what looks like credentials: a.rs (github-token)");
    let redacted = with(Secrets::Redact).unwrap();
    assert!(redacted.excerpt(ALL).text.contains("+let t = \"[redacted:github-token]\";\n"));
    assert_eq!(redacted.warnings().len(), 1);
    assert!(with(Secrets::Off).unwrap().excerpt(ALL).text.contains(&token));
}

/// A change of `files` files, of which the n-th has about n × `lines` lines in some hunks.
fn stairs(files: usize, lines: usize) -> Payload {
    let mut store = Store::default();
    for n in 0..files {
        let old: String = (0..n * lines * 4).fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "line {line} of file {n}");
            text
        });
        let new = old.replace("0 of", "0 more of");
        let extension = if n % 5 == 4 { "md" } else { "rs" };
        store = store.modified(&format!("dir/file{n}.{extension}"), format!("a\n{old}"), format!("b\n{new}"));
    }
    store.payload()
}

#[test]
fn caps_are_kept_apart() {
    let payload = stairs(20, 10);
    let room = Share::Caps { max_diff_bytes: 4000, max_md_lines: 7 };
    let excerpt = payload.excerpt(room);
    let diffs = excerpt.text.strip_prefix(&payload.skeleton()).unwrap();
    let sections: Vec<&str> = diffs.split("diff --git ").skip(1).collect();
    let (markdown, other): (Vec<&str>, Vec<&str>) = sections
        .into_iter()
        .partition(|text| text.starts_with("a/dir/file") && text.lines().next().unwrap().contains(".md"));
    assert!(other.iter().map(|text| text.len() + 11).sum::<usize>() <= 4000 + 80);
    let lines = |text: &str| text.split("\n[").next().unwrap_or_default().lines().count();
    assert!(!markdown.is_empty() && markdown.iter().all(|text| lines(text) <= 7));
    assert!(excerpt.cut > 0);
    assert!(excerpt.notice().unwrap().starts_with("the diff is too large to be shown whole"));
    let enough = Share::Caps { max_diff_bytes: 1 << 20, max_md_lines: 10_000 };
    assert_eq!(payload.excerpt(enough).notice(), None);
    assert_eq!(payload.excerpt(enough).text, payload.excerpt(ALL).text);
}

#[test]
fn without_room_only_the_list_is_left() {
    let payload = stairs(3, 10);
    let excerpt = payload.excerpt(Share::Bytes(0));
    assert_eq!((excerpt.cut, excerpt.dropped), (0, 3));
    assert_eq!(excerpt.text, format!("{}\n[3 more diffs of files listed above are not shown]\n", payload.skeleton()));
}

proptest! {
    #[test]
    fn any_bytes_make_a_payload(
        contents in prop::collection::vec((any::<Vec<u8>>(), "[ab\n\0\r\\u{e9}@+-]{0,30}"), 1..5),
        context in 0..4_u32,
        file_cap in 0..200_usize,
        room in 0..500_usize,
    ) {
        let mut store = Store::default();
        for (n, (old, new)) in contents.iter().enumerate() {
            store = store.modified(&format!("{n}.rs"), old, new);
        }
        let payload = build(&store.change(), &store, &Options { context, file_cap, ..options() }).unwrap();
        let text = payload.excerpt(Share::Bytes(room)).text;
        prop_assert!(!text.contains('\0'));
        prop_assert_eq!(payload.files().len(), contents.len());
        prop_assert_eq!(payload.skeleton().lines().count(), contents.len());
        // What each file has of hunks is made of lines with a sign, headers and marks of missing newlines.
        for file in payload.files() {
            prop_assert!(file.hunks().split_terminator('\n').all(|line| line.starts_with(['+', '-', ' ', '@', '\\'])));
        }
    }

    #[test]
    fn room_is_kept_and_cuts_are_clean(files in 1..12_usize, lines in 0..12_usize, room in 0..6000_usize, tokens in any::<bool>()) {
        let payload = stairs(files, lines);
        let excerpt = payload.excerpt(if tokens { Share::Tokens(room) } else { Share::Bytes(room) });
        let skeleton = payload.skeleton();
        prop_assert!(excerpt.text.starts_with(&skeleton));
        let rest = excerpt.text.strip_prefix(&skeleton).unwrap();
        let diffs = rest.split("\n[").next().unwrap_or_default();
        if !tokens {
            prop_assert!(diffs.len() <= room + 100, "{} > {room}", diffs.len());
        }
        // Each diff that is shown is the beginning of the whole one, up to the end of a line, and ends in no bare header.
        for section in rest.split("diff --git ").skip(1) {
            let section = section.split("\n[").next().unwrap_or_default();
            let whole = payload.files().iter().any(|file| file.text().strip_prefix("diff --git ").unwrap().starts_with(section.trim_end_matches('\n')));
            prop_assert!(whole, "{section}");
            prop_assert!(!section.trim_end().lines().last().unwrap_or_default().starts_with("@@ "));
        }
        prop_assert_eq!(excerpt.cut + excerpt.dropped == 0, excerpt.notice().is_none());
    }

    #[test]
    fn more_room_shows_no_less(files in 1..8_usize, lines in 1..10_usize, room in 0..4000_usize, more in 0..2000_usize) {
        let payload = stairs(files, lines);
        let shown = |room| payload.excerpt(Share::Bytes(room)).dropped;
        prop_assert!(shown(room + more) <= shown(room));
    }
}
