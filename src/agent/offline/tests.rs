//! Whole messages: what a change of each kind is called.

use proptest::prelude::*;

use super::*;
use crate::agent::Request;
use crate::config::{Format, Style};
use crate::payload::samples::Store;
use crate::prompt::{Concept, NumberedHunk, PlanCount, Prompt};
use crate::role::Role;

/// `"M path"`, `"A path"`, `"R old => new"`.
pub(super) fn file(what: &str) -> FileFacts {
    let (letter, path) = what.split_once(' ').unwrap();
    let (old_path, path) = match path.split_once(" => ") {
        Some((old, new)) => (Some(old.to_owned()), new),
        None => (None, path),
    };
    FileFacts {
        status: FileStatus::from_letter(letter.chars().next().unwrap()).unwrap(),
        old_path,
        path: path.to_owned(),
        ..FileFacts::default()
    }
}

pub(super) trait Build {
    fn add(self, lines: &[&str]) -> Self;
    fn del(self, lines: &[&str]) -> Self;
    fn at(self, contexts: &[&str]) -> Self;
    fn kind(self, kind: FileKind) -> Self;
}

impl Build for FileFacts {
    fn add(mut self, lines: &[&str]) -> Self {
        self.added_lines = owned(lines);
        self.added = lines.len() as u64;
        self
    }

    fn del(mut self, lines: &[&str]) -> Self {
        self.removed_lines = owned(lines);
        self.deleted = lines.len() as u64;
        self
    }

    fn at(mut self, contexts: &[&str]) -> Self {
        self.hunk_contexts = owned(contexts);
        self
    }

    fn kind(mut self, kind: FileKind) -> Self {
        self.kind = kind;
        self
    }
}

pub(super) fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

pub(super) fn facts(files: Vec<FileFacts>) -> MessageFacts {
    MessageFacts { files, ..MessageFacts::default() }
}

fn offline() -> Offline {
    Offline::new(Duration::from_secs(1), Arc::new(crate::progress::Silent))
}

fn ask(facts: &MessageFacts) -> Result<Answer, AgentFailure> {
    let prompt = Prompt::default();
    let request = Request { role: Role::Message, prompt: &prompt, retry: false, facts: Some(Facts::Message(facts)) };
    offline().ask(&request, &Cancel::new())
}

fn message(facts: &MessageFacts) -> String {
    ask(facts).unwrap().text
}

#[test]
fn changes_have_the_expected_subjects() {
    for (files, expected) in cases() {
        let facts = facts(files);
        assert_eq!(message(&facts), expected, "{facts:#?}");
    }
}

