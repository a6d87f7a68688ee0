//! Resources and findings of two traces, for JavaScript.

use unspool_compare::things::{Finding, Of, Resource, Said, apart, sentence};
use unspool_js::structures;
use wasm_bindgen::prelude::*;

structures! {
    /// Resources and findings that only one trace has, or that differ.
    pub struct FoundThings {
        /// What differs, in words.
        pub sentence: String,
        /// Findings first.
        pub rows: Vec<FoundThing>,
    }

    /// A resource or a finding.
    pub struct FoundThing {
        /// Not a resource.
        pub is_finding: bool,
        /// What it is called.
        pub title: String,
        /// `new`, `gone` or `changed`.
        pub verdict: String,
        /// In A; null if it is new.
        pub a: Option<SaidOfThing>,
        /// In B; null if it is gone.
        pub b: Option<SaidOfThing>,
    }

    /// What is said of a resource or a finding in one trace.
    pub struct SaidOfThing {
        /// What it holds, or how often it is there.
        pub says: String,
        /// The call that created it, uploaded what differs, or proves it first; null if that is not
        /// known.
        pub call: Option<f64>,
    }
}

/// The resources and findings of two traces.
#[wasm_bindgen]
#[derive(Default)]
pub struct Things {
    resources: [Vec<Resource>; 2],
    findings: [Vec<Finding>; 2],
}

#[wasm_bindgen]
impl Things {
    /// None yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the resources of A, 0, or B, 1, as columns: `ResourceColumns` of
    /// `web/base/survey_protocol.ts`, and what they hold with the last call that uploaded
    /// something, -1 without one.
    #[wasm_bindgen(js_name = takeResources)]
    #[expect(clippy::too_many_arguments, reason = "a structure would have to be built in JavaScript")]
    pub fn take_resources(
        &mut self,
        side: usize,
        kind: Vec<String>,
        label: Vec<String>,
        facts: Vec<String>,
        key: Vec<String>,
        name: &[f64],
        size: &[f64],
        levels: &[f64],
        uploads: &[f64],
        created: &[f64],
        uploaded: &[f64],
    ) {
        let Some(to) = self.resources.get_mut(side) else { return };
        let texts = kind.into_iter().zip(label).zip(facts.into_iter().zip(key)).enumerate();
        *to = texts
            .map(|(at, ((kind, label), (facts, key)))| {
                let number = |of: &[f64]| of.get(at).map_or(0, |number| *number as u64);
                Resource {
                    kind,
                    name: number(name),
                    label,
                    facts,
                    size: number(size),
                    levels: number(levels),
                    uploads: number(uploads),
                    created: number(created),
                    key,
                    uploaded: call(uploaded, at),
                }
            })
            .collect();
    }

    /// Takes the findings of a side: what their kinds are called, what happens, how often, and the
    /// first call, -1 without one.
    #[wasm_bindgen(js_name = takeFindings)]
    pub fn take_findings(&mut self, side: usize, kind: Vec<String>, said: Vec<String>, count: &[f64], first: &[f64]) {
        let Some(to) = self.findings.get_mut(side) else { return };
        let each = kind.into_iter().zip(said).enumerate().map(|(at, (kind, sentence))| {
            let count = count.get(at).map_or(0, |count| *count as u64);
            Finding { kind, sentence, count, call: call(first, at) }
        });
        *to = each.collect();
    }

    /// What differs.
    pub fn rows(&self) -> tsify::Ts<FoundThings> {
        let all = apart(self.resources.each_ref().map(Vec::as_slice), self.findings.each_ref().map(Vec::as_slice));
        let said = |of: &Option<Said>| {
            of.as_ref().map(|it| SaidOfThing { says: it.says.clone(), call: it.call.map(|call| call as f64) })
        };
        let row = |it: &unspool_compare::things::Thing| FoundThing {
            is_finding: it.of == Of::Finding,
            title: it.title.clone(),
            verdict: it.verdict.word().into(),
            a: said(&it.a),
            b: said(&it.b),
        };
        FoundThings { sentence: sentence(&all), rows: all.iter().map(row).collect() }.cross()
    }
}

/// A call of a column, `None` if it is negative.
fn call(of: &[f64], at: usize) -> Option<u64> {
    of.get(at).filter(|call| **call >= 0.0).map(|call| *call as u64)
}
