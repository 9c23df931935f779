//! What agents print, read as raw output and cleaned.

use crate::provider::clean;
use crate::provider::output::{Rules, read_text};
use crate::provider::schema::Output;

/// What a manifest with the schema's defaults makes of an answer.
fn message(printed: &str) -> String {
    let rules = Rules { output: Output::Raw, json_field: String::new(), strip_code_fence: true };
    clean(&read_text(&rules, printed).text)
}

/// The outputs of one kind, each with the message in it; empty where there is none.
fn check(table: &[(&str, &str)]) {
    for (printed, expected) in table {
        assert_eq!(message(printed), *expected, "printed: {printed:?}");
    }
}

#[test]
fn plain_answers_lose_only_white_space() {
    check(&[
        ("feat: add retry to the uploader\n", "feat: add retry to the uploader"),
        ("\n\n  fix: close the socket\n\n", "fix: close the socket"),
        ("fix: a   \n\nbody line  \nnext\t\n", "fix: a\n\nbody line\nnext"),
        ("fix: a\r\n\r\n- one\r\n- two\r\n", "fix: a\n\n- one\n- two"),
        ("fix: a\n\n\n\n\nbody\n\n\n\nmore", "fix: a\n\nbody\n\nmore"),
        ("refactor: split module\n- move types\n- move tests", "refactor: split module\n\n- move types\n- move tests"),
        (
            "Split module\nThe types come first.\n\nThe tests follow.",
            "Split module\n\nThe types come first.\n\nThe tests follow.",
        ),
        ("", ""),
        (" \n\t\n ", ""),
    ]);
}

#[test]
fn one_fence_is_unwrapped() {
    check(&[
        ("```\nfeat: add x\n```", "feat: add x"),
        ("```text\nfeat: add x\n\nBody.\n```\n", "feat: add x\n\nBody."),
        ("~~~\nfeat: add x\n~~~", "feat: add x"),
        ("````markdown\nfeat: add x\n\n```sh\nmake\n```\n````", "feat: add x\n\n```sh\nmake\n```"),
        ("```\nfeat: add x\n```\n\nLet me know if you want a longer body!", "feat: add x"),
        (
            "```gitcommit\nfix(ui): align the button\n```\nThis message follows Conventional Commits.",
            "fix(ui): align the button",
        ),
        ("```\nfeat: cut off", "feat: cut off"),
        ("```\n```", ""),
        ("```plaintext\r\nfix: a\r\n```\r\n", "fix: a"),
    ]);
}

#[test]
fn reasoning_is_removed() {
    check(&[
        ("<think>\nThe diff adds a flag.\n</think>\n\nfeat: add --json", "feat: add --json"),
        ("<think></think>feat: add --json", "feat: add --json"),
        ("<thinking>Let me see…\n\nIt is a fix.</thinking>\nfix: parse dates", "fix: parse dates"),
        ("<THINK>caps</THINK>\nfix: parse dates", "fix: parse dates"),
        ("[THINK]mistral[/THINK]fix: parse dates", "fix: parse dates"),
        ("◁think▷kimi◁/think▷fix: parse dates", "fix: parse dates"),
        ("<think>one</think>\n<think>two</think>\nfix: parse dates", "fix: parse dates"),
        ("The user wants a message.\nIt is a fix.\n</think>\n\nfix: parse dates", "fix: parse dates"),
        ("<analysis>a</analysis>\nfix: parse dates", "fix: parse dates"),
        ("<think>\nThe budget ended in the middle of", ""),
        ("<think>plan</think>\n\n```\nfix: parse dates\n```", "fix: parse dates"),
        ("<reasoning>r</reasoning>\nHere is the commit message:\n\nfix: parse dates", "fix: parse dates"),
    ]);
}

