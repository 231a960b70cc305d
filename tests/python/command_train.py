#!/usr/bin/env python3
"""`anemone train`: files that learn and run, frozen weights, trainings that were killed and go on, and bad input.

Usage: command_train.py [PROGRAM]; PROGRAM is the one of ANEMONE_BUILD_DIR where none is given."""

import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

from _harness import command, expect, run, skip, verdict

try:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save
except ImportError:
    skip("NumPy or ONNX is missing")


def network(folder, name="net.onnx", hidden=16):
    """Two layers that tell three classes apart; the batch is free."""
    random = np.random.default_rng(1)
    def weight(name, *shape):
        return numpy_helper.from_array(random.uniform(-0.6, 0.6, shape).astype(np.float32), name)
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "features.w", "features.b"], ["a"]), helper.make_node("Relu", ["a"], ["h"]),
         helper.make_node("Gemm", ["h", "head.w", "head.b"], ["logits"])], "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 3])],
        [weight("features.w", 2, hidden), weight("features.b", hidden), weight("head.w", hidden, 3), weight("head.b", 3)])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(folder / name))


def deep_network(folder):
    """Twelve layers; the batch is free."""
    random = np.random.default_rng(2)
    nodes, weights, last = [], [], "x"
    for i in range(12):
        weights.append(numpy_helper.from_array(random.normal(0, 0.3, (2 if i == 0 else 48, 48)).astype(np.float32), f"w{i}"))
        nodes += [helper.make_node("MatMul", [last, f"w{i}"], [f"a{i}"]), helper.make_node("Tanh", [f"a{i}"], [f"h{i}"])]
        last = f"h{i}"
    weights.append(numpy_helper.from_array(random.normal(0, 0.3, (48, 3)).astype(np.float32), "head"))
    nodes.append(helper.make_node("MatMul", [last, "head"], ["logits"]))
    graph = helper.make_graph(nodes, "deep", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2])],
                              [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", 3])], weights)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(folder / "deep.onnx"))


def sectors(count, seed):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, count)
    angle = (labels + random.uniform(0.15, 0.85, count)) * 2 * np.pi / 3
    radius = random.uniform(0.5, 1.5, count)
    x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).astype(np.float32)
    return x, labels


def weights_of(path):
    """The tensors of a safetensors file, as bytes."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    return {name: data[8 + length + each["data_offsets"][0]:8 + length + each["data_offsets"][1]]
            for name, each in header.items() if name != "__metadata__"}


def learns(program, folder):
    done = run(program, ["train", "net.onnx", "--shape", "x=1,2", "-d", "train.npz", "-v", "held_out.npz", "--wanted", "label",
                         "--batch", "8", "--epochs", "12", "--rate", "0.01", "--schedule", "cosine", "--warm-up", "5",
                         "--csv", "curve.csv", "--svg", "curve.svg", "-o", "trained"], folder)
    expect(done.returncode == 0, f"train: {done.stderr}")
    expect("4 weights trained, 0 as they were" in done.stdout and "300 steps of 8 samples, 12 epochs" in done.stdout, done.stdout)
    rows = (folder / "curve.csv").read_text().splitlines()
    expect(len(rows) == 301 and rows[0].startswith("step,epoch,loss,rate,"), f"{rows[:2]}")
    last = rows[-1].split(",")
    expect(float(last[2]) < 0.3 and float(last[7]) > 0.95, f"{last}")
    expect("</svg>" in (folder / "curve.svg").read_text(), "curve.svg")
    x, labels = sectors(61, 2)
    right = 0
    for i in range(20):
        np.save(folder / "x.npy", x[i:i + 1])
        done = run(program, ["run", "trained", "-i", "x=x.npy", "-o", "y.npz"], folder)
        expect(done.returncode == 0, done.stderr)
        right += int(np.load(folder / "y.npz")["logits"].argmax() == labels[i])
    expect(right >= 19, f"{right} of 20 are right")
    expect(run(program, ["check", "trained", "--targets", "h13", "--quiet"], folder).returncode == 0, "check of what was trained")
    told = json.loads(run(program, ["train", "net.onnx", "--shape", "x=8,2", "-d", "train.npz", "--wanted", "label", "--steps",
                                    "3", "--json", "-b", "oracle:h13"], folder).stdout)
    expect(len(told["steps"]) == 3 and told["batch"] == 8 and told["validations"] == [], f"{told}")


def freezes(program, folder):
    for name, more in (("before", ["--rate", "0.0001", "--steps", "1", "--freeze", "features.*", "--freeze", "head.*w*"]),
                       ("after", ["--rate", "0.01", "--steps", "5", "--freeze", "features.*", "--optimizer", "momentum"])):
        done = run(program, ["train", "net.onnx", "--shape", "x=8,2", "-d", "train.npz", "--wanted", "label", *more, "-o",
                             f"{name}.hpp", "--to", "cpp"], folder)
        expect(done.returncode == 0 and "as they were" in done.stdout, f"{done.stdout}{done.stderr}")
    before, after = (weights_of(folder / f"{name}.safetensors") for name in ("before", "after"))
    expect(before.keys() == after.keys() and len(before) == 4, f"{before.keys()}")
    moved = {name for name in before if before[name] != after[name]}
    expect(moved and all("head" in name for name in moved), f"moved: {moved}")


def costs(program, folder):
    """A step of a small network is one dispatch, and waits for it: the guide's verdict on training (chapter 15)."""
    common = ["train", "net.onnx", "--shape", "x=8,2", "-d", "train.npz", "--wanted", "label", "--steps", "1"]
    said = run(program, common, folder).stdout
    for chip in ("h13 (M1)", "h14 (M2)"):
        expect(re.search(rf"^a step on {re.escape(chip)}: 0\.\d\d ms, 0\.\d\d mJ, 1 dispatch of the engine, dispatch-bound; "
                         r"CPU 0\.\d+ to \d+\.\d+ ms; GPU 0\.\d+ to \d+\.\d+ ms; which is fastest is open$", said, re.MULTILINE), said)
    expect("the guide on such steps: dispatch-bound, no faster on the engine than on the host" in said, said)
    chips = {each["target"]: each for each in json.loads(run(program, [*common, "--json"], folder).stdout)["chips"]}
    expect({"h13", "h14", "h15", "h16", "h17s"} <= chips.keys(), f"{chips.keys()}")
    for each in chips.values():  # the floor of a dispatch is 0.1 to 0.25 ms, and the ports come on top
        expect(each["dispatches"] == 1 and each["is_whole"] and each["bound"] == "dispatch" and 5e-5 < each["seconds"] < 1e-3,
               f"{each}")
        # A host that runs it as one graph is not behind the engine, one that starts layer after layer is: as the guide has it.
        expect(each["cpu_seconds"][0] < each["seconds"] < each["cpu_seconds"][1] and each["fastest"] is None, f"{each}")


