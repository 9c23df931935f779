//! The command line as clap sees it. Help, man pages, completions and `docs/cli.md` all come from here.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};

use crate::integrate::{DEFAULT_ALIAS, DEFAULT_KEY, Target};

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "stagecoach",
    version = crate::cli::VERSION,
    about = "Commit messages written by the coding agent you already have",
    long_about = None,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    after_help = EXAMPLES,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do besides committing.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Options of the default action.
    #[command(flatten)]
    pub commit: CommitArgs,

    /// Options that every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
}

const EXAMPLES: &str = "\
Examples:
  git add -p && stagecoach        commit what is staged
  stagecoach -a --dry-run         show the message for everything
  stagecoach --provider claude    ask another agent this time

All options: stagecoach --help-all. The manual: stagecoach man | man -l -";

const GLOBAL: &str = "Options of every command";

/// Options that every command takes.
#[derive(Debug, Args)]
pub struct GlobalArgs {
    /// Run as if started in this folder
    #[arg(short = 'C', value_name = "DIR", global = true, value_hint = ValueHint::DirPath, help_heading = GLOBAL)]
    pub directory: Option<PathBuf>,

    /// Read this configuration file and no other
    #[arg(long, value_name = "PATH", global = true, value_hint = ValueHint::FilePath, help_heading = GLOBAL, hide = true)]
    pub config: Option<PathBuf>,

    /// When to use colour: auto, always or never
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        overrides_with = "no_color",
        hide_possible_values = true,
        help_heading = GLOBAL,
        hide = true
    )]
    pub color: ColorWhen,

    /// Never use colour
    #[arg(long, global = true, help_heading = GLOBAL, hide = true)]
    pub no_color: bool,

    /// Print help with all options
    #[arg(long, global = true, action = ArgAction::HelpShort, help_heading = GLOBAL)]
    pub help_all: Option<bool>,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// Options of the default action: make a commit.
#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
#[command(next_help_heading = "Commit options")]
pub struct CommitArgs {
    /// Commit everything that `git add -A` would stage
    #[arg(short, long, conflicts_with = "no_auto_stage")]
    pub all: bool,

    /// With nothing staged, stop instead of committing the working tree
    #[arg(long, hide = true)]
    pub no_auto_stage: bool,

    /// With nothing staged, make one commit of the whole working tree
    #[arg(long, visible_alias = "no-decompose")]
    pub single: bool,

    /// Make N commits of a dirty tree; 0: the planner decides
    #[arg(long, value_name = "N", conflicts_with_all = ["all", "single"])]
    pub commits: Option<usize>,

    /// The most commits that a dirty tree may become
    #[arg(long, value_name = "N", hide = true)]
    pub max_commits: Option<String>,

    /// Show the message and commit nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Print exactly what would be sent to the agent, and stop
    #[arg(long, hide = true)]
    pub show_prompt: bool,

    /// Open the message in an editor before it is committed
    #[arg(long, conflicts_with_all = ["dry_run", "show_prompt"])]
    pub edit: bool,

    /// Run `git push` when the commit has landed
    #[arg(long)]
    pub push: bool,

    /// Do not run the hooks pre-commit and commit-msg
    #[arg(long)]
    pub no_verify: bool,

    /// When another run is at work in this repository, wait for it and go on
    #[arg(long, hide = true)]
    pub wait: bool,

    /// Which agents are asked, and how.
    #[command(flatten)]
    pub agent: AgentArgs,

    /// What the messages are to be like.
    #[command(flatten)]
    pub message: MessageArgs,

    /// What the work was about: the agent sees this and the list of files first and asks for the diffs it wants; makes one
    /// commit
    #[arg(long, value_name = "TEXT", help_heading = "Message options", hide = true)]
    pub work_description: Option<String>,

    /// The same from a file (- for standard input), which wins over the text
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Message options", hide = true)]
    pub work_description_file: Option<PathBuf>,

    /// Print the result as one JSON document
    #[arg(long)]
    pub json: bool,

