//! Who commits, and when, by git's own rules.
//!
//! The plain case – a name and an address in the configuration or the environment, no date given – is answered
//! in-process. Everything else (a missing part, a date in the environment, characters that git would strip) is asked of
//! `git var`, because git is the definition of what is right there.

use std::process::Command;

use bstr::{BString, ByteSlice};

use super::{Config, GitError, Program};

/// Name, address and moment as they stand in a commit object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ident {
    /// The name, without the characters git strips, in whatever encoding it was given.
    pub name: BString,
    /// The mail address.
    pub email: BString,
    /// Seconds since 1970 in UTC.
    pub seconds: i64,
    /// Offset of local time from UTC in minutes.
    pub offset_minutes: i32,
}

impl Ident {
    /// The line of a commit object: `Name <address> seconds +hhmm`.
    #[must_use]
    pub fn line(&self) -> BString {
        let mut line = name_and_email(&self.name, &self.email);
        line.extend_from_slice(format!(" {} {}", self.seconds, self.offset()).as_bytes());
        line
    }

    /// The moment as git exports it in `GIT_AUTHOR_DATE`: `@seconds +hhmm`.
    #[must_use]
    pub fn date(&self) -> String {
        format!("@{} {}", self.seconds, self.offset())
    }

    /// Has git, and whatever a hook runs, name this one as `who` (`AUTHOR` or `COMMITTER`), at this moment.
    pub(super) fn export(&self, who: &str, command: &mut Command) {
        command
            .env(format!("GIT_{who}_NAME"), &*self.name.to_os_str_lossy())
            .env(format!("GIT_{who}_EMAIL"), &*self.email.to_os_str_lossy())
            .env(format!("GIT_{who}_DATE"), self.date());
    }

    fn offset(&self) -> String {
        let minutes = self.offset_minutes.abs();
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        format!("{sign}{:02}{:02}", minutes / 60, minutes % 60)
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let (name, rest) = line.split_once_str(" <")?;
        let (email, when) = rest.rsplit_once_str("> ")?;
        let (seconds, offset) = when.to_str().ok()?.trim_end().split_once(' ')?;
        let (hours, minutes) = offset.get(1..)?.split_at_checked(2)?;
        let minutes = hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?;
        Some(Self {
            name: name.into(),
            email: email.into(),
            seconds: seconds.parse().ok()?,
            offset_minutes: if offset.starts_with('-') { -minutes } else { minutes },
        })
    }
}

fn name_and_email(name: &[u8], email: &[u8]) -> BString {
    bstr::concat([name, b" <", email, b">"]).into()
}

/// Author or committer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Author,
    Committer,
}

impl Part {
    const fn variable(self, what: Field) -> &'static str {
        match (self, what) {
            (Part::Author, Field::Name) => "GIT_AUTHOR_NAME",
            (Part::Author, Field::Email) => "GIT_AUTHOR_EMAIL",
            (Part::Author, Field::Date) => "GIT_AUTHOR_DATE",
            (Part::Committer, Field::Name) => "GIT_COMMITTER_NAME",
            (Part::Committer, Field::Email) => "GIT_COMMITTER_EMAIL",
            (Part::Committer, Field::Date) => "GIT_COMMITTER_DATE",
        }
    }

    const fn section(self) -> &'static str {
        match self {
            Part::Author => "author",
            Part::Committer => "committer",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Email,
    Date,
}

/// Who will be author and committer; times are taken when the commit is made, unless the environment fixed them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identities {
    author: Who,
    committer: Who,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Who {
    /// Time still open.
    Named { name: BString, email: BString },
    /// As git said, with a time that the environment fixed.
    Fixed(Ident),
}

impl Identities {
    /// Finds both, before any agent is asked.
    ///
    /// # Errors
    /// git's own words when it does not know who commits.
    pub fn resolve(
        config: &Config,
        environment: &dyn Fn(&str) -> Option<std::ffi::OsString>,
        git: &dyn Fn() -> Result<Program, GitError>,
    ) -> Result<Self, GitError> {
        let resolve = |part: Part| match plain(part, config, environment) {
            Some(who) => Ok(who),
            None => ask_git(part, environment(part.variable(Field::Date)).is_some(), &git()?),
        };
        // The committer is what git complains about first when nobody is configured, but the author decides the commit.
        Ok(Self { author: resolve(Part::Author)?, committer: resolve(Part::Committer)? })
    }