def goes_on(program, folder):
    """Killed without a warning, and gone on: the same metrics, and the same weights."""
    common = ["train", "net.onnx", "--shape", "x=8,2", "-d", "train.npz", "-v", "held_out.npz", "--wanted", "label", "--steps",
              "400", "--rate", "0.01", "--validate-every", "40", "--checkpoint-every", "10", "--to", "cpp"]
    done = run(program, [*common, "--csv", "whole.csv", "-o", "whole.hpp"], folder)
    expect(done.returncode == 0, done.stderr)
    broken = [*common, "--checkpoint", "run", "--resume", "--csv", "broken.csv", "-o", "broken.hpp"]
    killed = 0
    for wanted in (1, 5, 12):  # as soon as there are so many steps, in tens
        begun = subprocess.Popen([program, *broken], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while begun.poll() is None:
            steps = [int(path.stem[5:]) for path in (folder / "run").glob("step-*.safetensors")]
            if steps and max(steps) >= 10 * wanted:
                begun.send_signal(signal.SIGKILL)
                begun.wait()
                killed += 1
                break
            time.sleep(0.001)
    done = run(program, broken, folder)
    expect(done.returncode == 0 and "resumed from step" in done.stdout, f"after {killed} kills: {done.stdout}{done.stderr}")
    expect((folder / "broken.csv").read_bytes() == (folder / "whole.csv").read_bytes(), "other metrics than without a break")
    expect(weights_of(folder / "broken.safetensors") == weights_of(folder / "whole.safetensors"), "other weights")
    left = sorted(path.name for path in (folder / "run").iterdir())
    expect(left == [f"step-{step:09}.safetensors" for step in (380, 390, 400)], f"left: {left}")

    blind = [each for each in common if each not in ("-v", "held_out.npz")]
    done = run(program, [*blind, "--checkpoint", "run", "--resume", "-o", "again.hpp"], folder)
    expect(done.returncode == 0 and "held out" not in done.stdout, f"without samples to judge by: {done.stdout}{done.stderr}")

    network(folder, "wide.onnx", 24)
    for arguments, words in ((["wide.onnx"], "checkpoint of another training: its features.w"),
                             (["net.onnx", "--optimizer", "sgd"], "checkpoint of another training: it has"),
                             (["net.onnx", "--seed", "7"], "its order is")):
        done = run(program, ["train", *arguments, "--shape", "x=8,2", "-d", "train.npz", "--wanted", "label", "--checkpoint", "run",
                             "--resume", "--steps", "900"], folder)
        expect(done.returncode == 2 and words in done.stderr, f"{arguments}: {done.stderr}")
    done = run(program, ["train", "net.onnx", "--shape", "x=8,2", "-d", "train.npz", "--wanted", "label", "--checkpoint", "run"], folder)
    expect(done.returncode == 2 and "resume that training, or name another folder" in done.stderr, done.stderr)
    expect(sorted(path.name for path in (folder / "run").iterdir()) == left, "a refused training changed the checkpoints")


def keeps_less(program, folder):
    """A step in less memory, which is asked for or what a run may take, computes values again and learns the same."""
    deep_network(folder)
    common = ["train", "deep.onnx", "--shape", "x=128,2", "-d", "train.npz", "--wanted", "label", "--steps", "5", "--optimizer",
              "momentum", "--json", "--threads", "1"]
    whole = json.loads(run(program, common, folder).stdout)
    expect(whole["repeated"] == 0 and whole["step_bytes"] == whole["step_bytes_before"] > 12 * 128 * 48 * 2, f"{whole['step_bytes']}")
    ordered = json.loads(run(program, [*common, "--step-memory", str(whole["step_bytes"] * 2 // 3)], folder).stdout)
    expect(ordered["step_bytes"] < whole["step_bytes"], f"{ordered['step_bytes']}")  # in another order
    limit = ordered["step_bytes"] - 1
    for option in ("--step-memory", "--max-memory"):
        done = run(program, [*common, option, str(limit)], folder)
        expect(done.returncode == 0, done.stderr)
        less = json.loads(done.stdout)
        expect(less["repeated"] > 0 and less["step_bytes"] <= limit, f"{option}: {less['step_bytes']} of {limit}")
        expect(all(abs(a["loss"] - b["loss"]) < 0.01 for a, b in zip(whole["steps"], less["steps"])), f"{option}: other losses")
    common.remove("--json")
    done = run(program, [*common, "--step-memory", str(limit)], folder)
    expect("bytes of values at once in place of" in done.stdout and "operations again" in done.stdout, done.stdout)
    done = run(program, [*common, "--step-memory", "5000"], folder)
    expect(done.returncode == 2 and "step memory: the values of a step take" in done.stderr, done.stderr)


def refuses(program, folder):
    x, labels = sectors(16, 3)
    nan = x.copy()
    nan[5, 1] = np.nan
    np.savez(folder / "nan.npz", x=nan, label=labels)
    np.savez(folder / "range.npz", x=x, label=np.where(labels == 2, 3, labels))
    np.savez(folder / "odd.npz", x=x[:, :1], label=labels)
    np.savez(folder / "fewer.npz", x=x, label=labels[:9])
    np.savez(folder / "unnamed.npz", x=x)
    np.savez(folder / "port.npz", x=x, wanted=labels)
    for arguments, words in ((["-d", "nan.npz"], "x: element 1 of sample 5 is nan; samples must be finite"),
                             (["-d", "range.npz"], "is 3, classes are whole numbers from 0 to 2"),
                             (["-d", "odd.npz"], "x: its samples are 1, the model takes 2 (8 of them in a run)"),
                             (["-d", "fewer.npz"], "has 9 samples, x has 16"),
                             (["-d", "unnamed.npz"], "label: the data has no array of this name"),
                             (["-d", "port.npz"], "label: the data has no array of this name"),
                             (["-d", "missing.npz"], "missing.npz"),
                             ([], "--data: has no arrays to train on"),
                             (["-d", "train.npz", "--freeze", "nothing*"], "nothing*: no weight of the model has such a name"),
                             (["-d", "train.npz", "--freeze", "*"], "no weight of the model is left to train"),
                             (["-d", "train.npz", "--prediction", "y"], "the model has no output of this name"),
                             (["-d", "train.npz", "--rate", "0"], "--rate: is 0, allowed are"),
                             (["-d", "train.npz", "--resume"], "needs the folder of the checkpoints"),
                             (["-d", "train.npz", "--patience", "2"], "there are no samples for them"),
                             (["-d", "train.npz", "--loss", "wrong"], "--loss"),
                             (["-d", "train.npz", "--csv", "net.onnx"], "net.onnx")):
        done = run(program, ["train", "net.onnx", "--shape", "x=8,2", "--wanted", "label", *arguments, "-o", "never"], folder)
        expect(done.returncode == 2 and words in done.stderr, f"{arguments}: {done.stdout}{done.stderr}")
        expect(not (folder / "never").exists(), f"{arguments} wrote a model")
    for option in ("--csv", "--svg") if os.path.exists("/dev/full") else ():
        done = run(program, ["train", "net.onnx", "--shape", "x=8,2", "--wanted", "label", "-d", "train.npz", "--steps", "1", option,
                             "/dev/full"], folder)
        expect(done.returncode == 2 and "/dev/full" in done.stderr, done.stderr)


def main():
    program = command()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        network(folder)
        for file, count, seed in (("train.npz", 200, 1), ("held_out.npz", 61, 2)):
            x, labels = sectors(count, seed)
            np.savez(folder / file, x=x, label=labels)
        learns(program, folder)
        freezes(program, folder)
        keeps_less(program, folder)
        costs(program, folder)
        goes_on(program, folder)
        refuses(program, folder)
    return verdict("trainings")


if __name__ == "__main__":
    sys.exit(main())
