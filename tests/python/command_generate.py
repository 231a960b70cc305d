#!/usr/bin/env python3
"""anemone generate: a model that PyTorch trained says 64 tokens as double precision does, by caches of both forms, in chunks,
programs of one layer, a head in parts, with drafts; prompts come from arguments and files; what cannot be is refused.

Usage: command_generate.py [path to anemone]"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import numpy
from _harness import ROOT, command, expect, run, skip, verdict

try:
    import torch  # noqa: F401
except ImportError:
    skip("no PyTorch")
import _language_model as models

PROGRAM = command()


def generated(folder, tokens, *arguments, refused=None):
    """What the command says as JSON; or that it refuses, in these words."""
    told = run(PROGRAM, ["generate", "model", "--tokens", ",".join(map(str, tokens)), "--json", *arguments], folder)
    if refused is not None:
        expect(told.returncode == 2 and refused in told.stderr, f"{arguments}: {told.returncode} {told.stderr}")
        return None
    expect(told.returncode == 0, f"{arguments}: {told.returncode} {told.stderr}")
    return json.loads(told.stdout) if told.returncode == 0 else {"tokens": []}


def says_what_double_precision_does(folder, c, prompt, wanted):
    half = models.random_weights({**c, "num_hidden_layers": 1}, 5)
    models.write(folder / "draft", {**c, "num_hidden_layers": 1}, half)
    for arguments in ([], ["--caches", "states", "--chunk", "4"], ["--layers-per-program", "1", "--head-parts", "3", "--rows", "4"],
                      ["--lookup", "3"], ["--draft", "draft", "--chunk", "8"], ["--draft", "model", "--caches", "states"]):
        found = generated(folder, prompt, "-n", "64", "--context", "100", *arguments)
        expect(found["tokens"] == wanted, f"{arguments}: {found['tokens']} instead of {wanted}")
        expect(found["ended_by"] == "max_tokens" and found["prompt_tokens"] == len(prompt), f"{found}")
        if "model" in arguments:  # a draft by the model itself: 8 tokens a step
            expect(found["accepted"] == found["proposed"] and found["steps"] == 8, f"{found}")
        if not arguments:
            expect(found["steps"] == 63 and found["proposed"] == 0, f"{found}")


def prompts_and_text(folder, prompt, wanted):
    (folder / "prompt.txt").write_text("\n".join(map(str, prompt)) + "\n")
    numpy.save(folder / "prompt.npy", numpy.array(prompt, numpy.int32))
    for place in ("prompt.txt", "prompt.npy", "@prompt.npy"):
        told = run(PROGRAM, ["generate", "model", f"--tokens={place}", "-n", "5"], folder)
        expect(told.stdout == ",".join(map(str, wanted[:5])) + "\n", f"{place}: {told.stdout}{told.stderr}")
        expect(f"{len(prompt)} tokens of the prompt" in told.stderr and "tokens/s" in told.stderr, told.stderr)
    drawn = [generated(folder, prompt, "-n", "20", "--temperature", "3", "--seed", str(seed))["tokens"] for seed in (1, 1, 2)]
    expect(drawn[0] == drawn[1] != drawn[2], f"draws are those of their seed: {drawn}")
    expect(generated(folder, prompt, "-n", "20", "--temperature", "3", "--top-k", "1")["tokens"] == wanted[:20], "top-k of 1")
    end = generated(folder, prompt, "-n", "64", "--stop", f"{wanted[7]},31")
    expect(end["tokens"] == wanted[:wanted.index(wanted[7])] and end["ended_by"] == "stop", f"{end}")
    full = generated(folder, prompt, "--context", str(len(prompt) + 3))
    expect(full["tokens"] == wanted[:4] and full["ended_by"] == "context", f"{full}")


def text_of_a_tokenizer(folder):
    """Where the plug-in was built: its own tokenizer, of 24 pieces, beside a model of 24 tokens."""
    made = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", PROGRAM.parents[1])) / "lib" / "anemone"
    (folder / "text").mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / "text" / name).write_bytes((ROOT / "tests" / "c" / "tiny_llama" / name).read_bytes())
    told = run(PROGRAM, ["generate", "text", "--text", "a bee"], folder)
    expect(told.returncode == 2 and "has no tokenizer.model" in told.stderr, told.stderr)
    (folder / "text" / "tokenizer.model").write_bytes((ROOT / "tests" / "c" / "tokenizer.model").read_bytes())
    told = run(PROGRAM, ["generate", "text", "--text", "a bee saw", "-n", "4", "--json"], folder)
    if not list(made.glob("anemone_sentencepiece*")):
        expect(told.returncode == 2 and "built without SentencePiece" in told.stderr, told.stderr)
        return
    expect(told.returncode == 0, told.stderr)
    found = json.loads(told.stdout)
    pieces = ",,, a,sa, b, sa, be, saw,ab,ad, c, d, w, bed, cab, ,a,d,b,e,w,s,c".split(",")  # <unk>, <s> and </s> are no text
    expect(found["prompt_tokens"] == 5, f"<s>, a, be, e, saw: {found}")
    expect(found["text"].strip() == "".join(pieces[each] for each in found["tokens"]).strip(), f"{found}")
    plain = run(PROGRAM, ["generate", "text", "--text", "a bee saw", "-n", "4"], folder)
    expect(plain.stdout.strip() == found["text"].strip(), f"{plain.stdout!r} {found}")
    # The plug-in moves with the program, and no other folder is looked into: neither the build's nor the working folder.
    moved = folder / "elsewhere" / "bin" / PROGRAM.name
    moved.parent.mkdir(parents=True)
    shutil.copy(PROGRAM, moved)
    (folder / "lib").mkdir()
    shutil.copytree(made, folder / "lib" / "anemone")
    told = run(moved, ["generate", "text", "--text", "a bee saw", "-n", "4"], folder)
    expect(told.returncode == 2 and "its plug-in (lib/anemone) was left behind" in told.stderr, told.stderr)
    shutil.copytree(made, folder / "elsewhere" / "lib" / "anemone")
    told = run(moved, ["generate", "text", "--text", "a bee saw", "-n", "4"], folder)
    expect(told.stdout == plain.stdout, f"{told.stdout!r} {told.stderr}")
    (folder / "text" / "tokenizer.model").write_bytes(b"none")
    told = run(PROGRAM, ["generate", "text", "--tokens", "1"], folder)
    expect(told.returncode == 2 and "is no SentencePiece model" in told.stderr, told.stderr)


def what_cannot_be(folder, prompt):
    generated(folder, [32], refused="token 0: is 32, must be from 0 to 31, the last of the vocabulary")
    generated(folder, prompt, "--context", "4", refused=f"context: has room for 4 tokens, there are {len(prompt)}")
    generated(folder, prompt, "--temperature", "-1", refused="--temperature: is -1, allowed are 0 to")
    generated(folder, prompt, "--caches", "none", refused="must be inputs or states")
    generated(folder, prompt, "--draft", "text", refused="--draft: has a vocabulary of 24 tokens, the model of 32")
    generated(folder, prompt, "--draft", "draft", "--lookup", "2", refused="give one of them")
    generated(folder, prompt, "--max-memory", "100000", "--context", "100000", refused="--max-memory allows 100000")
    generated(folder, ["x"], refused="--tokens: 'x' is no token")
    generated(folder, ["missing.npy"], refused="missing.npy: the file does not exist")
    told = run(PROGRAM, ["generate", "model"], folder)
    expect(told.returncode == 2 and "one of them is the prompt" in told.stderr, told.stderr)
    told = run(PROGRAM, ["generate", "nowhere", "--tokens", "1"], folder)
    expect(told.returncode == 2 and "nowhere" in told.stderr, told.stderr)
    (folder / "bare").mkdir()
    (folder / "bare" / "config.json").write_bytes((folder / "model" / "config.json").read_bytes())
    told = run(PROGRAM, ["generate", "bare", "--tokens", "1"], folder)
    expect(told.returncode == 2 and "with all its weights" in told.stderr, told.stderr)


def ends_by_a_signal(folder):
    """Control-C: what was computed is there, and the program ends as by the signal."""
    with subprocess.Popen([PROGRAM, "generate", "model", "--tokens", "1", "-n", "100000", "--context", "100001", "--chunk", "4"],
                          cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as going:
        first = going.stdout.read(4)
        going.send_signal(signal.SIGINT)
        rest, said = going.communicate()
    expect(going.returncode == -signal.SIGINT, f"{going.returncode} {said}")
    expect(b"," in first + rest and b"error" not in said, f"{first} {said}")


def main():
    c, weights, prompt, wanted = models.rhyming()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        models.write(folder / "model", c, weights)
        says_what_double_precision_does(folder, c, prompt, wanted)
        prompts_and_text(folder, prompt, wanted)
        text_of_a_tokenizer(folder)
        what_cannot_be(folder, prompt)
        ends_by_a_signal(folder)
    return verdict("generations")


if __name__ == "__main__":
    sys.exit(main())
