//! Random trees, plans and agents: whatever they say, every change lands in exactly one commit and the last is the start.

use bstr::BString;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::git::{Blobs, Change, FileMode, GitError, ObjectId};

use super::hunks::{Assignment, Lines, Sheet};
use super::plan::{Concept, Count, Plan, Verdict};
use super::plan_file::{PlanFile, Words};
use super::testing::{Memory, Tree, difference, edited, ground_of, tree_id, tree_of};
use super::*;

const NAMES: [&[u8]; 14] = [
    b"a",
    b"a/b",
    b"a/b/c",
    b"A",
    b"a.txt",
    b"dir/one",
    b"dir/two",
    b"Dir/two",
    b"dir/sub/three",
    b"tab\there",
    b"quote\"d",
    b"\xff\xfe",
    "é".as_bytes(),
    b"z",
];

const MODES: [FileMode; 5] =
    [FileMode::Regular, FileMode::Regular, FileMode::Executable, FileMode::Symlink, FileMode::Gitlink];

type Files = Vec<(usize, usize, Vec<u8>)>;

/// Files: a name, a mode, and lines that repeat between files and sides; some are binary.
fn files() -> impl Strategy<Value = Files> {
    let content = prop_oneof![
        6 => proptest::collection::vec("[a-e]\n", 0..9).prop_map(|lines| lines.concat().into_bytes()),
        1 => "[a-c]\n[a-c]".prop_map(String::into_bytes),
        1 => "[ab]".prop_map(|text| [text.as_bytes(), b"\0"].concat()),
    ];
    proptest::collection::vec((0..NAMES.len(), 0..MODES.len(), content), 0..12)
}

/// A tree in which no name is a file and a folder.
fn tree(memory: &Memory, files: &Files) -> Tree {
    let mut tree = Tree::new();
    for (name, mode, content) in files {
        let path = BString::from(NAMES[*name]);
        let collides = |one: &BString, other: &BString| one.starts_with(&[other.as_slice(), b"/"].concat());
        if !tree.keys().any(|other| collides(other, &path) || collides(&path, other)) {
            tree.insert(path, (MODES[*mode], memory.keep(content).unwrap()));
        }
    }
    tree
}

/// What the agents say: for each commit numbers of names, then one number for each hunk, then the arbiter's.
#[derive(Debug, Clone)]
struct Said {
    claims: Vec<Vec<usize>>,
    hunks: Vec<usize>,
    target: usize,
}

fn said() -> impl Strategy<Value = Said> {
    let claims = proptest::collection::vec(proptest::collection::vec(0..NAMES.len() + 4, 0..6), 1..5);
    (claims, proptest::collection::vec(0..7_usize, 40), 0..6_usize).prop_map(|(claims, hunks, target)| Said {
        claims,
        hunks,
        target,
    })
}

impl Said {
    fn plan(&self) -> String {
        let name = |number: &usize| match number.checked_sub(NAMES.len()) {
            None => {
                let path = NAMES[*number];
                std::str::from_utf8(path).map_or_else(|_| crate::payload::quote(path.into()), str::to_owned)
            }
            Some(0) => "dir/".to_owned(),
            Some(1) => "made/up".to_owned(),
            Some(2) => "a => z".to_owned(),
            Some(_) => "*".to_owned(),
        };
        let commits = self.claims.iter().enumerate().map(|(number, claims)| {
            json!({"title": format!("commit {number}"), "files": claims.iter().map(name).collect::<Vec<_>>()})
        });
        json!({"commits": commits.collect::<Vec<_>>()}).to_string()
    }

    fn assignment(&self, sheet: &Sheet) -> String {
        let given = self.hunks.iter().take(sheet.len()).enumerate().filter(|(_, concept)| **concept != 6);
        let given: Vec<Value> =
            given.map(|(hunk, concept)| json!({"hunk": hunk + 1, "concept": concept_id(*concept)})).collect();
        json!({ "assignments": given }).to_string()
    }

    fn target(&self) -> String {
        json!({"target": (self.target < 5).then(|| concept_id(self.target))}).to_string()
    }
}

fn run(ground: &Ground, memory: &dyn Objects, said: &Said) -> Option<(Plan, Staging)> {
    let Ok(Verdict::Commits(plan)) = plan::read(&said.plan(), ground, Count::UpTo(9)) else { return None };
    let sheet = Sheet::new(ground, &plan, memory).unwrap();
    let assignment =
        Assignment::read(&said.assignment(&sheet), ground, &sheet, plan.concepts.len()).unwrap_or_default();
    let staging = stage(ground, &plan, sheet, &assignment, memory).unwrap();
    let (target, _) = read_target(&said.target(), &staging);
    Some((plan, reconcile(ground, staging, &target, memory).unwrap()))
}

/// The trees of all steps, base first.
fn trees(ground: &Ground, base: &Tree, staging: &Staging) -> Vec<Tree> {
    let states = staging.steps.iter().map(|step| tree_of(ground, base, &step.state));
    std::iter::once(base.clone()).chain(states).collect()
}

