//! FETCH slots.

use super::super::names::{self, Attribute};
use super::super::opcode::{FETCH_TABLE, FetchOp};
use super::super::program::{Texture, Vertex};
use super::super::word::FORMATS;
use super::line::{Line, Noted, set};
use super::operands::predicated;
use crate::binary::Layout;
use crate::text::Token;

impl<'t> Line<'t, '_> {
    /// A FETCH slot from its name on: its word.
    pub(super) fn fetch(&mut self) -> Result<u128, Noted> {
        let Some(word) = self.identifier() else { return Err(self.expected("a fetch")) };
        let is_name = |name: &str| name == "OP" || FetchOp::from_mnemonic(name).is_some();
        let Some((name, predicate)) = predicated(&word, is_name) else {
            return Err(self.unknown(&word, "fetch", FETCH_TABLE.iter().map(|row| row.mnemonic)));
        };
        let opcode = match FetchOp::from_mnemonic(name) {
            Some(op) => op as u64,
            None => {
                self.want('(')?;
                let number = self.number("an operation", 31)?;
                self.want(')')?;
                number
            }
        };
        let (layout, count) = if opcode == 0 { (&Vertex::LAYOUT, 1) } else { (&Texture::LAYOUT, 3) };
        let mut bits = set(0, layout, "opcode", opcode);
        let (number, relative, swizzle) = self.fetch_dest()?;
        bits = set(bits, layout, "dst", u64::from(number));
        bits = set(bits, layout, "dst_rel", u64::from(relative));
        bits = set(bits, layout, "dst_swizzle", u64::from(swizzle));
        self.want('=')?;
        let (number, relative, components) = self.fetch_source(count)?;
        bits = set(bits, layout, "src", u64::from(number));
        bits = set(bits, layout, "src_rel", u64::from(relative));
        let field = if opcode == 0 { "src_component" } else { "src_swizzle" };
        bits = set(bits, layout, field, u64::from(components));
        if let Some(value) = predicate {
            bits = set(bits, layout, "pred_en", 1);
            bits = set(bits, layout, "pred_cond", u64::from(value));
        }
        let attributes: &[Attribute] = if opcode == 0 { names::VERTEX } else { names::TEXTURE };
        for a in attributes {
            bits = set(bits, layout, a.field, a.default);
        }
        if opcode == 0 {
            // Numbers are integers where the text does not call them normalized.
            bits = set(bits, layout, "integer", 1);
        }
        let mut given: Vec<&str> = Vec::new();
        while let Some(name) = self.peek() {
            if given.contains(&name.text) {
                return Err(self.error(name.place, format!("{} is given twice", name.text)));
            }
            given.push(name.text);
            self.at += 1;
            bits = match self.special(name, layout, bits)? {
                Some(bits) => bits,
                None => match attributes.iter().find(|a| a.name == name.text) {
                    Some(a) => set(bits, layout, a.field, self.value(a, layout)?),
                    None => {
                        let other =
                            ["CONST", "OFFSET", "SIGNED", "UNSIGNED", "NORMALIZED", "TYPE", "PRED_COND"];
                        let names = attributes.iter().map(|a| a.name).chain(other);
                        return Err(self.unknown(name, "attribute of this fetch", names));
                    }
                },
            };
        }
        Ok(bits)
    }

    /// Attributes that are no single field.
    fn special(&mut self, name: &Token<'t>, layout: &Layout, bits: u128) -> Result<Option<u128>, Noted> {
        let vertex = layout.name == Vertex::LAYOUT.name;
        Ok(Some(match name.text {
            "PRED_COND" => set(bits, layout, "pred_cond", 1),
            "SIGNED" if vertex => set(bits, layout, "signed", 1),
            "UNSIGNED" if vertex => set(bits, layout, "signed", 0),
            "NORMALIZED" if vertex => set(bits, layout, "integer", 0),
            "TYPE" if vertex => {
                self.want('(')?;
                let value = self.number("a format", 63)?;
                self.want(')')?;
                set(bits, layout, "format", value)
            }
            "CONST" if vertex => {
                self.want('(')?;
                let index = self.number("a vertex constant", 31)?;
                let sub = if self.sign(',') {
                    self.number("the second number of a vertex constant", 3)?
                } else {
                    0
                };
                self.want(')')?;
                set(set(bits, layout, "const_index", index), layout, "const_sub", sub)
            }
            "OFFSET" if !vertex => {
                self.want('(')?;
                let mut bits = bits;
                for (k, field) in ["offset_x", "offset_y", "offset_z"].into_iter().enumerate() {
                    if k > 0 {
                        self.want(',')?;
                    }
                    bits = set(bits, layout, field, self.signed("an offset in half texels", 5)?);
                }
                self.want(')')?;
                bits
            }
            text if vertex && text.starts_with("FMT_") => {
                match FORMATS.iter().find(|(_, format)| *format == &text[4..]) {
                    Some((format, _)) => set(bits, layout, "format", *format),
                    None => {
                        let shorter = Token { text: &name.text[4..], ..*name };
                        return Err(self.unknown(
                            &shorter,
                            "format",
                            FORMATS.iter().map(|(_, format)| *format),
                        ));
                    }
                }
            }
            _ => return Ok(None),
        }))
    }
}
