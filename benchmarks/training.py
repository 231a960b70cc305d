#!/usr/bin/env python3
"""The time and the memory of a training step beside PyTorch's: the same model, batch, loss and optimizer (Adam), on the CPU, with
one thread and with two. Batch norms are those of inference in both.

    benchmarks/training.py [--build build/release] [--models digits,resnet18,transformer] [--threads 1,2] [--steps 10]

Each measurement is a process of its own. Ours is the command `anemone train` for so many steps, less the same for fewer, so that
reading and compiling do not count. Memory is the largest that a process had. PyTorch computes in fp32, as it trains on CPUs;
ours in fp16, as the engine stores values. Prints ratios and passes no judgement."""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy
import torch
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[1]


class Residual(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(),
                                  nn.Conv2d(outside, outside, 3, 1, 1, bias=False), nn.BatchNorm2d(outside))
        self.short = nn.Identity() if stride == 1 and inside == outside else nn.Sequential(
            nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x):
        return torch.relu(self.body(x) + self.short(x))


def resnet18():
    widths = [64, 64, 128, 128, 256, 256, 512, 512]
    blocks = [Residual(a, b, 1 if a == b else 2) for a, b in zip([64] + widths[:-1], widths)]
    return nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def digits():
    return nn.Sequential(nn.Conv2d(1, 16, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, 1, 1), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1568, 64), nn.ReLU(), nn.Linear(64, 10))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n, length, width = x.shape
        def split(y):
            return y.reshape(n, length, self.heads, width // self.heads).transpose(1, 2)
        h = self.norm1(x)
        scores = split(self.query(h)) @ split(self.key(h)).transpose(2, 3) / (width // self.heads) ** 0.5
        a = (torch.softmax(scores, -1) @ split(self.value(h))).transpose(1, 2).reshape(n, length, width)
        x = x + self.out(a)
        return x + self.down(torch.relu(self.up(self.norm2(x))))


def transformer():
    return nn.Sequential(*[Block(256, 4) for _ in range(6)], nn.Linear(256, 64))


# The model, the shape of a batch, and that of its classes.
MODELS = {"digits": (digits, (64, 1, 28, 28), (64,), 10), "resnet18": (resnet18, (8, 3, 224, 224), (8,), 1000),
          "transformer": (transformer, (16, 128, 256), (16, 128), 64)}


def made(name):
    make, shape, labels, classes = MODELS[name]
    torch.manual_seed(1)
    model = make().eval()
    random = numpy.random.default_rng(1)
    return model, random.standard_normal(shape, numpy.float32), random.integers(0, classes, labels)


def torch_step(name, threads, steps):
    """Seconds of a step by PyTorch, the median, and megabytes at most."""
    torch.set_num_threads(threads)
    model, x, labels = made(name)
    x, labels = torch.from_numpy(x), torch.from_numpy(labels)
    by = torch.optim.Adam(model.parameters(), 1e-4)
    loss = nn.CrossEntropyLoss()
    times = []
    for _ in range(steps + 2):
        start = time.perf_counter()
        by.zero_grad()
        y = model(x)
        loss(y.flatten(0, -2), labels.flatten()).backward()
        by.step()
        times.append(time.perf_counter() - start)
    return float(numpy.median(times[2:])), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def our_step(program, folder, name, threads, steps):
    """The same by the command."""
    model, x, labels = made(name)
    path = folder / f"{name}.onnx"
    if not path.exists():
        torch.onnx.export(model, torch.from_numpy(x), str(path), input_names=["x"], output_names=["y"], do_constant_folding=True)
        numpy.savez(folder / f"{name}.npz", x=x, wanted=labels)
    def seconds(count):
        start = time.perf_counter()
        done = subprocess.run([program, "train", path, "-d", folder / f"{name}.npz", "--steps", str(count), "--rate", "0.0001",
                               "--threads", str(threads), "--ordered", "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return time.perf_counter() - start
    few = seconds(2)
    taken = (seconds(2 + steps) - few) / steps
    return taken, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--folder")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    program = (ROOT / given.build / "bin" / "anemone").resolve()
    if given.one:
        who, name, threads = given.one
        found = (torch_step(name, int(threads), given.steps) if who == "torch" else
                 our_step(program, pathlib.Path(given.folder), name, int(threads), given.steps))
        print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory() as folder:
        print(f"PyTorch {torch.__version__}, {os.cpu_count()} processors; Adam, cross entropy")
        print(f"{'model':12} {'threads':>7} {'PyTorch, ms':>12} {'ours, ms':>10} {'ratio':>6} {'PyTorch, MB':>12} {'ours, MB':>9}")
        for name in given.models.split(","):
            for threads in given.threads.split(","):
                def measured(who):
                    done = subprocess.run([sys.executable, __file__, "--build", given.build, "--steps", str(given.steps), "--folder",
                                           folder, "--one", who, name, threads], capture_output=True, text=True)
                    if done.returncode != 0:
                        sys.exit(done.stderr)
                    return json.loads(done.stdout.splitlines()[-1])
                (theirs, their_memory), (ours, our_memory) = measured("torch"), measured("ours")
                print(f"{name:12} {threads:>7} {1e3 * theirs:12.2f} {1e3 * ours:10.2f} {theirs / ours:6.2f} {their_memory:12.0f} "
                      f"{our_memory:9.0f}", flush=True)


if __name__ == "__main__":
    main()
