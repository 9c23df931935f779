//! Blobs, commits, history; configuration and attributes.

use bstr::{BStr, BString};

use super::super::GitError;
use super::super::testing::Scratch;
use super::{FORMATS, agreed, backends, backends_in, id};

#[test]
fn blobs_are_read_as_they_are_or_not_at_all() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.commit_all("first");
        let large = vec![b'x'; 3_000_000];
        let contents: [&[u8]; 4] = [b"", b"\n", b"\0\xff\nno newline", &large];
        for content in contents {
            let blob = agreed(&scratch, |backend| backend.write_blob(content).unwrap());
            assert_eq!(agreed(&scratch, |backend| backend.read(blob).unwrap()), content);
            assert_eq!(agreed(&scratch, |backend| backend.size(blob).unwrap()), content.len() as u64);
        }
        let elsewhere = Scratch::of(format);
        let missing = backends(&elsewhere)[0].write_blob(b"only there").unwrap();
        for backend in backends(&scratch) {
            for bad in [missing, id(&scratch, "HEAD")] {
                assert_eq!(backend.size(bad).unwrap_err().id, bad);
                assert_eq!(backend.read(bad).unwrap_err().id, bad);
            }
            assert_eq!(backend.size(backend.write_blob(b"still").unwrap()).unwrap(), 5, "a refusal ends nothing");
        }
    }
}

#[test]
fn commits_are_written_and_read() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.commit_all("first");
        let content = scratch.git(&["cat-file", "commit", "HEAD"]) + "\n";
        let made = agreed(&scratch, |backend| backend.write_commit(content.as_bytes()).unwrap());
        assert_eq!(made, id(&scratch, "HEAD"));
        assert_eq!(agreed(&scratch, |backend| backend.tree_of(made).unwrap()), id(&scratch, "HEAD^{tree}"));
        let tree = id(&scratch, "HEAD^{tree}");
        for backend in backends(&scratch) {
            assert!(matches!(backend.tree_of(tree), Err(GitError::Object(..))));
            assert_eq!(backend.null_id().to_string().len(), content.lines().next().unwrap().len() - "tree ".len());
        }
    }
}

#[test]
fn history_is_first_parent_and_ends_where_a_shallow_clone_ends() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.write("a", "1\n");
        scratch.write("early/x", "1\n");
        scratch.git(&["config", "log.showRoot", "false"]);
        scratch.commit_all("first\n\nwith a body\n");
        scratch.git(&["switch", "-q", "-c", "side"]);
        scratch.write("side/b", "1\n");
        scratch.commit_all("side");
        scratch.git(&["switch", "-q", "main"]);
        scratch.write("a", "2\n");
        scratch.commit_all("second");
        scratch.git(&["merge", "-q", "--no-edit", "side"]);
        let head = id(&scratch, "HEAD");
        let log = agreed(&scratch, |backend| backend.log(head, 10).unwrap().unwrap());
        let subjects: Vec<_> = log.iter().map(|entry| (entry.subject().unwrap(), entry.parents)).collect();
        assert_eq!(subjects, [("Merge branch 'side'", 2), ("second", 1), ("first", 0)]);
        assert_eq!(log[2].message, "first\n\nwith a body\n");
        assert_eq!(agreed(&scratch, |backend| backend.log(head, 2).unwrap().unwrap().len()), 2);
        let touched = |commit, paths: &[&str]| {
            let paths: Vec<&BStr> = paths.iter().map(|path| BStr::new(*path)).collect();
            agreed(&scratch, |backend| backend.touches(commit, &paths).unwrap())
        };
        for (commit, paths, expected) in [
            (log[0].id, &["side"][..], true),
            (log[0].id, &["side/b"], true),
            (log[0].id, &["a"], false),
            (log[0].id, &[], false),
            (log[1].id, &["a"], true),
            (log[1].id, &["side", "*"], false),
            // Only its parent did.
            (log[1].id, &["early"], false),
            (log[2].id, &["early/x"], true),
            (log[2].id, &["a"], true),
        ] {
            assert_eq!(touched(commit, paths), expected, "{paths:?}");
        }

        let source = format!("file://{}", scratch.path().display());
        scratch.git(&["clone", "-q", "--depth=1", &source, "../shallow"]);
        for backend in backends_in(&scratch, &scratch.path().join("../shallow")) {
            let log = backend.log(head, 10).unwrap().unwrap();
            assert_eq!(log.len(), 1, "{}", backend.name());
            assert!(backend.touches(head, &[BStr::new("a")]).unwrap(), "nothing is known before it");
        }
    }
}

#[test]
fn configuration_and_attributes_are_gits() {
    for format in FORMATS {
        let scratch = Scratch::of(format);
        scratch.git(&["config", "Section.Sub.Key", "two\nlines"]);
        scratch.git(&["config", "--add", "section.Sub.key", "again"]);
        for backend in backends(&scratch) {
            let config = backend.config().unwrap();
            let values: Vec<_> = config
                .entries()
                .iter()
                .filter(|entry| entry.key == "section.Sub.key")
                .map(|e| e.value.clone())
                .collect();
            assert_eq!(values, [Some(BString::from("two\nlines")), Some("again".into())], "{}", backend.name());
        }
        scratch.write(
            ".gitattributes",
            "*.bin binary\n*.min.js linguist-generated\n*.rs diff=rust -linguist-generated\nv/** linguist-vendored=true\n",
        );
        scratch.write("sub/.gitattributes", "*.rs -diff\n");
        scratch.git(&["add", "-A"]);
        scratch.remove("sub/.gitattributes");
        let paths = ["a.bin", "x.min.js", "m.rs", "v/x\ny", "sub/m.rs", "none"].map(BStr::new);
        let found = agreed(&scratch, |backend| backend.attributes(&paths).unwrap());
        assert_eq!(
            found.iter().map(|a| a.diff).collect::<Vec<_>>(),
            [Some(false), None, None, None, Some(false), None]
        );
        assert_eq!((found[1].generated, found[2].generated), (Some(true), Some(false)));
        assert_eq!((found[3].vendored, found[5].vendored), (Some(true), None));
    }
}
