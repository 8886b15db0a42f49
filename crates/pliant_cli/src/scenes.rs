//! `pliant scenes`: what there is to run.

use crate::Command;

pub(crate) const COMMAND: &Command = &Command {
    name: "scenes",
    about: "List the scenes that can be run",
    args: |command| command,
    run: |_| {
        for scene in pliant::scenes::ALL {
            println!("{:<14} {} (size {})", scene.name, scene.shows, scene.size);
        }
        println!("\nRun one with `pliant run NAME`, larger or smaller with `--size`.");
        Ok(())
    },
};