/// Changes and what they are called.
type Cases = Vec<(Vec<FileFacts>, &'static str)>;

fn cases() -> Cases {
    let parts = [new_code, changed_code, removed_and_moved, tests_of_code, documents, dependencies, everything_else];
    parts.into_iter().flat_map(|part| part()).collect()
}

fn new_code() -> Cases {
    vec![
        (
            vec![file("A src/retry.rs").add(&["pub struct RetryPolicy {", "}", "pub fn retry() {"])],
            "feat: add retry module with RetryPolicy",
        ),
        (vec![file("A src/retry.rs").add(&["mod x;"])], "feat: add retry module"),
        (
            vec![file("A src/user_service.py").add(&["class UserService:", "    def load(self):"])],
            "feat: add UserService",
        ),
        (
            vec![
                file("A src/parser/mod.rs").add(&["pub struct Parser;"]),
                file("A src/parser/line.rs").add(&["fn split() {"]),
            ],
            "feat(parser): add Parser",
        ),
        (vec![file("A src/a.go"), file("A src/b.go")], "feat: add a and b"),
        (vec![file("A scripts/deploy.sh").add(&["deploy() {"])], "feat(scripts): add deploy script"),
        (vec![file("A web/page.html")], "feat(web): add page.html"),
        (
            vec![file("A src/cache.rs").add(&["pub fn get() {"]), file("A tests/cache.rs").add(&["fn it_gets() {"])],
            "feat: add cache module with get",
        ),
    ]
}

fn changed_code() -> Cases {
    vec![
        (vec![file("M src/client.rs").add(&["pub fn fetch_all() {", "}"])], "feat(client): add fetch_all"),
        (
            vec![file("M src/client.rs").add(&["fn a() {", "fn b() {", "struct C {", "fn d() {"])],
            "feat(client): add C, a and 2 more",
        ),
        (vec![file("M src/client.rs").del(&["fn old_way() {", "}"])], "refactor(client): remove old_way"),
        (
            vec![file("M src/client.rs").add(&["fn parse_line() {"]).del(&["fn parse() {"])],
            "refactor(client): rename parse to parse_line",
        ),
        (
            vec![file("M src/client.rs").add(&["    if x.is_empty() {", "return"]).at(&["fn parse(x: &str) {"])],
            "fix(client): adjust parse",
        ),
        (
            vec![file("M src/client.rs").add(&["a", "b"]).del(&["c"]).at(&["fn parse(x: &str) {", "impl Client {"])],
            "refactor(client): adjust parse",
        ),
        (vec![file("M src/client.rs").del(&["a", "b"]).at(&["fn parse(x: &str) {"])], "refactor(client): trim parse"),
        (
            vec![
                file("M src/net/client.rs").add(&["x"]).del(&["y"]),
                file("M src/net/server.rs").add(&["x"]).del(&["z"]),
            ],
            "refactor(net): adjust client and server",
        ),
        (vec![file("M src/a.rs").add(&["  let x = 1;"]).del(&["let x = 1;"])], "style(a): reformat a"),
        (vec![file("M src/a.rs").add(&["b", "a"]).del(&["a", "b"])], "style(a): reorder a"),
        (vec![file("M src/a.rs").add(&["// why"])], "docs: add comments to a"),
        (vec![file("M src/a.rs").add(&["/// Why."]).del(&["/// What."])], "docs: update comments in a"),
        (vec![file("M src/a.rs").add(&["use std::io;"]).del(&["use std::fs;"])], "refactor(a): tidy imports"),
        (vec![file("M bin/run.sh")], "chore: change permissions of run.sh"),
        (
            vec![file("M src/a.rs").add(&["fn moved() {"]), file("M src/b.rs").del(&["fn moved() {"])],
            "refactor: move moved to a",
        ),
    ]
}

fn removed_and_moved() -> Cases {
    vec![
        (vec![file("D src/legacy.rs").del(&["fn x() {"])], "refactor: remove legacy module"),
        (vec![file("D src/legacy/a.py"), file("D src/legacy/b.py")], "refactor(legacy): remove a and b"),
        (vec![file("D docs/old.md")], "docs: remove old.md"),
        (vec![file("R src/util.rs => src/helpers.rs")], "refactor: rename util.rs to helpers.rs"),
        (vec![file("R util.rs => src/core/util.rs")], "refactor(core): move util.rs to src/core"),
        (vec![file("R src/a/util.rs => src/b/helpers.rs")], "refactor(b): move src/a/util.rs to src/b/helpers.rs"),
        (
            vec![file("R src/old/a.rs => src/new/a.rs"), file("R src/old/b.rs => src/new/b.rs")],
            "refactor(new): rename src/old to src/new",
        ),
        (vec![file("R a.rs => src/a.rs"), file("R x/b.rs => src/b.rs")], "refactor: move a.rs and b.rs to src"),
        (vec![file("R docs/a.md => docs/b.md")], "docs: rename a.md to b.md"),
    ]
}

fn tests_of_code() -> Cases {
    vec![
        (vec![file("A tests/parser.rs").add(&["#[test]", "fn works() {"])], "test: add tests for parser"),
        (vec![file("M src/parser_test.go").add(&["func TestParse(t *testing.T) {"])], "test: add tests for parser"),
        (
            vec![file("M tests/parser.rs").add(&["    assert!(x);"]).del(&["    assert!(y);"])],
            "test: update tests for parser",
        ),
        (
            vec![file("M web/button.test.ts").add(&["  it('clicks', () => {", "  it('blurs', () => {"])],
            "test: add tests for button",
        ),
        (vec![file("D tests/parser.rs")], "test: remove tests for parser"),
    ]
}

fn documents() -> Cases {
    vec![
        (vec![file("M README.md").add(&["## Installation", "Run it."])], "docs: add Installation section to README"),
        (vec![file("M README.md").add(&["text"]).del(&["texte"])], "docs: update README"),
        (vec![file("A docs/usage.md")], "docs: add usage documentation"),
        (vec![file("M CHANGELOG.md").add(&["- x"])], "docs: extend changelog"),
        (vec![file("A LICENSE")], "docs: add license"),
        (
            vec![file("M docs/a.md").add(&["x"]).del(&["y"]), file("M docs/b.md").add(&["x"]).del(&["y"])],
            "docs: update a and b documentation",
        ),
    ]
}

fn dependencies() -> Cases {
    vec![
        (
            vec![
                file("M Cargo.toml").add(&["serde = \"1.0.2\""]).del(&["serde = \"1.0.1\""]),
                file("M Cargo.lock").kind(FileKind::Lock),
            ],
            "build(deps): bump serde from 1.0.1 to 1.0.2",
        ),
        (
            vec![
                file("M package.json").add(&["\"left-pad\": \"^1.3.0\","]),
                file("M package-lock.json").kind(FileKind::Lock),
            ],
            "build(deps): add left-pad 1.3.0",
        ),
        (vec![file("M go.mod").del(&["\tgithub.com/x/y v1.2.3"])], "build(deps): remove github.com/x/y"),
        (vec![file("M requirements.txt").add(&["a==2", "b==3"]).del(&["a==1", "b==2"])], "build(deps): bump a and b"),
        (
            vec![file("M Cargo.toml").add(&["left = \"0.9.0\""]).del(&["left = \"0.10.0\""])],
            "build(deps): downgrade left from 0.10.0 to 0.9.0",
        ),
        (vec![file("M Cargo.lock").kind(FileKind::Lock)], "build(deps): update locked dependencies"),
        (
            vec![
                file("M Cargo.toml").add(&["version = \"0.2.0\""]).del(&["version = \"0.1.0\""]),
                file("M CHANGELOG.md").add(&["## 0.2.0"]),
                file("M Cargo.lock").kind(FileKind::Lock),
            ],
            "chore: release 0.2.0",
        ),
    ]
}

fn everything_else() -> Cases {
    vec![
        (vec![file("A .github/workflows/release.yml")], "ci: add release workflow"),
        (vec![file("M .gitlab-ci.yml").add(&["x"])], "ci: update GitLab pipeline"),
        (vec![file("M Makefile").add(&["all:"])], "build: update Makefile"),
        (vec![file("A Dockerfile")], "build: add Dockerfile"),
        (vec![file("M config/app.yaml").add(&["timeout: 3"])], "chore: set timeout in app.yaml"),
        (
            vec![file("M config/app.toml").add(&["timeout = 3"]).del(&["timeout = 2"])],
            "chore: change timeout in app.toml",
        ),
        (vec![file("M .gitignore").add(&["target/", "*.log"])], "chore: ignore target/ and *.log"),
        (vec![file("M .gitignore").del(&["dist/"])], "chore: stop ignoring dist/"),
        (vec![file("A assets/logo.png").kind(FileKind::Binary)], "chore: add logo.png"),
        (vec![file("M assets/logo.png").kind(FileKind::Binary)], "chore: replace logo.png"),
        (
            vec![file("M vendor/lib/a.c").kind(FileKind::Vendored), file("M vendor/lib/b.c").kind(FileKind::Vendored)],
            "chore: update vendored lib",
        ),
        (vec![file("M src/schema.pb.go").kind(FileKind::Generated)], "chore: regenerate schema.pb.go"),
        (vec![file("M deps/zlib").kind(FileKind::Submodule)], "chore: update submodule zlib"),
        (vec![file("T bin/link")], "chore: change the type of link"),
        (vec![], "chore: update files"),
    ]
}

/// A change of one function in one file.
fn small_change() -> MessageFacts {
    facts(vec![file("M src/net/client.rs").add(&["pub fn retry() {", "}"])])
}

#[test]
fn the_repository_s_own_habits_are_kept() {
    let body = "Add retry to client\n\n- src/net/client.rs: add retry";
    for (history, expected) in [
        (&[][..], "feat(net): add retry to client"),
        (&["feat: x", "fix: y"], "feat: add retry to client"),
        (&["feat(a): X", "fix: Y"], "feat(net): Add retry to client"),
        (&["feat: x.", "fix: y."], "feat: add retry to client."),
        (&["Mend x", "Drop y"], "Add retry to client"),
        (&["mend x", "drop y"], "add retry to client"),
        (&["Mend x.", "Drop y."], "Add retry to client."),
        (&["✨ Mend x", "🐛 Drop y"], "✨ Add retry to client"),
        (&[":bug: mend x", ":art: drop y"], ":sparkles: add retry to client"),
        (&["core: mend x", "cli: drop y"], "net: add retry to client"),
        (&["Mend x\n\nIt was broken.", "Drop y\n\nNobody used it."], body),
    ] {
        let facts = MessageFacts { history: owned(history), ..small_change() };
        assert_eq!(message(&facts), expected, "{history:?}");
    }
}

#[test]
fn the_author_s_own_sentence_is_the_subject_where_it_fits() {
    let described = |text: &str| {
        let facts = MessageFacts { description: Some(text.to_owned()), subject_limit: 50, ..small_change() };
        message(&facts)
    };
    assert_eq!(described("Retry requests that time out. Servers are slow."), "feat(net): retry requests that time out");
    assert_eq!(described(&"Say far too much ".repeat(20)), "feat(net): add retry to client");
}

#[test]
fn a_format_asked_for_is_kept() {
    use SubjectFormat as F;
    for (format, what, expected) in [
        (F::Conventional, "M src/a.rs", "refactor(a): adjust a"),
        (F::Plain, "M Makefile", "Update Makefile"),
        (F::Gitmoji, "M Makefile", "📦️ Update Makefile"),
        (F::Gitmoji, "A docs/usage.md", "📝 Add usage documentation"),
        (F::Gitmoji, "D src/old.rs", "🔥 Remove old module"),
        (F::Gitmoji, "R src/a.rs => src/b.rs", "🚚 Rename a.rs to b.rs"),
        (F::Gitmoji, "A .github/workflows/ci.yml", "👷 Add ci workflow"),
    ] {
        let mut changed = file(what);
        if changed.status == FileStatus::Modified {
            changed = changed.add(&["x", "y"]).del(&["z"]);
        }
        let history = match format {
            F::Conventional => owned(&["feat(x): y", "fix: z"]),
            _ => owned(&["Mend x", "Drop y"]),
        };
        let facts = MessageFacts { history, format, ..facts(vec![changed]) };
        assert_eq!(message(&facts), expected, "{format:?} {what}");
    }
}

#[test]
fn scopes_used_before_are_used_again() {
    let with = |scopes: &[&str]| message(&MessageFacts { scopes: owned(scopes), ..small_change() });
    assert_eq!(with(&["http", "net"]), "feat(http): add retry to client");
    assert_eq!(with(&["client"]), "feat(client): add retry");
    assert_eq!(with(&["not a (scope)"]), "feat(net): add retry to client");
}

#[test]
fn dependencies_are_prefixed_as_before() {
    let bump = file("M Cargo.toml").add(&["serde = \"2.0\""]).del(&["serde = \"1.0\""]);
    for (history, expected) in [
        (&["chore(deps): bump x", "fix: y"][..], "chore(deps): bump serde from 1.0 to 2.0"),
        (&["feat: x", "fix: y"], "build: bump serde from 1.0 to 2.0"),
        (&["Add x", "Mend y"], "Bump serde from 1.0 to 2.0"),
        (&["✨ Add x", "🐛 Mend y"], "⬆️ Bump serde from 1.0 to 2.0"),
    ] {
        let facts = MessageFacts { history: owned(history), ..facts(vec![bump.clone()]) };
        assert_eq!(message(&facts), expected);
    }
}

#[test]
fn a_refused_subject_is_not_written_again() {
    let mut facts = facts(vec![
        file("M src/net/client.rs").add(&["pub fn retry() {"]),
        file("M tests/client.rs").add(&["assert!(x);"]),
    ]);
    let mut said = Vec::new();
    for _ in 0..40 {
        let subject = message(&facts);
        assert!(!said.contains(&subject.to_lowercase()), "{subject}");
        assert!(subject.chars().count() <= 72, "{subject}");
        said.push(subject.to_lowercase());
        // Case and white space do not make it another one.
        facts.rejected.push(subject.to_uppercase().replace(' ', "  "));
    }
    assert_eq!(said[1], "feat(net): add retry to client, with tests");
    facts.history = vec!["feat(net): add retry to client".to_owned()];
    facts.rejected.clear();
    assert_ne!(message(&facts), facts.history[0]);
}

#[test]
fn a_subject_keeps_to_its_limit() {
    let name = "a_function_with_quite_a_long_name_for_it";
    let line = format!("fn {name}() {{");
    let mut facts = facts(vec![file("M src/some_component/some_client.rs").add(&[&line])]);
    for (limit, expected) in [
        (0, format!("feat(some_component): add {name}")),
        (100, format!("feat(some_component): add {name} to some_client")),
        (42, "feat(some_component): extend some_client".to_owned()),
        (24, "feat: extend some_client".to_owned()),
    ] {
        facts.subject_limit = limit;
        assert_eq!(message(&facts), expected, "{limit}");
    }
}

#[test]
fn a_body_tells_what_happened_to_each_file() {
    let mut facts = facts(vec![
        file("A src/retry.rs").add(&["pub struct RetryPolicy {", "pub fn retry() {"]),
        file("M src/client.rs").add(&["fn new_way() {"]).del(&["fn old_way() {"]),
        file("R a.md => b.md"),
        file("D gone.md"),
        file("M a/folder/that/is/nested/rather/deeply/for/a/project/of/this/small/size.rs").add(&["x"]),
    ]);
    facts.body = true;
    assert_eq!(
        message(&facts).split_once("\n\n").unwrap().1,
        "- src/retry.rs: new, with RetryPolicy and retry\n\
         - src/client.rs: add new_way; remove old_way\n\
         - b.md: moved from a.md\n\
         - gone.md: removed\n\
         - a/folder/that/is/nested/rather/deeply/for/a/project/of/this/…: changed\n\
         \x20 (+1, -0)"
    );
    facts.files = (0..20).map(|n| file(&format!("M f{n}.rs"))).collect();
    assert!(message(&facts).ends_with("\n- and 8 more files"));
}

#[test]
fn other_languages_are_refused_politely() {
    for locale in ["en", "en_GB.UTF-8", "English", "en-US", "C", ""] {
        let facts = MessageFacts { locale: Some(locale.to_owned()), ..small_change() };
        assert!(ask(&facts).is_ok(), "{locale}");
    }
    for locale in ["de", "German", "Français", "entish", "ja_JP.UTF-8"] {
        let facts = MessageFacts { locale: Some(locale.to_owned()), ..small_change() };
        let failure = ask(&facts).unwrap_err();
        assert!(failure.message.contains("English only"), "{failure}");
        assert!(failure.advice.contains("--locale"), "{}", failure.advice);
    }
}

#[test]
fn without_facts_or_after_a_stop_there_is_no_message() {
    let prompt = Prompt::default();
    let request = Request { role: Role::Planner, prompt: &prompt, retry: false, facts: None };
    let failure = offline().ask(&request, &Cancel::new()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Exit);
    let cancel = Cancel::new();
    cancel.request(crate::run::Cause::Interrupt);
    let failure = offline().ask(&request, &cancel).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Cancelled(crate::run::Cause::Interrupt));
}