#[test]
fn labels_and_preamble_are_removed() {
    check(&[
        ("Commit message: feat: add x", "feat: add x"),
        ("Commit message:\nfeat: add x", "feat: add x"),
        ("**Commit message:** feat: add x", "feat: add x"),
        ("**Commit Message:**\n\nfeat: add x\n\n- body", "feat: add x\n\n- body"),
        ("## Commit Message\n\nfeat: add x", "feat: add x"),
        ("Suggested commit message:\n\n```\nfeat: add x\n```", "feat: add x"),
        ("Here is the commit message:\n\nfeat: add x", "feat: add x"),
        ("Here's a concise commit message for these changes:\n\nfeat: add x", "feat: add x"),
        ("Here’s the commit message:\nfeat: add x", "feat: add x"),
        ("The commit message is:\n\nfeat: add x", "feat: add x"),
        ("Based on the changes, here is the commit message.\n\nfeat: add x", "feat: add x"),
        ("Here's a commit message for your changes!\n\nfeat: add x", "feat: add x"),
        ("<commit_message>\nfeat: add x\n\nBody.\n</commit_message>", "feat: add x\n\nBody."),
        ("<answer>feat: add x</answer>", "feat: add x"),
        ("Sure! Here's the commit message:\n\nfeat: add x", "feat: add x"),
        ("Sure, here you go:\n\nfeat: add x", "feat: add x"),
        ("Certainly!\n\nfeat: add x", "feat: add x"),
        ("Based on the diff, I'd suggest the following:\n\nfeat: add x", "feat: add x"),
        ("I've analyzed the staged changes. Here is a message.\n\nfeat: add x", "feat: add x"),
        ("Looking at the diff, this adds a flag.\n\nfeat: add x", "feat: add x"),
        ("Here is the commit message:\n\n---\n\nfeat: add x\n\n---", "feat: add x"),
        ("Here is the commit message:\n\n```\nfeat: add x\n```\n\nIt follows your style.", "feat: add x"),
        ("Sorry for the confusion. Here is the corrected commit message:\n\nfeat: add x", "feat: add x"),
        ("Hier ist die Commit-Nachricht:\n\nfeat: x hinzufügen", "feat: x hinzufügen"),
        ("Voici le message de commit :\n\nfeat: ajoute x", "feat: ajoute x"),
        ("Aquí tienes el mensaje de commit:\n\nfeat: añade x", "feat: añade x"),
        ("以下是提交信息：\n\nfeat: 添加 x", "feat: 添加 x"),
        ("Вот сообщение коммита:\n\nfeat: добавить x", "feat: добавить x"),
        ("提交信息：feat: 添加 x", "feat: 添加 x"),
    ]);
}

#[test]
fn one_pair_of_quotes_around_everything_is_removed() {
    check(&[
        ("\"feat: add x\"", "feat: add x"),
        ("'fix: do not crash'", "fix: do not crash"),
        ("'fix: don't crash'", "fix: don't crash"),
        ("`feat: add x`", "feat: add x"),
        ("“feat: add x”", "feat: add x"),
        ("«feat: ajoute x»", "feat: ajoute x"),
        ("\"feat: add x\n\nBody of it.\"", "feat: add x\n\nBody of it."),
        ("\"Fix \"undefined\" label in chart\"", "Fix \"undefined\" label in chart"),
        ("```\n\"feat: add x\"\n```", "feat: add x"),
        ("Commit message: \"feat: add x\"", "feat: add x"),
    ]);
}

#[test]
fn credits_of_agents_are_removed_and_those_of_people_stay() {
    check(&[
        (
            "feat: add x\n\n🤖 Generated with [Claude Code](https://claude.ai/code)\n\nCo-Authored-By: Claude <noreply@anthropic.com>",
            "feat: add x",
        ),
        (
            "feat: add x\n\nBody.\n\nCo-authored-by: Ada Lovelace <ada@example.org>\nCo-authored-by: Claude Opus 4 <noreply@anthropic.com>",
            "feat: add x\n\nBody.\n\nCo-authored-by: Ada Lovelace <ada@example.org>",
        ),
        ("fix: y\n\nCo-authored-by: Copilot <223556219+Copilot@users.noreply.github.com>", "fix: y"),
        ("fix: y\n\nCo-authored-by: Cursor <cursoragent@cursor.com>", "fix: y"),
        ("fix: y\n\nGenerated with Codex", "fix: y"),
        ("fix: y\n\n💘 Generated with Crush\n\nCo-Authored-By: Crush <crush@charm.land>", "fix: y"),
        ("fix: y\n\nCo-authored-by: aider (gpt-5.4) <noreply@aider.chat>", "fix: y"),
        ("fix: y\n\n_Generated by GitHub Copilot_", "fix: y"),
        ("fix: y\n\nMade with [Cursor](https://cursor.com)", "fix: y"),
        ("fix: y\n\nClaude-Session: https://claude.ai/code/session_01", "fix: y"),
        (
            "fix: y\n\nCo-Authored-By: Qwen-Coder <qwen-coder@alibabacloud.com>\nSigned-off-by: Ada <ada@example.org>",
            "fix: y\n\nSigned-off-by: Ada <ada@example.org>",
        ),
        ("🤖 Generated with Claude Code\n\nfix: y", "fix: y"),
    ]);
}