fn changes(trees: &[Tree]) -> Vec<Change> {
    trees.iter().skip(1).map(|tree| difference(&trees[0], tree)).collect()
}

fn words(staging: &Staging) -> Vec<Words> {
    let words = |step| Words { title: format!("step {step}"), message: format!("Do {step}\n") };
    (0..staging.steps.len()).map(words).collect()
}

fn no_trees(_: ObjectId) -> Result<Change, GitError> {
    Err(GitError::NotARepository)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn every_change_lands_in_one_commit(base in files(), start in files(), said in said()) {
        let memory = Memory::default();
        let (base, start) = (tree(&memory, &base), tree(&memory, &start));
        let ground = ground_of(&base, &start);
        let Some((_, staging)) = run(&ground, &memory, &said) else { return Ok(()) };
        let trees = trees(&ground, &base, &staging);
        prop_assert_eq!(trees.last().unwrap(), &start);
        // Each commit changes something, nothing is given back, and the files of a unit come together.
        let mut before = State::base(&ground);
        for (step, pair) in staging.steps.iter().zip(trees.windows(2)) {
            prop_assert_ne!(&pair[0], &pair[1]);
            prop_assert!(before.may_become(&step.state));
            // The difference of the states is the difference of the trees.
            let paths = ground.between(&before, &step.state);
            let edits: Vec<_> = paths.iter().flat_map(|path| {
                let gone = path.old.iter().filter(|old| path.new.as_ref().is_none_or(|new| new.path != old.path));
                let gone = gone.map(|old| crate::git::TreeEdit { path: old.path.clone(), entry: None });
                gone.chain(path.new.iter().map(|new| crate::git::TreeEdit { path: new.path.clone(), entry: Some((new.mode, new.id)) })).collect::<Vec<_>>()
            }).collect();
            prop_assert_eq!(&edited(&pair[0], &edits), &pair[1]);
            before = step.state.clone();
        }
        verify(&ground, &memory, &changes(&trees)).unwrap();
    }

    #[test]
    fn a_plan_comes_back_from_its_file(base in files(), start in files(), said in said(), swap in any::<(usize, usize)>()) {
        let memory = Memory::default();
        let (base, start) = (tree(&memory, &base), tree(&memory, &start));
        let ground = ground_of(&base, &start);
        let Some((_, staging)) = run(&ground, &memory, &said) else { return Ok(()) };
        let ids: Vec<ObjectId> = trees(&ground, &base, &staging).iter().skip(1).map(tree_id).collect();
        let plan = PlanFile::new(&ground, None, &staging, &words(&staging), &ids);
        prop_assert!(plan.commits.iter().all(|commit| commit.tree.is_none()));
        let mut plan = PlanFile::parse(&plan.to_json().unwrap()).unwrap();
        let states = |staging: &Staging| staging.steps.iter().map(|step| step.state.clone()).collect::<Vec<_>>();
        let restaged = plan.restage(&ground, &memory, &no_trees).unwrap();
        prop_assert_eq!(states(&restaged), states(&staging));
        // In another order, and with two merged, it still ends at the start.
        let count = plan.commits.len();
        plan.commits.swap(swap.0 % count, swap.1 % count);
        prop_assert!(plan.restage(&ground, &memory, &no_trees).unwrap().last(&ground).is_start());
        if count > 1 {
            let merged = plan.commits.remove(swap.0 % count);
            let into = &mut plan.commits[swap.1 % (count - 1)];
            into.files.extend(merged.files.clone());
            into.hunks.extend(merged.hunks.clone());
            prop_assert!(plan.restage(&ground, &memory, &no_trees).unwrap().last(&ground).is_start());
            // Twice, or left out, it is refused.
            plan.commits.push(merged.clone());
            prop_assert!(plan.restage(&ground, &memory, &no_trees).is_err());
            plan.commits.pop();
        }
        plan.commits.pop();
        prop_assert!(plan.restage(&ground, &memory, &no_trees).is_err());
    }

    #[test]
    fn lines_staged_one_by_one_are_read_back(
        base in files(),
        start in files(),
        since in proptest::collection::vec(0..4_usize, 200),
        target in 0..4_usize,
    ) {
        let memory = Memory::default();
        let (base, start) = (tree(&memory, &base), tree(&memory, &start));
        let ground = ground_of(&base, &start);
        if ground.files().is_empty() {
            return Ok(());
        }
        let planned = three_commits(&ground, &since);
        // Three trees, each with some more lines of each file that lines can be taken of.
        let staged: Vec<Tree> = (0..3).map(|step| {
            let mut state = State::base(&ground);
            for file in 0..ground.files().len() {
                let found = match ground.script(file, &memory).unwrap() {
                    Some(script) => {
                        // A line without its newline cannot stand before another, so its file is taken hunk by hunk.
                        let open = !script.splice(&Lines::none(script.changed_lines())).ends_with(b"\n")
                            || !script.splice(&Lines::all(script.changed_lines())).ends_with(b"\n");
                        let hunk = |line| script.hunks().iter().position(|hunk| hunk.changed().contains(&line)).unwrap();
                        let lines = Lines::such_that(script.changed_lines(), |line| {
                            let number = if open { hunk(line) } else { line };
                            since[(file * 11 + number) % since.len()] <= step
                        });
                        let mut scripts = Scripts::default();
                        scripts.insert(file, script);
                        scripts.partial(&ground, file, lines, &memory).unwrap()
                    }
                    None if since[ground.units().unit_of(file)].min(2) <= step => FileState::Start,
                    None => FileState::Base,
                };
                state.set(file, found);
            }
            tree_of(&ground, &base, &state)
        }).collect();
        let mut tooled = Tooled::new(&ground, &memory);
        for (concept, tree) in staged.iter().enumerate() {
            tooled.add(&planned, concept, &difference(&base, tree)).unwrap();
            prop_assert_eq!(&tree_of(&ground, &base, &tooled.state()), tree);
        }
        let staging = tooled.finish(&planned);
        let (target, _) = read_target(&json!({"target": target}).to_string(), &staging);
        let staging = reconcile(&ground, staging, &target, &memory).unwrap();
        let trees = trees(&ground, &base, &staging);
        prop_assert_eq!(trees.last().unwrap(), &start);
        verify(&ground, &memory, &changes(&trees)).unwrap();
        // Through a file and back.
        let ids: Vec<ObjectId> = trees.iter().skip(1).map(tree_id).collect();
        let plan = PlanFile::new(&ground, None, &staging, &words(&staging), &ids);
        let plan = PlanFile::parse(&plan.to_json().unwrap()).unwrap();
        let differences = |id| Ok(difference(&base, trees.iter().find(|tree| tree_id(tree) == id).unwrap()));
        let restaged = plan.restage(&ground, &memory, &differences).unwrap();
        let again: Vec<Tree> = restaged.steps.iter().map(|step| tree_of(&ground, &base, &step.state)).collect();
        prop_assert_eq!(&again, &trees[1..]);
    }

    #[test]
    fn no_answer_makes_the_readers_panic(text in "[\\[\\]{}\",:a-z0-9 \n]{0,80}", base in files(), start in files()) {
        let memory = Memory::default();
        let ground = ground_of(&tree(&memory, &base), &tree(&memory, &start));
        let _ = plan::read(&text, &ground, Count::UpTo(3));
        let _ = plan::read(&format!("{{\"commits\": [{{\"title\": \"t\", \"files\": [{text:?}]}}]}}"), &ground, Count::Exactly(1));
        let _ = PlanFile::parse(&text);
        let _ = read_target(&text, &Staging::default());
    }
}

