//! `config init --interactive`: which agent, and which models. Input and output come in by argument.

use std::io::{self, BufRead, Write};

use crate::config::init::{Agent, Choice};
use crate::provider::OFFLINE;
use crate::role::Role;
use crate::untrusted::stripped;

/// Asks until every answer can be used.
///
/// # Errors
/// The input ends or cannot be read.
pub(super) fn interview(agents: &[Agent], input: &mut impl BufRead, output: &mut impl Write) -> io::Result<Choice> {
    let mut names: Vec<&str> = agents.iter().filter(|agent| agent.installed).map(|agent| agent.name.as_str()).collect();
    names.push(OFFLINE);
    writeln!(output, "Which agent is to write your messages?")?;
    for (number, name) in names.iter().enumerate() {
        let remark = if *name == OFFLINE { "  (built in, needs no agent)" } else { "" };
        writeln!(output, "  {}  {name}{remark}", number + 1)?;
    }
    let provider = provider(&names, input, output)?;
    let mut models = Vec::new();
    let agent = agents.iter().find(|agent| agent.name == provider);
    if let Some(agent) = agent {
        writeln!(output, "Its models: Enter takes what is in brackets, - leaves the choice to {provider}.")?;
        if agent.needs_backend {
            writeln!(output, "{provider} wants them as backend/model; `stagecoach models {provider}` lists them.")?;
        }
        let ready = agent.ready_models();
        for role in Role::ALL {
            let suggested = ready.iter().find(|(of, _)| *of == role).map(|(_, model)| model.as_str());
            models.extend(model(role, suggested, agent.lacks_backend, input, output)?.map(|model| (role, model)));
        }
    }
    Ok(Choice { provider, models })
}

fn provider(names: &[&str], input: &mut impl BufRead, output: &mut impl Write) -> io::Result<String> {
    loop {
        let answer = answer(&format!("Number or name [{}]: ", names.first().unwrap_or(&OFFLINE)), input, output)?;
        let by_number = || answer.parse::<usize>().ok()?.checked_sub(1).and_then(|index| names.get(index));
        let found = match answer.as_str() {
            "" => names.first(),
            name => names.iter().find(|known| **known == name).or_else(by_number),
        };
        match found {
            Some(name) => return Ok((*name).to_owned()),
            None => writeln!(output, "`{}` is none of them.", stripped(&answer))?,
        }
    }
}

fn model(
    role: Role,
    suggested: Option<&str>,
    with_backend: bool,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Option<String>> {
    loop {
        let question = format!("Model of the {role} [{}]: ", suggested.unwrap_or("-"));
        let answer = answer(&question, input, output)?;
        match answer.as_str() {
            "" => return Ok(suggested.map(str::to_owned)),
            "-" => return Ok(None),
            name if name.starts_with('-') => writeln!(output, "A model cannot begin with `-`.")?,
            name if with_backend && !name.contains('/') => writeln!(output, "It must be written backend/model.")?,
            name => return Ok(Some(name.to_owned())),
        }
    }
}

fn answer(question: &str, input: &mut impl BufRead, output: &mut impl Write) -> io::Result<String> {
    write!(output, "{question}")?;
    output.flush()?;
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the input has ended"));
    }
    // A terminal may send more than words.
    Ok(line.trim().chars().filter(|character| !character.is_control()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents() -> Vec<Agent> {
        let models = |prefix: &str| Role::ALL.iter().map(|role| (*role, format!("{prefix}{role}"))).collect();
        let agent = |name: &str, models| Agent { name: name.to_owned(), models, installed: true, ..Agent::default() };
        vec![
            Agent { needs_backend: true, lacks_backend: true, ..agent("pi", models("")) },
            Agent { installed: false, ..agent("codex", models("")) },
            agent("claude", models("c-")),
        ]
    }

    fn asked(answers: &str) -> (io::Result<Choice>, String) {
        let mut output = Vec::new();
        let choice = interview(&agents(), &mut answers.as_bytes(), &mut output);
        (choice, String::from_utf8(output).unwrap())
    }

    fn models(choice: &Choice) -> Vec<(&'static str, &str)> {
        choice.models.iter().map(|(role, model)| (role.name(), model.as_str())).collect()
    }

    #[test]
    fn enter_accepts_and_other_answers_replace() {
        let (choice, output) = asked("2\n\nhaiku\n-\n\n");
        let choice = choice.unwrap();
        assert_eq!(choice.provider, "claude");
        assert_eq!(models(&choice), [("planner", "c-planner"), ("stager", "haiku"), ("arbiter", "c-arbiter")]);
        assert!(output.contains("  1  pi\n  2  claude\n  3  offline"), "{output}");
        assert!(output.contains("Model of the planner [c-planner]: "), "{output}");
    }

    #[test]
    fn what_cannot_be_used_is_asked_again() {
        let (choice, output) = asked("codex\n9\n0\n\nopus\n--x\na/opus\n\n\n\n");
        let choice = choice.unwrap();
        assert_eq!(choice.provider, "pi");
        assert_eq!(models(&choice), [("planner", "a/opus")]);
        assert_eq!(output.matches("is none of them").count(), 3, "{output}");
        assert!(output.contains("It must be written backend/model."), "{output}");
    }

    #[test]
    fn offline_has_no_models_and_an_end_is_no_answer() {
        assert_eq!(asked("offline\n").0.unwrap(), Choice { provider: "offline".to_owned(), models: Vec::new() });
        assert!(asked("2\n").0.is_err());
    }
}
