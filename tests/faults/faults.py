#!/usr/bin/env python3
"""Runs the command where memory, files and the process itself fail at the n-th call (tests/faults/failing_calls.c).

usage: faults.py <command> <library> [--all] [--stride n]

Whatever fails: no signal ends the command, its exit code is one of its own, a failure is told in a sentence, and neither a
temporary file nor half of a file is left. The short form takes a prime stride over n, the whole one every n up to 2,000.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

MIL = (pathlib.Path(__file__).parent / "model.mil").read_text()
# What is asked, and what it writes.
COMMANDS = [
    (["check", "m.mil", "-f", "json", "-o", "found.json"], ["found.json"]),
    (["check", "m.mil", "-f", "html", "-o", "found.html"], ["found.html"]),
    (["run", "m.mil", "--seed", "1", "-o", "y.npz"], ["y.npz"]),
    (["run", "m.mil", "-b", "oracle:h13"], []),
    (["diff", "m.mil"], []),
    (["diff", "m.mil", "--reference", "f64", "--json"], []),
    (["cost", "m.mil", "--layers"], []),
    (["placement", "m.mil", "--batches", "4"], []),
    (["timeline", "m.mil", "--svg", "t.svg"], ["t.svg"]),
    (["optimize", "m.mil", "--prove", "-o", "faster"], ["faster"]),
    (["compress", "m.mil", "--random-runs", "2", "--most-loss", "1", "-o", "small"], ["small"]),
    (["draw", "m.mil", "-o", "m.svg"], ["m.svg"]),
    # Arguments too long to be copied without memory, which the parser does where it cannot throw.
    (["check", "a_model_of_a_long_name.mil", "--targets=h13,h14,h15,h16", "-q"], []),
    (["cost", "a_model_of_a_long_name.mil", "--there-is-no-such-option"], []),
    (["there_is_no_such_subcommand"], []),
    (["check", "--help"], []),
    (["convert", "m.mil", "--to", "mil", "-o", "as_mil"], ["as_mil"]),
    (["convert", "m.mil", "--to", "netplist", "-o", "as_netplist"], ["as_netplist"]),
    (["convert", "m.mil", "--to", "mlpackage", "-o", "p.mlpackage"], ["p.mlpackage"]),
    (["convert", "m.mil", "--to", "cpp", "-o", "m.hpp"], ["m.hpp"]),
    (["check", "p.mlpackage", "-q"], []),
    (["check", "as_mil", "-q"], []),
    (["run", "as_netplist"], []),
    (["bench", "m.mil", "--seconds", "0.001", "--no-limits", "--json"], []),
    (["targets"], []),
    (["rules", "R030"], []),
    (["manual"], []),
    (["completions", "bash"], []),
]
MOST = 2000  # allocations; calls of files are fewer
SENTENCE = re.compile(r"^(error|warning|note)\b|: error: |error: memory")


class Harness:
    def __init__(self, command, library, every):
        self.command = str(pathlib.Path(command).resolve())
        self.library = str(pathlib.Path(library).resolve())
        self.every = every
        self.wrong = []
        self.runs = 0

    def run(self, arguments, folder, fail=None, counts=None):
        environment = dict(os.environ, LD_PRELOAD=self.library, ANEMONE_THREADS="1")
        environment.pop("ANEMONE_FAIL", None)
        if fail:
            environment["ANEMONE_FAIL"] = fail
        if counts:
            environment["ANEMONE_FAIL_COUNTS"] = counts
        self.runs += 1
        return subprocess.run([self.command, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def blame(self, arguments, fail, what):
        self.wrong.append(f"ANEMONE_FAIL={fail} anemone {' '.join(arguments)}: {what}")

    def counts(self, arguments, folder):
        file = str(folder / "counts")
        done = self.run(arguments, folder, counts=file)
        if done.returncode not in (0, 1) and "there_is_no" not in " ".join(arguments).replace("-", "_"):
            self.blame(arguments, "", f"exit code {done.returncode}: {done.stderr.decode()}")
        lines = pathlib.Path(file).read_text().split("\n")
        os.remove(file)
        return {name: int(count) for name, count in (line.split() for line in lines if line)}

    def judge(self, arguments, written, folder, fail, done, before):
        """What must hold after a run in which something failed."""
        if done.returncode < 0:
            return self.blame(arguments, fail, f"ended by {signal.Signals(-done.returncode).name}: "
                                               f"{done.stderr.decode(errors='replace').strip()[:200]}")
        if done.returncode not in (0, 1, 2):
            self.blame(arguments, fail, f"exit code {done.returncode}")
        if done.returncode == 2 and not SENTENCE.search(done.stderr.decode(errors="replace")):
            self.blame(arguments, fail, f"no sentence: {done.stderr!r}")
        if re.search(r"No such file|cannot be found|does not exist", done.stderr.decode(errors="replace")):
            self.blame(arguments, fail, f"says of what is there that it is missing: {done.stderr!r}")
        left = [name for name in os.listdir(folder) if name.startswith(".")]
        if left:
            self.blame(arguments, fail, f"left {left}")
            for name in left:
                remove(folder / name)
        for name in written:
            path = folder / name
            is_judged = done.returncode == 1 and is_whole_report(path)  # that the model cannot be read
            if path.is_file() and path.read_bytes() != before[name] and not is_judged:
                self.blame(arguments, fail, f"half of {name} is there")
        return None

    def every_n(self, count):
        if self.every == 1:
            return range(1, count + 1)
        return sorted({1, 2, 3, *range(self.every // 2, count + 1, self.every), count} - {0})


def is_whole_report(path):
    if path.suffix == ".json":
        try:
            return "unreadable" in str(json.loads(path.read_text()))
        except (OSError, ValueError):
            return False
    return path.suffix == ".html" and path.is_file() and path.read_text().rstrip().endswith("</html>")


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("library")
    parser.add_argument("--all", action="store_true", help="every n")
    parser.add_argument("--stride", type=int, default=307)
    parser.add_argument("--only", help="a word of the command line")
    given = parser.parse_args()
    harness = Harness(given.command, given.library, 1 if given.all else given.stride)
    with tempfile.TemporaryDirectory(prefix="anemone_faults_") as place:
        folder = pathlib.Path(place)
        (folder / "m.mil").write_text(MIL)
        (folder / "a_model_of_a_long_name.mil").write_text(MIL)
        harness.run(["convert", "m.mil", "--to", "mlpackage", "-o", "p.mlpackage"], folder)
        for arguments, written in COMMANDS:
            if given.only and given.only not in arguments:
                continue
            keeps_package = not {"p.mlpackage", "as_mil", "as_netplist"} & set(written)
            for name in written:
                remove(folder / name)
            counts = harness.counts(arguments, folder)
            whole = {name: (folder / name).read_bytes() if (folder / name).is_file() else None for name in written}
            for later in ("", "+"):
                for n in harness.every_n(min(counts["memory"], MOST)):
                    fail = f"memory:{n}{later}"
                    for name in written:
                        remove(folder / name)
                    done = harness.run(arguments, folder, fail)
                    harness.judge(arguments, written, folder, fail, done, whole)
                    if done.returncode == 0 and later and "check" not in arguments and n + 50 < counts["memory"]:
                        harness.blame(arguments, fail, "went well without memory")
                for what in ("open", "refuse", "write", "rename", "mkdir", "sync"):
                    for n in range(1, counts[what] + 1):
                        fail = f"{what}:{n}{later}"
                        for name in written:
                            remove(folder / name)
                        harness.judge(arguments, written, folder, fail, harness.run(arguments, folder, fail), whole)
            # A process that is killed at any write leaves the old file or the new one.
            for what in ("write", "rename", "sync"):
                for n in range(1, counts[what] + 1):
                    fail = f"{what}:{n}:{int(signal.SIGKILL)}"
                    harness.run(arguments, folder)
                    harness.run(arguments, folder, fail)
                    for name in written:
                        path = folder / name
                        if whole[name] is not None and (not path.is_file() or path.read_bytes() != whole[name]):
                            harness.blame(arguments, fail, f"{name} is neither the old file nor the new one")
                    for name in os.listdir(folder):
                        if name.startswith("."):
                            remove(folder / name)
            for n in range(1, counts["shrink"] + 1):  # a file becomes shorter while it is read
                shutil.copytree(folder, folder / "kept")
                done = harness.run(arguments, folder, f"shrink:{n}")
                harness.judge(arguments, [], folder, f"shrink:{n}", done, whole)
                if done.returncode == 0:
                    harness.blame(arguments, f"shrink:{n}", "went well with a file that ended")
                for name in os.listdir(folder):
                    if name != "kept":
                        remove(folder / name)
                for name in os.listdir(folder / "kept"):
                    (folder / "kept" / name).rename(folder / name)
                (folder / "kept").rmdir()
            if not keeps_package:
                harness.run(arguments, folder)
    for line in harness.wrong[:40]:
        print(line)
    print(f"{harness.runs} runs of the command, {len(harness.wrong)} that failed otherwise than they may")
    return 1 if harness.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
