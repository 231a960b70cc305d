"""The session of examples/pytorch/README.md is what the command prints on the files beside it: PyTorch's answers.

Usage: pytorch_example.py [PROGRAM] [--update]."""

import shlex
import sys

import _harness
from _harness import ROOT, command, expect, skip, verdict

FOLDER = ROOT / "examples" / "pytorch"
PAGE = FOLDER / "README.md"
PROMPT = "    $ anemone "


def run(program, line):
    return _harness.run(program, shlex.split(line), FOLDER)


def session(program, page):
    """The page with what its commands print now."""
    text, skips = [], False
    for line in page.splitlines():
        if line.startswith(PROMPT):
            done = run(program, line[len(PROMPT):])
            text += [line, *(f"    {row}".rstrip() for row in (done.stdout + done.stderr).splitlines())]
            if done.returncode:
                text += ["    $ echo $?", f"    {done.returncode}"]
            skips = True
        elif not (skips and line.startswith("    ")):
            skips = False
            text.append(line)
    return "\n".join(text) + "\n"


def wrong_answers(program):
    """A comparison can fail: with less than fp16 gives, and with the answers to another question."""
    files = "-i transformer_input.npz --compare transformer_expected.npz"
    expect(run(program, f"run transformer.onnx {files} --atol 0.001").returncode == 1, "0.001 is less than fp16 gives")
    expect(run(program, f"run transformer.onnx {files} --atol 0.05").returncode == 0, "0.05 is what fp16 gives")
    other = run(program, "run transformer_advised.onnx --seed 3 --compare transformer_expected.npz --atol 0.05")
    expect(other.returncode == 1, "random inputs have the same answers")
    swapped = run(program, "run cnn.onnx -i ring.pgm --image-scale 1..0 --compare cnn_expected.npz --atol 0.01")
    expect(swapped.returncode == 1, "the negative of the picture has the same answers")


def main():
    program = command()
    if "without ONNX" in run(program, "check cnn.onnx").stderr:
        skip("the command was built without ONNX")
    page = PAGE.read_text()
    now = session(program, page)
    if "--update" in sys.argv:
        PAGE.write_text(now)
    else:
        expect(page == now, f"{PAGE.name} is not what the command prints; --update writes it:\n{now}")
    expect(page.count(PROMPT) >= 6, "the page has no session")
    wrong_answers(program)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