    /// Say on one line what the agents used: tokens and cost, where they report them
    #[arg(long, hide = true)]
    pub usage: bool,

    /// How much is said on the way.
    #[command(flatten)]
    pub loudness: LoudnessArgs,
}

/// Which agents are asked, and how.
#[derive(Debug, Clone, Default, Args)]
pub struct AgentArgs {
    /// Which agent to ask
    #[arg(long, value_name = "NAME", help_heading = "Message options")]
    pub provider: Option<String>,

    /// Which model the agent is to use
    #[arg(long, value_name = "MODEL", help_heading = "Message options")]
    pub model: Option<String>,

    /// Thinking: off, low, medium or high
    #[arg(long, value_name = "LEVEL", help_heading = "Agent options", hide = true)]
    pub reasoning: Option<String>,

    /// Limit for one call: 90, 90s, 8m, 1h30m
    #[arg(long, value_name = "DURATION", help_heading = "Agent options", hide = true)]
    pub timeout: Option<String>,

    /// The message role's provider
    #[arg(long, value_name = "NAME", help_heading = "Agent options", hide = true)]
    pub message_provider: Option<String>,

    /// The message role's model
    #[arg(long, value_name = "MODEL", help_heading = "Agent options", hide = true)]
    pub message_model: Option<String>,

    /// The message role's reasoning level
    #[arg(long, value_name = "LEVEL", help_heading = "Agent options", hide = true)]
    pub message_reasoning: Option<String>,

    /// The message role's time-out
    #[arg(long, value_name = "DURATION", help_heading = "Agent options", hide = true)]
    pub message_timeout: Option<String>,

    /// The planner role's provider
    #[arg(long, value_name = "NAME", help_heading = "Agent options", hide = true)]
    pub planner_provider: Option<String>,

    /// The planner role's model
    #[arg(long, value_name = "MODEL", help_heading = "Agent options", hide = true)]
    pub planner_model: Option<String>,

    /// The planner role's reasoning level
    #[arg(long, value_name = "LEVEL", help_heading = "Agent options", hide = true)]
    pub planner_reasoning: Option<String>,

    /// The planner role's time-out
    #[arg(long, value_name = "DURATION", help_heading = "Agent options", hide = true)]
    pub planner_timeout: Option<String>,

    /// The stager role's provider
    #[arg(long, value_name = "NAME", help_heading = "Agent options", hide = true)]
    pub stager_provider: Option<String>,

    /// The stager role's model
    #[arg(long, value_name = "MODEL", help_heading = "Agent options", hide = true)]
    pub stager_model: Option<String>,

    /// The stager role's reasoning level
    #[arg(long, value_name = "LEVEL", help_heading = "Agent options", hide = true)]
    pub stager_reasoning: Option<String>,

    /// The stager role's time-out
    #[arg(long, value_name = "DURATION", help_heading = "Agent options", hide = true)]
    pub stager_timeout: Option<String>,

    /// The arbiter role's provider
    #[arg(long, value_name = "NAME", help_heading = "Agent options", hide = true)]
    pub arbiter_provider: Option<String>,

    /// The arbiter role's model
    #[arg(long, value_name = "MODEL", help_heading = "Agent options", hide = true)]
    pub arbiter_model: Option<String>,

    /// The arbiter role's reasoning level
    #[arg(long, value_name = "LEVEL", help_heading = "Agent options", hide = true)]
    pub arbiter_reasoning: Option<String>,

    /// The arbiter role's time-out
    #[arg(long, value_name = "DURATION", help_heading = "Agent options", hide = true)]
    pub arbiter_timeout: Option<String>,
}

/// What messages are to be like.
#[derive(Debug, Clone, Default, Args)]
pub struct MessageArgs {
    /// Form: auto, conventional, gitmoji or plain; also +body
    #[arg(long, value_name = "FORMAT", help_heading = "Message options")]
    pub format: Option<String>,

