//! Credentials are masked before anything leaves the machine: added, removed and context lines alike, since all of them
//! would be sent. Only what has a well-known shape is masked; ordinary hashes, ids and fixtures pass.

use std::ops::Range;

use bstr::{BStr, ByteSlice};

use super::pem::{self, is_base64};
use super::quote::quote;
use super::shapes::{self, Hit};

/// One kind of credential in one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, quoted as git quotes.
    pub path: String,
    /// What it looks like: `github-token`, `private-key`, `env-secret`, …
    pub kind: &'static str,
}

impl Finding {
    pub(super) fn warning(&self) -> String {
        format!(
            "{}: what looks like a credential ({}) is masked in what the agent sees; the commit itself holds it",
            self.path, self.kind
        )
    }
}

/// `path (kind), path (kind)`
pub(super) fn listed(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("{} ({})", finding.path, finding.kind)).collect::<Vec<_>>().join(", ")
}

/// What masking did; `text` is `None` when nothing had to be masked.
pub(super) struct Masked {
    pub(super) text: Option<String>,
    pub(super) findings: Vec<Finding>,
}

/// Masks what looks like a credential in the hunks of a diff, which begin at `body`. `sides` are the whole contents:
/// they tell that a hunk lies inside a key whose first and last line it does not show.
pub(super) fn mask(text: &str, body: usize, path: &BStr, sides: &[&[u8]]) -> Masked {
    let hunks = text.get(body..).unwrap_or_default();
    let mut hits = shapes::find(hunks);
    let keys = pem::material(sides);
    if let Some(keys) = &keys {
        hits.extend(pem::lines_of_keys(hunks, keys));
    }
    let is_env_file = is_env_file(path);
    for (start, line) in lines(hunks) {
        hits.extend(cut_context(line).and_then(shapes::find_cut).map(|(range, kind)| (shift(range, start), kind)));
        let value = if is_env_file { env_hit(line) } else { None };
        hits.extend(value.map(|range| (shift(range, start), ENV_SECRET)));
    }
    if hits.is_empty() {
        return Masked { text: None, findings: Vec::new() };
    }
    hits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut masked = text.get(..body).unwrap_or_default().to_owned();
    masked.push_str(&replaced(hunks, &hits));
    let mut kinds: Vec<&'static str> = hits.into_iter().map(|(_, kind)| kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let path = quote(path);
    Masked {
        text: Some(masked),
        findings: kinds.into_iter().map(|kind| Finding { path: path.clone(), kind }).collect(),
    }
}

/// Hunks of a file, or a part of them, without what looks like a credential. `sides` are the whole contents of the file
/// before and after.
#[must_use]
pub fn masked(hunks: String, path: &BStr, sides: &[&[u8]]) -> String {
    mask(&hunks, 0, path, sides).text.unwrap_or(hunks)
}

/// The text with every hit replaced; a hit that begins within an earlier one goes with it.
fn replaced(text: &str, hits: &[Hit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, kind) in hits {
        if let Some(before) = text.get(at..range.start) {
            out.push_str(before);
            out.push_str("[redacted:");
            out.push_str(kind);
            out.push(']');
        }
        at = at.max(range.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Lines with the offset at which each begins; without their newline.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line.trim_end_matches(['\n', '\r'])))
    })
}

