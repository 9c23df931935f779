
use builtin;
use str;

set edit:completion:arg-completer[stagecoach] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'stagecoach'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'stagecoach'= {
            cand --commits 'Make N commits of a dirty tree; 0: the planner decides'
            cand --max-commits 'The most commits that a dirty tree may become'
            cand --provider 'Which agent to ask'
            cand --model 'Which model the agent is to use'
            cand --reasoning 'Thinking: off, low, medium or high'
            cand --timeout 'Limit for one call: 90, 90s, 8m, 1h30m'
            cand --message-provider 'The message role''s provider'
            cand --message-model 'The message role''s model'
            cand --message-reasoning 'The message role''s reasoning level'
            cand --message-timeout 'The message role''s time-out'
            cand --planner-provider 'The planner role''s provider'
            cand --planner-model 'The planner role''s model'
            cand --planner-reasoning 'The planner role''s reasoning level'
            cand --planner-timeout 'The planner role''s time-out'
            cand --stager-provider 'The stager role''s provider'
            cand --stager-model 'The stager role''s model'
            cand --stager-reasoning 'The stager role''s reasoning level'
            cand --stager-timeout 'The stager role''s time-out'
            cand --arbiter-provider 'The arbiter role''s provider'
            cand --arbiter-model 'The arbiter role''s model'
            cand --arbiter-reasoning 'The arbiter role''s reasoning level'
            cand --arbiter-timeout 'The arbiter role''s time-out'
            cand --format 'Form: auto, conventional, gitmoji or plain; also +body'
            cand --locale 'Language of the message'
            cand --template 'Text to put the message into; must contain $msg'
            cand --context 'Something the agent should know about this change'
            cand -x 'Commit matching files unseen by the agent (repeatable)'
            cand --exclude 'Commit matching files unseen by the agent (repeatable)'
            cand --trailer 'Add a trailer (repeatable)'
            cand --work-description 'What the work was about: the agent sees this and the list of files first and asks for the diffs it wants; makes one commit'
            cand --work-description-file 'The same from a file (- for standard input), which wins over the text'
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand -a 'Commit everything that `git add -A` would stage'
            cand --all 'Commit everything that `git add -A` would stage'
            cand --no-auto-stage 'With nothing staged, stop instead of committing the working tree'
            cand --single 'With nothing staged, make one commit of the whole working tree'
            cand --no-decompose 'With nothing staged, make one commit of the whole working tree'
            cand --dry-run 'Show the message and commit nothing'
            cand --show-prompt 'Print exactly what would be sent to the agent, and stop'
            cand --edit 'Open the message in an editor before it is committed'
            cand --push 'Run `git push` when the commit has landed'
            cand --no-verify 'Do not run the hooks pre-commit and commit-msg'
            cand --wait 'When another run is at work in this repository, wait for it and go on'
            cand -s 'Add a Signed-off-by trailer'
            cand --signoff 'Add a Signed-off-by trailer'
            cand --json 'Print the result as one JSON document'
            cand --usage 'Say on one line what the agents used: tokens and cost, where they report them'
            cand -q 'Print nothing but errors'
            cand --quiet 'Print nothing but errors'
            cand -v 'Say what is run and why; twice: with the contents'
            cand --verbose 'Say what is run and why; twice: with the contents'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand providers 'List the agents stagecoach knows, or show how one is called'
            cand models 'List the models an agent offers'
            cand config 'Write a configuration file, show it, or show where it comes from'
            cand hook 'Let `git commit` ask for messages, by its prepare-commit-msg hook'
            cand integrate 'Use stagecoach from git, lazygit and other tools'
            cand rescue 'Finish what a failed run left, or look at it'
            cand lock 'Look at the lock that keeps runs of one repository apart'
            cand plan 'Write the commits that a run would make into a file'
            cand apply 'Make the commits of a plan, without asking an agent'
            cand doctor 'Check everything that a run needs, from git to the agents'
            cand demo 'Watch a dirty tree become several commits, without an agent'
            cand undo 'Take back the last run''s commits, if nothing was built on them'
            cand trust 'Let a repository''s .stagecoach.toml choose and define providers'
            cand completions 'Print a completion script for a shell'
            cand man 'Print the manual page, or write all of them, also of the files'
        }
        &'stagecoach;providers'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List the providers, which are installed, and which is used by default'
            cand test 'Find out whether providers can be used: program, version, options, login, models'
            cand show 'Show a provider''s whole manifest, with the origin of each field'
        }
        &'stagecoach;providers;list'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --json 'Print one JSON document'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;providers;test'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --probe 'Make one real call as well, which the provider may charge for'
            cand --json 'Print one JSON document'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;providers;show'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --json 'Print one JSON document'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;models'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --all 'All providers that are installed'
            cand --refresh 'Ask again, whatever was answered within the last day'
            cand --json 'Print one JSON document'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;config'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
            cand path 'Show which configuration files are looked at'
            cand show 'Show the values in effect'
            cand init 'Write a configuration file for the agent that is installed'
            cand upgrade 'Bring configuration files of older versions up to date, in place'
            cand schema 'Print the JSON Schema of the configuration file, for editors'
        }
        &'stagecoach;config;path'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;config;show'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --origin 'Say for each value which layer, file and line set it'
            cand --json 'Print one JSON document'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;config;init'= {
            cand --provider 'The provider to set; else the first one installed'
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand -f 'Renew a file that is there, and keep what it sets'
            cand --force 'Renew a file that is there, and keep what it sets'
            cand --template 'Set nothing: every key is a comment with its default'
            cand --local 'Write .stagecoach.toml in this repository, and trust it'
            cand -i 'Ask for the provider and its models'
            cand --interactive 'Ask for the provider and its models'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;config;upgrade'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;config;schema'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;hook'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
            cand install 'Put the hook where git looks for hooks; one of somebody else is never touched'
            cand uninstall 'Remove the hook, if it is ours'
            cand status 'Say which hook is installed: none, stagecoach (v1) or foreign'
            cand exec 'Write a message into the file that git is about to open in an editor; for the hook itself'
        }
        &'stagecoach;hook;install'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --strict 'Let a commit fail when no message could be written'
            cand --print 'Print the script and install nothing'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;hook;uninstall'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;hook;status'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;hook;exec'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --strict 'Fail when no message can be written, which stops the commit'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;integrate'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List the tools, which are there, and which are set up'
            cand install 'Set tools up: show the change to their file, ask, keep a copy'
            cand remove 'Take out what was set up'
            cand show 'Print how a tool is set up by hand'
        }
        &'stagecoach;integrate;list'= {
            cand --alias-name 'The name of git''s alias'
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;integrate;install'= {
            cand --alias-name 'The name of git''s alias'
            cand --key 'The key in lazygit''s files panel'
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand -y 'Do not ask'
            cand --yes 'Do not ask'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;integrate;remove'= {
            cand --alias-name 'The name of git''s alias'
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand -y 'Do not ask'
            cand --yes 'Do not ask'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;integrate;show'= {
            cand --alias-name 'The name of git''s alias'
            cand --key 'The key in lazygit''s files panel'
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;rescue'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List what failed runs left: name, age, branch, files and subject'
            cand show 'Show one with its messages and files, and how to finish it'
            cand commit 'Make the commits that are left'
            cand drop 'Forget one and what it kept'
        }
        &'stagecoach;rescue;list'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --json 'Print one JSON document'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;rescue;show'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;rescue;commit'= {
            cand -m 'The message, instead of the recorded one'
            cand --message 'The message, instead of the recorded one'
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --edit 'Edit each message before its commit is made'
            cand --onto-head 'Merge the change onto a HEAD that has moved'
            cand --no-verify 'Do not run the hooks pre-commit and commit-msg'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;rescue;drop'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --all 'All of them'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;lock'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
            cand status 'Show who holds this repository''s lock, without touching it'
        }
        &'stagecoach;lock;status'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --json 'Print one JSON document'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;plan'= {
            cand -o 'Write the plan into this new file, not to standard output'
            cand --output 'Write the plan into this new file, not to standard output'
            cand --commits 'How many commits the plan has; 0: the planner decides'
            cand --max-commits 'The most commits that the plan may have'
            cand --provider 'Which agent to ask'
            cand --model 'Which model the agent is to use'
            cand --reasoning 'Thinking: off, low, medium or high'
            cand --timeout 'Limit for one call: 90, 90s, 8m, 1h30m'
            cand --message-provider 'The message role''s provider'
            cand --message-model 'The message role''s model'
            cand --message-reasoning 'The message role''s reasoning level'
            cand --message-timeout 'The message role''s time-out'
            cand --planner-provider 'The planner role''s provider'
            cand --planner-model 'The planner role''s model'
            cand --planner-reasoning 'The planner role''s reasoning level'
            cand --planner-timeout 'The planner role''s time-out'
            cand --stager-provider 'The stager role''s provider'
            cand --stager-model 'The stager role''s model'
            cand --stager-reasoning 'The stager role''s reasoning level'
            cand --stager-timeout 'The stager role''s time-out'
            cand --arbiter-provider 'The arbiter role''s provider'
            cand --arbiter-model 'The arbiter role''s model'
            cand --arbiter-reasoning 'The arbiter role''s reasoning level'
            cand --arbiter-timeout 'The arbiter role''s time-out'
            cand --format 'Form: auto, conventional, gitmoji or plain; also +body'
            cand --locale 'Language of the message'
            cand --template 'Text to put the message into; must contain $msg'
            cand --context 'Something the agent should know about this change'
            cand -x 'Commit matching files unseen by the agent (repeatable)'
            cand --exclude 'Commit matching files unseen by the agent (repeatable)'
            cand --trailer 'Add a trailer (repeatable)'
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand -f 'Replace the file'
            cand --force 'Replace the file'
            cand -s 'Add a Signed-off-by trailer'
            cand --signoff 'Add a Signed-off-by trailer'
            cand --usage 'Say on one line what the agents used: tokens and cost, where they report them'
            cand -q 'Print nothing but errors'
            cand --quiet 'Print nothing but errors'
            cand -v 'Say what is run and why; twice: with the contents'
            cand --verbose 'Say what is run and why; twice: with the contents'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;apply'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --dry-run 'Check the plan, show its commits and make none'
            cand --no-verify 'Do not run the hooks pre-commit and commit-msg'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;doctor'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --json 'Print one JSON document'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;demo'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;undo'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --dry-run 'Show what would be taken back and change nothing'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;trust'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --list 'List what is trusted'
            cand --revoke 'Take the trust back'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;completions'= {
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'stagecoach;man'= {
            cand --dir 'Write one page per command and per kind of file into this folder'
            cand -C 'Run as if started in this folder'
            cand --config 'Read this configuration file and no other'
            cand --color 'When to use colour: auto, always or never'
            cand --no-color 'Never use colour'
            cand --help-all 'Print help with all options'
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}

