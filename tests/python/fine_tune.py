#!/usr/bin/env python3
"""The commands of examples/fine_tune/README.md do what it says.

Usage: fine_tune.py [PROGRAM]; PROGRAM is the one of ANEMONE_BUILD_DIR where none is given."""

import pathlib
import re
import shlex
import shutil
import sys
import tempfile

from _harness import ROOT, command, expect, run, skip, verdict

try:
    import numpy  # noqa: F401
except ImportError:
    skip("NumPy is missing")


def main():
    program = command()
    page = (ROOT / "examples" / "fine_tune" / "README.md").read_text()
    lines = [shlex.split(line) for line in re.findall(r"^    \$ (.*)$", page, re.MULTILINE)]
    expect(len(lines) == 4, f"{len(lines)} commands")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "fine_tune"
        folder.mkdir()
        (folder.parent / "pytorch").mkdir()
        shutil.copy(ROOT / "examples" / "fine_tune" / "draw.py", folder)
        shutil.copy(ROOT / "examples" / "pytorch" / "cnn.onnx", folder.parent / "pytorch")
        for line in lines:
            done = run(sys.executable if line[0] == "python3" else program, line[1:], folder)
            expect(done.returncode == 0, f"{line}: {done.stdout}{done.stderr}")
            if line[1] == "train":
                expect("4 weights trained, 2 as they were" in done.stdout, done.stdout)
                accuracy = re.search(r"accuracy (\S+) at step", done.stdout)
                expect(accuracy and float(accuracy[1]) > 0.9, done.stdout)
                steps = re.findall(r"^a step on (\S+).*? (\d+) dispatch", done.stdout, re.MULTILINE)
                expect(len(steps) > 9 and {count for _, count in steps} == {"1"}, f"{steps}")  # the pools' gradients too
        expect((folder / "curves.svg").exists() and (folder / "tuned.mlpackage").is_dir(), "what is written")
    return verdict("the page of fine-tuning")


if __name__ == "__main__":
    sys.exit(main())
