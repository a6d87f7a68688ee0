//! `unspool`: what a trace contains, statistics of its functions, and its records as text.
//! `unspool --help` has all commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    unspool_cli::main()
}
