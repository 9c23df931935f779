//! A small undirected graph: what is connected with what.

use std::collections::BTreeSet;

/// Nodes `0..len` and the edges between them.
#[derive(Debug)]
pub(super) struct Graph {
    edges: Vec<BTreeSet<usize>>,
}

impl Graph {
    pub(super) fn new(len: usize) -> Self {
        Self { edges: vec![BTreeSet::new(); len] }
    }

    pub(super) fn connect(&mut self, one: usize, other: usize) {
        if one == other || one >= self.edges.len() || other >= self.edges.len() {
            return;
        }
        for (from, to) in [(one, other), (other, one)] {
            if let Some(edges) = self.edges.get_mut(from) {
                edges.insert(to);
            }
        }
    }

    /// Takes all edges of a node away.
    pub(super) fn isolate(&mut self, node: usize) {
        let neighbours = self.edges.get_mut(node).map(std::mem::take).unwrap_or_default();
        for neighbour in neighbours {
            if let Some(edges) = self.edges.get_mut(neighbour) {
                edges.remove(&node);
            }
        }
    }

    /// The nodes that can be reached from `start` without passing `closed`, `start` among them.
    pub(super) fn reached(&self, start: usize, closed: Option<usize>) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for next in self.edges.get(node).into_iter().flatten() {
                if Some(*next) != closed && reached.insert(*next) {
                    open.push(*next);
                }
            }
        }
        reached
    }

    /// The connected parts, each ascending, in the order of their first nodes.
    pub(super) fn parts(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.edges.len()];
        let mut parts = Vec::new();
        for node in 0..self.edges.len() {
            if seen.get(node) == Some(&false) {
                let part: Vec<usize> = self.reached(node, None).into_iter().collect();
                for member in &part {
                    if let Some(mark) = seen.get_mut(*member) {
                        *mark = true;
                    }
                }
                parts.push(part);
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_what_is_connected() {
        let mut graph = Graph::new(6);
        graph.connect(0, 3);
        graph.connect(3, 5);
        graph.connect(1, 1);
        graph.connect(2, 99);
        assert_eq!(graph.parts(), [vec![0, 3, 5], vec![1], vec![2], vec![4]]);
        assert_eq!(graph.reached(0, Some(3)), BTreeSet::from([0]));
        graph.isolate(3);
        assert_eq!(graph.parts().len(), 6);
    }
}
