//! Programs made to show what is asked for, by the setters of facets.

use super::{Generate, Wish};
use lockstep_core::isa::facet::{Site, Sited};
use lockstep_core::isa::{ClassPoint, Context, Isa, Level, Options};

/// The program with one of its instructions of the opcode that is asked for changed until it is of all classes asked for, or else the context of the
/// opcode with that change; `None` if neither can be, or would not be legal. A setter may insert instructions, and change what its facet says
/// that it disturbs.
pub(super) fn requested<I: Generate>(program: &I::Program, wish: &Wish) -> Option<I::Program> {
    let opcode = wish.class.as_ref()?.opcode;
    let sites = sites_of::<I>(program, opcode);
    let mut of_program = sites.into_iter().filter_map(|site| with::<I>(program, site, wish));
    of_program.next().or_else(|| {
        let contexts: Vec<Sited<I::Program>> = (I::facets().around)(opcode);
        contexts.iter().find_map(|(program, site)| with::<I>(program, *site, wish))
    })
}

/// Whether some instruction of a program is of all classes that are asked for.
pub(super) fn is_met<I: Isa>(program: &I::Program, wish: &Wish) -> bool {
    (0..instruction_count::<I>(program)).any(|word| wish.is_met_at::<I>(program, word))
}

/// The number of instructions of a program, whichever entry it is run at.
pub(super) fn instruction_count<I: Isa>(program: &I::Program) -> u32 {
    let options = Options::new(I::axes());
    let count = |entry| I::words(&Context { program, entry: &entry, options: &options });
    I::entries(program).into_iter().map(count).max().unwrap_or(0)
}

fn sites_of<I: Isa>(program: &I::Program, opcode: &str) -> Vec<Site> {
    let words = 0..instruction_count::<I>(program);
    let sites = words.flat_map(|word| I::facets().sites(program, word));
    sites.filter(|(_, its)| *its == opcode).map(|(site, _)| site).collect()
}

/// The program with a site changed to what is asked for, in one order or the other.
fn with<I: Isa>(program: &I::Program, site: Site, wish: &Wish) -> Option<I::Program> {
    let classes: Vec<&ClassPoint> = wish.classes().collect();
    let backward: Vec<&ClassPoint> = classes.iter().rev().copied().collect();
    [classes, backward].iter().find_map(|classes| {
        let set = |(program, site), class: &&ClassPoint| set::<I>(&program, site, class);
        let (made, _) = classes.iter().try_fold((program.clone(), site), set)?;
        (is_met::<I>(&made, wish) && is_legal::<I>(&made)).then_some(made)
    })
}

/// Sets the value of a class.
fn set<I: Isa>(program: &I::Program, site: Site, class: &ClassPoint) -> Option<Sited<I::Program>> {
    let (name, value) = class.modifier.split_once('=')?;
    let mut facets = I::facets().facets.iter().filter(|facet| facet.name == name);
    facets.find_map(|facet| {
        let value = facet.values.iter().find(|known| **known == value)?;
        (facet.set)(program, site, value)
    })
}

/// Whether no entry breaks a rule at error level.
fn is_legal<I: Isa>(program: &I::Program) -> bool {
    let options = Options::new(I::axes());
    let entries = I::entries(program);
    !entries.is_empty()
        && entries.iter().all(|entry| {
            let cx: Context<'_, I> = Context { program, entry, options: &options };
            I::validate(&cx).iter().all(|violation| violation.level != Level::Error)
        })
}