    /// Language of the message
    #[arg(long, value_name = "LANGUAGE", help_heading = "Message options", hide = true)]
    pub locale: Option<String>,

    /// Text to put the message into; must contain $msg
    #[arg(long, value_name = "TEXT", help_heading = "Message options", hide = true)]
    pub template: Option<String>,

    /// Something the agent should know about this change
    #[arg(long, value_name = "TEXT", help_heading = "Message options")]
    pub context: Option<String>,

    /// Commit matching files unseen by the agent (repeatable)
    #[arg(short = 'x', long, value_name = "GLOB", help_heading = "Message options")]
    pub exclude: Vec<String>,

    /// Add a Signed-off-by trailer
    #[arg(short, long, help_heading = "Message options")]
    pub signoff: bool,

    /// Add a trailer (repeatable)
    #[arg(long, value_name = "TOKEN:VALUE", help_heading = "Message options", hide = true)]
    pub trailer: Vec<String>,
}

/// How much is said on the way.
#[derive(Debug, Clone, Default, Args)]
pub struct LoudnessArgs {
    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say what is run and why; twice: with the contents
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

impl CommitArgs {
    /// The options that have a place in the configuration, as key, text and flag.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, String, &'static str)> {
        let values = [
            ("defaults.provider", &self.agent.provider, "--provider"),
            ("defaults.model", &self.agent.model, "--model"),
            ("defaults.reasoning", &self.agent.reasoning, "--reasoning"),
            ("defaults.timeout", &self.agent.timeout, "--timeout"),
            ("role.message.provider", &self.agent.message_provider, "--message-provider"),
            ("role.message.model", &self.agent.message_model, "--message-model"),
            ("role.message.reasoning", &self.agent.message_reasoning, "--message-reasoning"),
            ("role.message.timeout", &self.agent.message_timeout, "--message-timeout"),
            ("role.planner.provider", &self.agent.planner_provider, "--planner-provider"),
            ("role.planner.model", &self.agent.planner_model, "--planner-model"),
            ("role.planner.reasoning", &self.agent.planner_reasoning, "--planner-reasoning"),
            ("role.planner.timeout", &self.agent.planner_timeout, "--planner-timeout"),
            ("role.stager.provider", &self.agent.stager_provider, "--stager-provider"),
            ("role.stager.model", &self.agent.stager_model, "--stager-model"),
            ("role.stager.reasoning", &self.agent.stager_reasoning, "--stager-reasoning"),
            ("role.stager.timeout", &self.agent.stager_timeout, "--stager-timeout"),
            ("role.arbiter.provider", &self.agent.arbiter_provider, "--arbiter-provider"),
            ("role.arbiter.model", &self.agent.arbiter_model, "--arbiter-model"),
            ("role.arbiter.reasoning", &self.agent.arbiter_reasoning, "--arbiter-reasoning"),
            ("role.arbiter.timeout", &self.agent.arbiter_timeout, "--arbiter-timeout"),
            ("generation.max_commits", &self.max_commits, "--max-commits"),
            ("generation.format", &self.message.format, "--format"),
            ("generation.locale", &self.message.locale, "--locale"),
            ("generation.template", &self.message.template, "--template"),
        ];
        let mut settings: Vec<(&'static str, String, &'static str)> =
            values.into_iter().filter_map(|(key, value, flag)| Some((key, value.clone()?, flag))).collect();
        if self.no_auto_stage {
            settings.push(("defaults.auto_stage_all", "false".to_owned(), "--no-auto-stage"));
        }
        if self.no_verify {
            settings.push(("generation.no_verify", "true".to_owned(), "--no-verify"));
        }
        if self.push {
            settings.push(("generation.push", "true".to_owned(), "--push"));
        }
        if self.loudness.verbose > 0 {
            settings.push(("defaults.verbose", self.loudness.verbose.min(2).to_string(), "--verbose"));
        }
        settings.extend(self.message.exclude.iter().map(|glob| ("generation.exclude", glob.clone(), "--exclude")));
        settings
    }
}

