#!/usr/bin/env python3
"""A model that PyTorch trained, in the arithmetic of two chips, bit by bit: 64 greedy tokens are those of double precision.
In ./run test --all.

Usage: generated_on_chips.py [path to anemone]"""

import json
import pathlib
import sys
import tempfile

from _harness import command, expect, run, skip, verdict

try:
    import torch  # noqa: F401
except ImportError:
    skip("no PyTorch")
import _language_model as models


def main():
    program = command()
    c, weights, prompt, wanted = models.rhyming()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        models.write(folder / "model", c, weights)
        for chip in ("h13", "h17s"):
            for caches in ("inputs", "states"):
                told = run(program, ["generate", "model", "--tokens", ",".join(map(str, prompt)), "-n", "64", "--context", "96",
                                     "--chunk", "8", "--caches", caches, "--backend", f"oracle:{chip}", "--json"], folder)
                found = json.loads(told.stdout)["tokens"] if told.returncode == 0 else told.stderr
                expect(found == wanted, f"{chip}, {caches}: {found} instead of {wanted}")
    return verdict("4 generations")


if __name__ == "__main__":
    sys.exit(main())
