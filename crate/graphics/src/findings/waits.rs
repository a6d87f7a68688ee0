//! Calls that return only after the GPU has done earlier work.

use hashbrown::HashMap;
use unspool_gl::gl;

use crate::known::{Known, integer};
use unspool_gl::call::{Call, Value};

/// What a function does to that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing.
    None,
    Finish,
    /// Reads pixels, into memory or into a buffer.
    Read,
    ClientWait,
    BeginQuery,
    EndQuery,
    /// `glQueryCounter`.
    Counter,
    /// `glGetQueryObject`.
    Result,
}

impl Role {
    pub(super) fn of(canonical: &str) -> Self {
        match canonical {
            "Finish" => Self::Finish,
            "ReadPixels"
            | "ReadnPixels"
            | "GetTexImage"
            | "GetnTexImage"
            | "GetTextureImage"
            | "GetTextureSubImage"
            | "GetCompressedTexImage"
            | "GetnCompressedTexImage"
            | "GetCompressedTextureImage" => Self::Read,
            "ClientWaitSync" => Self::ClientWait,
            "BeginQuery" => Self::BeginQuery,
            "EndQuery" => Self::EndQuery,
            "QueryCounter" => Self::Counter,
            "GetQueryObjectiv" | "GetQueryObjectuiv" | "GetQueryObjecti64v" | "GetQueryObjectui64v" => Self::Result,
            _ => Self::None,
        }
    }
}

/// What `glClientWaitSync` returns if it has waited.
const WAITED: [u32; 2] = [gl::TIMEOUT_EXPIRED, gl::CONDITION_SATISFIED];

/// Queries that have ended, and whose result has not been seen to be there.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// By context and query.
    open: HashMap<(u64, u32), ()>,
    /// The query of each target, by context.
    active: HashMap<(u64, u32), u32>,
}

impl Waits {
    /// A call. Returns what it does, if it waits.
    pub(super) fn call(
        &mut self,
        call: &Call,
        known: &Known,
        role: Role,
        context: Option<u32>,
    ) -> Option<&'static str> {
        let context = context.map_or(call.thread.wrapping_neg(), u64::from);
        match role {
            Role::None => {}
            Role::Finish => {
                self.open.clear();
                return Some("waits until the GPU has done everything");
            }
            Role::Read => {
                // What goes to a buffer is recorded as an offset.
                let is_memory = (0..call.len()).any(|at| matches!(call.argument(at), Value::Bytes(..)));
                return is_memory.then_some("into memory waits for the pixels");
            }
            Role::ClientWait => {
                let status = call.result().int()?;
                let has_waited = known.int(call, "timeout") != Some(0);
                return (has_waited && WAITED.map(i64::from).contains(&status)).then_some("waited for a fence");
            }
            Role::BeginQuery => drop(self.active.insert((context, call.uint(0)), call.uint(1))),
            Role::EndQuery => {
                if let Some(query) = self.active.remove(&(context, call.uint(0))) {
                    self.open.insert((context, query), ());
                }
            }
            Role::Counter => drop(self.open.insert((context, call.uint(0)), ())),
            Role::Result => {
                let query = (context, call.uint(0));
                match (call.uint(1), call.argument(2)) {
                    (gl::QUERY_RESULT_AVAILABLE, value @ Value::List(_))
                        if integer(value).is_some_and(|is| is != 0) =>
                    {
                        self.open.remove(&query);
                    }
                    // What goes to a buffer is recorded as an offset.
                    (gl::QUERY_RESULT, Value::List(_)) => {
                        return self.open.remove(&query).map(|_| "asks for a result that may not be available");
                    }
                    _ => {}
                }
            }
        }
        None
    }
}
