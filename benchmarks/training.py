#!/usr/bin/env python3
"""The time and the memory of a training step beside PyTorch's: the same model, batch, loss and optimizer (Adam), on the CPU, with
one thread and with two. Batch norms are those of inference in both.

    benchmarks/training.py [--build build/release] [--models digits,resnet18,transformer] [--threads 1,2] [--rounds 3]
        [--blas FOLDER] [--page]

PyTorch runs eagerly and as a trace (TorchScript), with the BLAS of the system and, with --blas, with the libblas.so.3 of a folder:
Debian's default is the reference implementation. Ours runs through the C interface, whose library has to be built
(-DANEMONE_BUILD_C=ON). Each measurement is a process of its own; the contenders take turns, and of each the shortest step counts, for
others may use the machine: with one thread by the processor's time, with more by the clock. Memory is the largest that a process had. PyTorch computes in fp32, as it trains on CPUs;
ours in fp16, as the engine stores values. Prints ratios to the fastest PyTorch and passes no judgement. --page writes the table into
docs/training.md."""

import argparse
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy

if "ours" not in sys.argv:  # whose process is without it
    import torch
    from torch import nn
else:
    class nn:
        Module = object

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_SECONDS = 6  # of the steps of a process


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


def clock(threads):
    """Of one thread the processor's time: others may use the machine."""
    return time.process_time if threads == 1 else time.perf_counter


def until_enough(step, now):
    """The shortest of some steps, behind two that warm up."""
    times = []
    while len(times) < 4 or (len(times) < 60 and sum(times) < MOST_SECONDS):
        start = now()
        step()
        times.append(now() - start)
        if times[0] > MOST_SECONDS / 3 and len(times) > 1:
            break
    return min(times[2:] or times[1:])