/// A plan that gives what can only go whole to the concept that the numbers say.
fn three_commits(ground: &Ground, since: &[usize]) -> Plan {
    let files = |step: usize| {
        let fits = |file: &usize| since[ground.units().unit_of(*file)].min(2) == step;
        (0..ground.files().len()).filter(fits).collect()
    };
    let concept = |step: usize| Concept { title: format!("c{step}"), description: String::new(), files: files(step) };
    Plan { concepts: (0..3).map(concept).collect(), notes: Vec::new() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn git_finds_the_same_trees(base in files(), start in files(), said in said()) {
        let scratch = crate::git::testing::Scratch::new();
        let repository = scratch.open();
        let memory = Memory::default();
        // Both trees as git objects, made by edits of the empty tree.
        let store = |files: &Files| {
            let tree = tree(&memory, files);
            for (_, id) in tree.values() {
                repository.keep(&memory.read(*id).unwrap()).unwrap();
            }
            let edits: Vec<_> = tree.iter().map(|(path, entry)| crate::git::TreeEdit { path: path.clone(), entry: Some(*entry) }).collect();
            let frozen = repository.freeze_edited(None, &edits, Vec::new(), &crate::git::Change::default()).unwrap();
            repository.store(&frozen).unwrap();
            frozen.tree
        };
        let (base, start) = (store(&base), store(&start));
        let ground = Ground::new(Some(base), start, repository.compare(Some(base), Some(start)).unwrap());
        let Some((_, staging)) = run(&ground, &repository, &said) else { return Ok(()) };
        let frozen = freeze_all(&repository, &ground, &staging).unwrap();
        let mut from_base = Vec::new();
        let mut before = base;
        for tree in &frozen {
            repository.store(tree).unwrap();
            from_base.push(repository.compare(Some(base), Some(tree.tree)).unwrap());
            let step = repository.compare(Some(before), Some(tree.tree)).unwrap();
            prop_assert_eq!(&step, &tree.change);
            before = tree.tree;
        }
        prop_assert_eq!(before, start);
        verify(&ground, &repository, &from_base).unwrap();
    }
}
