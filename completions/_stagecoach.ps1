
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'stagecoach' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'stagecoach'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'stagecoach' {
            [CompletionResult]::new('--commits', '--commits', [CompletionResultType]::ParameterName, 'Make N commits of a dirty tree; 0: the planner decides')
            [CompletionResult]::new('--max-commits', '--max-commits', [CompletionResultType]::ParameterName, 'The most commits that a dirty tree may become')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Which agent to ask')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Which model the agent is to use')
            [CompletionResult]::new('--reasoning', '--reasoning', [CompletionResultType]::ParameterName, 'Thinking: off, low, medium or high')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Limit for one call: 90, 90s, 8m, 1h30m')
            [CompletionResult]::new('--message-provider', '--message-provider', [CompletionResultType]::ParameterName, 'The message role''s provider')
            [CompletionResult]::new('--message-model', '--message-model', [CompletionResultType]::ParameterName, 'The message role''s model')
            [CompletionResult]::new('--message-reasoning', '--message-reasoning', [CompletionResultType]::ParameterName, 'The message role''s reasoning level')
            [CompletionResult]::new('--message-timeout', '--message-timeout', [CompletionResultType]::ParameterName, 'The message role''s time-out')
            [CompletionResult]::new('--planner-provider', '--planner-provider', [CompletionResultType]::ParameterName, 'The planner role''s provider')
            [CompletionResult]::new('--planner-model', '--planner-model', [CompletionResultType]::ParameterName, 'The planner role''s model')
            [CompletionResult]::new('--planner-reasoning', '--planner-reasoning', [CompletionResultType]::ParameterName, 'The planner role''s reasoning level')
            [CompletionResult]::new('--planner-timeout', '--planner-timeout', [CompletionResultType]::ParameterName, 'The planner role''s time-out')
            [CompletionResult]::new('--stager-provider', '--stager-provider', [CompletionResultType]::ParameterName, 'The stager role''s provider')
            [CompletionResult]::new('--stager-model', '--stager-model', [CompletionResultType]::ParameterName, 'The stager role''s model')
            [CompletionResult]::new('--stager-reasoning', '--stager-reasoning', [CompletionResultType]::ParameterName, 'The stager role''s reasoning level')
            [CompletionResult]::new('--stager-timeout', '--stager-timeout', [CompletionResultType]::ParameterName, 'The stager role''s time-out')
            [CompletionResult]::new('--arbiter-provider', '--arbiter-provider', [CompletionResultType]::ParameterName, 'The arbiter role''s provider')
            [CompletionResult]::new('--arbiter-model', '--arbiter-model', [CompletionResultType]::ParameterName, 'The arbiter role''s model')
            [CompletionResult]::new('--arbiter-reasoning', '--arbiter-reasoning', [CompletionResultType]::ParameterName, 'The arbiter role''s reasoning level')
            [CompletionResult]::new('--arbiter-timeout', '--arbiter-timeout', [CompletionResultType]::ParameterName, 'The arbiter role''s time-out')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form: auto, conventional, gitmoji or plain; also +body')
            [CompletionResult]::new('--locale', '--locale', [CompletionResultType]::ParameterName, 'Language of the message')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'Text to put the message into; must contain $msg')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Something the agent should know about this change')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Commit matching files unseen by the agent (repeatable)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Commit matching files unseen by the agent (repeatable)')
            [CompletionResult]::new('--trailer', '--trailer', [CompletionResultType]::ParameterName, 'Add a trailer (repeatable)')
            [CompletionResult]::new('--work-description', '--work-description', [CompletionResultType]::ParameterName, 'What the work was about: the agent sees this and the list of files first and asks for the diffs it wants; makes one commit')
            [CompletionResult]::new('--work-description-file', '--work-description-file', [CompletionResultType]::ParameterName, 'The same from a file (- for standard input), which wins over the text')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Commit everything that `git add -A` would stage')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Commit everything that `git add -A` would stage')
            [CompletionResult]::new('--no-auto-stage', '--no-auto-stage', [CompletionResultType]::ParameterName, 'With nothing staged, stop instead of committing the working tree')
            [CompletionResult]::new('--single', '--single', [CompletionResultType]::ParameterName, 'With nothing staged, make one commit of the whole working tree')
            [CompletionResult]::new('--no-decompose', '--no-decompose', [CompletionResultType]::ParameterName, 'With nothing staged, make one commit of the whole working tree')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show the message and commit nothing')
            [CompletionResult]::new('--show-prompt', '--show-prompt', [CompletionResultType]::ParameterName, 'Print exactly what would be sent to the agent, and stop')
            [CompletionResult]::new('--edit', '--edit', [CompletionResultType]::ParameterName, 'Open the message in an editor before it is committed')
            [CompletionResult]::new('--push', '--push', [CompletionResultType]::ParameterName, 'Run `git push` when the commit has landed')
            [CompletionResult]::new('--no-verify', '--no-verify', [CompletionResultType]::ParameterName, 'Do not run the hooks pre-commit and commit-msg')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'When another run is at work in this repository, wait for it and go on')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Add a Signed-off-by trailer')
            [CompletionResult]::new('--signoff', '--signoff', [CompletionResultType]::ParameterName, 'Add a Signed-off-by trailer')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the result as one JSON document')
            [CompletionResult]::new('--usage', '--usage', [CompletionResultType]::ParameterName, 'Say on one line what the agents used: tokens and cost, where they report them')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say what is run and why; twice: with the contents')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say what is run and why; twice: with the contents')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('providers', 'providers', [CompletionResultType]::ParameterValue, 'List the agents stagecoach knows, or show how one is called')
            [CompletionResult]::new('models', 'models', [CompletionResultType]::ParameterValue, 'List the models an agent offers')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Write a configuration file, show it, or show where it comes from')
            [CompletionResult]::new('hook', 'hook', [CompletionResultType]::ParameterValue, 'Let `git commit` ask for messages, by its prepare-commit-msg hook')
            [CompletionResult]::new('integrate', 'integrate', [CompletionResultType]::ParameterValue, 'Use stagecoach from git, lazygit and other tools')
            [CompletionResult]::new('rescue', 'rescue', [CompletionResultType]::ParameterValue, 'Finish what a failed run left, or look at it')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Look at the lock that keeps runs of one repository apart')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Write the commits that a run would make into a file')
            [CompletionResult]::new('apply', 'apply', [CompletionResultType]::ParameterValue, 'Make the commits of a plan, without asking an agent')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Check everything that a run needs, from git to the agents')
            [CompletionResult]::new('demo', 'demo', [CompletionResultType]::ParameterValue, 'Watch a dirty tree become several commits, without an agent')
            [CompletionResult]::new('undo', 'undo', [CompletionResultType]::ParameterValue, 'Take back the last run''s commits, if nothing was built on them')
            [CompletionResult]::new('trust', 'trust', [CompletionResultType]::ParameterValue, 'Let a repository''s .stagecoach.toml choose and define providers')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page, or write all of them, also of the files')
            break
        }
        'stagecoach;providers' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the providers, which are installed, and which is used by default')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Find out whether providers can be used: program, version, options, login, models')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a provider''s whole manifest, with the origin of each field')
            break
        }
        'stagecoach;providers;list' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;providers;test' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--probe', '--probe', [CompletionResultType]::ParameterName, 'Make one real call as well, which the provider may charge for')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;providers;show' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;models' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'All providers that are installed')
            [CompletionResult]::new('--refresh', '--refresh', [CompletionResultType]::ParameterName, 'Ask again, whatever was answered within the last day')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;config' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('path', 'path', [CompletionResultType]::ParameterValue, 'Show which configuration files are looked at')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show the values in effect')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Write a configuration file for the agent that is installed')
            [CompletionResult]::new('upgrade', 'upgrade', [CompletionResultType]::ParameterValue, 'Bring configuration files of older versions up to date, in place')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of the configuration file, for editors')
            break
        }
        'stagecoach;config;path' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;config;show' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--origin', '--origin', [CompletionResultType]::ParameterName, 'Say for each value which layer, file and line set it')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;config;init' {
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'The provider to set; else the first one installed')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Renew a file that is there, and keep what it sets')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Renew a file that is there, and keep what it sets')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'Set nothing: every key is a comment with its default')
            [CompletionResult]::new('--local', '--local', [CompletionResultType]::ParameterName, 'Write .stagecoach.toml in this repository, and trust it')
            [CompletionResult]::new('-i', '-i', [CompletionResultType]::ParameterName, 'Ask for the provider and its models')
            [CompletionResult]::new('--interactive', '--interactive', [CompletionResultType]::ParameterName, 'Ask for the provider and its models')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;config;upgrade' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;config;schema' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;hook' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Put the hook where git looks for hooks; one of somebody else is never touched')
            [CompletionResult]::new('uninstall', 'uninstall', [CompletionResultType]::ParameterValue, 'Remove the hook, if it is ours')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Say which hook is installed: none, stagecoach (v1) or foreign')
            [CompletionResult]::new('exec', 'exec', [CompletionResultType]::ParameterValue, 'Write a message into the file that git is about to open in an editor; for the hook itself')
            break
        }
        'stagecoach;hook;install' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Let a commit fail when no message could be written')
            [CompletionResult]::new('--print', '--print', [CompletionResultType]::ParameterName, 'Print the script and install nothing')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;hook;uninstall' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;hook;status' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;hook;exec' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Fail when no message can be written, which stops the commit')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;integrate' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the tools, which are there, and which are set up')
            [CompletionResult]::new('install', 'install', [CompletionResultType]::ParameterValue, 'Set tools up: show the change to their file, ask, keep a copy')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Take out what was set up')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print how a tool is set up by hand')
            break
        }
        'stagecoach;integrate;list' {
            [CompletionResult]::new('--alias-name', '--alias-name', [CompletionResultType]::ParameterName, 'The name of git''s alias')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;integrate;install' {
            [CompletionResult]::new('--alias-name', '--alias-name', [CompletionResultType]::ParameterName, 'The name of git''s alias')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The key in lazygit''s files panel')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;integrate;remove' {
            [CompletionResult]::new('--alias-name', '--alias-name', [CompletionResultType]::ParameterName, 'The name of git''s alias')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;integrate;show' {
            [CompletionResult]::new('--alias-name', '--alias-name', [CompletionResultType]::ParameterName, 'The name of git''s alias')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The key in lazygit''s files panel')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;rescue' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List what failed runs left: name, age, branch, files and subject')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show one with its messages and files, and how to finish it')
            [CompletionResult]::new('commit', 'commit', [CompletionResultType]::ParameterValue, 'Make the commits that are left')
            [CompletionResult]::new('drop', 'drop', [CompletionResultType]::ParameterValue, 'Forget one and what it kept')
            break
        }
        'stagecoach;rescue;list' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;rescue;show' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;rescue;commit' {
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'The message, instead of the recorded one')
            [CompletionResult]::new('--message', '--message', [CompletionResultType]::ParameterName, 'The message, instead of the recorded one')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--edit', '--edit', [CompletionResultType]::ParameterName, 'Edit each message before its commit is made')
            [CompletionResult]::new('--onto-head', '--onto-head', [CompletionResultType]::ParameterName, 'Merge the change onto a HEAD that has moved')
            [CompletionResult]::new('--no-verify', '--no-verify', [CompletionResultType]::ParameterName, 'Do not run the hooks pre-commit and commit-msg')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;rescue;drop' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'All of them')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;lock' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show who holds this repository''s lock, without touching it')
            break
        }
        'stagecoach;lock;status' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;plan' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the plan into this new file, not to standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the plan into this new file, not to standard output')
            [CompletionResult]::new('--commits', '--commits', [CompletionResultType]::ParameterName, 'How many commits the plan has; 0: the planner decides')
            [CompletionResult]::new('--max-commits', '--max-commits', [CompletionResultType]::ParameterName, 'The most commits that the plan may have')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Which agent to ask')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Which model the agent is to use')
            [CompletionResult]::new('--reasoning', '--reasoning', [CompletionResultType]::ParameterName, 'Thinking: off, low, medium or high')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Limit for one call: 90, 90s, 8m, 1h30m')
            [CompletionResult]::new('--message-provider', '--message-provider', [CompletionResultType]::ParameterName, 'The message role''s provider')
            [CompletionResult]::new('--message-model', '--message-model', [CompletionResultType]::ParameterName, 'The message role''s model')
            [CompletionResult]::new('--message-reasoning', '--message-reasoning', [CompletionResultType]::ParameterName, 'The message role''s reasoning level')
            [CompletionResult]::new('--message-timeout', '--message-timeout', [CompletionResultType]::ParameterName, 'The message role''s time-out')
            [CompletionResult]::new('--planner-provider', '--planner-provider', [CompletionResultType]::ParameterName, 'The planner role''s provider')
            [CompletionResult]::new('--planner-model', '--planner-model', [CompletionResultType]::ParameterName, 'The planner role''s model')
            [CompletionResult]::new('--planner-reasoning', '--planner-reasoning', [CompletionResultType]::ParameterName, 'The planner role''s reasoning level')
            [CompletionResult]::new('--planner-timeout', '--planner-timeout', [CompletionResultType]::ParameterName, 'The planner role''s time-out')
            [CompletionResult]::new('--stager-provider', '--stager-provider', [CompletionResultType]::ParameterName, 'The stager role''s provider')
            [CompletionResult]::new('--stager-model', '--stager-model', [CompletionResultType]::ParameterName, 'The stager role''s model')
            [CompletionResult]::new('--stager-reasoning', '--stager-reasoning', [CompletionResultType]::ParameterName, 'The stager role''s reasoning level')
            [CompletionResult]::new('--stager-timeout', '--stager-timeout', [CompletionResultType]::ParameterName, 'The stager role''s time-out')
            [CompletionResult]::new('--arbiter-provider', '--arbiter-provider', [CompletionResultType]::ParameterName, 'The arbiter role''s provider')
            [CompletionResult]::new('--arbiter-model', '--arbiter-model', [CompletionResultType]::ParameterName, 'The arbiter role''s model')
            [CompletionResult]::new('--arbiter-reasoning', '--arbiter-reasoning', [CompletionResultType]::ParameterName, 'The arbiter role''s reasoning level')
            [CompletionResult]::new('--arbiter-timeout', '--arbiter-timeout', [CompletionResultType]::ParameterName, 'The arbiter role''s time-out')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form: auto, conventional, gitmoji or plain; also +body')
            [CompletionResult]::new('--locale', '--locale', [CompletionResultType]::ParameterName, 'Language of the message')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'Text to put the message into; must contain $msg')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Something the agent should know about this change')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Commit matching files unseen by the agent (repeatable)')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Commit matching files unseen by the agent (repeatable)')
            [CompletionResult]::new('--trailer', '--trailer', [CompletionResultType]::ParameterName, 'Add a trailer (repeatable)')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Replace the file')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the file')
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'Add a Signed-off-by trailer')
            [CompletionResult]::new('--signoff', '--signoff', [CompletionResultType]::ParameterName, 'Add a Signed-off-by trailer')
            [CompletionResult]::new('--usage', '--usage', [CompletionResultType]::ParameterName, 'Say on one line what the agents used: tokens and cost, where they report them')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing but errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing but errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say what is run and why; twice: with the contents')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say what is run and why; twice: with the contents')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;apply' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Check the plan, show its commits and make none')
            [CompletionResult]::new('--no-verify', '--no-verify', [CompletionResultType]::ParameterName, 'Do not run the hooks pre-commit and commit-msg')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;doctor' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;demo' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;undo' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Show what would be taken back and change nothing')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;trust' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List what is trusted')
            [CompletionResult]::new('--revoke', '--revoke', [CompletionResultType]::ParameterName, 'Take the trust back')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;completions' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'stagecoach;man' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Write one page per command and per kind of file into this folder')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run as if started in this folder')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Read this configuration file and no other')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour: auto, always or never')
            [CompletionResult]::new('--no-color', '--no-color', [CompletionResultType]::ParameterName, 'Never use colour')
            [CompletionResult]::new('--help-all', '--help-all', [CompletionResultType]::ParameterName, 'Print help with all options')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
