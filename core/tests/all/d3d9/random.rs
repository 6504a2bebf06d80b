//! Random shaders: fields are drawn so that most words are legal, but operands and opcode controls are sometimes illegal.

use lockstep_core::isa::d3d9::opcode::{Opcode, TABLE};
use lockstep_core::isa::d3d9::profile::Profile;

/// A generator of the xorshift family.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 16) % n
    }

    /// True with probability 1 / `n`.
    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Usually one of a few common values, sometimes a random value of `bits` bits.
    fn usual(&mut self, values: &[u32], bits: u32) -> u32 {
        if self.one_in(80) {
            return self.next() as u32 & (u32::MAX >> (32 - bits));
        }
        values[self.below(values.len() as u64) as usize]
    }
}

fn operand(r: &mut Random, source: bool) -> u32 {
    let file = r.usual(&[0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15, 17, 18, 19], 5);
    // Some files have a single register.
    let number = if matches!(file, 4 | 9 | 15 | 17) { 0 } else { r.usual(&[0, 0, 1, 2, 3, 7, 15, 255], 11) };
    let relative = u32::from(r.one_in(8));
    let zero = u32::from(r.one_in(100));
    let upper = if source {
        r.usual(&[0xe4, 0xe4, 0, 0x55, 0xff, 0x1b], 8) | r.usual(&[0, 0, 1, 2, 4, 6, 11, 13], 4) << 8
    } else {
        r.usual(&[15, 15, 1, 7, 8], 4) | r.usual(&[0, 0, 1, 2], 4) << 4 | r.usual(&[0, 0, 0, 1], 4) << 8
    };
    let one = u32::from(!r.one_in(100));
    number | (file >> 3) << 11 | relative << 13 | zero << 14 | upper << 16 | (file & 7) << 28 | one << 31
}

/// The bytes of a decodable shader.
pub(crate) fn shader(r: &mut Random) -> Vec<u8> {
    let profile = Profile::ALL[r.below(Profile::ALL.len() as u64) as usize];
    let stage = if profile.is_pixel() { 0xffff_0000 } else { 0xfffe_0000 };
    let mut words = vec![stage | profile.version().number()];
    for _ in 0..r.below(12) {
        if r.one_in(10) {
            let len = r.below(20) as u32;
            words.push(0xfffe | len << 16 | u32::from(r.one_in(10)) << 31);
            words.extend((0..len).map(|_| r.next() as u32));
            continue;
        }
        let row = &TABLE[r.below(TABLE.len() as u64) as usize];
        let mut opcode = u32::from(row.number);
        let mut body = Vec::new();
        let lengths = profile.major() >= 2;
        if lengths && r.one_in(30) {
            // A number that is not an opcode.
            opcode = 1000 + r.below(1000) as u32;
            body.extend((0..r.below(5)).map(|_| r.next() as u32));
        } else {
            let Some(o) = row.opcode.operands(profile.version()) else { continue };
            let reserved = u32::from(r.one_in(30)) << 29 | u32::from(r.one_in(10)) << 30;
            let predicated = lengths && r.one_in(6);
            let control = match row.opcode {
                op if op.compares() => r.usual(&[1, 2, 3, 4, 5, 6], 8),
                Opcode::Tex => r.usual(&[0, 1, 2], 8),
                _ => r.usual(&[0], 8),
            };
            opcode |= control << 16 | reserved | u32::from(predicated) << 28;
            if o.usage {
                body.push(r.usual(&[0x8000_0000, 0x9000_0000, 0x8001_0005, 0x9800_0000], 32));
            }
            let sources = u8::from(predicated && !o.usage && o.immediates == 0) + o.sources;
            for k in 0..u8::from(o.dest) + sources {
                // The predicate follows the destination.
                let predicate = predicated && sources > o.sources && k == u8::from(o.dest);
                let word = if predicate && !r.one_in(10) {
                    0xb000_1000 | r.usual(&[0xe4, 0, 0x55, 0xff], 8) << 16 | r.usual(&[0, 13], 4) << 24
                } else {
                    operand(r, k > 0 || !o.dest)
                };
                body.push(word);
                if lengths && word >> 13 & 1 != 0 {
                    body.push(0xb000_0000 | r.usual(&[0, 0x55_0000, 0xe4_0000], 12));
                }
            }
            body.extend((0..o.immediates).map(|_| r.usual(&[0, 1, 0x3f80_0000, 0xbf00_0000], 32)));
            if lengths && r.one_in(20) {
                // Truncated, or with an extra word.
                if r.one_in(2) {
                    body.pop();
                } else {
                    body.push(r.next() as u32);
                }
            }
        }
        body.truncate(15);
        if lengths && opcode as u16 != 0xfffd {
            opcode |= (body.len() as u32) << 24;
        } else if r.one_in(30) {
            opcode |= 0x0500_0000;
        }
        if opcode as u16 == 0xfffd {
            body.clear();
        }
        words.push(opcode);
        words.extend(body);
    }
    words.push(0xffff);
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    if r.one_in(5) {
        bytes.extend((0..r.below(40)).map(|_| r.next() as u8));
    }
    bytes
}
