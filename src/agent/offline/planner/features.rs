//! Code by its features: one folder's feature, files of one name, one edit made everywhere, and names that tie folders
//! together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::graph::Graph;
use super::reading::Reading;
use super::{Class, Group};
use crate::agent::offline::area::Area;
use crate::agent::offline::facts::FileStatus;
use crate::agent::offline::path;

/// A name in more files than this is no tie.
const MOST_FILES: usize = 12;

/// The features that these files fall into.
pub(super) fn groups(files: &[Reading<'_>], code: &[usize]) -> Vec<Group> {
    let nodes = nodes(files, code);
    let ties = Ties::between(files, &nodes);
    let (hubs, graph) = ties.graph(nodes.len());
    let mut parts: Vec<Vec<usize>> = graph.parts();
    for hub in hubs {
        // A file that only ties others together comes with the last of them: all it names is there by then.
        let wiring = nodes.get(hub).is_some_and(|node| is_wiring(files, node));
        let partners = ties.partners(hub);
        let last = parts.iter().rposition(|part| part.iter().any(|node| partners.contains(node))).filter(|_| wiring);
        if let Some(last) = last {
            parts.retain(|part| part.as_slice() != [hub]);
            // The hub's own part may have stood before it.
            let at = parts.iter().rposition(|part| part.iter().any(|node| partners.contains(node))).unwrap_or(last);
            if let Some(part) = parts.get_mut(at) {
                part.push(hub);
            }
        }
    }
    let group = |part: Vec<usize>| {
        let mut files: Vec<usize> = part.into_iter().filter_map(|node| nodes.get(node)).flatten().copied().collect();
        files.sort_unstable();
        Group { class: Class::Source, files }
    };
    parts.into_iter().map(group).collect()
}

fn is_wiring(files: &[Reading<'_>], node: &[usize]) -> bool {
    node.iter().filter_map(|file| files.get(*file)).all(|file| path::is_nameless(&file.facts.path))
}

/// Files that are one to begin with: one edit made everywhere, one home.
fn nodes(files: &[Reading<'_>], code: &[usize]) -> Vec<Vec<usize>> {
    let mut edits: BTreeMap<(Vec<&str>, Vec<&str>), Vec<usize>> = BTreeMap::new();
    for index in code {
        if let Some(edit) = files.get(*index).and_then(Reading::edit) {
            edits.entry(edit).or_default().push(*index);
        }
    }
    edits.retain(|_, members| members.len() > 1);
    let swept: BTreeSet<usize> = edits.values().flatten().copied().collect();
    let rest: Vec<(usize, &str)> = code
        .iter()
        .filter(|index| !swept.contains(index))
        .filter_map(|index| Some((*index, files.get(*index)?.facts.path.as_str())))
        .collect();
    let mut homes: BTreeMap<Home, Vec<usize>> = BTreeMap::new();
    house(files, &rest, 0, &mut homes);
    let mut nodes: Vec<Vec<usize>> = edits.into_values().chain(homes.into_values()).collect();
    for node in &mut nodes {
        node.sort_unstable();
    }
    nodes.sort_unstable();
    nodes
}

/// Where code lives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Home {
    Folder(String),
    /// By itself in a folder that says nothing; files of one name are together.
    Name(String),
}

/// Finds the home of each file: a telling folder that holds files itself, else the file's own name.
fn house(files: &[Reading<'_>], members: &[(usize, &str)], depth: usize, homes: &mut BTreeMap<Home, Vec<usize>>) {
    const DEEPEST: usize = 40;
    let common = path::common_folder(members.iter().map(|(_, file)| *file));
    let after = |file: &str| {
        let rest = path::folder(file).strip_prefix(common).unwrap_or_default().trim_start_matches('/').to_owned();
        rest.split('/').next().unwrap_or_default().to_owned()
    };
    let mut below: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    for member in members {
        below.entry(after(member.1)).or_default().push(*member);
    }
    let direct = below.remove("").unwrap_or_default();
    if !direct.is_empty() && is_feature(files, common, members) || depth >= DEEPEST {
        homes.entry(Home::Folder(common.to_owned())).or_default().extend(members.iter().map(|(index, _)| *index));
        return;
    }
    for (index, _) in direct {
        let subject = files.get(index).map(|file| file.subject.clone()).unwrap_or_default();
        homes.entry(Home::Name(subject)).or_default().push(index);
    }
    for members in below.into_values() {
        house(files, &members, depth + 1, homes);
    }
}

/// Whether the folder holds one feature: its name says something and it is no project's top, or it is new with a manifest
/// of its own.
fn is_feature(files: &[Reading<'_>], folder: &str, members: &[(usize, &str)]) -> bool {
    let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    let packed = members
        .iter()
        .filter_map(|(index, _)| files.get(*index))
        .any(|file| file.area == Area::Dependencies && path::folder(&file.facts.path) == folder);
    packed && !folder.is_empty() || !above.is_empty() && path::is_telling(name)
}

/// Which nodes share names, and who needs whom.
struct Ties {
    /// For each node the nodes that define what it uses.
    needs: Vec<BTreeSet<usize>>,
    /// For each node the nodes that use what it defines.
    serves: Vec<BTreeSet<usize>>,
    /// Nodes that one name ties together.
    together: BTreeSet<Vec<usize>>,
}

impl Ties {
    fn between(files: &[Reading<'_>], nodes: &[Vec<usize>]) -> Self {
        let mut ties = Self {
            needs: vec![BTreeSet::new(); nodes.len()],
            serves: vec![BTreeSet::new(); nodes.len()],
            together: BTreeSet::new(),
        };
        for (definers, users) in shared_names(files, nodes) {
            for definer in &definers {
                for user in users.difference(&definers) {
                    ties.needs.get_mut(*user).map(|needs| needs.insert(*definer));
                    ties.serves.get_mut(*definer).map(|serves| serves.insert(*user));
                }
            }
            let all: Vec<usize> = definers.union(&users).copied().collect();
            if all.len() > 1 {
                ties.together.insert(all);
            }
        }
        ties
    }

    fn partners(&self, node: usize) -> BTreeSet<usize> {
        let of = |lists: &[BTreeSet<usize>]| lists.get(node).cloned().unwrap_or_default();
        of(&self.needs).union(&of(&self.serves)).copied().collect()
    }

    /// What belongs together. A node that needs several which have nothing to do with each other, or serves several such,
    /// is a hub: it does not make one feature of them.
    fn graph(&self, len: usize) -> (Vec<usize>, Graph) {
        let mut graph = Graph::new(len);
        for group in &self.together {
            for (at, one) in group.iter().enumerate() {
                group.iter().skip(at + 1).for_each(|other| graph.connect(*one, *other));
            }
        }
        let parted = |node: usize, others: &BTreeSet<usize>| {
            let Some(first) = others.first() else { return false };
            let reached = graph.reached(*first, Some(node));
            !others.is_subset(&reached)
        };
        let is_hub = |node: &usize| {
            let of = |lists: &[BTreeSet<usize>]| lists.get(*node).is_some_and(|others| parted(*node, others));
            of(&self.needs) || of(&self.serves)
        };
        let hubs: Vec<usize> = (0..len).filter(is_hub).collect();
        for hub in &hubs {
            graph.isolate(*hub);
        }
        (hubs, graph)
    }
}

/// For each name that ties nodes together: the nodes that define it and those that use it.
fn shared_names(files: &[Reading<'_>], nodes: &[Vec<usize>]) -> Vec<(BTreeSet<usize>, BTreeSet<usize>)> {
    let node_of: HashMap<usize, usize> =
        nodes.iter().enumerate().flat_map(|(node, members)| members.iter().map(move |file| (*file, node))).collect();
    let mut definers: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for file in node_of.keys() {
        let Some(reading) = files.get(*file) else { continue };
        for name in reading.names() {
            definers.entry(name.to_owned()).or_default().insert(*file);
        }
        // Only a file that came or went has to be named by others.
        if reading.is_come_or_gone() && reading.subject.len() > 2 && !path::is_nameless(&reading.subject) {
            definers.entry(reading.subject.clone()).or_default().insert(*file);
        }
    }
    let mut users: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for file in node_of.keys() {
        let Some(reading) = files.get(*file) else { continue };
        for word in reading.new_words.union(&reading.old_words) {
            if definers.contains_key(*word) {
                users.entry(*word).or_default().insert(*file);
            }
        }
    }
    let nodes = |files: &BTreeSet<usize>| files.iter().filter_map(|file| node_of.get(file)).copied().collect();
    definers
        .iter()
        .filter_map(|(name, definers)| Some((definers, users.get(name.as_str())?)))
        // A definition is moved from one file to another; more definers mean that the name is anybody's.
        .filter(|(definers, users)| definers.len() <= 2 && users.len() <= MOST_FILES)
        .map(|(definers, users)| (nodes(definers), nodes(users)))
        .collect()
}

/// Whether `later` cannot stand without `earlier`: it uses what that gains, or loses what that stops to use.
pub(super) fn depends(files: &[Reading<'_>], later: &Group, earlier: &Group) -> bool {
    let members =
        |group: &Group| -> Vec<&Reading<'_>> { group.files.iter().filter_map(|file| files.get(*file)).collect() };
    let (later, earlier) = (members(later), members(earlier));
    let uses = |name: &String| {
        let own = |file: &&&Reading<'_>| file.gained.contains(name) || file.changed.contains(name);
        later.iter().any(|file| file.new_words.contains(name.as_str())) && !later.iter().any(|file| own(&file))
    };
    let stops = |name: &String| {
        let own = |file: &&&Reading<'_>| file.lost.contains(name);
        earlier.iter().any(|file| file.old_words.contains(name.as_str())) && !earlier.iter().any(|file| own(&file))
    };
    let is_named = |file: &Reading<'_>| file.facts.status == FileStatus::Added && file.subject.len() > 2;
    earlier
        .iter()
        .any(|file| file.gained.iter().chain(&file.changed).any(uses) || is_named(file) && uses(&file.subject))
        || later.iter().any(|file| file.lost.iter().any(stops))
}
