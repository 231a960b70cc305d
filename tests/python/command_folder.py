#!/usr/bin/env python3
"""Every command takes a language model's folder: what convert, optimize and compress make of it gives the logits that double
precision gives, and the others say of it what they say of a file.

Usage: command_folder.py [path to anemone]"""

import json
import pathlib
import sys
import tempfile

import numpy
from _harness import command, expect, run, verdict

import _language_model as models

PROGRAM = command()
CONTEXT = 16


def told(folder, *arguments):
    """What a command says; it must succeed."""
    done = run(PROGRAM, [*arguments], folder)
    expect(done.returncode == 0, f"{arguments}: {done.returncode} {done.stderr}")
    return done.stdout


def write_first_step(folder, c, weights, token):
    """The inputs of a step without anything before it, in in.npz."""
    heads, layers = c["num_key_value_heads"], c["num_hidden_layers"]
    head = c["hidden_size"] // c["num_attention_heads"]
    given = {"x": weights["model.embed_tokens.weight"][[token]], "cosines": numpy.ones((1, head)), "sines": numpy.zeros((1, head)),
             "mask": numpy.append(numpy.full((1, CONTEXT), -40000.0), [[0.0]], 1)}
    for i in range(layers):
        given |= {f"keys_{i}": numpy.zeros((heads, head, CONTEXT)), f"values_{i}": numpy.zeros((heads, CONTEXT, head))}
    numpy.savez(folder / "in.npz", **{name: each.astype(numpy.float16) for name, each in given.items()})


def written_models(folder, wanted):
    """Each form that a folder is written in computes the folder's logits."""
    form = ("--context", str(CONTEXT))
    told(folder, "convert", "model", *form, "--to", "mil", "-o", "as.mil")
    told(folder, "convert", "model", *form, "--to", "mlpackage", "-o", "as.mlpackage")
    told(folder, "convert", "model", *form, "--to", "netplist", "-o", "as_netplist")
    told(folder, "optimize", "model", *form, "-o", "faster.mlpackage")
    said = told(folder, "compress", "model", *form, "-o", "smaller.mlpackage")
    expect("times smaller" in said, f"compress: {said}")
    for path, least in (("model", 0.9999), ("as.mil", 0.9999), ("as.mlpackage", 0.9999), ("as_netplist", 0.9999),
                        ("faster.mlpackage", 0.9999), ("smaller.mlpackage", 0.999)):
        told(folder, "run", path, *(form if path == "model" else ()), "-i", "in.npz", "-o", f"{path}.npz")
        found = numpy.load(folder / f"{path}.npz")["logits"].astype(numpy.float64).ravel()
        near = found @ wanted / numpy.sqrt((found @ found) * (wanted @ wanted))
        expect(near >= least, f"{path}: the logits' cosine is {near}, must be {least} or more")


def reports(folder, layers):
    form = ("--context", str(CONTEXT))
    found = json.loads(told(folder, "diff", "model", *form, "--reference", "f64", "--json"))
    expect("layers" in json.dumps(found), f"diff: {found}")
    drawn = told(folder, "draw", "model", *form, "-o", "model.svg") + (folder / "model.svg").read_text()
    expect(drawn.count("<svg") == 1, "draw writes one picture")
    placed = told(folder, "placement", "model", *form, "-t", "h17s")
    expect("softmax" in placed, f"placement: {placed}")
    expect("requests on h17s" in told(folder, "timeline", "model", *form, "-t", "h17s"), "timeline")
    measured = told(folder, "bench", "model", *form, "--seconds", "0.05", "--no-limits")
    expect(measured.count("linear") >= 7 * layers, f"bench: {measured}")


def main():
    c = models.configuration()
    weights = models.random_weights(c, 1)
    with tempfile.TemporaryDirectory() as above:
        folder = pathlib.Path(above)
        models.write(folder / "model", c, weights)
        write_first_step(folder, c, weights, 5)
        wide = {name: numpy.asarray(each, numpy.float64) for name, each in weights.items()}
        written_models(folder, models.logits_of(c, wide, numpy.array([5]))[-1])
        reports(folder, c["num_hidden_layers"])
    return verdict("every command takes the folder of a language model")


if __name__ == "__main__":
    sys.exit(main())
