//! The nesting depth of a program's loops, for profiles of subjects that support less nesting than the instruction set allows.
//!
//! Loops are found in the graph of control states. The depth therefore has the same meaning for every instruction set, and for structured loops as
//! well as backward branches. If a loop contains a call, the loops of the called subroutine are nested in it.

use lockstep_core::isa::{Context, Lowering};
use petgraph::Direction;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of control states that are visited.
const MAX_STATES: usize = 4096;

/// Returns the nesting depth of the loops that are reachable from the entry: 0 without loops, 1 for loops that contain no loop. `None` if the program
/// has more than [`MAX_STATES`] control states.
pub(super) fn loop_depth<I: Lowering>(cx: &Context<'_, I>) -> Option<u32> {
    let outline = I::outline(cx);
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let mut known: BTreeMap<I::ControlState, NodeIndex> = BTreeMap::new();
    let mut work: Vec<I::ControlState> = I::entry_control(cx).into_iter().collect();
    known.extend(work.iter().map(|entry| (entry.clone(), graph.add_node(()))));
    while let Some(control) = work.pop() {
        let from = known[&control];
        for next in I::successors(cx, &outline, &control) {
            let to = *known.entry(next).or_insert_with_key(|next| {
                work.push(next.clone());
                graph.add_node(())
            });
            graph.add_edge(from, to, ());
        }
        if known.len() > MAX_STATES {
            return None;
        }
    }
    Some(depth(graph))
}

/// Returns the nesting depth of the loops of a graph whose first node is the entry. Each round removes the back edges to the heads of the outermost
/// loops, so that only the loops inside remain.
fn depth(mut graph: DiGraph<(), ()>) -> u32 {
    for depth in 0.. {
        let parts = tarjan_scc(&graph);
        let loops: Vec<BTreeSet<NodeIndex>> = parts
            .into_iter()
            .filter(|part| part.len() > 1 || graph.contains_edge(part[0], part[0]))
            .map(|part| part.into_iter().collect())
            .collect();
        if loops.is_empty() {
            return depth;
        }
        for nodes in loops {
            let before = |node: NodeIndex| graph.neighbors_directed(node, Direction::Incoming);
            let is_entered =
                |node: &&NodeIndex| node.index() == 0 || before(**node).any(|other| !nodes.contains(&other));
            // Every reachable loop is entered at some node. If it is entered at several, the first is taken as its head.
            let Some(head) = nodes.iter().find(is_entered).copied() else { continue };
            let back: Vec<NodeIndex> = before(head).filter(|other| nodes.contains(other)).collect();
            for other in back {
                while let Some(edge) = graph.find_edge(other, head) {
                    graph.remove_edge(edge);
                }
            }
        }
    }
    unreachable!("each round removes an edge")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_core::isa::{Options, Syntax, Tables};
    use lockstep_core::isa::{a2xx::A2xx, agal::Agal, d3d9::D3d9, pica200::Pica200, utgard_gp::UtgardGp};

    /// Returns the loop depth of a scenario.
    fn scenario_depth<I: Lowering + Syntax + Tables>(name: &str) -> Option<u32> {
        let mut scenarios = I::facets().scenarios.iter();
        let scenario = scenarios.find(|scenario| scenario.name == name).expect(name);
        let program = I::assemble(scenario.text).expect(name);
        let (entry, options) = (I::entry(&program, 0).expect(name), Options::new(I::option_specs()));
        loop_depth::<I>(&Context { program: &program, entry: &entry, options: &options })
    }

    #[test]
    fn loops_of_each_instruction_set_are_found() {
        assert_eq!(scenario_depth::<Pica200>("for nested"), Some(2));
        assert_eq!(scenario_depth::<Pica200>("ifc nested"), Some(0));
        assert_eq!(scenario_depth::<Pica200>("for with a call and a block"), Some(1));
        // The only loop is left in its first iteration.
        let left = "break in a procedure that is called in a loop and outside";
        assert_eq!(scenario_depth::<Pica200>(left), Some(0));
        // The third loop never repeats.
        assert_eq!(scenario_depth::<D3d9>("a loop in another, with one left between, vertex"), Some(2));
        let called = "out of loops in a subroutine that is called in a loop, vertex";
        assert_eq!(scenario_depth::<D3d9>(called), Some(2));
        assert_eq!(scenario_depth::<UtgardGp>("a store in a backward branch"), Some(1));
        assert_eq!(scenario_depth::<A2xx>("loops"), Some(2));
        assert_eq!(scenario_depth::<Agal>("components read twice"), Some(0));
    }

    #[test]
    fn loops_in_loops_are_counted_whatever_their_form() {
        for (edges, expected) in [
            (&[(0, 1), (1, 2)][..], 0),
            (&[(0, 0)], 1),
            (&[(0, 1), (1, 1), (1, 2), (2, 2)], 1),
            // One loop inside another, with different heads and with a common head.
            (&[(0, 1), (1, 2), (2, 1), (2, 3), (3, 0)], 2),
            (&[(0, 1), (1, 0), (1, 2), (2, 0)], 1),
            (&[(0, 1), (1, 2), (2, 3), (3, 3), (3, 2), (2, 1), (1, 4)], 3),
            // A loop that is entered at two nodes.
            (&[(0, 1), (0, 2), (1, 2), (2, 1)], 1),
        ] {
            let graph = DiGraph::from_edges(edges.iter().map(|(from, to): &(u32, u32)| (*from, *to)));
            assert_eq!(depth(graph), expected, "{edges:?}");
        }
    }
}
