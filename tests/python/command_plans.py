#!/usr/bin/env python3
"""`anemone optimize`, `compress` and `diff --reference f64`: what they promise of networks as PyTorch exports them, and of
models that fp16 breaks, holds by `run` and `diff`.

Usage: command_plans.py [PROGRAM]; PROGRAM is the one of ANEMONE_BUILD_DIR where none is given."""

import json
import pathlib
import re
import sys
import tempfile

import _harness
from _harness import ROOT, command, expect, skip, verdict

try:
    import numpy as np
except ImportError:
    skip("NumPy is missing")

NETWORKS = ROOT / "examples" / "pytorch"
run = _harness.run


def outputs(program, model, inputs, folder, *more):
    done = run(program, ["run", model, "-i", inputs, "-o", "found.npz", *more], folder)
    expect(done.returncode == 0, f"run {model}: {done.stdout}{done.stderr}")
    return dict(np.load(folder / "found.npz"))


def optimize(program, folder):
    """The rewritten file computes what the file does, by its own arrays; the proof's figures are in the JSON."""
    model, inputs = NETWORKS / "transformer_advised.onnx", NETWORKS / "transformer_input.npz"
    done = run(program, ["optimize", model, "-t", "h13", "--prove", "--json", "-o", "faster", "--svg", "both.svg"], folder)
    expect(done.returncode == 0, f"optimize: {done.stderr}")
    found = json.loads(done.stdout)
    expect(found["before"] >= found["after"] and found["apart"] > found["before"], f"{found}")
    expect(all(step["proof"]["holds"] for step in found["steps"]) and found["proof"]["holds"], f"proof: {found}")
    before, after = outputs(program, model, inputs, folder), outputs(program, "faster", inputs, folder)
    for name, values in before.items():
        error = np.abs(values.astype(np.float64) - after[name]).max() / np.abs(values.astype(np.float64)).max()
        expect(error < 0.01, f"{name} moves by {error}")
    svg = (folder / "both.svg").read_text()
    expect('id="before' in svg and 'id="after' in svg, "both.svg")
    bits = json.loads(run(program, ["optimize", model, "-t", "h13", "--bits", "--prove", "--json"], folder).stdout)
    expect(all(step["keeps"] == "bits" and step["proof"]["differing"] == 0 for step in bits["steps"]), f"bits: {bits}")


def values(program, folder):
    """A sum of 51,150 is infinite in the accumulator of the M1; after the rewrite it is not."""
    try:
        from onnx import TensorProto, helper, numpy_helper, save
    except ImportError:
        print("without ONNX's Python package: the case of large sums is left out")
        return
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "sums",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 1024])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])],
                              [numpy_helper.from_array(np.full((1024, 4), 0.9990234375, np.float32), "w")])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(folder / "sums.onnx"))
    np.save(folder / "fifty.npy", np.full((2, 1024), 50, np.float32))
    done = run(program, ["optimize", "sums.onnx", "-t", "h13", "--values", "--ranges", "x=-50,50", "--json", "-o", "sound"], folder)
    found = json.loads(done.stdout)
    expect(found["refuted_before"] > 0 and found["refuted_after"] == 0, f"values: {found}")
    before = outputs(program, "sums.onnx", "fifty.npy", folder, "-b", "oracle:h13")
    after = outputs(program, "sound", "fifty.npy", folder, "-b", "oracle:h13")
    expect(np.isinf(before["y"]).all() and np.allclose(after["y"], 51150, rtol=0.002), f"{before} {after}")

    done = run(program, ["optimize", "sums.onnx", "-t", "h17s", "--errors", "--ranges", "x=-0.001,0.001", "--json"], folder)
    found = json.loads(done.stdout)
    expect([step["rewrite"] for step in found["steps"]] == ["scale_weights"], f"errors: {found}")
    expect(0 < 2 * found["error_after"] < found["error_before"], f"errors: {found}")


