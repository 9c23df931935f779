module completions {

  def "nu-complete stagecoach provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach message_provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach message_model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach message_reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach planner_provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach planner_model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach planner_reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach stager_provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach stager_model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach stager_reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach arbiter_provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach arbiter_model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach arbiter_reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach format" [] {
    [ "auto" "conventional" "gitmoji" "plain" "auto+body" "conventional+body" "gitmoji+body" "plain+body" ]
  }

  def "nu-complete stagecoach color" [] {
    [ "auto" "always" "never" ]
  }

  # Commit messages written by the coding agent you already have
  export extern stagecoach [
    --all(-a)                 # Commit everything that `git add -A` would stage
    --no-auto-stage           # With nothing staged, stop instead of committing the working tree
    --single                  # With nothing staged, make one commit of the whole working tree
    --no-decompose            # With nothing staged, make one commit of the whole working tree
    --commits: string         # Make N commits of a dirty tree; 0: the planner decides
    --max-commits: string     # The most commits that a dirty tree may become
    --dry-run                 # Show the message and commit nothing
    --show-prompt             # Print exactly what would be sent to the agent, and stop
    --edit                    # Open the message in an editor before it is committed
    --push                    # Run `git push` when the commit has landed
    --no-verify               # Do not run the hooks pre-commit and commit-msg
    --wait                    # When another run is at work in this repository, wait for it and go on
    --provider: string@"nu-complete stagecoach provider" # Which agent to ask
    --model: string@"nu-complete stagecoach model" # Which model the agent is to use
    --reasoning: string@"nu-complete stagecoach reasoning" # Thinking: off, low, medium or high
    --timeout: string         # Limit for one call: 90, 90s, 8m, 1h30m
    --message-provider: string@"nu-complete stagecoach message_provider" # The message role's provider
    --message-model: string@"nu-complete stagecoach message_model" # The message role's model
    --message-reasoning: string@"nu-complete stagecoach message_reasoning" # The message role's reasoning level
    --message-timeout: string # The message role's time-out
    --planner-provider: string@"nu-complete stagecoach planner_provider" # The planner role's provider
    --planner-model: string@"nu-complete stagecoach planner_model" # The planner role's model
    --planner-reasoning: string@"nu-complete stagecoach planner_reasoning" # The planner role's reasoning level
    --planner-timeout: string # The planner role's time-out
    --stager-provider: string@"nu-complete stagecoach stager_provider" # The stager role's provider
    --stager-model: string@"nu-complete stagecoach stager_model" # The stager role's model
    --stager-reasoning: string@"nu-complete stagecoach stager_reasoning" # The stager role's reasoning level
    --stager-timeout: string  # The stager role's time-out
    --arbiter-provider: string@"nu-complete stagecoach arbiter_provider" # The arbiter role's provider
    --arbiter-model: string@"nu-complete stagecoach arbiter_model" # The arbiter role's model
    --arbiter-reasoning: string@"nu-complete stagecoach arbiter_reasoning" # The arbiter role's reasoning level
    --arbiter-timeout: string # The arbiter role's time-out
    --format: string@"nu-complete stagecoach format" # Form: auto, conventional, gitmoji or plain; also +body
    --locale: string          # Language of the message
    --template: string        # Text to put the message into; must contain $msg
    --context: string         # Something the agent should know about this change
    --exclude(-x): string     # Commit matching files unseen by the agent (repeatable)
    --signoff(-s)             # Add a Signed-off-by trailer
    --trailer: string         # Add a trailer (repeatable)
    --work-description: string # What the work was about: the agent sees this and the list of files first and asks for the diffs it wants; makes one commit
    --work-description-file: path # The same from a file (- for standard input), which wins over the text
    --json                    # Print the result as one JSON document
    --usage                   # Say on one line what the agents used: tokens and cost, where they report them
    --quiet(-q)               # Print nothing but errors
    --verbose(-v)             # Say what is run and why; twice: with the contents
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete stagecoach providers color" [] {
    [ "auto" "always" "never" ]
  }

  # List the agents stagecoach knows, or show how one is called
  export extern "stagecoach providers" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach providers color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach providers list color" [] {
    [ "auto" "always" "never" ]
  }

  # List the providers, which are installed, and which is used by default
  export extern "stagecoach providers list" [
    --json                    # Print one JSON document
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach providers list color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach providers test name" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach providers test color" [] {
    [ "auto" "always" "never" ]
  }

  # Find out whether providers can be used: program, version, options, login, models
  export extern "stagecoach providers test" [
    --probe                   # Make one real call as well, which the provider may charge for
    --json                    # Print one JSON document
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach providers test color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    name?: string@"nu-complete stagecoach providers test name" # The provider; all of them when left out
  ]

  def "nu-complete stagecoach providers show name" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach providers show color" [] {
    [ "auto" "always" "never" ]
  }

  # Show a provider's whole manifest, with the origin of each field
  export extern "stagecoach providers show" [
    --json                    # Print one JSON document
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach providers show color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    name: string@"nu-complete stagecoach providers show name" # The provider
  ]

  def "nu-complete stagecoach models provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach models color" [] {
    [ "auto" "always" "never" ]
  }

  # List the models an agent offers
  export extern "stagecoach models" [
    --all                     # All providers that are installed
    --refresh                 # Ask again, whatever was answered within the last day
    --json                    # Print one JSON document
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach models color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    provider?: string@"nu-complete stagecoach models provider" # The provider; the default one when left out
  ]

  def "nu-complete stagecoach config color" [] {
    [ "auto" "always" "never" ]
  }

  # Write a configuration file, show it, or show where it comes from
  export extern "stagecoach config" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach config color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach config path color" [] {
    [ "auto" "always" "never" ]
  }

  # Show which configuration files are looked at
  export extern "stagecoach config path" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach config path color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach config show color" [] {
    [ "auto" "always" "never" ]
  }

  # Show the values in effect
  export extern "stagecoach config show" [
    --origin                  # Say for each value which layer, file and line set it
    --json                    # Print one JSON document
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach config show color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach config init provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach config init color" [] {
    [ "auto" "always" "never" ]
  }

  # Write a configuration file for the agent that is installed
  export extern "stagecoach config init" [
    --provider: string@"nu-complete stagecoach config init provider" # The provider to set; else the first one installed
    --force(-f)               # Renew a file that is there, and keep what it sets
    --template                # Set nothing: every key is a comment with its default
    --local                   # Write .stagecoach.toml in this repository, and trust it
    --interactive(-i)         # Ask for the provider and its models
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach config init color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach config upgrade color" [] {
    [ "auto" "always" "never" ]
  }

  # Bring configuration files of older versions up to date, in place
  export extern "stagecoach config upgrade" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach config upgrade color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach config schema color" [] {
    [ "auto" "always" "never" ]
  }

  # Print the JSON Schema of the configuration file, for editors
  export extern "stagecoach config schema" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach config schema color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach hook color" [] {
    [ "auto" "always" "never" ]
  }

  # Let `git commit` ask for messages, by its prepare-commit-msg hook
  export extern "stagecoach hook" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach hook color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach hook install color" [] {
    [ "auto" "always" "never" ]
  }

  # Put the hook where git looks for hooks; one of somebody else is never touched
  export extern "stagecoach hook install" [
    --strict                  # Let a commit fail when no message could be written
    --print                   # Print the script and install nothing
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach hook install color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach hook uninstall color" [] {
    [ "auto" "always" "never" ]
  }

  # Remove the hook, if it is ours
  export extern "stagecoach hook uninstall" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach hook uninstall color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach hook status color" [] {
    [ "auto" "always" "never" ]
  }

  # Say which hook is installed: none, stagecoach (v1) or foreign
  export extern "stagecoach hook status" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach hook status color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach hook exec color" [] {
    [ "auto" "always" "never" ]
  }

  # Write a message into the file that git is about to open in an editor; for the hook itself
  export extern "stagecoach hook exec" [
    --strict                  # Fail when no message can be written, which stops the commit
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach hook exec color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    file: path                # The file that git prepared
    ...source: string         # What git passes on besides: where its message comes from, and of which commit
  ]

  def "nu-complete stagecoach integrate color" [] {
    [ "auto" "always" "never" ]
  }

  # Use stagecoach from git, lazygit and other tools
  export extern "stagecoach integrate" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach integrate color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach integrate list color" [] {
    [ "auto" "always" "never" ]
  }

  # List the tools, which are there, and which are set up
  export extern "stagecoach integrate list" [
    --alias-name: string      # The name of git's alias
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach integrate list color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach integrate install targets" [] {
    [ "git-alias" "lazygit" "gitui" "tig" "neovim" "vscode" ]
  }

  def "nu-complete stagecoach integrate install color" [] {
    [ "auto" "always" "never" ]
  }

  # Set tools up: show the change to their file, ask, keep a copy
  export extern "stagecoach integrate install" [
    --yes(-y)                 # Do not ask
    --alias-name: string      # The name of git's alias
    --key: string             # The key in lazygit's files panel
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach integrate install color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    ...targets: string@"nu-complete stagecoach integrate install targets" # The tools
  ]

  def "nu-complete stagecoach integrate remove targets" [] {
    [ "git-alias" "lazygit" "gitui" "tig" "neovim" "vscode" ]
  }

  def "nu-complete stagecoach integrate remove color" [] {
    [ "auto" "always" "never" ]
  }

  # Take out what was set up
  export extern "stagecoach integrate remove" [
    --yes(-y)                 # Do not ask
    --alias-name: string      # The name of git's alias
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach integrate remove color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    ...targets: string@"nu-complete stagecoach integrate remove targets" # The tools
  ]

  def "nu-complete stagecoach integrate show target" [] {
    [ "git-alias" "lazygit" "gitui" "tig" "neovim" "vscode" ]
  }

  def "nu-complete stagecoach integrate show color" [] {
    [ "auto" "always" "never" ]
  }

  # Print how a tool is set up by hand
  export extern "stagecoach integrate show" [
    --alias-name: string      # The name of git's alias
    --key: string             # The key in lazygit's files panel
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach integrate show color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    target: string@"nu-complete stagecoach integrate show target" # The tool
  ]

  def "nu-complete stagecoach rescue color" [] {
    [ "auto" "always" "never" ]
  }

  # Finish what a failed run left, or look at it
  export extern "stagecoach rescue" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach rescue color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach rescue list color" [] {
    [ "auto" "always" "never" ]
  }

  # List what failed runs left: name, age, branch, files and subject
  export extern "stagecoach rescue list" [
    --json                    # Print one JSON document
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach rescue list color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach rescue show color" [] {
    [ "auto" "always" "never" ]
  }

  # Show one with its messages and files, and how to finish it
  export extern "stagecoach rescue show" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach rescue show color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    run?: string              # Its name or the beginning of it; the newest when left out
  ]

  def "nu-complete stagecoach rescue commit color" [] {
    [ "auto" "always" "never" ]
  }

  # Make the commits that are left
  export extern "stagecoach rescue commit" [
    --message(-m): string     # The message, instead of the recorded one
    --edit                    # Edit each message before its commit is made
    --onto-head               # Merge the change onto a HEAD that has moved
    --no-verify               # Do not run the hooks pre-commit and commit-msg
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach rescue commit color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    run?: string              # Its name or the beginning of it; the newest when left out
  ]

  def "nu-complete stagecoach rescue drop color" [] {
    [ "auto" "always" "never" ]
  }

  # Forget one and what it kept
  export extern "stagecoach rescue drop" [
    --all                     # All of them
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach rescue drop color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    run?: string              # Its name or the beginning of it; the newest when left out
  ]

  def "nu-complete stagecoach lock color" [] {
    [ "auto" "always" "never" ]
  }

  # Look at the lock that keeps runs of one repository apart
  export extern "stagecoach lock" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach lock color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach lock status color" [] {
    [ "auto" "always" "never" ]
  }

  # Show who holds this repository's lock, without touching it
  export extern "stagecoach lock status" [
    --json                    # Print one JSON document
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach lock status color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach plan provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach plan model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach plan reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach plan message_provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach plan message_model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach plan message_reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach plan planner_provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach plan planner_model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach plan planner_reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach plan stager_provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach plan stager_model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach plan stager_reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach plan arbiter_provider" [] {
    [ "agy" "claude" "codex" "copilot" "cursor" "gemini" "offline" "opencode" "pi" "qwen" ]
  }

  def "nu-complete stagecoach plan arbiter_model" [] {
    [ "flash" "gpt-5.4" "gpt-5.4-mini" "gpt-5.4-nano" "gpt-6-luna" "gpt-6.2-astra" "gpt-6.2-sol" "haiku" "openai/gpt-5.4" "openai/gpt-5.4-mini" "openai/gpt-5.4-nano" "opus" "sonnet" ]
  }

  def "nu-complete stagecoach plan arbiter_reasoning" [] {
    [ "off" "low" "medium" "high" ]
  }

  def "nu-complete stagecoach plan format" [] {
    [ "auto" "conventional" "gitmoji" "plain" "auto+body" "conventional+body" "gitmoji+body" "plain+body" ]
  }

  def "nu-complete stagecoach plan color" [] {
    [ "auto" "always" "never" ]
  }

  # Write the commits that a run would make into a file
  export extern "stagecoach plan" [
    --output(-o): path        # Write the plan into this new file, not to standard output
    --force(-f)               # Replace the file
    --commits: string         # How many commits the plan has; 0: the planner decides
    --max-commits: string     # The most commits that the plan may have
    --provider: string@"nu-complete stagecoach plan provider" # Which agent to ask
    --model: string@"nu-complete stagecoach plan model" # Which model the agent is to use
    --reasoning: string@"nu-complete stagecoach plan reasoning" # Thinking: off, low, medium or high
    --timeout: string         # Limit for one call: 90, 90s, 8m, 1h30m
    --message-provider: string@"nu-complete stagecoach plan message_provider" # The message role's provider
    --message-model: string@"nu-complete stagecoach plan message_model" # The message role's model
    --message-reasoning: string@"nu-complete stagecoach plan message_reasoning" # The message role's reasoning level
    --message-timeout: string # The message role's time-out
    --planner-provider: string@"nu-complete stagecoach plan planner_provider" # The planner role's provider
    --planner-model: string@"nu-complete stagecoach plan planner_model" # The planner role's model
    --planner-reasoning: string@"nu-complete stagecoach plan planner_reasoning" # The planner role's reasoning level
    --planner-timeout: string # The planner role's time-out
    --stager-provider: string@"nu-complete stagecoach plan stager_provider" # The stager role's provider
    --stager-model: string@"nu-complete stagecoach plan stager_model" # The stager role's model
    --stager-reasoning: string@"nu-complete stagecoach plan stager_reasoning" # The stager role's reasoning level
    --stager-timeout: string  # The stager role's time-out
    --arbiter-provider: string@"nu-complete stagecoach plan arbiter_provider" # The arbiter role's provider
    --arbiter-model: string@"nu-complete stagecoach plan arbiter_model" # The arbiter role's model
    --arbiter-reasoning: string@"nu-complete stagecoach plan arbiter_reasoning" # The arbiter role's reasoning level
    --arbiter-timeout: string # The arbiter role's time-out
    --format: string@"nu-complete stagecoach plan format" # Form: auto, conventional, gitmoji or plain; also +body
    --locale: string          # Language of the message
    --template: string        # Text to put the message into; must contain $msg
    --context: string         # Something the agent should know about this change
    --exclude(-x): string     # Commit matching files unseen by the agent (repeatable)
    --signoff(-s)             # Add a Signed-off-by trailer
    --trailer: string         # Add a trailer (repeatable)
    --usage                   # Say on one line what the agents used: tokens and cost, where they report them
    --quiet(-q)               # Print nothing but errors
    --verbose(-v)             # Say what is run and why; twice: with the contents
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach plan color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach apply color" [] {
    [ "auto" "always" "never" ]
  }

  # Make the commits of a plan, without asking an agent
  export extern "stagecoach apply" [
    --dry-run                 # Check the plan, show its commits and make none
    --no-verify               # Do not run the hooks pre-commit and commit-msg
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach apply color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    file: path                # The plan, as `stagecoach plan` wrote it or as you changed it; `-` reads standard input
  ]

  def "nu-complete stagecoach doctor color" [] {
    [ "auto" "always" "never" ]
  }

  # Check everything that a run needs, from git to the agents
  export extern "stagecoach doctor" [
    --json                    # Print one JSON document
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach doctor color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach demo color" [] {
    [ "auto" "always" "never" ]
  }

  # Watch a dirty tree become several commits, without an agent
  export extern "stagecoach demo" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach demo color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach undo color" [] {
    [ "auto" "always" "never" ]
  }

  # Take back the last run's commits, if nothing was built on them
  export extern "stagecoach undo" [
    --dry-run                 # Show what would be taken back and change nothing
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach undo color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach trust color" [] {
    [ "auto" "always" "never" ]
  }

  # Let a repository's .stagecoach.toml choose and define providers
  export extern "stagecoach trust" [
    --list                    # List what is trusted
    --revoke                  # Take the trust back
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach trust color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

  def "nu-complete stagecoach completions shell" [] {
    [ "bash" "elvish" "fish" "nushell" "powershell" "zsh" ]
  }

  def "nu-complete stagecoach completions color" [] {
    [ "auto" "always" "never" ]
  }

  # Print a completion script for a shell
  export extern "stagecoach completions" [
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach completions color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
    shell: string@"nu-complete stagecoach completions shell" # The shell
  ]

  def "nu-complete stagecoach man color" [] {
    [ "auto" "always" "never" ]
  }

  # Print the manual page, or write all of them, also of the files
  export extern "stagecoach man" [
    --dir: directory          # Write one page per command and per kind of file into this folder
    -C: directory             # Run as if started in this folder
    --config: path            # Read this configuration file and no other
    --color: string@"nu-complete stagecoach man color" # When to use colour: auto, always or never
    --no-color                # Never use colour
    --help-all                # Print help with all options
    --help(-h)                # Print help
  ]

}

export use completions *