#[test]
fn every_role_is_answered_from_its_material() {
    let payload = Store::default()
        .modified("src/lexer.rs", "fn a() {}\n", "fn a() {}\nfn skip_blank() {}\n")
        .renamed(b"old \xfe", b"docs/\xff.md")
        .payload();
    let planner = PlannerMaterial {
        payload: &payload,
        count: PlanCount::Auto { max_commits: 12 },
        history: &[],
        format: Format { style: Style::Auto, body: false },
        locale: None,
        context: None,
        branch: None,
        scopes: &[],
        subject_target: 50,
    };
    let ask = |role, facts| {
        let request = Request { role, prompt: &Prompt::default(), retry: false, facts: Some(facts) };
        offline().ask(&request, &Cancel::new()).map(|answer| answer.text)
    };
    let plan: serde_json::Value = serde_json::from_str(&ask(Role::Planner, Facts::Planner(&planner)).unwrap()).unwrap();
    assert_eq!(plan["commits"][1]["title"], "feat(lexer): add skip_blank");
    assert_eq!(plan["commits"][1]["files"][0], "src/lexer.rs");
    // What cannot be decoded is named as git quotes it.
    assert_eq!(plan["commits"][0]["files"][0], "\"docs/\\377.md\"");
    let german = PlannerMaterial { locale: Some("German"), ..planner };
    assert!(ask(Role::Planner, Facts::Planner(&german)).unwrap_err().message.contains("English only"));

    let concept = Concept { id: "c1".to_owned(), files: vec!["src/lexer.rs".to_owned()], ..Concept::default() };
    let concepts = [concept];
    let hunks = [NumberedHunk { number: 3, path: "src/lexer.rs".to_owned(), ..NumberedHunk::default() }];
    let stager = StagerMaterial { concepts: &concepts, hunks: &hunks, context: None, branch: None };
    let answer = ask(Role::Stager, Facts::Stager(&stager)).unwrap();
    assert_eq!(answer, "{\"assignments\":[{\"hunk\":3,\"concept\":\"c1\"}]}");
    let arbiter = ArbiterMaterial { concepts: &concepts, leftover: &payload, context: None, branch: None };
    assert_eq!(ask(Role::Arbiter, Facts::Arbiter(&arbiter)).unwrap(), "{\"target\":null}");
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_./ -]{0,30}",
        "(fn|class|def|struct|use|##|//|\"[a-z]+\":|[a-z]+ =) [a-zA-Z_]{1,60}[({:=]?.{0,10}",
        any::<String>(),
    ]
}

