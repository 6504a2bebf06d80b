//! The examples of the wiki page that describes the instruction set: they assemble, and disassemble to the same text, except for white space and the
//! page's comments.

use lockstep_core::isa::a2xx::disassemble::{Style, disassemble_with};
use lockstep_core::isa::a2xx::program::Program;
use lockstep_core::isa::a2xx::{assemble, encode};
use lockstep_core::text::Diagnostic;

#[track_caller]
fn program(text: &str) -> Program {
    let errors = |e: Vec<Diagnostic>| panic!("{e:#?}\n{text}");
    assemble::assemble(text).unwrap_or_else(errors)
}

/// Returns the lines without comments, with tokens separated by one space.
fn plain(text: &str) -> Vec<String> {
    let lines = text.lines().map(|l| l.split(';').next().unwrap_or_default());
    lines.map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|l| !l.is_empty()).collect()
}

#[track_caller]
fn same(text: &str, style: Style) {
    let printed = disassemble_with(&program(text), style);
    assert_eq!(plain(&printed), plain(text), "{printed}");
}

const SEED: Style = Style { seed: true, interleaved: true, addresses: true };

const INTERLEAVED: &str = "
EXEC ADDR(0x3) CNT(0x1)
   (S)FETCH:	VERTEX	R1.xyz1 = R0.x FMT_32_32_32_FLOAT UNSIGNED STRIDE(12) CONST(10)
ALLOC COORD SIZE(0x0)
EXEC ADDR(0x4) CNT(0x1)
      ALU:	MAXv	export62 = R1, R1	; gl_Position
ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END ADDR(0x5) CNT(0x0)
";

const MEMORY: &str = "
EXEC ADDR(0x3) CNT(0x1)
ALLOC COORD SIZE(0x0)
EXEC ADDR(0x4) CNT(0x1)
ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END ADDR(0x5) CNT(0x0)
   (S)FETCH:	VERTEX	R1.xyz1 = R0.x FMT_32_32_32_FLOAT UNSIGNED STRIDE(12) CONST(10)
      ALU:	MAXv	export62 = R1, R1	; gl_Position
";

#[test]
fn the_small_example_round_trips_in_both_orders() {
    same(INTERLEAVED, SEED);
    same(MEMORY, Style { interleaved: false, ..SEED });
    assert_eq!(program(INTERLEAVED), program(MEMORY), "according to the page they are the same program");
    assert!(disassemble_with(&program(MEMORY), SEED).contains("R1, R1\t; gl_Position"));
}

#[test]
fn both_halves_of_a_slot_round_trip() {
    let text = "EXEC_END ADDR(0x1) CNT(0x1)
ALU:	MULv	R2.xyz_ = R3.zzzw, C10
  	RCP	R4.x___ = R0
";
    same(text, SEED);
    // The same slot as written by the driver: slot 0e of fd-notes.
    let bytes = encode::encode(&program(text));
    let words: Vec<_> = bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
    assert_eq!(words[3..], [0x4c17_0402, 0x0006_0000, 0xa103_0a00]);
}

const COMPLETE: &str = "
EXEC
      FETCH:  VERTEX  R1.xyz_ = R0.z FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(4)
      FETCH:  VERTEX  R2.xyz1 = R0.x FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(4)
      FETCH:  VERTEX  R3.xyz_ = R0.y FMT_32_32_32_FLOAT SIGNED STRIDE(12) CONST(4)
   (S)ALU:    MULv    R0 = R2.wwww, C7           ; -> modelviewprojectionMatrix * in_position
      ALU:    MULADDv R0 = R0, R2.zzzz, C6       ; -> modelviewprojectionMatrix * in_position
      ALU:    MULADDv R0 = R0, R2.yyyy, C5       ; -> modelviewprojectionMatrix * in_position
ALLOC COORD SIZE(0x0)
EXEC
      ALU:    MULADDv export62 = R0, R2.xxxx, C4 ; gl_Position = modelviewprojectionMatrix * in_position
      ALU:    MULv    R0 = R2.wwww, C3           ; -> modelviewMatrix * in_position
      ALU:    MULADDv R0 = R0, R2.zzzz, C2       ; -> modelviewMatrix * in_position
      ALU:    MULADDv R0 = R0, R2.yyyy, C1       ; -> modelviewMatrix * in_position
      ALU:    MULADDv R0 = R0, R2.xxxx, C0       ; vec4 vPosition4 = modelviewMatrix * in_position
      ALU:    MULv    R2.xyz_ = R3.zzzw, C10     ; -> normalMatrix * in_normal
              RCP     R4.x___ = R0               ; -> 1 / vPosition4.w
EXEC
      ALU:    MULADDv R0.xyz_ = C11.xxzw, -R0, R4.xxxw ; -> lightSource - (vPosition4.xyz / vPosition4.w
      ALU:    DOT3v   R4.x___ = R0, R0                 ; -> normalize(...)
      ALU:    MULADDv R2.xyz_ = R2, R3.yyyw, C9        ; -> normalMatrix * in_normal
      ALU:    MULADDv R2.xyz_ = R2, R3.xxxw, C8        ; vec3 vEyeNormal = normalMatrix * in_normal
ALLOC PARAM/PIXEL SIZE(0x0)
EXEC_END
      ALU:    MAXv    R0.____ = R0, R0
              RSQ     R0.___w = R4.xyzx          ; -> normalize(...)  (1 / sqrt(dot(..))
      ALU:    MULv    R0.xyz_ = R0, R0.wwww      ; -> vec3 vLightDir = normalize(lightSource.xyz - vPosition3)
      ALU:    DOT3v   R0.x___ = R2, R0           ; -> dot(vEyeNormal, vLightDir)
      ALU:    MAXv    R0.x___ = R0, C11.wyzw     ; float diff = max(0.0, dot(vEyeNormal, vLightDir))
      ALU:    MULv    export0.xyz_ = R1, R0.xxxw ; vVaryingColor.xyz_= diff * in_color.rgb
              MOV     export0.___w = C12.xyzx    ; vVaryingColor.___w  = 1.0
";

#[test]
fn the_complete_example_round_trips() {
    same(COMPLETE, Style { addresses: false, ..SEED });
    // The driver's words for the same source (fd-notes): most slots are the same, starting with slot 06.
    let bytes = encode::encode(&program(COMPLETE));
    let slots: Vec<[u32; 3]> = bytes
        .chunks(12)
        .map(|s| [0, 4, 8].map(|at| u32::from_le_bytes(s[at..at + 4].try_into().unwrap())))
        .collect();
    assert_eq!(
        slots[0][0], 0x0095_6003,
        "EXEC ADDR(0x3) CNT(0x6), its kinds FETCH, FETCH, FETCH, (S)ALU, ALU, ALU"
    );
    assert_eq!(slots[0][2] >> 16, 0xc200, "ALLOC POSITION SIZE(0x0)");
    assert_eq!(slots[6], [0x140f_0000, 0x001b_0000, 0xa102_0700]);
    assert_eq!(slots[7], [0x140f_0000, 0x00c6_0000, 0xab02_0600]);
    assert_eq!(slots[0xf], [0x1407_0000, 0x0400_2c0c, 0xcb00_040b]);
}
