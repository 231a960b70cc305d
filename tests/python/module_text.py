#!/usr/bin/env python3
"""A folder of sentence-transformers in Python, as docs/text_networks.md has it: rows of the tables by NumPy, an embedding from
anemone.Model, against torch.nn in float64. Ends with 77 where the module was not built, or there is no PyTorch."""

import pathlib
import sys
import tempfile

import numpy
from _harness import expect, skip, verdict
from _module import anemone, refused

try:
    import torch
except ImportError:
    skip("PyTorch is not installed")
from _published_networks import cosine, draw, folder_of
from _text_networks import BERT, NOT_SEEN, Bert, make_sentences, modules, rows_of


def embeds(made):
    network = Bert()
    tensors = draw(network, numpy.random.default_rng(3))
    place = made / "sentences"
    folder_of(place, BERT, tensors)
    make_sentences(place, {"pooling_mode": "mean"}, modules(True))
    tokens = [2, 17, 9, 28, 3]
    with torch.no_grad():
        wanted = network.double()(torch.tensor(tokens))[0].mean(0).numpy()
    x = numpy.zeros((16, 32), numpy.float16)
    x[:len(tokens)] = rows_of(tensors, tokens)
    mask = numpy.where(numpy.arange(16) < len(tokens), 0, NOT_SEEN).astype(numpy.float16)[None]
    model = anemone.Model(place, context=16)
    expect([each.name for each in model.inputs] == ["x", "mask"], f"{model.inputs}")
    found = model.run({"x": x, "mask": mask})["embedding"]
    expect(found.shape == (1, 32) and cosine(found, wanted) >= 0.9999, f"{found.shape}, cosine {cosine(found, wanted)}")
    refused(lambda: anemone.Model(place, context=21), "argument", "context", "21", "20")
    expect(anemone.check("all-MiniLM-L6-v2", targets="h13").accepted, "a known name is no model of Python's")


def main():
    with tempfile.TemporaryDirectory() as made:
        embeds(pathlib.Path(made))
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