pub(super) const fn shift(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

const ENV_SECRET: &str = "env-secret";

/// git shows no more than 80 bytes of the line that encloses a hunk; white space at their end is left out.
const CUT_CONTEXT: usize = 78;

/// Where the line that encloses a hunk begins in the hunk's header, with the space before it; 0 for any other line.
pub(super) fn context_start(line: &str) -> usize {
    let Some(ranges) = line.strip_prefix("@@ ") else { return 0 };
    ranges.find(" @@").map_or(line.len(), |end| "@@ ".len() + end + " @@".len())
}

/// The header of a hunk, where the line in it may have been cut off within a credential.
fn cut_context(line: &str) -> Option<&str> {
    let start = context_start(line);
    (start > 0 && line.len() - start > CUT_CONTEXT).then(|| line.trim_end_matches('\u{fffd}'))
}

fn is_env_file(path: &BStr) -> bool {
    let name = path.rsplit_once_str("/").map_or(path, |(_, name)| name.as_bstr());
    name.starts_with(b".env") || name.ends_with(b".env")
}

/// The secret part of a line of a `.env` file, also where the line encloses a hunk and stands in its header.
fn env_hit(line: &str) -> Option<Range<usize>> {
    let start = context_start(line);
    let own = line.get(start..)?;
    if cut_context(line).is_some() {
        // What is left of a value does not tell whether the whole is a secret.
        return own.find('=').map(|equals| start + equals + 1..line.len());
    }
    env_value(own).map(|range| shift(range, start))
}

/// The secret part of a line of a `.env` file: the value of a name that says so, a value too random for anything else, or
/// the password of an address.
fn env_value(line: &str) -> Option<Range<usize>> {
    let (name, assigned) = line.get(1..)?.split_once('=')?;
    let name = name.trim().trim_start_matches("export ").trim();
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')) {
        return None;
    }
    let value = assigned.trim().trim_matches(['"', '\'']);
    let start = line.len() - assigned.len() + assigned.find(value)?;
    match password(value) {
        Some(range) => Some(shift(range, start)),
        None => is_secret(name, value).then_some(start..start + value.len()),
    }
}

/// The password of `scheme://user:password@host`.
fn password(value: &str) -> Option<Range<usize>> {
    let authority = value.find("://")? + 3;
    let rest = value.get(authority..)?;
    let at = rest.get(..rest.find('/').unwrap_or(rest.len()))?.rfind('@')?;
    let colon = rest.get(..at)?.find(':')?;
    (colon + 1 < at && !rest.contains("${")).then_some(authority + colon + 1..authority + at)
}

fn is_secret(name: &str, value: &str) -> bool {
    const NAMES: [&str; 8] = ["SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE", "CREDENTIAL"];
    let name = name.to_ascii_uppercase();
    if value.contains("${") || value.starts_with('<') || value.contains("://") {
        return false;
    }
    if NAMES.iter().any(|part| name.contains(part)) {
        return value.len() >= 12 && shapes::is_random(value.as_bytes());
    }
    value.len() >= 20
        && value.bytes().all(|byte| is_base64(byte) || matches!(byte, b'-' | b'_'))
        && !value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && shapes::is_random(value.as_bytes())
        && entropy(value) >= 4.0
}

