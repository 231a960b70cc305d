"""Operators that opsets 18 to 21 changed or added, with onnxruntime as referee: one operator a model, through the command.

ONNX's packaged cases end with opset 17. Here models of newer ones are made, run by `anemone run` and by onnxruntime-node
(`npm install onnxruntime-node`; ONNXRUNTIME_NODE_INSTALL_CUDA=skip leaves out what no CPU needs), and compared.

    opsets.py FOLDER [--update]      the folder where npm installed it; --update writes the table of docs/conformance.md

An answer passes within 4 ulp of fp16 (sums and compositions: 16) of onnxruntime's float32. A case that the importer refuses
has to be one that is known to be refused, and one that onnxruntime does not run is without a referee. Ends with 77 where the
referee, the command, ONNX or NumPy is missing."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-onnx and python3-numpy)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
PAGE = ROOT / "docs" / "conformance.md"
MARKS = ("<!-- opsets -->\n", "<!-- end of opsets -->\n")
random = np.random.default_rng(20261123)


def numbers(*shape, low=-2, high=2):
    return random.uniform(low, high, shape).astype(np.float16).astype(np.float32)


def whole(*values):
    return np.array(values, np.int64)


class Case:
    """One node. `inputs` by name; those in `known` are initialisers. `ulp`: what a result may be off."""

    def __init__(self, name, opset, inputs, known=(), outputs=1, ulp=4, refused=None, **attributes):
        self.name, self.opset, self.inputs, self.known, self.ulp = name, opset, inputs, set(known), ulp
        self.refused = refused
        self.outputs = [f"y{i}" for i in range(outputs)]
        self.attributes = attributes

    def model(self):
        node = helper.make_node(self.name, [k if v is not None else "" for k, v in self.inputs.items()], self.outputs, "n",
                                **self.attributes)
        ports = [helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype) if hasattr(
            helper, "np_dtype_to_tensor_dtype") else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[v.dtype], v.shape)
                 for k, v in self.inputs.items() if v is not None and k not in self.known]
        weights = [numpy_helper.from_array(self.inputs[k], k) for k in self.inputs if k in self.known]
        ends = []
        for name in self.outputs:  # without a type: the referee infers it
            end = onnx.ValueInfoProto()
            end.name = name
            ends.append(end)
        graph = helper.make_graph([node], "g", ports, ends, weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=9 if self.opset < 21 else 10)


def cases():
    x = numbers(2, 3, 4)
    for name in ("ReduceMax", "ReduceMin", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare"):
        yield Case(name, 18, {"x": x, "a": whole(1)}, ["a"], ulp=16)
        yield Case(name, 18, {"x": x, "a": whole(-1, 0)}, ["a"], ulp=16, keepdims=0)
    for name in ("ReduceLogSum", "ReduceLogSumExp"):
        yield Case(name, 18, {"x": numbers(2, 3, 4, low=0.5), "a": whole(2)}, ["a"], ulp=16)
    yield Case("ReduceMean", 18, {"x": x}, ulp=16)
    yield Case("ReduceMax", 18, {"x": x}, noop_with_empty_axes=1)
    yield Case("ReduceMin", 20, {"x": x, "a": whole(0)}, ["a"])
    yield Case("Pad", 18, {"x": x, "p": whole(1, 2), "v": np.float32([0.5]), "a": whole(-1)}, ["p", "v", "a"])
    yield Case("Pad", 18, {"x": x, "p": whole(1, 0, 1, 1), "v": None, "a": whole(1, 2)}, ["p", "a"], mode="reflect")
    yield Case("Pad", 19, {"x": x, "p": whole(0, 1, 1, 0, 1, 2)}, ["p"], mode="wrap", refused="wrap")
    yield Case("Pad", 21, {"x": x, "p": whole(0, 1, 1, 0, 1, 2)}, ["p"], mode="edge")
    yield Case("Split", 18, {"x": numbers(7, 2)}, outputs=3, num_outputs=3)
    yield Case("Split", 18, {"x": numbers(2, 6)}, outputs=2, num_outputs=2, axis=1)
    image = numbers(1, 2, 4, 6)
    sizes = {"x": image, "r": None, "s": None}
    yield Case("Resize", 18, {**sizes, "n": whole(8, 9)}, ["n"], axes=[2, 3], mode="linear")
    yield Case("Resize", 18, {"x": image, "r": None, "s": np.float32([2, 2])}, ["s"], axes=[2, 3], mode="nearest")
    for policy in ("not_larger", "not_smaller"):
        yield Case("Resize", 18, {**sizes, "n": whole(8, 9)}, ["n"], axes=[2, 3], mode="linear", keep_aspect_ratio_policy=policy,
                   refused="aspect ratio")
    yield Case("Resize", 19, {**sizes, "n": whole(1, 2, 7, 9)}, ["n"], mode="linear",
               coordinate_transformation_mode="half_pixel_symmetric")
    yield Case("Resize", 18, {**sizes, "n": whole(1, 2, 2, 3)}, ["n"], mode="linear", antialias=1, refused="antialias")
    yield Case("CenterCropPad", 18, {"x": x, "s": whole(3, 2)}, ["s"], axes=[1, 2], refused="CenterCropPad")
    yield Case("Col2Im", 18, {"x": numbers(1, 8, 4), "s": whole(4, 4), "b": whole(2, 2)}, ["s", "b"], strides=[2, 2],
               refused="Col2Im")
    yield Case("BitwiseNot", 18, {"x": np.uint8([1, 2, 200])}, refused="BitwiseNot")
    yield Case("Mish", 18, {"x": x}, ulp=16)
    norm = numbers(2, 4, 3, 3)
    yield Case("GroupNormalization", 18, {"x": norm, "s": numbers(2), "b": numbers(2)}, ["s", "b"], num_groups=2, ulp=32)
    yield Case("GroupNormalization", 21, {"x": norm, "s": numbers(4), "b": numbers(4)}, ["s", "b"], num_groups=2, ulp=32)
    yield Case("LpPool", 18, {"x": image}, kernel_shape=[2, 2], dilations=[2, 2], p=2, refused="dilated")
    yield Case("LpPool", 18, {"x": image}, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1, p=1, refused="norm")
    indices = np.int64([[0, 1, 0]])
    for reduction in ("max", "min", "add", "mul"):
        yield Case("ScatterElements", 18, {"x": numbers(2, 3), "i": indices, "u": numbers(1, 3)}, ["i"], reduction=reduction)
        yield Case("ScatterND", 18, {"x": numbers(4, 3), "i": np.int64([[1], [3]]), "u": numbers(2, 3)}, ["i"],
                   reduction=reduction)
    yield Case("AveragePool", 19, {"x": image}, kernel_shape=[2, 2], dilations=[2, 2], refused="dilated")
    yield Case("AveragePool", 19, {"x": image}, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, pads=[1, 1, 1, 1], ulp=16)
    yield Case("MaxPool", 19, {"x": image}, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    yield Case("Cast", 19, {"x": x}, to=TensorProto.INT32)
    yield Case("Cast", 21, {"x": x}, to=TensorProto.BOOL)
    yield Case("CastLike", 19, {"x": x, "t": np.int32([0])}, ["t"])
    yield Case("LpNormalization", 18, {"x": x}, axis=-1, p=2, ulp=16)
    yield Case("LpPool", 18, {"x": image}, kernel_shape=[2, 2], strides=[2, 2], p=2, ulp=16)
    yield Case("Shape", 19, {"x": x}, start=1)
    yield Case("Equal", 19, {"x": np.float32([1, 2, 3]), "z": np.float32([1, 0, 3])})
    yield Case("Reshape", 19, {"x": x, "s": whole(0, -1)}, ["s"])
    yield Case("Reshape", 21, {"x": x, "s": whole(4, 6)}, ["s"], allowzero=1)
    yield Case("Identity", 19, {"x": x})
    yield Case("Size", 21, {"x": x})
    steps = {"x": numbers(3, 4), "s": np.float32([0.1]).reshape(()), "z": np.uint8(128)}
    yield Case("QuantizeLinear", 19, steps, ["s", "z"])
    yield Case("QuantizeLinear", 21, {"x": numbers(3, 4), "s": np.float32([0.1, 0.2, 0.3])}, ["s"], axis=0,
               output_dtype=TensorProto.INT8)
    yield Case("QuantizeLinear", 21, {"x": numbers(4, 6), "s": numbers(2, 6, low=0.1, high=0.2)}, ["s"], axis=0, block_size=2,
               refused="blocks")
    yield Case("DequantizeLinear", 19, {"x": np.int8([-3, 5, 127]), "s": np.float32(0.25), "z": np.int8(2)}, ["s", "z"])
    yield Case("DequantizeLinear", 21, {"x": np.int8(random.integers(-9, 9, (4, 6))), "s": numbers(2, 6, low=0.1, high=0.2)},
               ["s"], axis=0, block_size=2, refused="blocks")
    grid = numbers(1, 5, 5, 2, low=-1.1, high=1.1)
    for mode, more in (("linear", {}), ("nearest", {}), ("linear", {"align_corners": 1}), ("linear", {"padding_mode": "border"}),
                       ("linear", {"padding_mode": "reflection"}), ("cubic", {"refused": "cubic"})):
        yield Case("GridSample", 20, {"x": image, "g": grid}, mode=mode, ulp=32, **more)
    yield Case("AffineGrid", 20, {"t": numbers(1, 2, 3), "s": whole(1, 2, 4, 5)}, ["s"], ulp=16, refused="AffineGrid")
    yield Case("Gelu", 20, {"x": x}, ulp=16)
    yield Case("Gelu", 20, {"x": x}, approximate="tanh", ulp=16)
    yield Case("IsNaN", 20, {"x": np.float32([1, np.nan, 3])})
    yield Case("IsInf", 20, {"x": np.float32([1, np.inf, -np.inf])}, detect_negative=0)
    yield Case("DFT", 20, {"x": numbers(1, 8, 1), "n": None, "a": np.int64(1)}, ["a"], ulp=64)
    yield Case("Flatten", 21, {"x": x}, axis=2)
    yield Case("Transpose", 21, {"x": x}, perm=[2, 0, 1])
    yield Case("Squeeze", 21, {"x": numbers(1, 3, 1), "a": whole(0)}, ["a"])
    yield Case("Unsqueeze", 21, {"x": x, "a": whole(1, -1)}, ["a"])


def refereed(folder, all_cases, home):
    listed = []
    for i, case in enumerate(all_cases):
        onnx.save(case.model(), str(folder / f"{i}.onnx"))
        given = {k: v for k, v in case.inputs.items() if v is not None and k not in case.known}
        np.savez(folder / f"{i}.npz", **given)
        listed.append({"model": f"{i}.onnx", "inputs": {k: {"type": str(v.dtype), "dims": list(v.shape),
                                                           "data": [str(e) for e in v.ravel()]}
                                                       for k, v in given.items()}})
    (folder / "cases.json").write_text(json.dumps(listed))
    subprocess.run(["node", HERE / "opsets.js", folder], cwd=home, check=True, timeout=300)
    return json.loads((folder / "answers.json").read_text())


def off(found, wanted):
    """The largest difference in ulp of fp16 of the largest magnitude, infinite where a special number differs."""
    if found.shape != wanted.shape:
        return np.inf
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    gap = np.where(same, 0, np.abs(found - wanted))
    finite = wanted[np.isfinite(wanted)]
    return float(np.nan_to_num(gap, nan=np.inf).max() / (max(np.abs(finite).max() if finite.size else 0, 2 ** -14) * 2 ** -10))


def judged(program, folder, i, case, answer):
    """("same", "refused", "without a referee" or "FAILED", how)"""
    done = subprocess.run([program, "run", f"{i}.onnx", "-i", f"{i}.npz", "-o", "found.npz"], cwd=folder, capture_output=True,
                          text=True, timeout=60, check=False)
    if done.returncode != 0:
        reason = re.sub(r"^error: [^:]*(:\d+)?: ", "", done.stderr.strip().splitlines()[0])
        known = case.refused is not None and case.refused in reason
        return ("refused" if known else "FAILED"), reason
    if "error" in answer:
        return "without a referee", answer["error"][:80]
    found = np.load(folder / "found.npz")
    errors = []
    for name in case.outputs:
        wanted = np.array([float(e) for e in answer[name]["data"]]).reshape(answer[name]["dims"])
        errors.append(off(found[name].astype(np.float64), wanted))
    error = max(errors)
    return ("same" if error <= case.ulp and case.refused is None else "FAILED"), f"{error:.1f} ulp"


def main():
    program = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", ROOT / "build" / "gcc")).resolve() / "bin" / "anemone"
    given = [each for each in sys.argv[1:] if each != "--update"]
    home = pathlib.Path(given[0] if given else ".").resolve()
    if not program.exists() or shutil.which("node") is None or not (home / "node_modules" / "onnxruntime-node").exists():
        print("skipped: no command, no node, or no onnxruntime-node in the folder (npm install onnxruntime-node)")
        return 77
    all_cases = list(cases())
    counts, table, failed = {}, {}, 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for i, (case, answer) in enumerate(zip(all_cases, refereed(folder, all_cases, home))):
            verdict, how = judged(program, folder, i, case, answer)
            failed += verdict == "FAILED"
            counts[verdict] = counts.get(verdict, 0) + 1
            key = (case.opset, case.name)
            table.setdefault(key, []).append(verdict if verdict in ("same", "FAILED") else f"{verdict}: {how}".replace(f"n ({case.name}): ", ""))
            print(f"{verdict:18} {case.name} {case.opset} {case.attributes}: {how}")
    version = json.loads((home / "node_modules" / "onnxruntime-node" / "package.json").read_text())["version"]
    print(f"onnxruntime-node {version}: {len(all_cases)} cases, {counts}")
    if "--update" in sys.argv:
        rows = f"onnxruntime-node {version}: {len(all_cases)} cases, " + ", ".join(f"{n} {k}" for k, n in counts.items())
        rows += ".\n\n| Opset | Operator | Cases that agree | Others |\n|---|---|---|---|\n"
        for (opset, name), verdicts in sorted(table.items()):
            others = "; ".join(sorted({v for v in verdicts if v != "same"}))
            rows += f"| {opset} | {name} | {verdicts.count('same')} | {others} |\n"
        page = PAGE.read_text()
        head, rest = page.split(MARKS[0])
        PAGE.write_text(head + MARKS[0] + rows + MARKS[1] + rest.split(MARKS[1])[1])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
