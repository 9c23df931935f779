//! Files that come along: tests with what they test, settings with the code that reads them, assets with what shows them,
//! generated files with their source.

use std::collections::{BTreeMap, HashMap};

use super::purposes::is_changelog;
use super::reading::Reading;
use super::{Class, Group};
use crate::agent::offline::area::Area;
use crate::agent::offline::facts::FileStatus;
use crate::agent::offline::path;

/// A tie below this is chance.
const ENOUGH: usize = 3;

/// The groups with their company.
pub(super) fn joined(files: &[Reading<'_>], groups: Vec<Group>) -> Vec<Group> {
    let (mut hosts, others): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(|group| is_host(group.class));
    let mut pools = Vec::new();
    for mut pool in others {
        if is_guest(pool.class) {
            let index = Index::of(files, &hosts);
            let place = |guest: usize| (guest, files.get(guest).and_then(|file| index.best(file)));
            let places: Vec<(usize, Option<usize>)> = pool.files.iter().map(|guest| place(*guest)).collect();
            pool.files.clear();
            for (guest, host) in places {
                let group = host.and_then(|host| hosts.get_mut(host)).unwrap_or(&mut pool);
                group.files.push(guest);
            }
        }
        pools.push(pool);
    }
    of_the_only_feature(files, &mut hosts, &mut pools);
    snapshots_with_their_tests(files, &mut pools);
    let mut groups: Vec<Group> = hosts.into_iter().chain(pools).filter(|group| !group.files.is_empty()).collect();
    for group in &mut groups {
        group.files.sort_unstable();
    }
    groups
}

const fn is_host(class: Class) -> bool {
    matches!(class, Class::Source | Class::Move)
}

const fn is_guest(class: Class) -> bool {
    matches!(class, Class::Tests | Class::Config | Class::Assets | Class::Generated)
}

/// With a single feature there is no doubt what tests and a changelog are about.
fn of_the_only_feature(files: &[Reading<'_>], hosts: &mut [Group], pools: &mut [Group]) {
    let [feature] = hosts else { return };
    if feature.class != Class::Source {
        return;
    }
    let reading = |file: &usize| files.get(*file);
    for pool in pools {
        let all = match pool.class {
            Class::Tests => true,
            Class::Docs => pool.files.iter().filter_map(reading).all(|file| is_changelog(&file.facts.path)),
            _ => false,
        };
        if all {
            feature.files.append(&mut pool.files);
        }
    }
}

/// Generated files below a folder of tests go with the tests.
fn snapshots_with_their_tests(files: &[Reading<'_>], pools: &mut [Group]) {
    let folders: Vec<String> = pools
        .iter()
        .filter(|pool| pool.class == Class::Tests)
        .flat_map(|pool| &pool.files)
        .filter_map(|file| files.get(*file))
        .map(|file| path::folder(&file.facts.path).to_owned())
        .collect();
    let is_below = |file: &usize| {
        let folder = files.get(*file).map(|file| path::folder(&file.facts.path)).unwrap_or_default();
        folders.iter().any(|tests| !tests.is_empty() && folder.starts_with(tests.as_str()))
    };
    let mut found = Vec::new();
    for pool in pools.iter_mut().filter(|pool| pool.class == Class::Generated) {
        let (below, left) = pool.files.iter().copied().partition(is_below);
        found.extend::<Vec<usize>>(below);
        pool.files = left;
    }
    if let Some(tests) = pools.iter_mut().find(|pool| pool.class == Class::Tests) {
        tests.files.extend(found);
    }
}

/// By what a host can be known.
struct Index<'a> {
    subjects: HashMap<&'a str, usize>,
    folders: HashMap<&'a str, usize>,
    /// The innermost telling folder that all of a host's code shares.
    components: HashMap<String, usize>,
    /// Names that it defines, and the file names that it mentions.
    names: HashMap<&'a str, usize>,
    words: HashMap<&'a str, usize>,
}

impl<'a> Index<'a> {
    fn of(files: &'a [Reading<'a>], hosts: &'a [Group]) -> Self {
        let mut index = Self {
            subjects: HashMap::new(),
            folders: HashMap::new(),
            components: HashMap::new(),
            names: HashMap::new(),
            words: HashMap::new(),
        };
        for (host, group) in hosts.iter().enumerate() {
            let members = || group.files.iter().filter_map(|file| files.get(*file));
            let code: Vec<&str> =
                members().filter(|file| file.area == Area::Source).map(|file| file.facts.path.as_str()).collect();
            if let Some(component) = path::component(&code).filter(|component| !component.is_empty()) {
                index.components.entry(component).or_insert(host);
            }
            for file in members() {
                index.subjects.entry(&file.subject).or_insert(host);
                index.folders.entry(path::folder(&file.facts.path)).or_insert(host);
                for name in file.names() {
                    index.names.entry(name).or_insert(host);
                }
                for word in &file.new_words {
                    index.words.entry(word).or_insert(host);
                }
            }
        }
        index
    }

    /// The host that the file is tied to most, when it is tied to one enough.
    fn best(&self, file: &Reading<'_>) -> Option<usize> {
        let mut ties: BTreeMap<usize, usize> = BTreeMap::new();
        let mut tie = |host: Option<&usize>, weight: usize| {
            if let Some(host) = host {
                *ties.entry(*host).or_default() += weight;
            }
        };
        let facts = file.facts;
        tie(self.subjects.get(file.subject.as_str()), 8);
        let folder = path::folder(&facts.path);
        if !folder.is_empty() && file.area != Area::Assets {
            tie(self.folders.get(folder), 3);
            tie(self.folders.get(path::folder(folder)).filter(|_| !path::folder(folder).is_empty()), 2);
        }
        for part in folder.split('/').filter(|part| path::is_telling(part)) {
            tie(self.components.get(part.to_lowercase().as_str()), 4);
        }
        match file.area {
            Area::Tests => {
                for word in file.new_words.union(&file.old_words) {
                    tie(self.names.get(*word), 3);
                }
            }
            Area::Config => {
                for key in file.new_words.iter().filter(|word| word.len() > 5) {
                    tie(self.words.get(*key), 3);
                }
            }
            Area::Assets if facts.status != FileStatus::Deleted => {
                tie(self.words.get(path::stem(&facts.path)).filter(|_| path::stem(&facts.path).len() > 2), 3);
            }
            _ => {}
        }
        let best = ties.into_iter().max_by_key(|(host, weight)| (*weight, usize::MAX - *host))?;
        (best.1 >= ENOUGH).then_some(best.0)
    }
}
