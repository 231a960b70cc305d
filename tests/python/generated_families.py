#!/usr/bin/env python3
"""anemone generate on a small random model of each family: its greedy tokens are those of the decoders in float64 of
language_models.py, up to a place where two logits lie within what fp16 tells apart.

Usage: generated_families.py <command>"""

import json
import pathlib
import sys
import tempfile

import language_models as families  # which skips without PyTorch
import numpy
import torch
from _harness import command, expect, run, verdict

COUNT = 12


def greedy(c, tensors, prompt):
    """(the tokens that follow, of each the distance of the two best logits as a part of the best)."""
    text, margins = list(prompt), []
    for _ in range(COUNT):
        decoder = families.gpt2 if c["model_type"] == "gpt2" else families.llama_like
        logits = decoder(c, tensors, torch.tensor(text))[1][-1].numpy()
        second, first = numpy.sort(logits)[-2:]
        margins.append((first - second) / abs(first))
        text.append(int(logits.argmax()))
    return text[len(prompt):], margins


def main():
    program, same = command(), 0
    with tempfile.TemporaryDirectory() as made:
        for number, (name, c) in enumerate(families.CONFIGURATIONS.items()):
            random = numpy.random.default_rng([families.from_environment.seed(), number])
            stored = families.tensors_of(c, random)
            families.write_folder(pathlib.Path(made) / name, c, stored)
            prompt = [int(each) for each in random.integers(0, c["vocab_size"], 7)]
            wanted, margins = greedy(c, {key: torch.from_numpy(a.astype(numpy.float64)) for key, a in stored.items()}, prompt)
            for arguments in ([], ["--caches", "states", "--rows", "4"]):
                told = run(program, ["generate", name, "--tokens", ",".join(map(str, prompt)), "-n", str(COUNT), "--context", "24",
                                     "--chunk", "4", "--json", *arguments], made)
                expect(told.returncode == 0, f"{name}: {told.stderr}")
                found = json.loads(told.stdout)["tokens"] if told.returncode == 0 else []
                at = next((i for i in range(COUNT) if found[i:i + 1] != wanted[i:i + 1]), COUNT)
                expect(at == COUNT or margins[at] < 0.04, f"{name}, {arguments}: {found} instead of {wanted}, {margins}")
                same += at
    return verdict(f"{same} of {2 * COUNT * len(families.CONFIGURATIONS)} tokens before a tie")


if __name__ == "__main__":
    sys.exit(main())
