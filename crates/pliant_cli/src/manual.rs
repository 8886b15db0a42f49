//! `pliant completions` and `pliant man`: help that the shell and `man` show.

use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

use clap::{Arg, ArgMatches, value_parser};
use clap_complete::Shell;

use crate::failure::{FILES, Failure};
use crate::{Command, program};

pub(crate) const COMPLETIONS: &Command = &Command {
    name: "completions",
    about: "Print what a shell needs to complete commands",
    args: |command| {
        let shell = Arg::new("shell").required(true).value_parser(value_parser!(Shell));
        command.arg(shell.help("such as: pliant completions bash > ~/.bash_completion"))
    },
    run: |matches| {
        let shell = *matches.get_one::<Shell>("shell").unwrap_or(&Shell::Bash);
        clap_complete::generate(shell, &mut program(), "pliant", &mut io::stdout());
        Ok(())
    },
};

pub(crate) const MAN: &Command = &Command {
    name: "man",
    about: "Print the manual page, or write one for every command",
    args: |command| {
        let out = Arg::new("out").long("out").value_name("FOLDER");
        command.arg(out.help("write pliant.1, pliant-run.1 and so on there"))
    },
    run: man,
};

fn man(matches: &ArgMatches) -> Result<(), Box<dyn Error>> {
    let Some(folder) = matches.get_one::<String>("out") else {
        clap_mangen::Man::new(program()).render(&mut io::stdout())?;
        return Ok(());
    };
    let failed = |error: io::Error| Failure::boxed(FILES, format!("{folder}: {error}"));
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(program(), Path::new(folder)).map_err(failed)?;
    println!("wrote the manual pages to {folder}");
    Ok(())
}