#[test]
fn unseen_characters_are_removed() {
    check(&[
        ("\u{1b}[32mfeat: add x\u{1b}[0m\n", "feat: add x"),
        ("\u{1b}]0;agent\u{7}feat: add x", "feat: add x"),
        ("\u{1b}[1mCommit message:\u{1b}[0m feat: add x", "feat: add x"),
        ("\u{1b}[2K\rfeat: add x", "feat: add x"),
        ("\u{1b}[90m```\u{1b}[0m\nfeat: add x\n\u{1b}[90m```\u{1b}[0m", "feat: add x"),
        ("feat:\u{200b} add\u{feff} x", "feat: add x"),
        ("feat: add \u{202e}x\u{202c}", "feat: add x"),
        ("✨ feat: add x 👩‍💻", "✨ feat: add x 👩‍💻"),
        ("feat: caf\u{fffd} menu", "feat: caf\u{fffd} menu"),
        ("feat: a\u{0}dd x\u{8}", "feat: add x"),
    ]);
}

#[test]
fn apologies_refusals_and_error_texts_are_no_messages() {
    check(&[
        ("I'm sorry, but I can't help with that.", ""),
        ("I’m sorry, but I can’t assist with that request.", ""),
        ("I apologize, but I cannot generate a commit message without a diff.", ""),
        ("Sorry, I don't see any changes here. Could you share the diff?", ""),
        ("I can't see the diff.\n\nPlease paste it and I will write the message.", ""),
        ("I cannot access the repository from here.", ""),
        ("I'm unable to determine what changed.", ""),
        ("I don't have enough context to write this.", ""),
        ("As an AI language model, I cannot execute commands.", ""),
        ("Unfortunately, I'm unable to read files in this environment.", ""),
        ("It looks like you haven't provided a diff.", ""),
        ("Please provide the diff you would like a message for.", ""),
        ("Could you provide the changes?", ""),
        ("There are no changes to commit.", ""),
        ("Lo siento, no puedo ayudar con eso.", ""),
        ("抱歉，我无法查看该文件。", ""),
        ("API Error: 500 {\"type\":\"error\",\"error\":{\"type\":\"api_error\"}}", ""),
        ("API Error: Connection error.", ""),
        ("Not logged in · Please run /login", ""),
        ("Invalid API key · Fix external API key", ""),
        ("Prompt is too long", ""),
        ("Credit balance is too low", ""),
        ("Claude AI usage limit reached|1764547200", ""),
        ("Error: 429 {\"error\":{\"message\":\"slow down\"}}", ""),
        ("Error: Rate limit exceeded. Please try again later.", ""),
        ("Error: connect ECONNREFUSED 127.0.0.1:443", ""),
        ("401: {\"error\":\"no key\"}", ""),
        ("503 Service Unavailable", ""),
        ("{\"error\":{\"message\":\"model not found\"}}", ""),
        ("{\"type\":\"error\",\"message\":\"overloaded\"}", ""),
        ("{\"result\":null,\"session_id\":\"1\"}", ""),
        ("{\"type\":\"start\"}\n{\"type\":\"end\"}", ""),
        ("[{\"type\":\"end\"}]", ""),
        // No parser takes these, and still no person wrote them.
        ("{\"type\":\"result\",\"cost\":NaN}", ""),
        ("{ \"type\" : \"result\", \"result\": \"feat: add retry", ""),
        ("{\"type\":\"start\"}\n{\"result\":\"feat: x\",}\n{\"type\":", ""),
        ("[\n  {\"type\":\"end\",},\n]", ""),
        ("{'type': 'result', 'cost': nan}", ""),
        ("null", ""),
        ("undefined\n", ""),
        ("None", ""),
        ("None of the tests needs a clock", "None of the tests needs a clock"),
        ("{'name': id} is a key now", "{'name': id} is a key now"),
        ("[core] {\"a\":1} is read", "[core] {\"a\":1} is read"),
        ("Execution error", ""),
        ("```\nI'm sorry, but I cannot help with that.\n```", ""),
        ("Commit message:", ""),
        ("Here is the commit message:", ""),
        ("Let me look at the diff first.", ""),
        ("I'll analyze the staged changes and write a commit message.", ""),
        ("I'm sorry, but the diff appears to be empty.", ""),
        ("It looks like there are no changes in the diff.", ""),
        ("No changes to commit.", ""),
        ("5-hour limit reached ∙ resets 3pm", ""),
        ("Request failed with status code 429", ""),
        ("<think>I should refuse.</think>I'm sorry, I can't do that.", ""),
    ]);
}

#[test]
fn what_wraps_without_end_is_no_message() {
    assert_eq!(message(&"Commit message: ".repeat(100)), "");
    assert_eq!(message(&format!("feat: x\n\n{}", "x".repeat(crate::provider::MAX_MESSAGE_BYTES))), "");
}