/// Shannon entropy in bits a byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(path: &str, lines: &str) -> (String, Vec<&'static str>) {
        let done = mask(lines, 0, path.into(), &[lines.as_bytes()]);
        (done.text.unwrap_or_else(|| lines.to_owned()), done.findings.iter().map(|finding| finding.kind).collect())
    }

    /// Credentials are put together here, so that no scanner takes this file for a leak.
    fn random(length: usize) -> String {
        "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ".chars().cycle().take(length).collect()
    }

    #[test]
    fn well_known_shapes_are_masked() {
        let upper = "A2B3C4D5E6F7G2H3";
        let jwt = format!("{}{}.eyJ{}.{}", "ey", "JhbGciOiJIUzI1NiJ9", random(24), random(32));
        for (kind, secret) in [
            ("aws-access-key", format!("AKI{}{upper}", "A")),
            ("gcp-api-key", format!("AI{}{}", "za", random(35))),
            ("gcp-oauth-token", format!("ya{}{}", "29.", random(60))),
            ("gcp-oauth-secret", format!("GOC{}{}", "SPX-", random(28))),
            ("azure-storage-key", format!("Account{}{}==", "Key=", random(86))),
            ("github-token", format!("gh{}{}", "p_", random(36))),
            ("github-token", format!("github_{}{}", "pat_", random(82))),
            ("gitlab-token", format!("gl{}{}", "pat-", random(20))),
            ("slack-token", format!("xo{}123456789012-{}", "xb-", random(24))),
            ("slack-webhook", format!("hooks.{}T00000000/B00000000/{}", "slack.com/services/", random(24))),
            ("stripe-key", format!("sk_{}{}", "live_", random(24))),
            ("npm-token", format!("np{}{}", "m_", random(36))),
            ("pypi-token", format!("py{}{}", "pi-AgEIcHlwaS5vcmc", random(80))),
            ("anthropic-key", format!("sk-{}{}", "ant-api03-", random(95))),
            ("openai-key", format!("sk-{}{}", "proj-", random(64))),
            ("openai-key", format!("s{}{}", "k-", random(48))),
            ("hugging-face-token", format!("h{}{}", "f_", random(34))),
            ("jwt", jwt),
        ] {
            for (before, after) in [("+key = \"", "\""), ("-", ""), (" x='", "';"), ("+a\\n", " b"), ("+// See ", ".")]
            {
                let (text, kinds) = masked("a.py", &format!("{before}{secret}{after}\n"));
                assert_eq!(text, format!("{before}[redacted:{kind}]{after}\n"), "{secret}");
                assert_eq!(kinds, [kind]);
            }
        }
    }

    #[test]
    fn a_secret_that_has_no_prefix_is_known_by_its_name() {
        let line = format!("+aws_secret_access_key = {}\n", random(40));
        assert_eq!(masked("credentials", &line).0, "+aws_secret_access_key = [redacted:aws-secret-key]\n");
        let line = format!("+  \"SecretAccessKey\": \"{}\",\n", random(40));
        assert_eq!(masked("a.json", &line).0, "+  \"SecretAccessKey\": \"[redacted:aws-secret-key]\",\n");
    }

    #[test]
    fn key_material_is_masked_and_what_is_around_it_stays() {
        let (line, last) = (random(64), "Zz9=");
        let pem =
            format!("-----BEGIN RSA {0}-----\n+{line}\n+{line}\n+{last}\n+-----END RSA {0}-----\n", "PRIVATE KEY");
        let (text, kinds) = masked("id", &format!("@@ -0,0 +1,5 @@\n+{pem}+after\n"));
        let mask = "+[redacted:private-key]\n".repeat(3);
        let around = "-----";
        assert_eq!(
            text,
            format!(
                "@@ -0,0 +1,5 @@\n+{around}BEGIN RSA PRIVATE KEY{around}\n{mask}+{around}END RSA PRIVATE KEY{around}\n+after\n"
            )
        );
        assert_eq!(kinds, ["private-key"]);
        // On one line, as JSON has it.
        let json =
            format!("+\"key\": \"{around}BEGIN {0}{around}\\n{line}\\n{around}END {0}{around}\\n\"\n", "PRIVATE KEY");
        let (text, _) = masked("service.json", &json);
        assert!(text.contains("\\n[redacted:private-key]\\n") && !text.contains(&line), "{text}");
    }

    #[test]
    fn a_hunk_inside_a_key_is_masked_too() {
        let line = random(64);
        let whole = format!("{}BEGIN {}{}\n{line}\n", "-----", "PRIVATE KEY", "-----");
        let hunk = format!("@@ -3 +3 @@\n-{line}\n+{line}\n");
        let done = mask(&hunk, 0, "k.pem".into(), &[whole.as_bytes()]);
        assert_eq!(done.text.unwrap(), "@@ -3 +3 @@\n-[redacted:private-key]\n+[redacted:private-key]\n");
        let part = super::masked(format!("+{line}\n"), "k.pem".into(), &[whole.as_bytes()]);
        assert_eq!(part, "+[redacted:private-key]\n");
        assert_eq!(super::masked("+fn a() {\n".to_owned(), "a.rs".into(), &[]), "+fn a() {\n");
    }

    #[test]
    fn every_line_of_a_key_is_masked_however_short_and_alone() {
        let (line, last) = (random(64), "abcd");
        let side = format!("{0}BEGIN {1}{0}\n{line}\n{last}\n{0}END {1}{0}\nabcd2\n", "-----", "PRIVATE KEY");
        let masked = |hunk: &str| super::masked(hunk.to_owned(), "k".into(), &[b"", side.as_bytes()]);
        assert_eq!(masked("+abcd\n"), "+[redacted:private-key]\n");
        assert_eq!(masked("@@ -3 +3 @@ abcd\n-x\n+y\n"), "@@ -3 +3 @@ [redacted:private-key]\n-x\n+y\n");
        for other in ["+abcd2\n", "+\n", "-abc\n", "@@ -3 +3 @@\n"] {
            assert_eq!(masked(other), other);
        }
    }

    #[test]
    fn the_line_in_a_hunks_header_is_masked_like_any_other() {
        let header = |context: &str| format!("@@ -3,2 +3,2 @@ {context}\n");
        let env = |context: &str| masked(".env", &header(context)).0;
        assert_eq!(env("API_TOKEN=a1b2c3d4e5f6"), header("API_TOKEN=[redacted:env-secret]"));
        assert_eq!(env("URL=postgres://app:hunter2@db"), header("URL=postgres://app:[redacted:env-secret]@db"));
        assert_eq!(env("PORT=8080"), header("PORT=8080"));
        // git cuts the line after 80 bytes, and what is left of a credential is a part of one.
        let long = format!("COMMENT_THAT_GOES_ON_AND_ON_AND_ON_{}API_TOKEN=a1b2c3", "AND_ON_".repeat(4));
        assert_eq!(long.len(), 79);
        assert_eq!(env(&long), header(&(long.split_once('=').unwrap().0.to_owned() + "=[redacted:env-secret]")));
        let before = "let a_name_that_is_rather_long_and_leaves_little_room_for_what_it_is = \"";
        for (start, kind) in [("ghp_", "github-token"), ("glpat-", "gitlab-token"), ("npm_", "npm-token")] {
            let cut: String = format!("{before}{start}{}", random(36)).chars().take(80).collect();
            assert_eq!(masked("a.rs", &header(&cut)).0, header(&format!("{before}[redacted:{kind}]")), "{cut}");
        }
        let harmless = format!("{before}ghp_x\"");
        assert_eq!(masked("a.rs", &header(&harmless)).0, header(&harmless));
    }

    #[test]
    fn env_files_are_read_by_name_and_by_randomness() {
        for (line, expected) in [
            ("+API_TOKEN=a1b2c3d4e5f6", "+API_TOKEN=[redacted:env-secret]"),
            ("-export DB_PASSWORD=\"s3cr3t-horse-st4ple\"", "-export DB_PASSWORD=\"[redacted:env-secret]\""),
            (
                " DATABASE_URL=postgres://app:hunter2@db/app",
                " DATABASE_URL=postgres://app:[redacted:env-secret]@db/app",
            ),
            ("+SALT=9fQ2xLw8Zr5TyU1oPkJh7G", "+SALT=[redacted:env-secret]"),
        ] {
            assert_eq!(masked("deploy/.env.production", line).0, expected);
            assert_eq!(masked("deploy/env.rs", line).0, line);
        }
        for line in [
            "+PORT=8080",
            "+API_TOKEN=",
            "+API_TOKEN=${FROM_ELSEWHERE}",
            "+API_TOKEN=<your token here>",
            "+API_TOKEN=changeme",
            "+TENANT=123e4567-e89b-12d3-a456-426614174000",
            "+GIT_SHA=d670460b4b4aece5915caf5c68d12f560a9fe3e4",
            "+URL=https://example.org/a/b?c=d",
            "+# SECRET_TOKEN is set by the platform",
            "+APP_NAME=my application 2",
        ] {
            assert_eq!(masked(".env", line).0, line);
        }
    }

    #[test]
    fn ordinary_code_passes() {
        let base64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
        for line in [
            "+checksum = \"d670460b4b4aece5915caf5c68d12f560a9fe3e4\"",
            "+    \"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\",",
            "+const ID: &str = \"123e4567-e89b-12d3-a456-426614174000\";",
            &format!("+const PIXEL: &str = \"{base64}\";"),
            "+sk-fade-in-and-out-with-a-long-name-for-a-class-of-css { }",
            "+task-projector-configuration-with-many-words-in-it",
            "+token = os.environ[\"GITHUB_TOKEN\"]",
            "+ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "+npm_config_registry=https://registry.example.org/",
            "+AKIAIOSFODNN7EXAMPLE",
            "+if text.contains(\"-----BEGIN RSA PRIVATE KEY-----\") { parse(text) }",
            "+let eyJustAVariable = 1;",
            "+password = \"hunter2\"",
            "+fn a_very_long_function_name_that_goes_on_and_on_and_on_for_ever_0() {}",
        ] {
            assert_eq!(masked("src/a.rs", line), (line.to_owned(), vec![]));
        }
    }

    #[test]
    fn each_kind_is_told_once_for_a_file() {
        let token = format!("gh{}{}", "p_", random(36));
        let (text, kinds) = masked("a", &format!("+{token} {token}\n-{token}\n"));
        assert_eq!(text.matches("[redacted:github-token]").count(), 3);
        assert_eq!(kinds, ["github-token"]);
    }
}
