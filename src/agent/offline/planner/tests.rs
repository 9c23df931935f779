//! Plans: what real-looking changes fall into.

use std::num::NonZeroUsize;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::agent::offline::facts::{FileFacts, FileKind as K};
use crate::agent::offline::tests::{Build, any_facts, facts, file, owned};

const AUTO: PlanCount = PlanCount::Auto { max_commits: 12 };

fn exactly(count: usize) -> PlanCount {
    PlanCount::Exactly(NonZeroUsize::new(count).unwrap())
}

/// One line for each commit: title, then its files without their folders.
fn shown(plan: &Plan) -> Vec<String> {
    plan.commits.iter().map(|commit| format!("{} | {}", commit.title, commit.files.join(" "))).collect()
}

fn lock(what: &str) -> FileFacts {
    file(what).kind(K::Lock)
}

#[test]
fn changes_fall_into_the_expected_commits() {
    let mut wrong = Vec::new();
    for (name, files, expected) in cases() {
        let plan = plan(&facts(files), AUTO);
        let found = shown(&plan);
        if found != expected {
            wrong.push(format!("{name}:\n  {}\nexpected:\n  {}", found.join("\n  "), expected.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

type Case = (&'static str, Vec<FileFacts>, Vec<&'static str>);

fn cases() -> Vec<Case> {
    vec![
        (
            "code with its tests, and documents",
            vec![
                file("M README.md").add(&["## Retrying"]),
                file("A src/retry.rs").add(&["pub struct RetryPolicy {", "}"]),
                file("A tests/retry.rs").add(&["#[test]", "fn retries() {"]),
            ],
            vec![
                "feat: add retry module with RetryPolicy | src/retry.rs tests/retry.rs",
                "docs: add Retrying section to README | README.md",
            ],
        ),
        (
            "a manifest with its lock file before the code",
            vec![
                lock("M Cargo.lock"),
                file("M Cargo.toml").add(&["serde = \"1.0\""]),
                file("M src/settings.rs").add(&["use serde::Deserialize;", "pub struct Settings {"]),
            ],
            vec![
                "build(deps): add serde 1.0 | Cargo.lock Cargo.toml",
                "feat(settings): add Settings | src/settings.rs",
            ],
        ),
        (
            "ci, docs and code apart",
            vec![
                file("M .github/workflows/ci.yml").add(&["  - run: cargo test"]),
                file("M docs/usage.md").add(&["text"]).del(&["old"]),
                file("M src/lexer.rs").add(&["fn skip_blank(&mut self) {"]),
            ],
            vec![
                "feat(lexer): add skip_blank | src/lexer.rs",
                "ci: update ci workflow | .github/workflows/ci.yml",
                "docs: update usage documentation | docs/usage.md",
            ],
        ),
        (
            "one folder's feature",
            vec![
                file("A src/cache/mod.rs").add(&["mod store;", "pub struct Cache;"]),
                file("A src/cache/store.rs").add(&["pub(super) struct Store;"]),
                file("M src/lib.rs").add(&["pub mod cache;"]),
                file("M src/parser/line.rs").add(&["fn split_quoted() {"]),
            ],
            vec![
                "feat: add Cache and Store | src/cache/mod.rs src/cache/store.rs src/lib.rs",
                "feat(parser): add split_quoted to line | src/parser/line.rs",
            ],
        ),
        (
            "a layered feature is tied by its names",
            vec![
                file("M src/cli/args.rs").add(&["    pub dry_run: bool,", "run_dry(plan_commits())"]),
                file("M src/engine/run.rs").add(&["pub fn run_dry() {", "let plan = plan_commits();"]),
                file("A src/plan.rs").add(&["pub fn plan_commits() {"]),
            ],
            vec!["feat: add run_dry and plan_commits | src/cli/args.rs src/engine/run.rs src/plan.rs"],
        ),
        (
            "two features that meet in the command line",
            vec![
                file("M src/cli/args.rs").add(&["table::print_table(rows)", "json::print_json(rows)"]),
                file("A src/output/json.rs").add(&["pub fn print_json() {"]),
                file("A src/render/table.rs").add(&["pub fn print_table() {"]),
            ],
            vec![
                "feat(output): add json module with print_json | src/output/json.rs",
                "feat(render): add table module with print_table | src/render/table.rs",
                "feat(cli): extend args | src/cli/args.rs",
            ],
        ),
        (
            "a move with its references",
            vec![
                file("M src/app.rs").add(&["use crate::helpers;"]).del(&["use crate::util;"]),
                file("R src/util.rs => src/helpers.rs"),
                file("M src/net.rs").add(&["fn connect_twice() {"]),
            ],
            vec![
                "refactor: rename util.rs to helpers.rs | src/app.rs src/helpers.rs",
                "feat(net): add connect_twice | src/net.rs",
            ],
        ),
        (
            "code and test moved together",
            vec![
                file("R src/old/parse.rs => src/new/parse.rs"),
                file("R tests/old/parse.rs => tests/new/parse.rs"),
                file("M CHANGELOG.md").add(&["- moved"]),
            ],
            vec![
                "refactor(new): move parse.rs to src/new | src/new/parse.rs tests/new/parse.rs",
                "docs: extend changelog | CHANGELOG.md",
            ],
        ),
        (
            "a renamed function everywhere",
            vec![
                file("M src/a/one.rs").add(&["let x = load_all();"]).del(&["let x = load_every();"]),
                file("M src/b/two.rs").add(&["y(load_all())"]).del(&["y(load_every())"]),
                file("M src/store.rs").add(&["pub fn load_all() {"]).del(&["pub fn load_every() {"]),
                file("M src/unrelated.rs").add(&["fn trim_end_marks() {"]),
            ],
            vec![
                "refactor: rename load_every to load_all | src/a/one.rs src/b/two.rs src/store.rs",
                "feat(unrelated): add trim_end_marks | src/unrelated.rs",
            ],
        ),
        (
            "a release",
            vec![
                file("M CHANGELOG.md").add(&["## 0.2.0"]),
                lock("M Cargo.lock"),
                file("M Cargo.toml").add(&["version = \"0.2.0\""]).del(&["version = \"0.1.0\""]),
                file("M src/lexer.rs").add(&["fn skip_blank() {"]),
            ],
            vec![
                "feat(lexer): add skip_blank | src/lexer.rs",
                "chore: release 0.2.0 | CHANGELOG.md Cargo.lock Cargo.toml",
            ],
        ),
        (
            "a dependency that nothing needs any more",
            vec![
                file("M package.json").del(&["    \"left-pad\": \"^1.3.0\","]),
                lock("M package-lock.json"),
                file("M src/format.ts").add(&["export function padded(text: string) {"]).del(&["leftPad(x)"]),
            ],
            vec![
                "feat(format): add padded | src/format.ts",
                "build(deps): remove left-pad | package.json package-lock.json",
            ],
        ),
        (
            "reformatting apart from work",
            vec![
                file("M src/a.py").add(&["x = 1"]).del(&["x=1"]),
                file("M src/b.py").add(&["y = 2"]).del(&["y=2"]),
                file("M src/c.py").add(&["def fetch_rows():", "    pass"]),
            ],
            vec!["style: reformat a and b | src/a.py src/b.py", "feat(c): add fetch_rows | src/c.py"],
        ),
        (
            "a component of the web",
            vec![
                file("A web/src/components/Button/Button.module.css").add(&[".button {"]),
                file("A web/src/components/Button/Button.test.tsx").add(&["describe('Button', () => {"]),
                file("A web/src/components/Button/Button.tsx").add(&["export function Button() {"]),
                file("M web/src/pages/Home.tsx").add(&["<p>Hello</p>"]).del(&["<p>Hi</p>"]),
            ],
            vec![
                "feat(button): add button module | web/src/components/Button/Button.module.css web/src/components/Button/Button.test.tsx web/src/components/Button/Button.tsx",
                "refactor(pages): adjust Home | web/src/pages/Home.tsx",
            ],
        ),
        (
            "go: packages and their tests",
            vec![
                file("M go.mod").add(&["\tgolang.org/x/sync v0.7.0"]),
                lock("M go.sum"),
                file("M internal/server/handler.go").add(&["func (s *Server) Health(w http.ResponseWriter) {"]),
                file("M internal/server/handler_test.go").add(&["func TestHealth(t *testing.T) {"]),
                file("M internal/store/pool.go").add(&["func (p *Pool) Acquire() {"]),
            ],
            vec![
                "build(deps): add golang.org/x/sync 0.7.0 | go.mod go.sum",
                "feat(server): add Health to handler | internal/server/handler.go internal/server/handler_test.go",
                "feat(store): add Acquire to pool | internal/store/pool.go",
            ],
        ),
        (
            "java: two parts of an application",
            vec![
                file("M src/main/java/com/acme/order/OrderService.java")
                    .add(&["    public void cancelOrder(Order o) {"]),
                file("M src/main/java/com/acme/user/UserService.java").add(&["    public void renameUser(User u) {"]),
                file("M src/test/java/com/acme/user/UserServiceTest.java").add(&["    void renamesUser() {"]),
            ],
            vec![
                "feat(order): add cancelOrder to OrderService | src/main/java/com/acme/order/OrderService.java",
                "feat(user): add renameUser to UserService | src/main/java/com/acme/user/UserService.java src/test/java/com/acme/user/UserServiceTest.java",
            ],
        ),
        (
            "a new crate comes with its manifest",
            vec![
                file("M Cargo.toml").add(&["members = [\"crates/wire\"]"]),
                file("A crates/wire/Cargo.toml").add(&["[package]"]),
                file("A crates/wire/src/frame.rs").add(&["pub struct Frame {"]),
                file("A crates/wire/src/lib.rs").add(&["mod frame;"]),
                file("M crates/core/src/run.rs").add(&["fn run_once_more() {"]),
            ],
            vec![
                "feat(wire): add wire module with Frame | Cargo.toml crates/wire/Cargo.toml crates/wire/src/frame.rs crates/wire/src/lib.rs",
                "feat(core): add run_once_more to run | crates/core/src/run.rs",
            ],
        ),
        (
            "settings that code reads",
            vec![
                file("M config/app.yaml").add(&["retry_limit: 3"]),
                file("M src/client.py").add(&["limit = settings['retry_limit']"]),
                file("M src/views.py").add(&["def show_profile(request):"]),
            ],
            vec![
                "feat(client): extend client | config/app.yaml src/client.py",
                "feat(views): add show_profile | src/views.py",
            ],
        ),
        (
            "settings that nothing reads",
            vec![
                file("M .editorconfig").add(&["indent_size = 4"]),
                file("M .gitignore").add(&["dist/"]),
                file("M src/views.py").add(&["def show_profile(request):"]),
            ],
            vec![
                "chore: ignore dist/ | .gitignore",
                "chore: set indent_size in .editorconfig | .editorconfig",
                "feat(views): add show_profile | src/views.py",
            ],
        ),
        (
            "an image and the page that shows it",
            vec![
                file("A assets/hero.png").kind(K::Binary),
                file("M web/home.html").add(&["<img src=\"assets/hero.png\">"]),
                file("M web/style.css").add(&["body { margin: 0 }"]),
            ],
            vec!["feat(web): extend home | assets/hero.png web/home.html", "feat(web): extend style | web/style.css"],
        ),
        (
            "generated code with its source",
            vec![
                file("M proto/ping.proto").add(&["message Ping {"]),
                file("M proto/ping.pb.go").kind(K::Generated),
                file("M Makefile").add(&["proto:"]),
            ],
            vec![
                "build: update Makefile | Makefile",
                "feat(proto): add Ping to ping | proto/ping.proto proto/ping.pb.go",
            ],
        ),
        (
            "snapshots with their tests",
            vec![
                file("M tests/render.rs").add(&["assert_snapshot!(x);"]),
                file("A tests/snapshots/render__x.snap").kind(K::Generated),
                file("M docs/guide.md").add(&["text"]),
            ],
            vec![
                "test: extend tests for render | tests/render.rs tests/snapshots/render__x.snap",
                "docs: extend guide documentation | docs/guide.md",
            ],
        ),
        (
            "a vendored library and a submodule",
            vec![
                file("M vendor/zlib/inflate.c").kind(K::Vendored),
                file("M vendor/zlib/zlib.h").kind(K::Vendored),
                file("M deps/proto").kind(K::Submodule),
                file("M src/pack.c").add(&["static int pack_block(const char *text)"]),
            ],
            vec![
                "chore: update submodule proto | deps/proto",
                "chore: update vendored zlib | vendor/zlib/inflate.c vendor/zlib/zlib.h",
                "feat(pack): add pack_block | src/pack.c",
            ],
        ),
        (
            "a migration and its model",
            vec![
                file("A migrations/0007_invoices.sql").add(&["CREATE TABLE invoices ("]),
                file("A shop/models.py").add(&["class Invoice(Model):", "    table = 'invoices'"]),
                file("M shop/urls.py").add(&["path('about', about)"]),
            ],
            vec![
                "feat: add 0007_invoices and models with invoices and Invoice | migrations/0007_invoices.sql shop/models.py",
                "feat(shop): extend urls | shop/urls.py",
            ],
        ),
        (
            "only documents",
            vec![file("M README.md").add(&["x"]), file("A docs/a.md"), file("A docs/b.md")],
            vec!["docs: extend README and a and b documentation | README.md docs/a.md docs/b.md"],
        ),
        (
            "a license beside documents",
            vec![file("A LICENSE"), file("M README.md").add(&["x"]).del(&["y"])],
            vec!["docs: update README | README.md", "docs: add license | LICENSE"],
        ),
        (
            "one fix with test and changelog",
            vec![
                file("M CHANGELOG.md").add(&["- Empty lines are skipped."]),
                file("M src/parse.rs").add(&["    if line.is_empty() {"]).at(&["fn parse_line() {"]),
                file("M tests/end_to_end.rs").add(&["assert!(works);"]),
            ],
            vec!["fix(parse): adjust parse_line | CHANGELOG.md src/parse.rs tests/end_to_end.rs"],
        ),
        (
            "three small changes of a flat project",
            vec![
                file("M src/a.rs").add(&["fn alpha_one() {"]),
                file("M src/b.rs").add(&["fn beta_two() {"]),
                file("M src/c.rs").add(&["fn gamma_three() {"]),
            ],
            vec![
                "feat(a): add alpha_one | src/a.rs",
                "feat(b): add beta_two | src/b.rs",
                "feat(c): add gamma_three | src/c.rs",
            ],
        ),
        (
            "containers and scripts",
            vec![
                file("M Dockerfile").add(&["RUN apt-get update"]),
                file("M docker-compose.yml").add(&["  db:"]),
                file("A scripts/backup.sh").add(&["backup_all() {"]),
            ],
            vec![
                "build: update Dockerfile and docker-compose.yml | Dockerfile docker-compose.yml",
                "feat(scripts): add backup script with backup_all | scripts/backup.sh",
            ],
        ),
        (
            "removed code and its uses",
            vec![
                file("D src/legacy/importer.py").del(&["def import_legacy():"]),
                file("D tests/test_importer.py").del(&["def test_importer():"]),
                file("M src/app.py").del(&["import_legacy()"]),
                file("M src/mail.py").add(&["def send_digest():"]),
            ],
            vec![
                "refactor: remove import_legacy | src/legacy/importer.py tests/test_importer.py src/app.py",
                "feat(mail): add send_digest | src/mail.py",
            ],
        ),
    ]
}

#[test]
fn one_purpose_is_one_commit_with_its_message() {
    let files = vec![
        file("M src/parse.rs").add(&["    if line.is_empty() {"]).at(&["fn parse_line() {"]),
        file("M tests/parse.rs").add(&["assert!(works);"]),
    ];
    let change = MessageFacts { body: true, ..facts(files.clone()) };
    let found = plan(&change, AUTO);
    assert_eq!((found.count, found.single), (1, true));
    let message = found.message.unwrap();
    assert!(message.starts_with("fix(parse): adjust parse_line\n\n- src/parse.rs"), "{message}");
    // Forced apart, there is no such message.
    let found = plan(&facts(files), exactly(2));
    assert_eq!(
        shown(&found),
        ["fix(parse): adjust parse_line | src/parse.rs", "test: extend tests for parse | tests/parse.rs"]
    );
    assert_eq!((found.single, found.message), (false, None));
}

#[test]
fn a_forced_number_divides_and_joins() {
    let files = || {
        vec![
            file("M Cargo.toml").add(&["serde = \"1.0\""]),
            lock("M Cargo.lock"),
            file("M README.md").add(&["x"]),
            file("A src/net/client.rs").add(&["pub struct Client {"]),
            file("A src/net/server.rs").add(&["pub struct Server {"]),
            file("A tests/client.rs").add(&["#[test]", "fn connects() {"]),
        ]
    };
    for (count, expected) in [
        (1, vec!["Cargo.toml Cargo.lock README.md src/net/client.rs src/net/server.rs tests/client.rs"]),
        (2, vec![]),
        (3, vec!["Cargo.toml Cargo.lock", "src/net/client.rs src/net/server.rs tests/client.rs", "README.md"]),
        (4, vec!["Cargo.toml Cargo.lock", "src/net/client.rs src/net/server.rs", "tests/client.rs", "README.md"]),
        (6, vec![]),
    ] {
        let found = plan(&facts(files()), exactly(count));
        assert_eq!(found.commits.len(), count);
        let members: Vec<String> = found.commits.iter().map(|commit| commit.files.join(" ")).collect();
        assert!(expected.is_empty() || members == expected, "{members:?}");
    }
}

#[test]
fn with_fewer_files_than_commits_a_file_of_several_hunks_is_shared() {
    let mut shared = file("M src/a.rs").add(&["fn alpha_one() {", "fn beta_two() {"]);
    shared.hunks = 3;
    let files = vec![shared, file("M src/b.rs").add(&["fn gamma_three() {"])];
    let found = plan(&facts(files.clone()), exactly(4));
    assert_eq!(found.commits.iter().filter(|commit| commit.files == ["src/a.rs"]).count(), 3);
    // More than there are hunks cannot be had.
    assert_eq!(plan(&facts(files), exactly(9)).commits.len(), 4);
}

#[test]
fn a_file_that_ties_others_together_is_shared_by_those_that_it_begins_to_name() {
    let main = |hunks| {
        let main =
            file("M src/main.rs").add(&["mod alpha;", "mod beta;", "alpha::first_thing();", "beta::second_thing();"]);
        FileFacts { hunks, ..main }
    };
    let files = |main| {
        let alpha = file("A src/alpha.rs").add(&["pub fn first_thing() {"]);
        vec![alpha, file("A src/beta.rs").add(&["pub fn second_thing() {"]), main]
    };
    let members = |main| {
        let plan = plan(&facts(files(main)), AUTO);
        plan.commits.iter().map(|commit| commit.files.join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(members(main(2)), ["src/alpha.rs src/main.rs", "src/beta.rs src/main.rs"]);
    assert_eq!(members(main(1)), ["src/alpha.rs", "src/beta.rs src/main.rs"], "it can only go whole");
    // A name that was there before is no reason.
    let renamed = main(2).del(&["alpha::thing();"]);
    assert_eq!(members(renamed), ["src/alpha.rs", "src/beta.rs src/main.rs"]);
}

#[test]
fn what_lies_below_a_file_s_path_stays_with_it() {
    let files = vec![
        file("D tool"),
        file("A tool/README.md").add(&["# Tool"]),
        file("A tool/run.sh").add(&["run_all() {"]),
        file("M z.rs").add(&["fn zeta_six() {"]),
    ];
    for count in [AUTO, exactly(2)] {
        let found = plan(&facts(files.clone()), count);
        let with_tool = found.commits.iter().find(|commit| commit.files.contains(&"tool".to_owned())).unwrap();
        assert_eq!(with_tool.files, ["tool", "tool/README.md", "tool/run.sh"]);
    }
}

#[test]
fn many_purposes_are_joined_until_they_are_few_enough() {
    let files: Vec<FileFacts> =
        (0..30).map(|n| file(&format!("M src/part{n:02}.rs")).add(&[&format!("fn only_{n:02}_here() {{")])).collect();
    assert_eq!(plan(&facts(files.clone()), AUTO).commits.len(), 6);
    assert_eq!(plan(&facts(files.clone()), PlanCount::Auto { max_commits: 3 }).commits.len(), 1);
    assert_eq!(plan(&facts(files), PlanCount::Auto { max_commits: 0 }).commits.len(), 1);
    // Different purposes may be more than the number aimed at, but never more than the limit.
    let purposes = || {
        [
            "M .gitignore",
            "M Makefile",
            "M .github/workflows/ci.yml",
            "M README.md",
            "A LICENSE",
            "M config/app.yaml",
            "M assets/logo.png",
            "M src/net/a.rs",
            "M web/page/b.ts",
            "M go.mod",
        ]
        .map(|what| file(what).add(&["x"]))
        .to_vec()
    };
    let at_most = |max_commits| plan(&facts(purposes()), PlanCount::Auto { max_commits }).commits.len();
    assert!((5..=8).contains(&at_most(12)), "{}", at_most(12));
    assert_eq!(at_most(4), 4);
}

#[test]
fn titles_are_written_as_the_project_writes() {
    let files =
        vec![file("M src/parser.rs").add(&["fn skip_blank() {"]), file("M docs/usage.md").add(&["x"]).del(&["y"])];
    for (history, scopes, expected) in [
        (&["Mend x", "Drop y"][..], &[][..], ["Add skip_blank to parser", "Update usage documentation"]),
        (&["✨ Mend x", "🐛 Drop y"], &[], ["✨ Add skip_blank to parser", "📝 Update usage documentation"]),
        (&["feat(x): y", "fix: z"], &["parser"], ["feat(parser): add skip_blank", "docs: update usage documentation"]),
        // A scope of other files is not taken.
        (
            &["feat(x): y", "fix: z"],
            &["docs"],
            ["feat(parser): add skip_blank", "docs(docs): update usage documentation"],
        ),
    ] {
        let change = MessageFacts { history: owned(history), scopes: owned(scopes), ..facts(files.clone()) };
        let found = plan(&change, AUTO);
        let titles: Vec<&str> = found.commits.iter().map(|commit| commit.title.as_str()).collect();
        assert_eq!(titles, expected, "{history:?}");
    }
}

#[test]
fn a_huge_change_is_divided_in_no_time() {
    let many: Vec<FileFacts> = (0..20_000)
        .map(|n| file(&format!("M {}/part{}/file{n}.rs", ["src", "tests", "docs"][n % 3], n % 90)).add(&["x"]))
        .collect();
    for count in [AUTO, exactly(40)] {
        let found = plan(&facts(many.clone()), count);
        assert!(found.commits.len() <= 40);
        assert_eq!(found.commits.iter().map(|commit| commit.files.len()).sum::<usize>(), many.len());
    }
}

proptest! {
    #[test]
    fn every_file_is_in_one_commit_and_the_number_is_honoured(
        change in any_facts(),
        count in prop_oneof![
            (0..14_usize).prop_map(|max_commits| PlanCount::Auto { max_commits }),
            (1..8_usize).prop_map(exactly),
        ],
    ) {
        // No part of a path is empty, and two entries of one path are no change.
        let mut change = change;
        for file in &mut change.files {
            let parts = file.path.split('/').map(|part| if part.is_empty() { "x" } else { part });
            file.path = parts.collect::<Vec<_>>().join("/");
        }
        let mut seen = std::collections::HashSet::new();
        change.files.retain(|file| seen.insert(file.path.clone()));
        let found = plan(&change, count);
        let json = serde_json::to_string(&found).unwrap();
        let value: Value = serde_json::from_str(&json).unwrap();
        let commits = value["commits"].as_array().unwrap();
        prop_assert_eq!(value["count"].as_u64().unwrap(), commits.len() as u64);
        prop_assert_eq!(value["single"].as_bool().unwrap(), value["message"].is_string());
        let mut files: Vec<&str> = commits
            .iter()
            .flat_map(|commit| commit["files"].as_array().unwrap())
            .map(|file| file.as_str().unwrap())
            .collect();
        let mut expected: Vec<&str> = change.files.iter().map(|file| file.path.as_str()).collect();
        files.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(files, expected);
        let titles: Vec<&str> = commits.iter().map(|commit| commit["title"].as_str().unwrap()).collect();
        prop_assert!(titles.iter().all(|title| !title.trim().is_empty() && !title.contains('\n')));
        prop_assert!(commits.iter().all(|commit| !commit["files"].as_array().unwrap().is_empty()));
        let below = |file: &FileFacts| {
            change.files.iter().any(|other| file.path.strip_prefix(&other.path).is_some_and(|rest| rest.starts_with('/')))
        };
        let free = change.files.iter().filter(|file| !below(file)).count();
        match count {
            PlanCount::Auto { max_commits } => prop_assert!(commits.len() <= max_commits.max(1)),
            PlanCount::Exactly(count) => prop_assert_eq!(commits.len(), count.get().min(free)),
        }
        prop_assert_eq!(found, plan(&change, count));
    }
}
