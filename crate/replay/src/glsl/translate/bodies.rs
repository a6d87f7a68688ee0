//! Bodies of functions, and everything else that is rewritten token by token.

use core::fmt::Write;

use hashbrown::HashMap;

use super::declared::legacy_input;
use super::{Unit, flat, part, shown_name};
use crate::glsl::builtins::{COMPATIBILITY, COMPATIBILITY_TYPES, FUNCTIONS};
use crate::glsl::tokens::{Token, TokenKind};
use crate::glsl::views;

impl Unit {
    /// Tokens as text of GLSL ES.
    pub(super) fn rewrite(&mut self, tokens: &[Token]) -> Result<String, String> {
        let mut out = String::new();
        let mut line = tokens.first().map_or(0, |token| token.line);
        // Where the condition of a loop ends, with what closes it.
        let mut closing: Vec<usize> = Vec::new();
        let mut opening: HashMap<usize, (bool, u32)> = HashMap::new();
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            if token.line != line {
                line = token.line;
                out.push('\n');
            }
            while closing.last() == Some(&i) {
                closing.pop();
                out.push(')');
            }
            if let Some((is_empty, weight)) = opening.get(&i) {
                let _ = write!(out, "_lg({weight}){}", if *is_empty { "" } else { " && (" });
            }
            if (token.is("for") || token.is("while")) && tokens.get(i + 1).is_some_and(|next| next.is("(")) {
                self.guard(tokens, i, &mut opening, &mut closing);
                self.check()?;
            }
            let next = tokens.get(i + 1).map(|token| token.text.as_str()).unwrap_or_default();
            let is_member = i.checked_sub(1).and_then(|i| tokens.get(i)).is_some_and(|token| token.is("."));
            if token.kind == TokenKind::Name && token.is_final {
                if next == "(" && token.text.starts_with('_') {
                    self.called.insert(token.text.clone());
                }
                let _ = write!(out, " {}", token.text);
            } else if token.kind == TokenKind::Name && !is_member {
                if next == "."
                    && let Some(member) = tokens.get(i + 2)
                    && let Some(shown) = self.members.get(&(token.text.clone(), member.text.clone()))
                {
                    let _ = write!(out, " {shown}");
                    i += 3;
                    continue;
                }
                if token.is("gl_TexCoord") {
                    i = self.tex_coord(tokens, i, &mut out)?;
                    continue;
                }
                if token.is("gl_FragData") && next == "[" {
                    let index = tokens.get(i + 2).and_then(|token| token.text.parse().ok()).unwrap_or(0u32);
                    self.frag_data = self.frag_data.max(index + 1);
                }
                out.push(' ');
                let shown = self.name(&token.text, next);
                out.push_str(&shown);
                if next == "(" && shown.starts_with('_') {
                    self.called.insert(shown);
                }
            } else {
                if token.kind != TokenKind::Sign
                    || !matches!(token.text.as_str(), "." | "(" | "[" | ")" | "]" | ";" | ",")
                {
                    out.push(' ');
                }
                match token.kind {
                    // Members are called as their declaration has it.
                    TokenKind::Name => out.push_str(&shown_name(&token.text)),
                    TokenKind::Number => out.push_str(token.text.trim_end_matches("lf").trim_end_matches("LF")),
                    _ => out.push_str(&token.text),
                }
            }
            i += 1;
        }
        for _ in closing {
            out.push(')');
        }
        self.takes(out.len() / 8);
        Ok(out)
    }

    /// Marks where the condition of the loop at `at` is wrapped.
    pub(super) fn guard(
        &mut self,
        tokens: &[Token],
        at: usize,
        opening: &mut HashMap<usize, (bool, u32)>,
        closing: &mut Vec<usize>,
    ) {
        let end = self.after_closing(tokens, at + 1).saturating_sub(1);
        let (from, to) = if tokens.get(at).is_some_and(|token| token.is("while")) {
            (at + 2, end)
        } else {
            let mut ends = Vec::new();
            let mut i = at + 2;
            while i < end {
                match tokens.get(i).map(|token| token.text.as_str()) {
                    Some("(" | "[") => i = self.after_closing(tokens, i),
                    Some(";") => {
                        ends.push(i);
                        i += 1;
                    }
                    _ => i += 1,
                }
            }
            match ends[..] {
                [first, second, ..] => (first + 1, second),
                _ => return,
            }
        };
        let is_empty = from >= to;
        let weight = tokens.get(at).map_or(1, |token| token.weight.max(1));
        opening.insert(from, (is_empty, weight));
        if !is_empty {
            closing.push(to);
        }
        self.loops = true;
        let header = part(tokens, at + 2, end);
        self.iterations = self.iterations.max(1).saturating_mul(views::iterations(header).unwrap_or(u32::MAX));
    }

    /// Whether its loops may run into the limit of iterations.
    pub(super) fn may_be_cut(&self) -> bool {
        self.loops && (self.iterations > views::SAFE || self.cost.work > views::SAFE_WORK)
    }

    /// Operations of an invocation, about: those that loops are let go on for included.
    pub(super) fn work(&self) -> u64 {
        self.cost.work.max(if self.may_be_cut() { views::least_work(self.heaviest) } else { 0 })
    }

    pub(super) fn tex_coord(&mut self, tokens: &[Token], i: usize, out: &mut String) -> Result<usize, String> {
        if let [_, open, index, close, ..] = part(tokens, i, i + 4)
            && open.is("[")
            && close.is("]")
            && let Ok(index) = index.text.parse::<u32>()
        {
            self.tex_coords.insert(index.min(7));
            let _ = write!(out, " _TC{}", index.min(7));
            return Ok(i + 4);
        }
        self.any_tex_coord = true;
        out.push_str(" _tca");
        Ok(i + 1)
    }

    /// What a name is called in the translation.
    pub(super) fn name(&mut self, name: &str, next: &str) -> String {
        if let Some(shown) = self.renamed.get(name) {
            return shown.clone();
        }
        if next == "(" {
            if let Some((_, shown)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
                return (*shown).to_owned();
            }
        } else if self.version < 130 || !matches!(name, "flat" | "smooth" | "layout") {
            let shown = shown_name(name);
            if shown != name && !name.starts_with("gl_") {
                return shown;
            }
        }
        match name {
            "gl_FragColor" => {
                self.frag_data = self.frag_data.max(1);
                "_fragData[0]".into()
            }
            "gl_FragData" => "_fragData".into(),
            "gl_FragCoord" if self.upper_left => "_fragCoord".into(),
            "ftransform" => "_ftransform".into(),
            "gl_Color" if !self.is_vertex => "_color()".into(),
            "gl_SecondaryColor" if !self.is_vertex => "_fsc".into(),
            "gl_FrontColor" => "_fc".into(),
            "gl_FrontSecondaryColor" => "_fsc".into(),
            "gl_BackColor" => "_backColor".into(),
            "gl_BackSecondaryColor" => "_backSecondary".into(),
            "gl_FogFragCoord" => "_fogc".into(),
            "gl_ClipVertex" => "_clipVertex".into(),
            "gl_MaxTextureUnits" | "gl_MaxTextureCoords" | "gl_MaxLights" => "8".into(),
            _ if name.contains("sampler") => flat(&self.type_of(name)).into_owned(),
            _ => match name.strip_prefix("gl_") {
                Some(rest) if COMPATIBILITY.iter().any(|(known, ..)| *known == rest) => format!("ff_{rest}"),
                Some(rest) if legacy_input(rest).is_some() => format!("_in_{rest}"),
                Some(rest) if COMPATIBILITY_TYPES.iter().any(|(known, _)| known.strip_prefix("ff_") == Some(rest)) => {
                    format!("ff_{rest}")
                }
                _ => name.into(),
            },
        }
    }
}
