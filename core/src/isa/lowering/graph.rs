//! The control-flow graph: the nodes that are reachable from the entry, in order, and the edges between them.

use super::{Lowering, Successors};
use crate::ir::FastHash;
use crate::isa::Context;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// A node of the control-flow graph.
pub(super) struct Node<C> {
    pub(super) control: C,
    /// Indices of the successor nodes.
    pub(super) successors: Successors<u32>,
    /// The number of edges to this node.
    pub(super) in_degree: u32,
}

/// The control-flow graph: nodes in ascending order of their control states.
pub(super) struct Flow<C> {
    pub(super) nodes: Vec<Node<C>>,
    /// The index of the node at which lanes start.
    pub(super) entry: u32,
}

/// Finds all reachable nodes. Returns `None` if there are more than `limit`. Takes time linear in the number of nodes, apart from sorting, which is
/// needed for nodes that share a word and for control states that are not ordered by word.
pub(super) fn explore<I: Lowering>(
    cx: &Context<'_, I>,
    outline: &I::Outline,
    entry: &I::ControlState,
    limit: usize,
) -> Option<Flow<I::ControlState>> {
    let mut found: NodeTable<I> = NodeTable::new(I::instruction_count(cx));
    found.number(entry.clone());
    let mut work: Vec<u32> = vec![0];
    while let Some(from) = work.pop() {
        let successors = I::successors(cx, outline, &found.nodes[from as usize].control);
        let before = found.nodes.len() as u32;
        let numbers: Successors<u32> = successors.into_iter().map(|control| found.number(control)).collect();
        if found.nodes.len() > limit {
            return None;
        }
        for &to in &numbers {
            found.nodes[to as usize].in_degree += 1;
        }
        found.nodes[from as usize].successors = numbers;
        // The first successor is usually the next word. It is pushed last and therefore explored first.
        work.extend((before..found.nodes.len() as u32).rev());
    }
    Some(found.in_order())
}

/// Marks a word for which no node has been found.
const NONE: u32 = u32::MAX;

/// The nodes found so far, in order of discovery.
struct NodeTable<I: Lowering> {
    nodes: Vec<Node<I::ControlState>>,
    /// For each word, the index of the node of that word that was found first. The last two elements are for positions outside the program: the end,
    /// and all others.
    first: Vec<u32>,
    /// The indices of all other nodes, by control state.
    others: HashMap<I::ControlState, u32, BuildHasherDefault<FastHash>>,
}

impl<I: Lowering> NodeTable<I> {
    fn new(words: u32) -> NodeTable<I> {
        NodeTable { nodes: Vec::new(), first: vec![NONE; words as usize + 2], others: HashMap::default() }
    }

    /// Returns the index in `first` for the word of a control state.
    fn place(&self, control: &I::ControlState) -> usize {
        (I::control_word(control) as usize).min(self.first.len() - 1)
    }

    /// Returns the index of the node with this control state. Adds the node if it does not exist.
    fn number(&mut self, control: I::ControlState) -> u32 {
        let new = self.nodes.len() as u32;
        let place = self.place(&control);
        let first = self.first[place];
        if first == NONE {
            self.first[place] = new;
        } else if self.nodes[first as usize].control == control {
            return first;
        } else if let Some(&known) = self.others.get(&control) {
            return known;
        } else {
            self.others.insert(control.clone(), new);
        }
        self.nodes.push(Node { control, successors: SmallVec::new(), in_degree: 0 });
        new
    }

    /// Returns the nodes, sorted and renumbered.
    fn in_order(self) -> Flow<I::ControlState> {
        if self.nodes.is_sorted_by(|a, b| a.control < b.control) {
            return Flow { nodes: self.nodes, entry: 0 };
        }
        let mut order = self.by_word();
        let control = |number: &u32| &self.nodes[*number as usize].control;
        if !order.is_sorted_by(|a, b| control(a) < control(b)) {
            // Control states are compared first by another component than the word, such as the active calls.
            order.sort_by(|a, b| control(a).cmp(control(b)));
        }
        let mut rank = vec![0; order.len()];
        for (new, old) in (0..).zip(&order) {
            rank[*old as usize] = new;
        }
        let mut old: Vec<Option<Node<I::ControlState>>> = self.nodes.into_iter().map(Some).collect();
        let moved = order.iter().filter_map(|number| old[*number as usize].take());
        let nodes = moved.map(|mut node| {
            node.successors.iter_mut().for_each(|exit| *exit = rank[*exit as usize]);
            node
        });
        Flow { nodes: nodes.collect(), entry: rank[0] }
    }

    /// Returns the node indices, sorted by word and, within a word, by control state.
    fn by_word(&self) -> Vec<u32> {
        let mut starts = vec![0; self.first.len() + 1];
        for node in &self.nodes {
            starts[self.place(&node.control) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![0; self.nodes.len()];
        for (number, node) in (0..).zip(&self.nodes) {
            let place = self.place(&node.control);
            order[next[place]] = number;
            next[place] += 1;
        }
        for range in starts.windows(2).filter(|range| range[1] - range[0] > 1) {
            let control = |number: &u32| &self.nodes[*number as usize].control;
            order[range[0]..range[1]].sort_by(|a, b| control(a).cmp(control(b)));
        }
        order
    }
}
