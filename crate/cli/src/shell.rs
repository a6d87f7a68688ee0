//! `unspool completions` and `unspool man`: what a shell and `man` need to know of the command.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man as Page;

use crate::output::Output;
use crate::{Cli, Failure, console};

/// Prints what makes a shell complete commands and options.
///
///     unspool completions bash > ~/.local/share/bash-completion/completions/unspool
///     unspool completions zsh > ~/.zfunc/_unspool
///     unspool completions fish > ~/.config/fish/completions/unspool.fish
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Completions {
    /// Shell.
    shell: Shell,
}

/// Writes manual pages, one for each command.
///
///     unspool man -o ~/.local/share/man/man1; man unspool-stats
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Man {
    /// Directory to write them to.
    #[arg(short, long)]
    output: PathBuf,
}

pub(crate) fn completions(what: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(what.shell, &mut Cli::command(), "unspool", &mut script);
    let mut out = console::data();
    out.write_all(&script)?;
    Ok(out.flush()?)
}

pub(crate) fn man(what: &Man) -> Result<(), Failure> {
    let directory = what.output.as_path();
    fs::create_dir_all(directory).map_err(|error| Failure::io(directory.display(), &error))?;
    let mut all = Cli::command().disable_help_subcommand(true);
    all.build();
    for command in std::iter::once(&all).chain(all.get_subcommands()) {
        let page = Page::new(command.clone());
        let path = directory.join(page.get_filename());
        let write = || {
            let mut file = Output::create(&path)?;
            page.render(&mut file)?;
            file.finish()
        };
        write().map_err(|error| Failure::io(path.display(), &error))?;
    }
    Ok(())
}
