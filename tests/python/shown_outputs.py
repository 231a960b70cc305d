"""What README.md, docs/checks.md and the pages of the examples show is what the programs print.

A shown text may be shortened by "..." and wrapped: what stands between two "..." must occur in the output, in this order, white
space aside. Figures of the CPU backend are those of g++ and a processor with AVX-512, whose products round in another order than
narrower ones: elsewhere only those of the engine's arithmetic are compared."""

import os
import pathlib
import re
import shlex
import sys
import tempfile

from _harness import ROOT, expect, run, skip, verdict

BIN = pathlib.Path(os.environ["ANEMONE_BUILD_DIR"]).resolve() / "bin"
OF_CPU = {"backends", "checkpoint", "difference", "encoder", "linear_solver", "residual_cnn", "stencil"}
# Longer than a moment where nothing is optimised, or never run by the usual test.
LONG = {"compressed_weights", "compression", "curves", "training"}
# With the stand-ins alone, of which another test sets the paths.
OF_STANDINS = {"decoder"}
OPTIONS = {"verdicts": ["--model", "wide_kernel"]}


def wide_processor():
    """Whether the CPU's figures are those of the pages: kernels of AVX-512, as g++ compiles them."""
    try:
        built = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", (BIN.parent / "CMakeCache.txt").read_text(), re.M)
        return " avx512dq " in pathlib.Path("/proc/cpuinfo").read_text() and built is not None and "clang" not in built[1]
    except OSError:
        return False


def flat(text):
    return re.sub(r"\s+", " ", text).strip()


def missing(shown, printed):
    """The first part of a shown text that the output does not have behind the part before it; None where it has all."""
    printed, at = re.sub(r"/\S+/(\w+\.\w+:\d+)", r"\1", flat(printed)), 0  # files by their names
    for part in map(flat, shown.split("...")):
        found = printed.find(part, at)
        if found < 0:
            return part
        at = found + len(part)
    return None


def blocks(text):
    """The indented texts of a page."""
    return [re.sub(r"^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .*\n(?:\s*\n(?=    ))?)+", text, re.M)]


def program_of(name):
    """The command line of an example: a program of its own, or one of them all."""
    if (BIN / f"example_{name}").exists():
        return [BIN / f"example_{name}"]
    return [BIN / "examples", name] if (BIN / "examples").exists() else None


def printed_by(name, options, folder):
    line = program_of(name)
    if line is None:
        return None
    done = run(line[0], [*line[1:], *options], folder)
    return done.stdout + done.stderr


def examples(folder):
    compared = 0
    for page in sorted((ROOT / "docs/examples").glob("*.md")):
        name, text = page.stem, page.read_text()
        output = re.search(r"^## Output\n(.*?)(?=^## |\Z)", text, re.S | re.M)
        shown = blocks(output[1]) if output else [each for each in blocks(text) if "against double precision" in each]
        if not shown or name in LONG | OF_STANDINS or (name in OF_CPU and not wide_processor()):
            continue
        printed = printed_by(name, OPTIONS.get(name, []), folder)
        if printed is None:
            continue
        lost = missing(shown[1] if name == "verdicts" and shown[0].startswith("example_") else shown[0], printed)
        expect(lost is None, f"{page.name} shows what {name} does not print:\n  {lost}\nof:\n{printed}")
        compared += 1
    return compared


def checks(folder):
    """The report of a kernel, and where two chips differ, of the models of an example."""
    shown = blocks((ROOT / "docs/checks.md").read_text())
    for begin, options in (("reject: conv2d", ["--model", "wide_kernel", "--findings", "--target", "h13"]),
                           ("infinity: slice", ["--model", "crop", "--compare", "h13,h17s"])):
        found = [each for each in shown if each.startswith(begin)]
        printed = printed_by("verdicts", options, folder)
        lost = missing(found[0], printed) if len(found) == 1 and printed is not None else None
        expect(len(found) == 1 and lost is None, f"checks.md shows what verdicts does not print:\n  {lost}\nof:\n{printed}")


def readme(folder):
    """The demo, the table of a difference, which a tested page has too, and a session with PyTorch's files."""
    shown = blocks((ROOT / "README.md").read_text())
    demo = [each for each in shown if each.startswith("thirty images")]
    expect(len(demo) == 1, "README.md shows the demo once")
    if (BIN / "example_digits").exists() and wide_processor():
        printed = printed_by("digits", ["build/digits_files"], folder)
        lost = None if printed is None or "same bits" not in printed else missing(demo[0], printed)
        expect(lost is None, f"README.md shows what ./run demo does not print:\n  {lost}\nof:\n{printed}")
    for session in (each for each in shown if each.startswith("$ anemone check") and (BIN / "anemone").exists()):
        for line, told in re.findall(r"^\$ anemone (.*)\n((?:(?!\$ ).*\n?)*)", session, re.M):
            done = run(BIN / "anemone", shlex.split(line), ROOT / "examples/pytorch")
            lost = None if "without ONNX" in done.stderr else missing(told, done.stdout)
            expect(lost is None, f"README.md shows what anemone {line} does not print:\n  {lost}\nof:\n{done.stdout}")
    table = [each for each in shown if each.startswith("node ")]
    expect(len(table) == 1 and missing(table[0], (ROOT / "docs/examples/difference.md").read_text()) is None,
           "README.md's table of a difference is not that of docs/examples/difference.md")


def main():
    expect(missing("a b ... d", "a  b\nc d") is None and missing("a ... c d", "c d a") == "c d", "the comparison")
    if not (BIN / "example_hello").exists():
        skip("the examples were not built")
    stand_ins = {name: os.environ.pop(name) for name in ("ANEMONE_E5RT", "ANEMONE_OBJC") if name in os.environ}
    with tempfile.TemporaryDirectory() as folder:
        compared = examples(pathlib.Path(folder))  # which show what a machine without an engine prints
        checks(pathlib.Path(folder))
        os.environ.update(stand_ins)  # as ./run demo has them
        readme(pathlib.Path(folder))
    expect(compared > 0, "no page has an output")
    return verdict(f"{compared} pages")


if __name__ == "__main__":
    sys.exit(main())
