"""Verdicts of `anemone check` on programs of one operation, against what was measured or reported of that operation on a chip:
which share agrees. At least 95 % must; each that does not is printed.

Usage: agreement.py [PROGRAM] [--list]; PROGRAM is the command of ANEMONE_BUILD_DIR where none is given."""

import collections
import concurrent.futures
import json
import pathlib
import sys
import tempfile

from _agreement_programs import CASES
from _harness import command, expect, run, verdict

SHARE = 0.95


def verdicts_of(program, folder, number, case):
    """Chip by chip, whether the program is accepted; with what was said."""
    path = folder / f"{number}.mil"
    path.write_text(case.text())
    done = run(program, ["check", path, "--targets", ",".join(case.expected), "--format", "json"], folder)
    if not done.stdout:
        return {chip: None for chip in case.expected}, done.stderr
    told = json.loads(done.stdout)
    if not told.get("verdicts"):  # unreadable: refused on every chip
        return {chip: False for chip in case.expected}, done.stdout[:300]
    found = told["observations"] + [v for row in told["verdicts"] for v in row["violations"]]
    said = dict.fromkeys(each["message"][:160] for each in found if each["level"] == "error")
    return {row["target"]: row["accepted"] for row in told["verdicts"]}, "; ".join(said)


def main():
    program = command()
    agree, counted, differ = collections.Counter(), collections.Counter(), []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        jobs = [(case, pool.submit(verdicts_of, program, folder, i, case)) for i, case in enumerate(CASES)]
        for case, job in jobs:
            found, said = job.result()
            for chip, wanted in case.expected.items():
                counted[case.source] += 1
                agree[case.source] += found.get(chip) is wanted
                if found.get(chip) is not wanted:
                    differ.append(f"{case.name} on {chip}: {'taken' if wanted else 'refused'} by {case.source}, "
                                  f"here {found.get(chip)}: {said[:300]}")
    for line in differ:
        print(line)
    for source in sorted(counted):
        print(f"{source}: {agree[source]} of {counted[source]}")
    total = sum(counted.values())
    share = sum(agree.values()) / total
    expect(share >= SHARE, f"{share:.1%} of {total} verdicts agree, {SHARE:.0%} must")
    return verdict(f"{total} verdicts", f"{share:.1%} agree")


if __name__ == "__main__":
    sys.exit(main())