fn any_path() -> impl Strategy<Value = String> {
    prop_oneof![
        "(src/|tests/|docs/|crates/a/src/|vendor/|)[a-z_]{1,12}/?[a-z_]{0,8}\\.(rs|py|md|toml|go|ts|png|yml|c)",
        "(Cargo.toml|package.json|go.mod|README.md|.gitignore|Makefile|LICENSE|.github/workflows/x.yml)",
        any::<String>(),
    ]
}

prop_compose! {
    fn any_file()(
        letter in 0..5usize,
        old in prop::option::of(any_path()),
        path in any_path(),
        kind in 0..8usize,
        counts in (any::<u64>(), any::<u64>()),
        exact in any::<bool>(),
        lines in prop::array::uniform3(prop::collection::vec(any_text(), 0..6)),
    ) -> FileFacts {
        use FileKind as K;
        let [hunk_contexts, added_lines, removed_lines] = lines;
        let kinds =
            [K::Text, K::Binary, K::Lock, K::Generated, K::Minified, K::Vendored, K::Submodule, K::Excluded];
        let (added, deleted) =
            if exact { (added_lines.len() as u64, removed_lines.len() as u64) } else { counts };
        FileFacts {
            status: FileStatus::from_letter(['A', 'D', 'M', 'T', 'R'][letter]).unwrap(),
            old_path: old, path, kind: kinds[kind], added, deleted, hunk_contexts, added_lines, removed_lines,
            ..FileFacts::default()
        }
    }
}

