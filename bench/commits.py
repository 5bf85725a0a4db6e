"""`python -m bench.commits`: check that the subjects of new commits have at most 72 characters.

Checks the commits since the last tag; without a tag, those since the commit from which on the limit applies.
"""

import subprocess
import sys

MAX_SUBJECT = 72
FIRST_UNCHECKED = "3f49c51"
"""The last commit before the limit was introduced, in a repository without tags."""


def git(*arguments: str) -> str | None:
    """The output of a git command; None if it fails, as in a source archive or a shallow clone."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def main() -> int:
    """Print every subject that is too long; the exit code says whether there is one."""
    start = git("describe", "--tags", "--abbrev=0") or FIRST_UNCHECKED
    log = git("log", "--format=%h %s", f"{start}..HEAD")
    long = [line for line in (log or "").splitlines() if len(line.partition(" ")[2]) > MAX_SUBJECT]
    for line in long:
        print(f"commit {line}: the subject is longer than {MAX_SUBJECT} characters")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