/// `stagecoach plan`
#[derive(Debug, Args)]
#[command(next_help_heading = "Plan options")]
pub struct PlanArgs {
    /// Write the plan into this new file, not to standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Replace the file
    #[arg(short, long, requires = "output")]
    pub force: bool,

    /// How many commits the plan has; 0: the planner decides
    #[arg(long, value_name = "N")]
    pub commits: Option<usize>,

    /// The most commits that the plan may have
    #[arg(long, value_name = "N", hide = true)]
    pub max_commits: Option<String>,

    /// Which agents are asked, and how.
    #[command(flatten)]
    pub agent: AgentArgs,

    /// What the messages are to be like.
    #[command(flatten)]
    pub message: MessageArgs,

    /// Say on one line what the agents used: tokens and cost, where they report them
    #[arg(long, hide = true)]
    pub usage: bool,

    /// How much is said on the way.
    #[command(flatten)]
    pub loudness: LoudnessArgs,
}

impl PlanArgs {
    /// The options of a run that would make the commits of the plan.
    #[must_use]
    pub fn as_commit(&self) -> CommitArgs {
        CommitArgs {
            commits: self.commits,
            max_commits: self.max_commits.clone(),
            agent: self.agent.clone(),
            message: self.message.clone(),
            usage: self.usage,
            loudness: self.loudness.clone(),
            ..CommitArgs::default()
        }
    }
}

const PLAN_EXAMPLES: &str = "\
Examples:
  stagecoach plan -o ../plan.json     write it, then reorder, merge or reword
  stagecoach apply ../plan.json       make the commits of the plan

A file inside of the working tree is best ignored, or the next plan takes it for a part of the change.";

