//! What is set up by hand, in words and lines to copy.

use super::{GitAlias, Lazygit, Target};

const GITUI: &str = "\
# gitui runs git's hooks, so it gets its messages from the hook. In the repository:
stagecoach hook install
# then press c in gitui: the message is there, to be edited and committed.
";

const TIG: &str = "\
# In ~/.tigrc: A in the status view commits what is staged.
bind status A !stagecoach
";

const NEOVIM: &str = "\
-- In init.lua: <leader>gs commits what is staged and tells the result.
vim.keymap.set('n', '<leader>gs', function()
  vim.system({ 'stagecoach' }, { text = true, cwd = vim.fn.getcwd() }, function(result)
    local level = result.code == 0 and vim.log.levels.INFO or vim.log.levels.ERROR
    vim.schedule(function()
      vim.notify(vim.trim(result.stdout .. result.stderr), level, { title = 'stagecoach' })
    end)
  end)
end, { desc = 'Commit what is staged with stagecoach' })
";

const VSCODE: &str = r#"// In tasks.json (command palette: Tasks: Open User Tasks):
{
  "version": "2.0.0",
  "tasks": [
    {
      "label": "stagecoach",
      "type": "process",
      "command": "stagecoach",
      "problemMatcher": [],
      "presentation": { "reveal": "silent", "clear": true }
    }
  ]
}
// In keybindings.json (command palette: Preferences: Open Keyboard Shortcuts (JSON)):
[
  { "key": "ctrl+alt+c", "command": "workbench.action.tasks.runTask", "args": "stagecoach" }
]
"#;

/// How a target is set up by hand. `name` is that of the alias, `key` that of the files panel.
#[must_use]
pub fn recipe(target: Target, name: &str, key: &str) -> String {
    match target {
        Target::GitAlias => GitAlias::snippet(name),
        Target::Lazygit => {
            format!("# In lazygit's config.yml (`lazygit --print-config-dir`):\n{}", Lazygit::snippet(key))
        }
        Target::Gitui => GITUI.to_owned(),
        Target::Tig => TIG.to_owned(),
        Target::Neovim => NEOVIM.to_owned(),
        Target::Vscode => VSCODE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipe_for_vscode_is_json_with_comments() {
        let (tasks, keys) = VSCODE.split_once("// In keybindings.json").unwrap();
        for (text, word) in [(tasks, "tasks"), (keys.split_once('\n').unwrap().1, "args")] {
            let value: serde_json::Value =
                jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).unwrap();
            assert!(value.to_string().contains(word), "{value}");
        }
    }

    #[test]
    fn every_target_has_a_recipe_that_runs_stagecoach() {
        for target in Target::ALL {
            let recipe = recipe(target, "sc", "<c-x>");
            assert!(recipe.contains("stagecoach") && recipe.ends_with('\n'), "{recipe}");
            assert!(recipe.lines().all(|line| line.len() <= 100), "{recipe}");
        }
        assert!(recipe(Target::GitAlias, "sc", "").contains("alias.sc"));
        assert!(recipe(Target::Lazygit, "", "<c-x>").contains("<c-x>"));
    }
}