def compress(program, folder):
    """The plan keeps its bound on data that the file gives, and what is written has the sizes that it says."""
    model = NETWORKS / "cnn.onnx"
    random = np.random.default_rng(5)
    samples = random.random((24, 1, 16, 16), dtype=np.float32)
    np.save(folder / "samples.npy", samples)
    whole = run(program, ["compress", model, "-t", "h13", "-d", "samples.npy", "--most-loss", "0.05", "-o", "small", "--json",
                          "--svg", "plan.svg"], folder)
    expect(whole.returncode == 0, f"compress: {whole.stderr}")
    plan = json.loads(whole.stdout)
    expect(plan["after"]["loss"] <= 0.05 and plan["ratio"] > 2, f"{plan['ratio']} times, loss {plan['after']['loss']}")
    stored = sum(w["bytes"] for w in plan["weights"])
    expect(plan["after"]["bytes"] >= stored, "bytes of the plan")
    expect((folder / "plan.svg").read_text().startswith("<svg"), "plan.svg")
    moved, size = 0.0, 0.0
    for each in samples[3::4]:  # those that nothing was chosen by
        np.save(folder / "one.npy", each[None])
        before, after = outputs(program, model, "one.npy", folder), outputs(program, "small", "one.npy", folder)
        for port, values in before.items():
            moved += float(np.square(after[port].astype(np.float64) - values).sum())
            size += float(np.square(values.astype(np.float64)).sum())
    loss = (moved / size) ** 0.5
    held_out = plan["held_out"]
    expect(abs(loss - held_out["loss"]) < 0.002, f"the loss of the files is {loss}, the plan's {held_out}")
    expect(held_out["runs"] == 6 and held_out["at_least"] <= held_out["loss"] <= held_out["at_most"], f"{held_out}")
    text = run(program, ["compress", model, "-t", "h13", "--random-runs", "8", "--plain"], folder)
    expect(text.returncode == 0 and "judged on random numbers" in text.stdout, f"{text}")
    expect("on 2 runs that nothing was chosen by: loss " in text.stdout and "nine of ten runs" in text.stdout, f"{text}")
    expect("feedback" not in re.sub(r"^.*weight +shape.*$", "", text.stdout, flags=re.M), "plain rounding")


def layers(program, folder):
    """Both sides of `diff` are fp16 and overflow alike; double precision names the square, and what was tried helps."""
    cases = ROOT / "tests" / "diff" / "cases"
    model, inputs = cases / "diff_both_fp16.onnx", cases / "diff_both_fp16_in.npz"
    exactly = [model, "--reference", "f64", "--data", inputs]
    narrow = run(program, ["diff", model, "--input", inputs], folder)
    expect(narrow.returncode == 0 and "no node differs" in narrow.stdout, narrow)
    expect("--reference f64" in narrow.stdout, f"no word of what both have in common: {narrow.stdout}")
    for backend in ([], ["--backend", "cpu"], ["--target", "h16"]):
        done = run(program, ["diff", *exactly, *backend], folder)
        expect(done.returncode == 1, done)
        for words in ('first layer beyond the bound: mul "/square"', "overflow: its values reach 96100", "what helps",
                      'scale mul "/square" by 2^-', "on the host in fp32", "the outputs are within the bound"):
            expect(words in done.stdout, f"{backend}: no {words!r} in {done.stdout}")
    found = json.loads(run(program, ["diff", *exactly, "--json", "--svg", "layers.svg"], folder).stdout)
    expect(found["layers"][found["first"]]["cause"] == "overflow" and found["layers"][0]["whole"]["expected"] == 90000, found)
    best = found["remedies"]["helpful"][0]
    expect(best["steps"][0]["kind"] == "scale" and best["after"]["affected"] == 0, best)
    expect(best["after"]["worst"]["relative"] < 0.001, best)
    expect((folder / "layers.svg").read_text().startswith("<svg"), "layers.svg")
    quick = run(program, ["diff", *exactly, "--quick"], folder).stdout
    expect("overflow" in quick and "what helps" not in quick, quick)
    # A folder of samples, of which one overflows.
    x = np.load(inputs)
    (folder / "runs").mkdir()
    for i, scale in enumerate((0.125, 1, 0.25)):
        np.savez(folder / "runs" / f"{i}.npz", **{name: values * scale for name, values in x.items()})
    several = run(program, ["diff", model, "--reference", "f64", "-d", "runs"], folder).stdout
    expect("outputs beyond the bound in 1 of 3 samples, the worst is sample 1" in several, several)
    fine = run(program, ["diff", model, "--reference", "f64", "-d", "runs/0.npz"], folder)
    expect(fine.returncode == 0 and "no layer is beyond the bound" in fine.stdout, fine)
    # The tanh form of gelu beside the exact one: the same, and why.
    text = (cases / "gelu_tanh.mil").read_text()
    (folder / "gelu_exact.mil").write_text(text.replace("TANH_APPROXIMATION", "EXACT"))
    same = run(program, ["diff", cases / "gelu_tanh.mil", "gelu_exact.mil"], folder)
    expect(same.returncode == 0 and "the engine has one table for both" in same.stdout, same)
    (folder / "empty").mkdir()
    np.savez(folder / "no_arrays.npz")
    for arguments, words in ((["--backend", "cpu"], "are for --reference f64"),
                             (["--json"], "are for --reference f64"),
                             (["--data", inputs], "are for --reference f64"),
                             (["--reference", "f64", "--backend", "engine:h13"], "it must be cpu or oracle:TARGET"),
                             (["--reference", "f64", "--backend", "oracle:h99"], "h99"),
                             (["--reference", "f64", "--bound", "-1"], "--bound"),
                             (["--reference", "f64", "--random-runs", "0"], "--random-runs"),
                             (["--reference", "f64", "--data", inputs, "--random-runs", "2"], "--random-runs"),
                             (["--reference", "f64", "--data", "empty"], "has no .npz or .npy"),
                             (["--reference", "f64", "--data", "no_arrays.npz"], "has no arrays"),
                             (["--reference", "f64", "--input", "no_arrays.npz"], "has no arrays"),
                             (["--reference", "f64", "--data", "none.npz"], "none.npz"),
                             ([model, "--reference", "f64"], "is what one file's arithmetic is compared with"),
                             (["--reference", "f32"], "f32")):
        done = run(program, ["diff", model, *arguments], folder)
        expect(done.returncode == 2 and words in done.stderr, f"{arguments}: {done.returncode} {done.stdout} {done.stderr}")


