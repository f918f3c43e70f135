//! What is dangerous in a command, and why, in words that a person reads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of harm a finding is about. Rules are made for these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Danger {
    /// Deletes recursively what no command should: the root, the home, the folder it is in.
    Floor,
    /// Answers for the person, or changes the rules by which agents are asked.
    AnswersItself,
    /// Something is gone afterwards and cannot be had back.
    Destroys,
    /// Something is gone that daily work makes anew: what was in a file that is named, products of a build.
    Discards,
    /// Others see it: something leaves this machine, or is done where no walls are.
    ReachesOut,
    /// More power than the caller has.
    Escalates,
    /// Files are open to more people, or give more rights, than before.
    Loosens,
    /// Starts copies of itself until nothing else runs.
    ForkBomb,
    /// Runs what somebody else's server answers.
    RunsDownload,
    /// Writes where code lies that runs by itself later.
    RunsLater,
    /// Ends what others started.
    Ends,
}

/// One line for each finding: its name, the kind of harm, and the sentence.
macro_rules! findings {
    ($($name:ident => $danger:ident, $sentence:literal;)*) => {
        /// One thing that is dangerous in a command.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum Finding {
            $(#[doc = $sentence] $name,)*
        }

        impl Finding {
            /// Every finding, in the order of this list.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What kind of harm it is.
            pub const fn danger(self) -> Danger {
                match self {
                    $(Self::$name => Danger::$danger,)*
                }
            }

            /// Whether who has agreed to this has agreed to the other: it is the same, only less of it.
            pub(crate) fn includes(self, other: Self) -> bool {
                self == other
                    || matches!(
                        (self, other),
                        (Self::DeletesFolders, Self::DeletesProducts)
                            | (Self::EmptiesMany | Self::WritesRaw, Self::EmptiesFiles)
                    )
            }

            /// One plain sentence for the person who is asked.
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)*
                }
            }
        }
    };
}

findings! {
    DeletesEverything => Floor, "Deletes the whole system, a home, or the folder it runs in.";
    RunsOpenSpace => AnswersItself, "Runs OpenSpace's own program, with which the person answers and sets rules.";
    TouchesOpenSpace => AnswersItself, "Names OpenSpace's own settings, rules or token, which are the person's.";
    DeletesFolders => Destroys, "Deletes folders with everything in them.";
    DeletesProducts => Discards, "Deletes folders that a build makes anew, with everything in them.";
    DeletesMany => Destroys, "Deletes whatever a list names that is only known when it runs.";
    MayDeleteRoot => Destroys, "Deletes everything there is if a variable in it is empty.";
    DropsChanges => Destroys, "Throws away changes that are not committed.";
    DeletesUntracked => Destroys, "Deletes files that git does not keep.";
    DropsCommits => Destroys, "Removes or moves a branch, tag, stash or history of git; commits can be lost.";
    EmptiesFiles => Discards, "Cuts, empties or overwrites files.";
    EmptiesMany => Destroys, "Empties whatever a list names that is only known when it runs.";
    WritesRaw => Destroys, "Copies raw bytes over a file or a disk.";
    FormatsDisk => Destroys, "Changes or erases a disk or its partitions.";
    Shreds => Destroys, "Deletes so that nothing can be recovered.";
    DeletesWhileCopying => Destroys, "Deletes on one side what is not on the other.";
    DropsData => Destroys, "Removes containers, volumes, databases or other kept data.";
    Pushes => ReachesOut, "Sends commits to a remote.";
    PushesByForce => ReachesOut, "Overwrites or deletes what is on a remote.";
    Publishes => ReachesOut, "Publishes a package, an image or a release.";
    ActsAtForge => ReachesOut, "Changes something at a hosting service in your name.";
    Deploys => ReachesOut, "Changes a running service or a cloud account.";
    Uploads => ReachesOut, "Sends data to another machine.";
    RunsElsewhere => ReachesOut, "Runs commands on another machine.";
    RunsByDaemon => ReachesOut, "Has a service of this machine do something, where no walls are around agents.";
    Connects => ReachesOut, "Opens a connection that can carry anything.";
    SendsMail => ReachesOut, "Sends mail.";
    BecomesOther => Escalates, "Runs as another user, most often as the administrator.";
    ChangesAccounts => Escalates, "Changes users, passwords or what they may do.";
    GivesPrivileges => Loosens, "Lets a program run with more rights than who starts it.";
    OpensMachine => Escalates, "Hands the whole machine to a container or another namespace.";
    OpensFiles => Loosens, "Lets everybody change files.";
    ForkBomb => ForkBomb, "Starts itself again and again until the machine stands still.";
    RunsDownload => RunsDownload, "Runs whatever a server answers.";
    RunsAtLogin => RunsLater, "Writes a file that shells or sessions run when they start.";
    RunsBySchedule => RunsLater, "Sets up something that runs by itself later.";
    RunsWithGit => RunsLater, "Changes hooks or settings that make git run programs.";
    OpensDoor => RunsLater, "Changes who may log in with a key.";
    EndsPrograms => Ends, "Ends programs that others may have started.";
    StopsMachine => Ends, "Stops or restarts the machine or its services.";
}
