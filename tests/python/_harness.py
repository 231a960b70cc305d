"""What the tests of this folder share: the command `anemone`, expectations that are counted, and how a test ends."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # what CTest takes for a test that was left out
PATIENCE = 900  # s, for a program that should end: only one that waits for ever takes longer, however busy the machine is

failures = 0


def expect(truth, what):
    """Counts and prints what is not so."""
    global failures
    if not truth:
        failures += 1
        print(f"FAILED: {what}")


def skip(why):
    """Ends a test that cannot run here."""
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def command():
    """The command `anemone`: the first argument that is no option, or that of ANEMONE_BUILD_DIR. Skips if there is none."""
    given = [each for each in sys.argv[1:] if not each.startswith("--")]
    program = pathlib.Path(given[0] if given else os.environ["ANEMONE_BUILD_DIR"] + "/bin/anemone").resolve()
    if not program.exists():
        skip("the command was not built")
    return program


def run(program, arguments, folder, **how):
    """A program that has ended, with what it said as text; `how` is of subprocess.run."""
    return subprocess.run([program, *arguments], cwd=folder, **{"capture_output": True, "text": True, "timeout": PATIENCE, **how})


def verdict(*counted):
    """Prints what was counted, the failures among it; the exit code of the test."""
    print(", ".join([*counted, f"{failures} failures"]))
    return 1 if failures else 0
