//! The trait items that every instruction set implements in the same way.

/// Expands to the items of one trait of an instruction set, selected by a name in lower case. Each item except `killed`,
/// which reads the lane, forwards to the module that implements it: `options`, `opcode`, `word`, `manual`, `sources`, `facets`, `rules`, `decode`,
/// `encode`, `interface`, `assemble`, `disassemble`, `reference`, `lower` or `edit`. The macro is invoked in the implementation of the trait, next to
/// the items that are specific to the instruction set.
macro_rules! forward {
    (format) => {
        fn decode(bytes: &[u8]) -> Result<Program, $crate::binary::DecodeError> {
            decode::decode(bytes)
        }
        fn encode(program: &Program) -> Vec<u8> {
            encode::encode(program)
        }
        fn spans(program: &Program) -> Vec<std::ops::Range<usize>> {
            encode::spans(program)
        }
        fn entries(program: &Program) -> Vec<$crate::isa::Entry> {
            interface::entries(program)
        }
    };
    (syntax) => {
        fn assemble_with_spans(
            text: &str,
        ) -> Result<$crate::text::WithSpans<Program>, Vec<$crate::text::Diagnostic>> {
            assemble::assemble_with_spans(text)
        }
        fn disassemble(program: &Program) -> String {
            disassemble::disassemble(program)
        }
    };
    (tables) => {
        fn option_specs() -> &'static [$crate::isa::OptionSpec] {
            options::OPTION_SPECS
        }
        fn opcodes() -> &'static [$crate::isa::OpcodeInfo] {
            opcode::INFO
        }
        fn layouts() -> &'static [$crate::binary::Layout] {
            &word::LAYOUTS
        }
        fn manual() -> String {
            manual::manual(options::OPTION_SPECS)
        }
        fn sources() -> &'static [$crate::isa::Source] {
            sources::SOURCES
        }
        fn facets() -> &'static $crate::isa::facet::Table<Program> {
            &facets::TABLE
        }
    };
    (legality) => {
        fn rules() -> Vec<$crate::isa::RuleInfo> {
            rules::RULES.iter().map($crate::isa::RuleRow::info).collect()
        }
        fn leaves_undefined(rule: u16) -> bool {
            rules::UNDEFINED.iter().any(|row| row.code() == rule)
        }
    };
    (reference) => {
        fn step<D: $crate::value::Domain, H: $crate::host::Host<D>>(
            d: &mut D,
            host: &mut H,
            cx: &$crate::isa::Context<'_, Self>,
            group: &mut [$crate::isa::LaneState<Lane<D>>],
            active: u8,
        ) {
            reference::step(d, host, cx, group, active);
        }
        fn killed<D: $crate::value::Domain>(lane: &Lane<D>) -> D::B {
            lane.killed.clone()
        }
    };
    (lowering) => {
        fn declare(cx: &$crate::isa::Context<'_, Self>, b: &mut $crate::ir::Builder) {
            lower::declare(cx, b);
        }
        fn successors(
            cx: &$crate::isa::Context<'_, Self>,
            outline: &Self::Outline,
            control: &Self::ControlState,
        ) -> $crate::isa::lowering::Successors<Self::ControlState> {
            lower::successors(cx, outline, control)
        }
        fn lower_node(
            cx: &$crate::isa::Context<'_, Self>,
            outline: &Self::Outline,
            control: &Self::ControlState,
            b: &mut $crate::ir::Builder,
        ) -> $crate::isa::lowering::BranchSelect {
            lower::node(cx, outline, control, b)
        }
        fn lower_word(
            cx: &$crate::isa::Context<'_, Self>,
            outline: &Self::Outline,
            word: u32,
            b: &mut $crate::ir::Builder,
        ) -> $crate::isa::lowering::FallbackExit {
            lower::word(cx, outline, word, b)
        }
    };
    (edits) => {
        fn edits(program: &Program) -> Vec<$crate::isa::Edit> {
            edit::edits(program)
        }
        fn edit_positions(program: &Program) -> u32 {
            edit::positions(program)
        }
        fn edits_at(program: &Program, position: u32) -> Vec<$crate::isa::Edit> {
            edit::edits_at(program, position)
        }
        const MAX_EDITS: usize = edit::MAX_EDITS;
        fn apply(program: &Program, edit: &$crate::isa::Edit) -> Option<Program> {
            edit::apply(program, edit)
        }
    };
}
pub(super) use forward;