/// What else there is to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the agents stagecoach knows, or show how one is called
    #[command(subcommand, after_help = "Example:\n  stagecoach providers list")]
    Providers(ProvidersCommand),
    /// List the models an agent offers
    #[command(after_help = "Example:\n  stagecoach models opencode")]
    Models {
        /// The provider; the default one when left out
        provider: Option<String>,
        /// All providers that are installed
        #[arg(long, conflicts_with = "provider")]
        all: bool,
        /// Ask again, whatever was answered within the last day
        #[arg(long)]
        refresh: bool,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Write a configuration file, show it, or show where it comes from
    #[command(
        subcommand,
        after_help = "Examples:\n  stagecoach config init             write a file that works\n  \
                      stagecoach config show --origin    what is in effect, and who set it"
    )]
    Config(ConfigCommand),
    /// Let `git commit` ask for messages, by its prepare-commit-msg hook
    #[command(subcommand, after_help = "Example:\n  stagecoach hook install")]
    Hook(HookCommand),
    /// Use stagecoach from git, lazygit and other tools
    #[command(subcommand, after_help = "Example:\n  stagecoach integrate install git-alias lazygit")]
    Integrate(IntegrateCommand),
    /// Finish what a failed run left, or look at it
    #[command(after_help = "Examples:\n  stagecoach rescue            what is there to finish\n  \
                            stagecoach rescue commit     make the commit of the newest")]
    Rescue {
        /// What to do; list when left out
        #[command(subcommand)]
        command: Option<RescueCommand>,
    },
    /// Look at the lock that keeps runs of one repository apart
    #[command(subcommand, after_help = "Example:\n  stagecoach lock status")]
    Lock(LockCommand),
    /// Write the commits that a run would make into a file
    #[command(after_help = PLAN_EXAMPLES)]
    Plan(Box<PlanArgs>),
    /// Make the commits of a plan, without asking an agent
    #[command(after_help = "Examples:\n  stagecoach apply ../plan.json --dry-run\n  stagecoach apply ../plan.json")]
    Apply {
        /// The plan, as `stagecoach plan` wrote it or as you changed it; `-` reads standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Check the plan, show its commits and make none
        #[arg(long)]
        dry_run: bool,
        /// Do not run the hooks pre-commit and commit-msg
        #[arg(long)]
        no_verify: bool,
    },
    /// Check everything that a run needs, from git to the agents
    #[command(after_help = "Example:\n  stagecoach doctor --json")]
    Doctor {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Watch a dirty tree become several commits, without an agent
    #[command(after_help = "Example:\n  stagecoach demo")]
    Demo,
    /// Take back the last run's commits, if nothing was built on them
    #[command(after_help = "Example:\n  stagecoach undo --dry-run")]
    Undo {
        /// Show what would be taken back and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Let a repository's .stagecoach.toml choose and define providers
    #[command(after_help = "Example:\n  stagecoach trust            after reading .stagecoach.toml")]
    Trust {
        /// List what is trusted
        #[arg(long, conflicts_with = "revoke")]
        list: bool,
        /// Take the trust back
        #[arg(long)]
        revoke: bool,
    },
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  stagecoach completions bash > ~/.local/share/bash-completion/completions/stagecoach"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write all of them, also of the files
    #[command(after_help = "Example:\n  stagecoach man | man -l -")]
    Man {
        /// Write one page per command and per kind of file into this folder
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
}

/// `stagecoach providers …`
#[derive(Debug, Subcommand)]
pub enum ProvidersCommand {
    /// List the providers, which are installed, and which is used by default
    #[command(after_help = "Example:\n  stagecoach providers list --json")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Find out whether providers can be used: program, version, options, login, models
    #[command(after_help = "Examples:\n  stagecoach providers test\n  stagecoach providers test claude --probe")]
    Test {
        /// The provider; all of them when left out
        name: Option<String>,
        /// Make one real call as well, which the provider may charge for
        #[arg(long, requires = "name")]
        probe: bool,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show a provider's whole manifest, with the origin of each field
    #[command(after_help = "Example:\n  stagecoach providers show claude")]
    Show {
        /// The provider
        name: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

/// `stagecoach lock …`
#[derive(Debug, Subcommand)]
pub enum LockCommand {
    /// Show who holds this repository's lock, without touching it
    #[command(after_help = "Example:\n  stagecoach lock status --json")]
    Status {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

/// `stagecoach hook …`
#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Put the hook where git looks for hooks; one of somebody else is never touched
    #[command(after_help = "Example:\n  stagecoach hook install && git commit -a")]
    Install {
        /// Let a commit fail when no message could be written
        #[arg(long)]
        strict: bool,
        /// Print the script and install nothing
        #[arg(long)]
        print: bool,
    },
    /// Remove the hook, if it is ours
    #[command(after_help = "Example:\n  stagecoach hook uninstall")]
    Uninstall,
    /// Say which hook is installed: none, stagecoach (v1) or foreign
    #[command(after_help = "Example:\n  stagecoach hook status")]
    Status,
    /// Write a message into the file that git is about to open in an editor; for the hook itself
    #[command(after_help = "Example, in a hook of your own:\n  stagecoach hook exec \"$@\"")]
    Exec {
        /// The file that git prepared
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// What git passes on besides: where its message comes from, and of which commit
        #[arg(value_name = "SOURCE")]
        source: Vec<std::ffi::OsString>,
        /// Fail when no message can be written, which stops the commit
        #[arg(long)]
        strict: bool,
    },
}

/// `stagecoach integrate …`
#[derive(Debug, Subcommand)]
pub enum IntegrateCommand {
    /// List the tools, which are there, and which are set up
    #[command(after_help = "Example:\n  stagecoach integrate list")]
    List {
        /// The name of git's alias
        #[arg(long, value_name = "NAME", default_value = DEFAULT_ALIAS)]
        alias_name: String,
    },
    /// Set tools up: show the change to their file, ask, keep a copy
    #[command(after_help = "Example:\n  stagecoach integrate install git-alias lazygit")]
    Install(InstallArgs),
    /// Take out what was set up
    #[command(after_help = "Example:\n  stagecoach integrate remove lazygit")]
    Remove(RemoveArgs),
    /// Print how a tool is set up by hand
    #[command(after_help = "Example:\n  stagecoach integrate show neovim")]
    Show {
        /// The tool
        target: Target,
        /// The name of git's alias
        #[arg(long, value_name = "NAME", default_value = DEFAULT_ALIAS)]
        alias_name: String,
        /// The key in lazygit's files panel
        #[arg(long, value_name = "KEY", default_value = DEFAULT_KEY)]
        key: String,
    },
}

/// `stagecoach integrate install`
#[derive(Debug, Args)]
pub struct InstallArgs {
    /// The tools
    #[arg(required = true)]
    pub targets: Vec<Target>,
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
    /// The name of git's alias
    #[arg(long, value_name = "NAME", default_value = DEFAULT_ALIAS)]
    pub alias_name: String,
    /// The key in lazygit's files panel
    #[arg(long, value_name = "KEY", default_value = DEFAULT_KEY)]
    pub key: String,
}

/// `stagecoach integrate remove`
#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// The tools
    #[arg(required = true)]
    pub targets: Vec<Target>,
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
    /// The name of git's alias
    #[arg(long, value_name = "NAME", default_value = DEFAULT_ALIAS)]
    pub alias_name: String,
}

impl ValueEnum for Target {
    fn value_variants<'a>() -> &'a [Self] {
        &Target::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// `stagecoach rescue …`
#[derive(Debug, Subcommand)]
pub enum RescueCommand {
    /// List what failed runs left: name, age, branch, files and subject
    #[command(after_help = "Example:\n  stagecoach rescue list --json")]
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show one with its messages and files, and how to finish it
    #[command(after_help = "Example:\n  stagecoach rescue show")]
    Show {
        /// Its name or the beginning of it; the newest when left out
        run: Option<String>,
    },
    /// Make the commits that are left
    #[command(after_help = "Examples:\n  stagecoach rescue commit -m 'Retry uploads that time out'\n  \
                            stagecoach rescue commit --edit")]
    Commit {
        /// Its name or the beginning of it; the newest when left out
        run: Option<String>,
        /// The message, instead of the recorded one
        #[arg(short, long, value_name = "TEXT")]
        message: Option<String>,
        /// Edit each message before its commit is made
        #[arg(long)]
        edit: bool,
        /// Merge the change onto a HEAD that has moved
        #[arg(long)]
        onto_head: bool,
        /// Do not run the hooks pre-commit and commit-msg
        #[arg(long)]
        no_verify: bool,
    },
    /// Forget one and what it kept
    #[command(after_help = "Example:\n  stagecoach rescue drop --all")]
    Drop {
        /// Its name or the beginning of it; the newest when left out
        run: Option<String>,
        /// All of them
        #[arg(long, conflicts_with = "run")]
        all: bool,
    },
}

/// `stagecoach config …`
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show which configuration files are looked at
    #[command(after_help = "Example:\n  stagecoach config path")]
    Path,
    /// Show the values in effect
    #[command(after_help = "Example:\n  stagecoach config show --origin")]
    Show {
        /// Say for each value which layer, file and line set it
        #[arg(long)]
        origin: bool,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Write a configuration file for the agent that is installed
    #[command(after_help = INIT_EXAMPLES)]
    Init(InitArgs),
    /// Bring configuration files of older versions up to date, in place
    #[command(after_help = "Example:\n  stagecoach config upgrade")]
    Upgrade,
    /// Print the JSON Schema of the configuration file, for editors
    #[command(after_help = "Example:\n  stagecoach config schema > ~/.config/stagecoach/schema.json")]
    Schema,
}

const INIT_EXAMPLES: &str = "\
Examples:
  stagecoach config init                      your own file
  stagecoach config init --provider claude    the same, for claude
  stagecoach config init --local              a file of this repository";

/// `stagecoach config init`
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub struct InitArgs {
    /// The provider to set; else the first one installed
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Renew a file that is there, and keep what it sets
    #[arg(short, long)]
    pub force: bool,
    /// Set nothing: every key is a comment with its default
    #[arg(long, conflicts_with_all = ["provider", "interactive"])]
    pub template: bool,
    /// Write .stagecoach.toml in this repository, and trust it
    #[arg(long, conflicts_with = "config")]
    pub local: bool,
    /// Ask for the provider and its models
    #[arg(short, long, conflicts_with = "provider")]
    pub interactive: bool,
}

/// The shells that completions are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Shell {
    Bash,
    Elvish,
    Fish,
    Nushell,
    #[value(name = "powershell")]
    PowerShell,
    Zsh,
}

/// The definition itself. Options that few people need are hidden, so that help stays one screen.
#[must_use]
pub fn definition() -> clap::Command {
    Cli::command()
}

/// The definition with nothing hidden, for `--help-all`, man pages, completions and documentation.
#[must_use]
pub fn whole_definition() -> clap::Command {
    fn whole(command: clap::Command) -> clap::Command {
        command.mut_args(|arg| arg.hide(false)).mut_subcommands(whole)
    }
    whole(definition())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command with the words that call it.
    fn commands(width: usize) -> Vec<(String, clap::Command)> {
        fn collect(name: &str, command: &clap::Command, into: &mut Vec<(String, clap::Command)>) {
            for inner in command.get_subcommands() {
                let name = format!("{name} {}", inner.get_name());
                collect(&name, inner, into);
                into.push((name, inner.clone()));
            }
        }
        let mut root = definition().term_width(width).max_term_width(width);
        root.build();
        let mut commands = vec![("stagecoach".to_owned(), root.clone())];
        collect("stagecoach", &root, &mut commands);
        commands
    }

    #[test]
    fn the_help_of_every_command_has_an_example() {
        for (name, mut command) in commands(80) {
            let help = command.render_help().to_string();
            assert!(help.contains("Example"), "{name} has no example:\n{help}");
        }
    }

    /// What is printed for a command and an option that asks for help, at 80 columns.
    fn printed(name: &str, option: &str) -> String {
        let definition = if option == "--help-all" { whole_definition() } else { definition() };
        let definition = definition.term_width(80).max_term_width(80);
        definition.try_get_matches_from(name.split(' ').chain([option])).unwrap_err().to_string()
    }

    /// The two commands that ask agents have more options than a small screen has lines.
    #[test]
    fn help_is_one_screen() {
        let limits = [("stagecoach", 60), ("stagecoach plan", 40)];
        for (name, _) in commands(80) {
            let help = printed(&name, "--help");
            let lines = help.lines().count();
            let limit = limits.iter().find(|(exception, _)| *exception == name).map_or(24, |(_, limit)| *limit);
            assert!(lines <= limit, "{name} --help has {lines} lines, more than {limit}");
            assert!(help.contains("Example"), "{name} --help has no example:\n{help}");
            assert_eq!(printed(&name, "-h"), help, "{name}");
        }
    }

    #[test]
    fn what_help_leaves_out_is_in_the_long_one() {
        for (name, command) in commands(80) {
            let everything = printed(&name, "--help-all");
            for long in command.get_arguments().filter_map(clap::Arg::get_long) {
                assert!(everything.contains(&format!("--{long}")), "{name} --help-all lacks --{long}");
            }
        }
        assert!(!printed("stagecoach", "--help").contains("--planner-model"));
    }

    #[test]
    fn help_fits_every_width() {
        for width in [40, 60, 80, 120] {
            for (name, mut command) in commands(width) {
                let help = command.render_help().to_string();
                // Commands to be typed are not broken.
                let text = help.split("Example").next().unwrap_or_default();
                let wide = text.lines().find(|line| !line.starts_with("Usage: ") && line.chars().count() > width);
                assert_eq!(wide, None, "{name} at {width}");
            }
        }
    }
}