var stagecoach-values = [
    &'--arbiter-model'=['flash' 'gpt-5.4' 'gpt-5.4-mini' 'gpt-5.4-nano' 'gpt-6-luna' 'gpt-6.2-astra' 'gpt-6.2-sol' 'haiku' 'openai/gpt-5.4' 'openai/gpt-5.4-mini' 'openai/gpt-5.4-nano' 'opus' 'sonnet']
    &'--arbiter-provider'=['agy' 'claude' 'codex' 'copilot' 'cursor' 'gemini' 'offline' 'opencode' 'pi' 'qwen']
    &'--arbiter-reasoning'=['off' 'low' 'medium' 'high']
    &'--color'=['auto' 'always' 'never']
    &'--format'=['auto' 'conventional' 'gitmoji' 'plain' 'auto+body' 'conventional+body' 'gitmoji+body' 'plain+body']
    &'--message-model'=['flash' 'gpt-5.4' 'gpt-5.4-mini' 'gpt-5.4-nano' 'gpt-6-luna' 'gpt-6.2-astra' 'gpt-6.2-sol' 'haiku' 'openai/gpt-5.4' 'openai/gpt-5.4-mini' 'openai/gpt-5.4-nano' 'opus' 'sonnet']
    &'--message-provider'=['agy' 'claude' 'codex' 'copilot' 'cursor' 'gemini' 'offline' 'opencode' 'pi' 'qwen']
    &'--message-reasoning'=['off' 'low' 'medium' 'high']
    &'--model'=['flash' 'gpt-5.4' 'gpt-5.4-mini' 'gpt-5.4-nano' 'gpt-6-luna' 'gpt-6.2-astra' 'gpt-6.2-sol' 'haiku' 'openai/gpt-5.4' 'openai/gpt-5.4-mini' 'openai/gpt-5.4-nano' 'opus' 'sonnet']
    &'--planner-model'=['flash' 'gpt-5.4' 'gpt-5.4-mini' 'gpt-5.4-nano' 'gpt-6-luna' 'gpt-6.2-astra' 'gpt-6.2-sol' 'haiku' 'openai/gpt-5.4' 'openai/gpt-5.4-mini' 'openai/gpt-5.4-nano' 'opus' 'sonnet']
    &'--planner-provider'=['agy' 'claude' 'codex' 'copilot' 'cursor' 'gemini' 'offline' 'opencode' 'pi' 'qwen']
    &'--planner-reasoning'=['off' 'low' 'medium' 'high']
    &'--provider'=['agy' 'claude' 'codex' 'copilot' 'cursor' 'gemini' 'offline' 'opencode' 'pi' 'qwen']
    &'--reasoning'=['off' 'low' 'medium' 'high']
    &'--stager-model'=['flash' 'gpt-5.4' 'gpt-5.4-mini' 'gpt-5.4-nano' 'gpt-6-luna' 'gpt-6.2-astra' 'gpt-6.2-sol' 'haiku' 'openai/gpt-5.4' 'openai/gpt-5.4-mini' 'openai/gpt-5.4-nano' 'opus' 'sonnet']
    &'--stager-provider'=['agy' 'claude' 'codex' 'copilot' 'cursor' 'gemini' 'offline' 'opencode' 'pi' 'qwen']
    &'--stager-reasoning'=['off' 'low' 'medium' 'high']
    &'stagecoach completions'=['bash' 'elvish' 'fish' 'nushell' 'powershell' 'zsh']
    &'stagecoach integrate install'=['git-alias' 'lazygit' 'gitui' 'tig' 'neovim' 'vscode']
    &'stagecoach integrate remove'=['git-alias' 'lazygit' 'gitui' 'tig' 'neovim' 'vscode']
    &'stagecoach integrate show'=['git-alias' 'lazygit' 'gitui' 'tig' 'neovim' 'vscode']
    &'stagecoach models'=['agy' 'claude' 'codex' 'copilot' 'cursor' 'gemini' 'offline' 'opencode' 'pi' 'qwen']
    &'stagecoach providers show'=['agy' 'claude' 'codex' 'copilot' 'cursor' 'gemini' 'offline' 'opencode' 'pi' 'qwen']
    &'stagecoach providers test'=['agy' 'claude' 'codex' 'copilot' 'cursor' 'gemini' 'offline' 'opencode' 'pi' 'qwen']
]
var stagecoach-words = $edit:completion:arg-completer[stagecoach]
set edit:completion:arg-completer[stagecoach] = {|@words|
    use str
    var option = $words[-2]
    var command = (str:join ' ' $words[..-1])
    if (has-key $stagecoach-values $option) {
        all $stagecoach-values[$option]
    } else {
        if (has-key $stagecoach-values $command) { all $stagecoach-values[$command] }
        $stagecoach-words $@words
    }
}
