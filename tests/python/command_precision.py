#!/usr/bin/env python3
"""anemone precision and anemone.precision: a projection that leaves fp16 is named and a power of two restores what float64 in
NumPy says; what cannot be measured is refused by name; the session of docs/language_models.md.

Usage: command_precision.py [PROGRAM] [--update]"""

import json
import pathlib
import re
import sys
import tempfile

import numpy
from _harness import ROOT, command, expect, run, verdict
import _language_model as models

PROGRAM = command()
PAGE = ROOT / "docs" / "language_models.md"
MARK = "<!-- precision -->\n"


def measured(folder, model, *arguments, status=0):
    told = run(PROGRAM, ["precision", model, "--json", *arguments], folder)
    found = json.loads(told.stdout)
    wanted = int(found["whole"]["flips"] > 0) if status is None else status
    expect(told.returncode == wanted, f"{arguments}: {told.returncode} {told.stderr}")
    return found


def refused(folder, words, *arguments):
    told = run(PROGRAM, ["precision", *arguments], folder)
    expect(told.returncode == 2 and words in told.stderr, f"{arguments}: {told.returncode} {told.stderr}")


def figures(folder, tokens):
    """Pieces, bounds on the work, and a model that fp16 holds."""
    found = measured(folder, "model", "-d", "tokens.npy", "--context", "10", "--backend", "cpu", "--quick", status=None)
    expect(found["whole"]["positions"] == tokens.size and found["texts"] == 6, f"{found['whole']}")
    expect(found["layers"] == [] and found["proposals"] == [], "--quick runs no layer alone")
    expect(0 < found["whole"]["mean_kl"] < 1e-4 and found["whole"]["flips"] <= 2, f"{found['whole']}")  # nearly equal logits
    few = measured(folder, "model", "-d", "tokens.txt", "--positions", "7", "--quick", status=None)
    expect(few["whole"]["positions"] == 7 and few["backend"] == "oracle H13", f"{few['whole']}")


def what_breaks(folder, broken, tokens, c):
    """A down-projection that leaves fp16: it is named, and what is recommended says the tokens of NumPy."""
    found = measured(folder, "broken", "-d", "tokens.npy", "--backend", "cpu", status=1)
    first = found["errors"][found["first"]]
    expect((first["layer"], first["part"], first["overflows"]) == (1, "down", True), f"{first}")
    by_part = {each["part"]: each["alone"] for each in found["parts"]}
    expect(by_part["down"]["not_finite"] > 0 and by_part["query"]["flips"] == by_part["value"]["flips"] == 0, f"{by_part}")
    largest = max(each["largest"] for each in found["errors"] if each["part"] == "down")
    expect(65504 < largest, f"{largest}")
    expect(found["needs_change"] and found["restored"], f"{found['recommended']}")
    best = found["proposals"][found["recommended"]]
    expect(best["change"] == "scaled sums" and best["after"]["flips"] == 0 and best["scaled"] >= 1, f"{best}")
    logits = models.logits_of(c, {name: array.astype(numpy.float64) for name, array in broken.items()}, tokens)
    expect(numpy.isfinite(logits).all() and logits.shape[:2] == tokens.shape, "float64 holds it")


def what_cannot_be(folder, tokens):
    numpy.save(folder / "floats.npy", tokens + 0.5)
    numpy.save(folder / "beyond.npy", tokens + 1)
    numpy.save(folder / "cube.npy", tokens[None])
    numpy.save(folder / "empty.npy", numpy.zeros((0,), numpy.int32))
    refused(folder, "which is no token", "model", "-d", "floats.npy")
    refused(folder, "is 32, must be from 0 to 31", "model", "-d", "beyond.npy")
    refused(folder, "has 3 axes", "model", "-d", "cube.npy")
    refused(folder, "there are none", "model", "-d", "empty.npy")
    refused(folder, "one of them", "model")
    refused(folder, "nowhere", "nowhere", "-d", "tokens.npy")
    refused(folder, "which has no layers to look at", "model", "-d", "tokens.npy", "--backend", "engine:h13")
    refused(folder, "--max-memory allows 100000", "model", "-d", "tokens.npy", "--max-memory", "100000")
    (folder / "bare").mkdir()
    (folder / "bare" / "config.json").write_bytes((folder / "model" / "config.json").read_bytes())
    refused(folder, "with all its weights", "bare", "-d", "tokens.npy")


def session(folder):
    line = "anemone precision broken --data tokens.npy --backend oracle:h13"
    told = run(PROGRAM, line.split()[1:], folder)
    expect(told.returncode == 1, told.stderr)
    text = PAGE.read_text()
    wanted = f"{MARK}\n    $ {line}\n" + "".join(f"    {row}".rstrip() + "\n" for row in told.stdout.splitlines()) + f"\n{MARK}"
    updated = re.sub(re.escape(MARK) + ".*" + re.escape(MARK), lambda _: wanted, text, flags=re.DOTALL)
    if "--update" in sys.argv:
        PAGE.write_text(updated)
    expect(updated == PAGE.read_text() and MARK in text, "docs/language_models.md has another session; --update writes it")


def in_python(folder, tokens):
    try:
        from _module import anemone
    except SystemExit:
        return
    found = anemone.precision(folder / "broken", tokens, backend="cpu")
    expect(found.whole.flips > 0 and found.parts["down"].not_finite > 0 and len(found.layers) == 2, f"{found}")
    expect(found.recommended.change == "scaled sums" and found.recommended.after.equal == 1, f"{found}")
    expect("down" in str(found), f"{found}")
    expect(anemone.precision(folder / "model", tokens[0], quick=True).recommended is None, "nothing was tried")
    for wrong in (tokens + 0.5, tokens[None]):
        try:
            anemone.precision(folder / "model", wrong)
            expect(False, f"{wrong.dtype} {wrong.shape} is taken")
        except TypeError as error:
            expect("whole numbers" in str(error), f"{error}")


def main():
    c = models.configuration()
    weights = models.random_weights(c, 3)
    broken = dict(weights)
    for name, factor in (("up_proj", 16), ("down_proj", 20000)):
        place = f"model.layers.1.mlp.{name}.weight"
        broken[place] = (weights[place].astype(numpy.float64) * factor).astype(numpy.float16)
    tokens = numpy.random.default_rng(1).integers(0, 31, (2, 30))
    tokens[0, 0] = 31
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        models.write(folder / "model", c, weights)
        models.write(folder / "broken", c, broken)
        numpy.save(folder / "tokens.npy", tokens)
        (folder / "tokens.txt").write_text(",".join(map(str, tokens[0])))
        figures(folder, tokens)
        what_breaks(folder, broken, tokens, c)
        what_cannot_be(folder, tokens)
        session(folder)
        in_python(folder, tokens)
    return verdict("precision of a language model")


if __name__ == "__main__":
    sys.exit(main())