def mil_text(ports, lines):
    """A program whose last value is y."""
    declared = ", ".join(f"tensor<fp16, [{', '.join(map(str, shape))}]> {name}" for name, shape in ports.items())
    return ('program(1.3)\n[buildInfo = dict<tensor<string, []>, tensor<string, []>>({})]\n{\nfunc main<ios15>(' + declared + ") {\n" +
            "\n".join(f'tensor<fp16, {shape}> {name} = {call}[name = tensor<string, []>("{name}"){more}];' for name, shape, call, more in
                      ((*line, "")[:4] for line in lines)) +
            "\n} -> (y);\n}\n")


def constant(name, shape, values):
    return (name, shape, "const()", f", val = tensor<fp16, {shape}>({values})")


# A cause, a model that breaks by it, its inputs, the layer to blame, and options; values are worked out by hand.
CAUSES = [
    ("overflow", {"x": [1, 4]}, [("a", [1, 4], "mul(x = x, y = x)"), ("y", [1, 4], "sqrt(x = a)")],
     {"x": [300, 1, 2, 3]}, "a", []),  # 90,000
    ("cancellation", {"x": [1], "z": [1]},
     [("a", [1], "mul(x = x, y = x)"), ("b", [1], "mul(x = z, y = z)"), ("y", [1], "sub(x = a, y = b)")],
     {"x": [101.5], "z": [101.4375]}, "y", []),  # 10304 and 10288 instead of 10302.25 and 10289.566
    ("flush", {"x": [1, 2]}, [("a", [1, 2], "mul(x = x, y = x)"), ("y", [1, 2], "sqrt(x = a)")], {"x": [1e-4, 2e-4]}, "a", []),
    ("mask", {"x": [1, 3], "m": [1, 3]},
     [("a", [1, 3], "add(x = x, y = m)"), ("b", [1, 3], "add(x = a, y = m)"), ("y", [1, 3], "relu(x = b)")],
     {"x": [1, 2, 3], "m": [0, 0, -40000]}, "b", []),
    ("ceiling", {"x": [1, 2]}, [constant("w", [1, 2], "[[1, 0.5]]"), ("y", [1, 1], "linear(x = x, weight = w)")],
     {"x": [30000, 20000]}, "y", []),  # 40,000
    ("fixed point", {"x": [1, 2]}, [constant("w", [1, 2], "[[1, 0.5]]"), ("y", [1, 1], "linear(x = x, weight = w)")],
     {"x": [0.0003, 0.0002]}, "y", ["--bound", "0.002"]),
    ("table", {"x": [1, 3]}, [("y", [1, 3], "sigmoid(x = x)")], {"x": [0.3, -1.7, 2.2]}, "y", ["--bound", "0.0005"]),
]