def largest_memory():
    """Megabytes, of this program alone: getrusage counts those of the one that started it too."""
    return int(re.search(r"VmHWM:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) / 1024


def torch_step(name, threads, traced):
    """Seconds of a step by PyTorch, and megabytes at most."""
    torch.set_num_threads(threads)
    model, x, labels = made(name)
    x, labels = torch.from_numpy(x), torch.from_numpy(labels)
    by = torch.optim.Adam(model.parameters(), 1e-4)
    loss = nn.CrossEntropyLoss()
    called = torch.jit.trace(model, x, check_trace=False) if traced else model

    def step():
        by.zero_grad()
        y = called(x)
        loss(y.flatten(0, -2), labels.flatten()).backward()
        by.step()

    return until_enough(step, clock(threads)), largest_memory()


# ---- the C interface, as include/anemone/c/anemone.h has it ----------------------------------------------------------------


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int32), ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class Samples(ctypes.Structure):
    _fields_ = [("arrays", ctypes.POINTER(Array)), ("array_count", ctypes.c_size_t), ("count", ctypes.c_size_t)]


def structure(name):
    """A structure of the header, by its members."""
    types = {"size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64, "int64_t": ctypes.c_int64, "int": ctypes.c_int,
             "double": ctypes.c_double}
    header = (ROOT / "include/anemone/c/anemone.h").read_text()
    body = re.search(r"typedef struct " + name + r" \{\n(.*?)\n\} " + name + ";", header, re.DOTALL)[1]
    members = re.findall(r"^ {4}([^;/]*?)(\w+);(?:\s*/\*\*<.*?\*/)?", body, re.DOTALL | re.MULTILINE)
    fields = [(member, types.get(declared.strip(), ctypes.c_void_p)) for declared, member in members]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


TOLD = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


def our_step(library, folder, name, threads):
    """The same by ours: from one step's end to the next one's."""
    c = ctypes.CDLL(str(library))
    c.anemone_error.restype = ctypes.c_char_p

    def checked(status):
        if status != 0:
            sys.exit(c.anemone_error().decode())

    data = numpy.load(folder / f"{name}.npz")
    kept = {key: numpy.ascontiguousarray(data[key], numpy.float32) for key in ("x", "wanted")}
    arrays = (Array * 2)(*[(key.encode(), 3, each.ctypes.data, each.nbytes) for key, each in kept.items()])
    samples = Samples(arrays, 2, len(kept["x"]))
    how = structure("anemone_training")()
    how.size = ctypes.sizeof(how)
    how.data = ctypes.cast(ctypes.pointer(samples), ctypes.c_void_p)
    how.rate, how.threads, how.ordered = 1e-4, threads, 1
    ends = []
    now = clock(threads)
    told = TOLD(lambda context, moment: ends.append(now()))
    model, plan = ctypes.c_void_p(), ctypes.c_void_p()
    checked(c.anemone_open(str(folder / f"{name}.onnx").encode(), None, ctypes.byref(model)))
    how.steps = 4
    checked(c.anemone_train(model, ctypes.byref(how), told, None, ctypes.byref(plan)))
    c.anemone_plan_free(plan)
    first = min(b - a for a, b in zip(ends, ends[1:]))
    how.steps = max(4, min(60, int(MOST_SECONDS / first)))
    ends.clear()
    checked(c.anemone_train(model, ctypes.byref(how), told, None, ctypes.byref(plan)))
    return min(b - a for a, b in zip(ends[1:], ends[2:])), largest_memory()


MARK = r"(<!-- written by benchmarks/training.py --page -->\n).*?(<!-- end of the speed -->)"


def write_page(lines):
    """Rows that were not measured now stay, where the table has the same columns."""
    path = ROOT / "docs/training.md"
    text = path.read_text()
    found = re.search(MARK.replace("(.*?)", ".*?"), text, re.DOTALL)
    if found is None:
        sys.exit(f"{path} has no place for the table")
    there = found[0].splitlines()[1:-1]
    rows = {tuple(line.split("|")[1:3]): line for line in (there[2:] if there[:1] == lines[:1] else []) + lines[2:]}
    path.write_text(re.sub(MARK, lambda m: m[1] + "\n".join([*lines[:2], *rows.values()]) + "\n" + m[2], text, flags=re.DOTALL))


def exported(folder, names):
    for name in names:
        model, x, labels = made(name)
        torch.onnx.export(model, torch.from_numpy(x), str(folder / f"{name}.onnx"), input_names=["x"], output_names=["y"],
                          do_constant_folding=True)
        numpy.savez(folder / f"{name}.npz", x=x, wanted=labels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--blas", help="a folder with another libblas.so.3 for PyTorch")
    parser.add_argument("--page", action="store_true", help="write the table into docs/training.md")
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    library = next(iter(sorted((ROOT / given.build / "lib").glob("libanemone_c.*"))), None)
    if given.one:
        who, name, threads = given.one
        found = (our_step(library, pathlib.Path(given.folder), name, int(threads)) if who == "ours" else
                 torch_step(name, int(threads), who == "traced"))
        print(json.dumps(found))
        return
    if library is None:
        sys.exit(f"{given.build}/lib has no libanemone_c: configure with -DANEMONE_BUILD_C=ON")
    contenders = [("eager", None), ("traced", None)]
    contenders += [("eager", given.blas), ("traced", given.blas)] if given.blas else []
    contenders += [("ours", None)]
    with tempfile.TemporaryDirectory() as folder:
        exported(pathlib.Path(folder), given.models.split(","))

        def measured(who, blas, name, threads):
            # Threads that wait let others compute: the machine may be shared.
            environment = dict(os.environ, OMP_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads, OMP_WAIT_POLICY="PASSIVE")
            if blas:
                environment["LD_LIBRARY_PATH"] = blas
            done = subprocess.run([sys.executable, __file__, "--build", given.build, "--folder", folder, "--one", who, name, threads],
                                  capture_output=True, text=True, env=environment)
            if done.returncode != 0:
                sys.exit(done.stderr)
            return json.loads(done.stdout.splitlines()[-1])

        others = " | eager, other BLAS | trace, other BLAS" if given.blas else ""
        lines = [f"| ms of a step, {os.cpu_count()} processors | Threads | PyTorch {torch.__version__} | trace{others} | ours | ratio "
                 "| MB, PyTorch | MB, ours |", "|---" + "|---:" * (len(contenders) + 4) + "|"]
        print("\n".join(lines), flush=True)
        for name in given.models.split(","):
            for threads in given.threads.split(","):
                found = [[] for _ in contenders]
                for _ in range(given.rounds):
                    for k, (who, blas) in enumerate(contenders):
                        if not found[k] or found[k][0][0] < MOST_SECONDS / 3:  # what takes long is measured once
                            found[k].append(measured(who, blas, name, threads))
                best = [min(each)[0] for each in found]
                memory = [min(m for _, m in each) for each in found]
                shown = " | ".join(f"{1e3 * each:,.1f}" for each in best)
                lines.append(f"| {name} | {threads} | {shown} | {min(best[:-1]) / best[-1]:.2f} | {min(memory[:-1]):.0f} "
                             f"| {memory[-1]:.0f} |")
                print(lines[-1], flush=True)
    if given.page:
        write_page(lines)


if __name__ == "__main__":
    main()
