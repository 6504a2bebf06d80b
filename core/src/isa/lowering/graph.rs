//! The control-flow graph: the nodes reachable from the entry, in order, with the edges between them.

use super::{Lowering, Successors};
use crate::ir::FastHash;
use crate::isa::Context;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// A node.
pub(super) struct Node<C> {
    pub(super) control: C,
    /// Numbers of its successors.
    pub(super) successors: Successors<u32>,
    /// The number of edges to this node.
    pub(super) predecessors: u32,
}

/// Nodes in ascending order of their configurations.
pub(super) struct Flow<C> {
    pub(super) nodes: Vec<Node<C>>,
    /// The number of the node at which lanes start.
    pub(super) entry: u32,
}

/// Explores all nodes; `None` if there are more than `limit`. Linear in the nodes, except for those that share a word.
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
            found.nodes[to as usize].predecessors += 1;
        }
        found.nodes[from as usize].successors = numbers;
        // The first successor, usually the next word, is explored first.
        work.extend((before..found.nodes.len() as u32).rev());
    }
    Some(found.in_order())
}

/// Marks a word without a node.
const NONE: u32 = u32::MAX;

/// The nodes found so far, numbered in order of discovery.
struct NodeTable<I: Lowering> {
    nodes: Vec<Node<I::ControlState>>,
    /// By word: the number of the node found first. The last element is for positions that are no word.
    first: Vec<u32>,
    /// The other nodes by configuration.
    others: HashMap<I::ControlState, u32, BuildHasherDefault<FastHash>>,
}

impl<I: Lowering> NodeTable<I> {
    fn new(words: u32) -> NodeTable<I> {
        NodeTable { nodes: Vec::new(), first: vec![NONE; words as usize + 2], others: HashMap::default() }
    }

    /// The index of a configuration's word in a table of all words.
    fn place(&self, control: &I::ControlState) -> usize {
        (I::control_word(control) as usize).min(self.first.len() - 1)
    }

    /// The number of the node with this configuration; adds a node if there is none.
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
        self.nodes.push(Node { control, successors: SmallVec::new(), predecessors: 0 });
        new
    }

    /// The nodes, sorted and renumbered.
    fn in_order(self) -> Flow<I::ControlState> {
        if self.nodes.is_sorted_by(|a, b| a.control < b.control) {
            return Flow { nodes: self.nodes, entry: 0 };
        }
        let mut order = self.by_word();
        let control = |number: &u32| &self.nodes[*number as usize].control;
        if !order.is_sorted_by(|a, b| control(a) < control(b)) {
            // Words do not come first in the order: active calls do.
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

    /// The numbers of the nodes in the order of their words, and of configurations within one word.
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
