# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_stagecoach_global_optspecs
    string join \n a/all no-auto-stage single commits= max-commits= dry-run show-prompt edit push no-verify wait provider= model= reasoning= timeout= message-provider= message-model= message-reasoning= message-timeout= planner-provider= planner-model= planner-reasoning= planner-timeout= stager-provider= stager-model= stager-reasoning= stager-timeout= arbiter-provider= arbiter-model= arbiter-reasoning= arbiter-timeout= format= locale= template= context= x/exclude= s/signoff trailer= work-description= work-description-file= json usage q/quiet v/verbose C= config= color= no-color help-all h/help V/version
end

function __fish_stagecoach_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_stagecoach_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_stagecoach_using_subcommand
    set -l cmd (__fish_stagecoach_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c stagecoach -n "__fish_stagecoach_needs_command" -l commits -d 'Make N commits of a dirty tree; 0: the planner decides' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l max-commits -d 'The most commits that a dirty tree may become' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l provider -d 'Which agent to ask' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l model -d 'Which model the agent is to use' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l reasoning -d 'Thinking: off, low, medium or high' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l timeout -d 'Limit for one call: 90, 90s, 8m, 1h30m' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l message-provider -d 'The message role\'s provider' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l message-model -d 'The message role\'s model' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l message-reasoning -d 'The message role\'s reasoning level' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l message-timeout -d 'The message role\'s time-out' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l planner-provider -d 'The planner role\'s provider' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l planner-model -d 'The planner role\'s model' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l planner-reasoning -d 'The planner role\'s reasoning level' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l planner-timeout -d 'The planner role\'s time-out' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l stager-provider -d 'The stager role\'s provider' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l stager-model -d 'The stager role\'s model' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l stager-reasoning -d 'The stager role\'s reasoning level' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l stager-timeout -d 'The stager role\'s time-out' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l arbiter-provider -d 'The arbiter role\'s provider' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l arbiter-model -d 'The arbiter role\'s model' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l arbiter-reasoning -d 'The arbiter role\'s reasoning level' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l arbiter-timeout -d 'The arbiter role\'s time-out' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l format -d 'Form: auto, conventional, gitmoji or plain; also +body' -r -f -a "auto\t''
conventional\t''
gitmoji\t''
plain\t''
auto+body\t''
conventional+body\t''
gitmoji+body\t''
plain+body\t''"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l locale -d 'Language of the message' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l template -d 'Text to put the message into; must contain $msg' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l context -d 'Something the agent should know about this change' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -s x -l exclude -d 'Commit matching files unseen by the agent (repeatable)' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l trailer -d 'Add a trailer (repeatable)' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l work-description -d 'What the work was about: the agent sees this and the list of files first and asks for the diffs it wants; makes one commit' -r
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l work-description-file -d 'The same from a file (- for standard input), which wins over the text' -r -F
complete -c stagecoach -n "__fish_stagecoach_needs_command" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_needs_command" -s a -l all -d 'Commit everything that `git add -A` would stage'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l no-auto-stage -d 'With nothing staged, stop instead of committing the working tree'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l single -l no-decompose -d 'With nothing staged, make one commit of the whole working tree'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l dry-run -d 'Show the message and commit nothing'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l show-prompt -d 'Print exactly what would be sent to the agent, and stop'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l edit -d 'Open the message in an editor before it is committed'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l push -d 'Run `git push` when the commit has landed'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l no-verify -d 'Do not run the hooks pre-commit and commit-msg'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l wait -d 'When another run is at work in this repository, wait for it and go on'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -s s -l signoff -d 'Add a Signed-off-by trailer'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l json -d 'Print the result as one JSON document'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l usage -d 'Say on one line what the agents used: tokens and cost, where they report them'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -s q -l quiet -d 'Print nothing but errors'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -s v -l verbose -d 'Say what is run and why; twice: with the contents'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -s V -l version -d 'Print version'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "providers" -d 'List the agents stagecoach knows, or show how one is called'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "models" -d 'List the models an agent offers'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "config" -d 'Write a configuration file, show it, or show where it comes from'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "hook" -d 'Let `git commit` ask for messages, by its prepare-commit-msg hook'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "integrate" -d 'Use stagecoach from git, lazygit and other tools'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "rescue" -d 'Finish what a failed run left, or look at it'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "lock" -d 'Look at the lock that keeps runs of one repository apart'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "plan" -d 'Write the commits that a run would make into a file'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "apply" -d 'Make the commits of a plan, without asking an agent'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "doctor" -d 'Check everything that a run needs, from git to the agents'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "demo" -d 'Watch a dirty tree become several commits, without an agent'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "undo" -d 'Take back the last run\'s commits, if nothing was built on them'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "trust" -d 'Let a repository\'s .stagecoach.toml choose and define providers'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c stagecoach -n "__fish_stagecoach_needs_command" -f -a "man" -d 'Print the manual page, or write all of them, also of the files'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and not __fish_seen_subcommand_from list test show" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and not __fish_seen_subcommand_from list test show" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and not __fish_seen_subcommand_from list test show" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and not __fish_seen_subcommand_from list test show" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and not __fish_seen_subcommand_from list test show" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and not __fish_seen_subcommand_from list test show" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and not __fish_seen_subcommand_from list test show" -f -a "list" -d 'List the providers, which are installed, and which is used by default'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and not __fish_seen_subcommand_from list test show" -f -a "test" -d 'Find out whether providers can be used: program, version, options, login, models'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and not __fish_seen_subcommand_from list test show" -f -a "show" -d 'Show a provider\'s whole manifest, with the origin of each field'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from list" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from list" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from list" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON document'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from list" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from list" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from test" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from test" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from test" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from test" -l probe -d 'Make one real call as well, which the provider may charge for'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from test" -l json -d 'Print one JSON document'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from test" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from test" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from show" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from show" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from show" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from show" -l json -d 'Print one JSON document'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from show" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from show" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -l all -d 'All providers that are installed'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -l refresh -d 'Ask again, whatever was answered within the last day'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -l json -d 'Print one JSON document'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -f -a "path" -d 'Show which configuration files are looked at'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -f -a "show" -d 'Show the values in effect'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -f -a "init" -d 'Write a configuration file for the agent that is installed'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -f -a "upgrade" -d 'Bring configuration files of older versions up to date, in place'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and not __fish_seen_subcommand_from path show init upgrade schema" -f -a "schema" -d 'Print the JSON Schema of the configuration file, for editors'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from path" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from path" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from path" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from path" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from path" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from show" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from show" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from show" -l origin -d 'Say for each value which layer, file and line set it'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from show" -l json -d 'Print one JSON document'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from show" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from show" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -l provider -d 'The provider to set; else the first one installed' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -s f -l force -d 'Renew a file that is there, and keep what it sets'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -l template -d 'Set nothing: every key is a comment with its default'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -l local -d 'Write .stagecoach.toml in this repository, and trust it'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -s i -l interactive -d 'Ask for the provider and its models'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from upgrade" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from upgrade" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from upgrade" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from upgrade" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from upgrade" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from upgrade" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from schema" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from schema" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from schema" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from schema" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from schema" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand config; and __fish_seen_subcommand_from schema" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -f -a "install" -d 'Put the hook where git looks for hooks; one of somebody else is never touched'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -f -a "uninstall" -d 'Remove the hook, if it is ours'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -f -a "status" -d 'Say which hook is installed: none, stagecoach (v1) or foreign'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status exec" -f -a "exec" -d 'Write a message into the file that git is about to open in an editor; for the hook itself'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from install" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from install" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from install" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from install" -l strict -d 'Let a commit fail when no message could be written'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from install" -l print -d 'Print the script and install nothing'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from install" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from install" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from status" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from status" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from status" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from status" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from status" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from exec" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from exec" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from exec" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from exec" -l strict -d 'Fail when no message can be written, which stops the commit'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from exec" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from exec" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand hook; and __fish_seen_subcommand_from exec" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -f -a "list" -d 'List the tools, which are there, and which are set up'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -f -a "install" -d 'Set tools up: show the change to their file, ask, keep a copy'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -f -a "remove" -d 'Take out what was set up'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and not __fish_seen_subcommand_from list install remove show" -f -a "show" -d 'Print how a tool is set up by hand'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from list" -l alias-name -d 'The name of git\'s alias' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from list" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from list" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from list" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from list" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from list" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -l alias-name -d 'The name of git\'s alias' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -l key -d 'The key in lazygit\'s files panel' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -s y -l yes -d 'Do not ask'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from remove" -l alias-name -d 'The name of git\'s alias' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from remove" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from remove" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from remove" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Do not ask'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from remove" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from remove" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from show" -l alias-name -d 'The name of git\'s alias' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from show" -l key -d 'The key in lazygit\'s files panel' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from show" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from show" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from show" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from show" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from show" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -f -a "list" -d 'List what failed runs left: name, age, branch, files and subject'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -f -a "show" -d 'Show one with its messages and files, and how to finish it'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -f -a "commit" -d 'Make the commits that are left'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and not __fish_seen_subcommand_from list show commit drop" -f -a "drop" -d 'Forget one and what it kept'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from list" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from list" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from list" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON document'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from list" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from list" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from show" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from show" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from show" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from show" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from show" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -s m -l message -d 'The message, instead of the recorded one' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -l edit -d 'Edit each message before its commit is made'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -l onto-head -d 'Merge the change onto a HEAD that has moved'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -l no-verify -d 'Do not run the hooks pre-commit and commit-msg'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from commit" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from drop" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from drop" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from drop" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from drop" -l all -d 'All of them'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from drop" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from drop" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand rescue; and __fish_seen_subcommand_from drop" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and not __fish_seen_subcommand_from status" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and not __fish_seen_subcommand_from status" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and not __fish_seen_subcommand_from status" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and not __fish_seen_subcommand_from status" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and not __fish_seen_subcommand_from status" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and not __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and not __fish_seen_subcommand_from status" -f -a "status" -d 'Show who holds this repository\'s lock, without touching it'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and __fish_seen_subcommand_from status" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and __fish_seen_subcommand_from status" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and __fish_seen_subcommand_from status" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and __fish_seen_subcommand_from status" -l json -d 'Print one JSON document'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and __fish_seen_subcommand_from status" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and __fish_seen_subcommand_from status" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand lock; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -s o -l output -d 'Write the plan into this new file, not to standard output' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l commits -d 'How many commits the plan has; 0: the planner decides' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l max-commits -d 'The most commits that the plan may have' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l provider -d 'Which agent to ask' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l model -d 'Which model the agent is to use' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l reasoning -d 'Thinking: off, low, medium or high' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l timeout -d 'Limit for one call: 90, 90s, 8m, 1h30m' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l message-provider -d 'The message role\'s provider' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l message-model -d 'The message role\'s model' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l message-reasoning -d 'The message role\'s reasoning level' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l message-timeout -d 'The message role\'s time-out' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l planner-provider -d 'The planner role\'s provider' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l planner-model -d 'The planner role\'s model' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l planner-reasoning -d 'The planner role\'s reasoning level' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l planner-timeout -d 'The planner role\'s time-out' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l stager-provider -d 'The stager role\'s provider' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l stager-model -d 'The stager role\'s model' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l stager-reasoning -d 'The stager role\'s reasoning level' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l stager-timeout -d 'The stager role\'s time-out' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l arbiter-provider -d 'The arbiter role\'s provider' -r -f -a "agy\t''
claude\t''
codex\t''
copilot\t''
cursor\t''
gemini\t''
offline\t''
opencode\t''
pi\t''
qwen\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l arbiter-model -d 'The arbiter role\'s model' -r -f -a "flash\t''
gpt-5.4\t''
gpt-5.4-mini\t''
gpt-5.4-nano\t''
gpt-6-luna\t''
gpt-6.2-astra\t''
gpt-6.2-sol\t''
haiku\t''
openai/gpt-5.4\t''
openai/gpt-5.4-mini\t''
openai/gpt-5.4-nano\t''
opus\t''
sonnet\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l arbiter-reasoning -d 'The arbiter role\'s reasoning level' -r -f -a "off\t''
low\t''
medium\t''
high\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l arbiter-timeout -d 'The arbiter role\'s time-out' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l format -d 'Form: auto, conventional, gitmoji or plain; also +body' -r -f -a "auto\t''
conventional\t''
gitmoji\t''
plain\t''
auto+body\t''
conventional+body\t''
gitmoji+body\t''
plain+body\t''"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l locale -d 'Language of the message' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l template -d 'Text to put the message into; must contain $msg' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l context -d 'Something the agent should know about this change' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -s x -l exclude -d 'Commit matching files unseen by the agent (repeatable)' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l trailer -d 'Add a trailer (repeatable)' -r
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -s f -l force -d 'Replace the file'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -s s -l signoff -d 'Add a Signed-off-by trailer'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l usage -d 'Say on one line what the agents used: tokens and cost, where they report them'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -s q -l quiet -d 'Print nothing but errors'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -s v -l verbose -d 'Say what is run and why; twice: with the contents'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand plan" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand apply" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand apply" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand apply" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand apply" -l dry-run -d 'Check the plan, show its commits and make none'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand apply" -l no-verify -d 'Do not run the hooks pre-commit and commit-msg'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand apply" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand apply" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand apply" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand doctor" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand doctor" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand doctor" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand doctor" -l json -d 'Print one JSON document'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand doctor" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand doctor" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand demo" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand demo" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand demo" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand demo" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand demo" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand demo" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand undo" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand undo" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand undo" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand undo" -l dry-run -d 'Show what would be taken back and change nothing'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand undo" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand undo" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand undo" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand trust" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand trust" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand trust" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand trust" -l list -d 'List what is trusted'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand trust" -l revoke -d 'Take the trust back'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand trust" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand trust" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand trust" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand completions" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand completions" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand completions" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand completions" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand completions" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand completions" -s h -l help -d 'Print help'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand man" -l dir -d 'Write one page per command and per kind of file into this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand man" -s C -d 'Run as if started in this folder' -r -f -a "(__fish_complete_directories)"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand man" -l config -d 'Read this configuration file and no other' -r -F
complete -c stagecoach -n "__fish_stagecoach_using_subcommand man" -l color -d 'When to use colour: auto, always or never' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Everywhere'
never\t'Nowhere'"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand man" -l no-color -d 'Never use colour'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand man" -l help-all -d 'Print help with all options'
complete -c stagecoach -n "__fish_stagecoach_using_subcommand man" -s h -l help -d 'Print help'

function __fish_stagecoach_needs_command
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_stagecoach_global_optspecs) -- $cmd 2>/dev/null
    or begin
        set -e cmd[-1]
        argparse -s (__fish_stagecoach_global_optspecs) -- $cmd 2>/dev/null
        or return
    end
    if set -q argv[1]
        echo $argv[1]
        return 1
    end
    return 0
end
complete -c stagecoach -n "__fish_stagecoach_using_subcommand completions" -f -a "bash elvish fish nushell powershell zsh"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from install" -f -a "git-alias lazygit gitui tig neovim vscode"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from remove" -f -a "git-alias lazygit gitui tig neovim vscode"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand integrate; and __fish_seen_subcommand_from show" -f -a "git-alias lazygit gitui tig neovim vscode"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand models" -f -a "agy claude codex copilot cursor gemini offline opencode pi qwen"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from show" -f -a "agy claude codex copilot cursor gemini offline opencode pi qwen"
complete -c stagecoach -n "__fish_stagecoach_using_subcommand providers; and __fish_seen_subcommand_from test" -f -a "agy claude codex copilot cursor gemini offline opencode pi qwen"