    /// The committer as trailers name people: `Name <address>`.
    #[must_use]
    pub fn committer_name_and_email(&self) -> BString {
        let (name, email) = match &self.committer {
            Who::Named { name, email } => (name, email),
            Who::Fixed(ident) => (&ident.name, &ident.email),
        };
        name_and_email(name, email)
    }

    /// Author and committer as of now. Both bear the same moment unless the environment says otherwise.
    #[must_use]
    pub fn now(&self) -> (Ident, Ident) {
        let (seconds, offset_minutes) = local_time();
        let at = |who: &Who| match who {
            Who::Fixed(ident) => ident.clone(),
            Who::Named { name, email } => Ident { name: name.clone(), email: email.clone(), seconds, offset_minutes },
        };
        (at(&self.author), at(&self.committer))
    }
}

/// The plain case, or `None` where git must be asked.
fn plain(part: Part, config: &Config, environment: &dyn Fn(&str) -> Option<std::ffi::OsString>) -> Option<Who> {
    if environment(part.variable(Field::Date)).is_some() {
        return None;
    }
    let find = |field: Field, key: &str| {
        if let Some(value) = environment(part.variable(field)) {
            return value.into_string().ok();
        }
        let own = config.value(&format!("{}.{key}", part.section()));
        own.or_else(|| config.value(&format!("user.{key}")))?.to_str().ok().map(str::to_owned)
    };
    let name = find(Field::Name, "name")?;
    let email = find(Field::Email, "email")?;
    (is_plain(&name) && is_plain(&email)).then(|| Who::Named { name: name.into(), email: email.into() })
}

/// Nothing in it that git would strip, at the ends or inside.
fn is_plain(text: &str) -> bool {
    let crud = |c: char| c <= ' ' || matches!(c, '.' | ',' | ':' | ';' | '<' | '>' | '"' | '\\' | '\'');
    !text.is_empty() && !text.starts_with(crud) && !text.ends_with(crud) && !text.contains(['<', '>', '\n', '\0'])
}

fn ask_git(part: Part, date_is_fixed: bool, git: &Program) -> Result<Who, GitError> {
    let variable = match part {
        Part::Author => "GIT_AUTHOR_IDENT",
        Part::Committer => "GIT_COMMITTER_IDENT",
    };
    let output = git.run(&["var", variable], |_| {}).map_err(|error| match error {
        GitError::Program { text, .. } => GitError::Identity(text),
        other => other,
    })?;
    let ident = Ident::parse(output.trim_end_with(|c| c == '\n'))
        .ok_or_else(|| GitError::Identity(format!("git var {variable} printed {:?}", output.as_bstr())))?;
    Ok(if date_is_fixed { Who::Fixed(ident) } else { Who::Named { name: ident.name, email: ident.email } })
}

/// Now, with the offset that the machine's time zone has.
fn local_time() -> (i64, i32) {
    git2::Signature::now("now", "now").map_or((0, 0), |now| (now.when().seconds(), now.when().offset_minutes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_git_var_survives() {
        for line in ["A U Thor <author@example.com> 1112912053 -0730", "é <> 0 +0000", "A <b@c> 1 +1400"] {
            assert_eq!(Ident::parse(line.as_bytes()).unwrap().line(), line);
        }
        for bad in ["", "A", "A <b", "A <b> 1", "A <b> x +0000"] {
            assert_eq!(Ident::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn what_git_would_strip_is_not_plain() {
        for text in ["", " A", "A.", "<A>", "A\n", "'A'", "A, ", "A<B"] {
            assert!(!is_plain(text), "{text:?}");
        }
        for text in ["A", "A. B", "Ж", "O'Neill Jr", "a@b.example"] {
            assert!(is_plain(text), "{text:?}");
        }
    }
}