prop_compose! {
    pub(super) fn any_facts()(
        files in prop::collection::vec(any_file(), 0..6),
        history in prop::collection::vec(any_text(), 0..6),
        scopes in prop::collection::vec(any_text(), 0..2),
        format in 0..4usize,
        body in any::<bool>(),
        subject_limit in 0..200usize,
    ) -> MessageFacts {
        use SubjectFormat as F;
        let format = [F::Auto, F::Conventional, F::Gitmoji, F::Plain][format];
        MessageFacts { files, history, scopes, format, body, subject_limit, ..MessageFacts::default() }
    }
}

proptest! {
    #[test]
    fn every_change_has_a_presentable_message(facts in any_facts()) {
        let text = message(&facts);
        prop_assert_eq!(&text, &message(&facts));
        let subject = text.lines().next().unwrap_or_default();
        prop_assert!(!subject.trim().is_empty());
        let limit = facts.subject_limit.clamp(72, 100);
        prop_assert!(subject.chars().count() <= limit, "{}", subject);
        prop_assert_eq!(subject, subject.trim());
        prop_assert!(text.chars().all(|char| char == '\n' || !char.is_control()), "{:?}", text);
        prop_assert!(!text.ends_with('\n'));
    }

    #[test]
    fn what_was_refused_is_never_said(facts in any_facts(), times in 1..8usize) {
        let mut facts = facts;
        let mut said = Vec::new();
        for _ in 0..times {
            let subject = message(&facts).lines().next().unwrap_or_default().to_owned();
            prop_assert!(!said.contains(&subject));
            facts.rejected.push(subject.clone());
            said.push(subject);
        }
    }
}

#[test]
fn a_huge_change_is_counted_not_listed() {
    let many = |status: &str| (0..5_000).map(|n| file(&format!("{status} src/part{}/file{n}.rs", n % 50))).collect();
    for (status, expected) in [
        ("A", "feat: add 5000 files in src"),
        ("D", "refactor: remove 5000 files in src"),
        ("M", "chore: change permissions of 5000 files in src"),
    ] {
        assert_eq!(message(&facts(many(status))), expected);
    }
    let tests = (0..5_000).map(|n| file(&format!("M tests/case{n}.rs")).add(&["x"])).collect();
    assert_eq!(message(&facts(tests)), "test: extend tests in 5000 files in tests");
}
