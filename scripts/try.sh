#!/bin/sh
# Shows stagecoach at work in a scratch repository: stages a change, lets the agent you have (or the offline writer)
# describe it, and prints the commit. Nothing outside the scratch folder is touched.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
program=${STAGECOACH:-$top/target/release/stagecoach}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
git init -q -b main
git config user.name "Scratch"
git config user.email "scratch@example.com"

printf 'pub fn greet() -> &%sstatic str {\n    "hello"\n}\n' "'" >greeting.rs
git add greeting.rs
git commit -q -m "Add a greeting"
printf '# Greeting\n\nSays hello.\n' >README.md
git add README.md
git commit -q -m "Describe the greeting"

printf '\npub fn farewell() -> &%sstatic str {\n    "goodbye"\n}\n' "'" >>greeting.rs
git add greeting.rs
echo "\$ git diff --cached --stat"
git --no-pager diff --cached --stat
echo "\$ stagecoach"
"$program"
echo "\$ git log --oneline"
git --no-pager log --oneline
