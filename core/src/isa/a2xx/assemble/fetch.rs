//! Parses FETCH slots.

use super::super::format::LISTED;
use super::super::names::{
    self, Attribute, CONST, FORMAT, NORMALIZED, OFFSET, OP, PRED_COND, SIGNED, TYPE, UNSIGNED,
};
use super::super::opcode::{FETCH_TABLE, FetchOp};
use super::super::program::{Texture, Vertex};
use super::line::{Line, Reported, set};
use super::operands::predicated;
use crate::binary::Field;
use crate::text::Token;

impl<'t> Line<'t, '_> {
    /// Parses a FETCH slot, starting at its mnemonic, and returns its word.
    pub(super) fn fetch(&mut self) -> Result<u128, Reported> {
        let Some(word) = self.identifier() else { return Err(self.expected("a fetch")) };
        let is_name = |name: &str| name == OP || FetchOp::from_mnemonic(name).is_some();
        let Some((name, predicate)) = predicated(&word, is_name) else {
            return Err(self.unknown(&word, "fetch", FETCH_TABLE.iter().map(|row| row.mnemonic)));
        };
        let opcode = match FetchOp::from_mnemonic(name) {
            Some(op) => op as u64,
            None => {
                self.expect('(')?;
                let number = self.number("an operation", 31)?;
                self.expect(')')?;
                number
            }
        };
        let vertex = opcode == 0;
        let field = |of_vertex: Field, of_texture: Field| if vertex { of_vertex } else { of_texture };
        let mut bits = set(0, &field(Vertex::opcode, Texture::opcode), opcode);
        let (number, relative, swizzle) = self.fetch_dest()?;
        bits = set(bits, &field(Vertex::dst, Texture::dst), u64::from(number));
        bits = set(bits, &field(Vertex::dst_rel, Texture::dst_rel), u64::from(relative));
        bits = set(bits, &field(Vertex::dst_swizzle, Texture::dst_swizzle), u64::from(swizzle));
        self.expect('=')?;
        let (number, relative, components) = self.fetch_source(if vertex { 1 } else { 3 })?;
        bits = set(bits, &field(Vertex::src, Texture::src), u64::from(number));
        bits = set(bits, &field(Vertex::src_rel, Texture::src_rel), u64::from(relative));
        bits = set(bits, &field(Vertex::src_component, Texture::src_swizzle), u64::from(components));
        if let Some(value) = predicate {
            bits = set(bits, &field(Vertex::pred_en, Texture::pred_en), 1);
            bits = set(bits, &field(Vertex::pred_cond, Texture::pred_cond), u64::from(value));
        }
        let attributes: &[Attribute] = if vertex { names::VERTEX } else { names::TEXTURE };
        for a in attributes {
            bits = set(bits, &a.field, a.default);
        }
        if vertex {
            // Number formats are integer unless the text contains NORMALIZED.
            bits = set(bits, &Vertex::integer, 1);
        }
        let mut seen: Vec<&str> = Vec::new();
        while let Some(name) = self.attribute_name(&mut seen)? {
            bits = match self.special(name, vertex, bits)? {
                Some(bits) => bits,
                None => match attributes.iter().find(|a| a.name == name.text) {
                    Some(a) => set(bits, &a.field, self.value(a)?),
                    None => {
                        let other = [CONST, OFFSET, SIGNED, UNSIGNED, NORMALIZED, TYPE, PRED_COND];
                        let names = attributes.iter().map(|a| a.name).chain(other);
                        return Err(self.unknown(name, "attribute of this fetch", names));
                    }
                },
            };
        }
        Ok(bits)
    }

    /// Parses the attributes that are not in the tables `names::VERTEX` and `names::TEXTURE`; `None` for all other attributes.
    fn special(&mut self, name: &Token<'t>, vertex: bool, bits: u128) -> Result<Option<u128>, Reported> {
        Ok(Some(match name.text {
            PRED_COND if vertex => set(bits, &Vertex::pred_cond, 1),
            PRED_COND => set(bits, &Texture::pred_cond, 1),
            SIGNED if vertex => set(bits, &Vertex::signed, 1),
            UNSIGNED if vertex => set(bits, &Vertex::signed, 0),
            NORMALIZED if vertex => set(bits, &Vertex::integer, 0),
            TYPE if vertex => {
                self.expect('(')?;
                let value = self.number("a format", 63)?;
                self.expect(')')?;
                set(bits, &Vertex::format, value)
            }
            CONST if vertex => {
                self.expect('(')?;
                let index = self.number("a vertex constant", 31)?;
                let sub = if self.take_punct(',') {
                    self.number("the second number of a vertex constant", 3)?
                } else {
                    0
                };
                self.expect(')')?;
                set(set(bits, &Vertex::const_index, index), &Vertex::const_sub, sub)
            }
            OFFSET if !vertex => {
                self.expect('(')?;
                let mut bits = bits;
                for (k, field) in [Texture::offset_x, Texture::offset_y, Texture::offset_z].iter().enumerate()
                {
                    if k > 0 {
                        self.expect(',')?;
                    }
                    bits = set(bits, field, self.signed("an offset in half texels", field.width)?);
                }
                self.expect(')')?;
                bits
            }
            text if vertex && text.starts_with(FORMAT) => {
                let text = &text[FORMAT.len()..];
                match LISTED.iter().find(|(_, format)| *format == text) {
                    Some((format, _)) => set(bits, &Vertex::format, *format),
                    None => {
                        let names = LISTED.iter().map(|(_, format)| *format);
                        return Err(self.unknown(&Token { text, ..*name }, "format", names));
                    }
                }
            }
            _ => return Ok(None),
        }))
    }
}