def causes(program, folder):
    """Each cause is named, at its layer; each change that is told helps; and it is the value that was worked out."""
    for cause, ports, lines, inputs, layer, options in CAUSES:
        (folder / "cause.mil").write_text(mil_text(ports, lines))
        np.savez(folder / "cause.npz", **{name: np.array(values, np.float32).reshape(ports[name]) for name, values in inputs.items()})
        arguments = ["diff", "cause.mil", "--reference", "f64", "--data", "cause.npz", *options]
        done = run(program, [*arguments, "--json"], folder)
        expect(done.stdout.startswith("{"), f"{cause}: {done}")
        if not done.stdout.startswith("{"):
            continue
        found = json.loads(done.stdout)
        first = found["layers"][found["first"]] if found["first"] is not None else None
        expect(first is not None and first["cause"] == cause and f'"{layer}"' in first["name"], f"{cause}: {first}")
        text = run(program, arguments, folder).stdout
        expect(first is not None and f'{first["name"]}' in text and f", {cause}: " in text, f"{cause}: {text}")
        search = found.get("remedies")
        if found["affected"]:
            expect(search and search["tried"] > 0 and not search["cut_short"], f"{cause}: {search}")
            before = search["before"]["worst"]
            for each in search["helpful"]:
                after = each["after"]["worst"]
                expect(each["after"]["affected"] < search["before"]["affected"] or after["not_finite"] < before["not_finite"]
                       or after["excess"] < before["excess"], f"{cause}: {each}")
        expect(cause not in ("overflow", "flush", "ceiling") or search["helpful"][0]["after"]["affected"] == 0, f"{cause}: {search}")


def cut_short(program, folder):
    """Of a large model the search for help ends before it takes more than the comparison, and says so: ten squares that overflow."""
    shape = [1, 8]
    lines, last = [], "x"
    for i in range(1200):
        square = 600 <= i < 620 and i % 2 == 0
        call = f"mul(x = {last}, y = {last})" if square else f"sqrt(x = {last})" if 600 <= i < 620 else f"abs(x = {last})"
        last = "y" if i == 1199 else f"v{i}"
        lines.append((last, shape, call))
    (folder / "deep.mil").write_text(mil_text({"x": shape}, lines))
    np.savez(folder / "deep.npz", x=np.full(shape, 400, np.float32))
    arguments = ["diff", "deep.mil", "--reference", "f64", "--data", "deep.npz"]
    found = json.loads(run(program, [*arguments, "--json"], folder).stdout)
    expect(found["remedies"]["of_part"] and found["remedies"]["cut_short"], f"{found['remedies']}")
    text = run(program, arguments, folder).stdout
    expect("others were not tried: the model is large" in text, text[-2000:])


def refusals(program, folder):
    """What cannot be done is said, with exit code 2, and writes nothing."""
    model = NETWORKS / "cnn.onnx"
    np.save(folder / "odd.npy", np.zeros((3, 100), np.float32))
    np.save(folder / "last.npy", np.zeros((24, 16, 16, 2), np.float32))
    np.save(folder / "nan.npy", np.full((8, 1, 16, 16), np.nan, np.float32))
    for arguments, words in ((["compress", model, "-d", "nan.npy"], "no output of the model is finite in 2 runs"),
                             (["compress", model, "-d", "odd.npy"], "is 3x100, the input [1, 1, 16, 16]"),
                             (["compress", model, "-d", "last.npy"], "is 24x16x16x2, the input"),
                             (["compress", model, "-d", "missing.npy"], "missing.npy"),
                             (["compress", model, "--most-loss", "nan"], "--most-loss: is nan, allowed are finite numbers from 0 on"),
                             (["compress", model, "--most-loss", "0", "--goal", "time", "-t", "u1"], "rates of u1"),
                             (["compress", model, "--to", "netplist"], "--to"),
                             (["placement", model, "-t", "u1", "--batches", "4"], "clock of u1"),
                             (["placement", model, "--batches", "0"], "--batches"),
                             (["timeline", model, "-t", "u1"], "u1"),
                             (["timeline", model, "--calls", "0"], "--calls"),
                             (["timeline", model, "--batches", "0"], "0 samples"),
                             (["timeline", model, "--period", "nan"], "period"),
                             (["optimize", model, "-t", "none"], "none")):
        done = run(program, [*arguments, *(["-o", "never"] if arguments[0] in ("compress", "optimize") else [])], folder)
        expect(done.returncode == 2 and words in done.stderr, f"{arguments}: {done.returncode} {done.stdout} {done.stderr}")
    expect(not (folder / "never").exists(), "something was written")
    plain = run(program, ["placement", model, "-t", "u1"], folder)
    expect(plain.returncode == 0 and "no clock" in plain.stdout, f"the system's model alone: {plain}")


def main():
    program = command()
    if run(program, ["check", NETWORKS / "cnn.onnx", "-q"], ROOT).returncode == 2:
        skip("the command reads no ONNX")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        optimize(program, folder)
        values(program, folder)
        compress(program, folder)
        layers(program, folder)
        causes(program, folder)
        cut_short(program, folder)
        refusals(program, folder)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
