//! Read ports: the number of registers of one file that an instruction can read.

use super::super::opcode::Opcode;
use super::super::profile::Profile;
use super::super::program::{File, Instruction, Relative, constant_number};
use super::super::reads::is_scratch;
use super::super::rules::Rule;
use super::Checker;
use smallvec::SmallVec;

/// The maximum number of different registers of one file, and of reads from that file, in one instruction.
type Port = (u8, u8);

const ANY: u8 = u8::MAX;

/// Returns the ports of a version for v, r, c and t, according to MS, and to MS81 for ps_1_0; `None` if reads are not limited.
fn ports(profile: Profile) -> Option<[Port; 4]> {
    use Profile::*;
    Some(match profile {
        Vs10 | Vs11 | Vs30 | Ps30 => [(1, ANY), (3, ANY), (1, ANY), (0, ANY)],
        Vs20 | Vs2x => [(1, ANY), (3, ANY), (1, 2), (0, ANY)],
        Ps10 => [(1, ANY), (2, ANY), (2, ANY), (1, ANY)],
        Ps11 => [(2, ANY), (2, ANY), (2, ANY), (2, ANY)],
        Ps12 | Ps13 => [(2, ANY), (2, ANY), (2, ANY), (3, ANY)],
        Ps14 => [(2, ANY), (3, ANY), (2, ANY), (1, ANY)],
        // MS allows one read of t, but compiled shaders multiply a t register by itself (CORP).
        Ps20 | Ps2x => [(1, ANY), (3, ANY), (1, 2), (1, ANY)],
        // MS documents no limit.
        Vs2sw | Vs3sw | Ps2sw | Ps3sw => return None,
    })
}

/// Returns the index of a file's port.
fn port_index(file: u8) -> Option<usize> {
    match File::from_number(file)? {
        File::Input => Some(0),
        File::Temporary => Some(1),
        _ if constant_number(file, 0).is_some() => Some(2),
        File::Address => Some(3),
        _ => None,
    }
}

type Register = (u8, u16, Relative);

/// Returns the registers that an instruction reads, by port.
fn registers(i: &Instruction, op: Opcode) -> [SmallVec<[Register; 4]>; 4] {
    let mut all: [SmallVec<[Register; 4]>; 4] = Default::default();
    for (k, s) in i.sources.iter().enumerate() {
        // The two constants of sincos are always allowed, and a scratch register is not read.
        let macro_operand = op == Opcode::Sincos && k > 0 || is_scratch(op, k);
        if let Some(port) = port_index(s.file).filter(|_| !macro_operand) {
            all[port].push((s.file, s.number, s.relative));
        }
    }
    all
}

fn count_distinct(registers: &[Register]) -> usize {
    (0..registers.len()).filter(|k| !registers[..*k].contains(&registers[*k])).count()
}

pub(super) fn check(c: &mut Checker<'_>, at: usize, i: &Instruction, op: Opcode) {
    let Some(ports) = ports(c.profile) else { return };
    let all = registers(i, op);
    let (mut broken, mut indexed) = (false, false);
    for ((most, reads), registers) in ports.into_iter().zip(&all) {
        let over = count_distinct(registers) > usize::from(most);
        // Whether all reads use the same index, so that only their register numbers differ.
        let same_index = registers.windows(2).all(|w| w[0].2 == w[1].2 && w[0].2.is_relative());
        indexed |= over && same_index;
        broken |= over && !same_index || registers.len() > usize::from(reads);
    }
    c.report_if(Rule::Ports, broken);
    c.report_if(Rule::PortsIndexed, indexed);
    let before = at.checked_sub(1).and_then(|k| c.program.instructions.get(k));
    if i.coissue != 0
        && c.is_ps1()
        && let Some(before) = before
        && let Some(first) = before.op()
    {
        let mut pair = registers(before, first);
        let over = pair.iter_mut().zip(all).any(|(p, mut own)| {
            p.append(&mut own);
            count_distinct(p) > 3
        });
        c.report_if(Rule::PortsPair, over);
    }
}
