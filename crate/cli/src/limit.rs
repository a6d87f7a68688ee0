//! How many rows a command prints, and what it says of those that it leaves out.

use std::io::{self, Write};

use serde::Serialize;

use crate::console;
use crate::json;
use crate::listing::Form;

/// How many rows are printed.
#[derive(Clone, Copy, Default, clap::Args)]
pub(crate) struct LimitArgs {
    /// Print at most this number of rows; 0 for all. All are counted. Default: all, but only the
    /// first ones of a long table in text.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

/// How to get what was left out.
const REST: &str = "--limit 0";

impl LimitArgs {
    /// Most rows. Text has `in_text` of them unless the user says otherwise.
    pub(crate) fn most(self, form: Form, in_text: usize) -> usize {
        match self.limit {
            Some(0) => usize::MAX,
            Some(limit) => usize::try_from(limit).unwrap_or(usize::MAX),
            None if form == Form::Text => in_text,
            None => usize::MAX,
        }
    }

    /// At most this number of rows; 0 for all.
    pub(crate) fn of(limit: u64) -> Self {
        Self { limit: Some(limit) }
    }

    /// Whether the user has said how many.
    pub(crate) fn is_given(self) -> bool {
        self.limit.is_some()
    }

    /// The first rows of a list, and how many there are.
    pub(crate) fn first<T>(self, rows: &[T], form: Form, in_text: usize) -> (&[T], Listed) {
        let first = rows.get(..self.most(form, in_text)).unwrap_or(rows);
        (first, Listed::of(rows.len() as u64, first.len() as u64))
    }
}

/// How many rows there are, and how many of them are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Listed {
    /// All rows.
    pub(crate) total: u64,
    /// Those that are printed.
    pub(crate) listed: u64,
    pub(crate) truncated: bool,
    /// How to get the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rest: Option<&'static str>,
}

impl Listed {
    /// `listed` of `total` rows.
    pub(crate) fn of(total: u64, listed: u64) -> Self {
        let truncated = listed < total;
        Self { total, listed, truncated, rest: truncated.then_some(REST) }
    }

    /// How many rows are left out.
    fn more(self) -> u64 {
        self.total - self.listed
    }

    /// Says in a table how many lines it leaves out.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub(crate) fn print_more(self, out: &mut impl Write) -> io::Result<()> {
        if self.truncated { writeln!(out, "{} more; --limit 0 lists all.", self.more()) } else { Ok(()) }
    }

    /// Says on standard error what a table for spreadsheets leaves out: there is no room in it.
    pub(crate) fn say_more(self) {
        if self.truncated {
            console::say(format_args!("{} more; --limit 0 lists all.", self.more()));
        }
    }

    /// Ends a list of which each row is a line: the number of rows goes to standard error, with its
    /// noun. If JSON is truncated, its last line says so.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub(crate) fn end(self, out: &mut impl Write, form: Form, one: &str, several: &str) -> io::Result<()> {
        self.end_rows(out, form)?;
        let Self { total, listed, .. } = self;
        let noun = if total == 1 { one } else { several };
        let are = if listed == 1 { "is" } else { "are" };
        let cut = self.rest.map(|rest| format!("; {listed} {are} listed, {rest} lists all")).unwrap_or_default();
        console::say_as(format_args!("{total} {noun}{cut}"), "summary", || self);
        Ok(())
    }

    /// As [`Listed::end`], of rows that people count for themselves.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub(crate) fn end_quietly(self, out: &mut impl Write, form: Form) -> io::Result<()> {
        if form == Form::Json || self.truncated {
            return self.end(out, form, "row", "rows");
        }
        self.end_rows(out, form)
    }

    fn end_rows(self, out: &mut impl Write, form: Form) -> io::Result<()> {
        if form == Form::Json && self.truncated {
            json::print_line(&mut *out, &self)?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_and_zero_are_no_limits_for_programs() {
        let most = |limit, form| LimitArgs { limit }.most(form, 50);
        assert_eq!(most(None, Form::Json), usize::MAX);
        assert_eq!(most(None, Form::Text), 50);
        assert_eq!((most(Some(0), Form::Text), most(Some(0), Form::Csv)), (usize::MAX, usize::MAX));
        assert_eq!((most(Some(7), Form::Text), most(Some(7), Form::Json)), (7, 7));
    }

    #[test]
    fn what_is_left_out_is_said_in_the_last_line() {
        let mut out = Vec::new();
        Listed::of(3, 3).end(&mut out, Form::Json, "row", "rows").unwrap();
        Listed::of(3, 2).end(&mut out, Form::Csv, "row", "rows").unwrap();
        assert_eq!(out, b"");
        Listed::of(3, 2).end(&mut out, Form::Json, "row", "rows").unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"total\":3,\"listed\":2,\"truncated\":true,\"rest\":\"--limit 0\"}\n"
        );
    }
}
