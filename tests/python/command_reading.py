"""Files as people have them: names of any alphabet, models without their weights, several functions and shapes, folders.

Usage: command_reading.py [PROGRAM]; PROGRAM is the one of ANEMONE_BUILD_DIR where none is given."""

import json
import pathlib
import shutil
import sys
import tempfile

import numpy

import _harness
from _harness import ROOT, command, expect, verdict
from _onnx_messages import model, node, port

ONNX = ROOT / "tests" / "onnx" / "cases"
MIL = ROOT / "tests" / "readers" / "cases"

# Two functions; the first without its blob, the second with two shapes, and a sum that no Mac takes along this axis (R125).
PASTED = """program(1.3)
{
    func encode<ios18>(tensor<fp16, [1, 8, 1, 16]> x) {
        tensor<fp16, [4, 8, 1, 1]> w = const()[name = string("w"), val = tensor<fp16, [4, 8, 1, 1]>(BLOBFILE(path = string("@model_path/w.bin"), offset = uint64(64)))];
        tensor<fp16, [1, 4, 1, 16]> y = conv(dilations = tensor<int32, [2]>([1, 1]), groups = int32(1), pad = tensor<int32, [4]>([0, 0, 0, 0]), pad_type = string("valid"), strides = tensor<int32, [2]>([1, 1]), weight = w, x = x)[name = string("y"), SelectedBackend = string("ane")];
    } -> (y);
    func decode<ios18>(tensor<fp16, [1, ?, 8]> x) [FlexibleShapeInformation = tuple<tuple<string, dict<string, tensor<int32, [?]>>>, tuple<string, dict<string, dict<string, tensor<int32, [?]>>>>>((("DefaultShapes", {{"x", [1, 4, 8]}}), ("EnumeratedShapes", {{"a", {{"x", [1, 4, 8]}}}, {"b", {{"x", [1, 32, 8]}}}})))] {
        tensor<fp16, [1, ?, 8]> y = cumsum(x = x, axis = int32(1), exclusive = bool(false), reverse = bool(false))[name = string("y")];
    } -> (y);
}
"""


class Command:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, *arguments, code=0, words=(), without=()):
        done = _harness.run(self.program, [str(each) for each in arguments], self.folder)
        told = done.stdout + done.stderr
        expect(code == done.returncode and all(each in told for each in words) and not any(each in told for each in without),
               f"{arguments}: {done}, wanted {code}, {words}")
        return done.stdout


def names(run):
    """What the file calls its ports is what every command takes and prints."""
    shutil.copy(ONNX / "cn2.onnx", run.folder)
    run("run", "cn2.onnx", "-i", ONNX / "cn.npz", "-o", "out.npz", words=("差 (1x4)",))
    given, made = numpy.load(ONNX / "cn.npz"), numpy.load(run.folder / "out.npz")
    expect(list(made) == ["差"] and (made["差"] == given["图像"] - given["标签"]).all(), f"{dict(made)}")
    run("check", "cn2.onnx", "--ranges", "图像=0,1", "-t", "h13", words=('input "标签"', '"图像" is written as ______'))
    run("check", "cn2.onnx", "--ranges", "nobody=0,1", code=2, words=("there are: 图像, 标签",))
    run("convert", "cn2.onnx", "--to", "mil", "-o", "cn", words=("cn/model.mil",))
    expect("tensor<fp16, [1, 4]> ______" in (run.folder / "cn" / "model.mil").read_text(), "the identifiers are not written")
    expect("图像" in run("draw", "cn2.onnx"), "the drawing does not name the input")
    log = json.loads(run("check", ONNX / "名字.onnx", "-t", "h13", "--format", "sarif"))
    places = {each["physicalLocation"]["artifactLocation"]["uri"]
              for result in log["runs"][0]["results"] for each in result.get("locations", ()) if "physicalLocation" in each}
    expect(any(each.endswith("/%E5%90%8D%E5%AD%97.onnx") for each in places), f"{places}")
    run("check", ONNX / "名字.onnx", "-t", "h13", words=("名字.onnx:1", "卷积/第一层 🚀"))


def values(run):
    """An input as a constant."""
    import onnx
    from onnx import TensorProto, helper
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])
    k = helper.make_tensor_value_info("k", TensorProto.INT64, [])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])
    graph = helper.make_graph([helper.make_node("CumSum", ["x", "k"], ["y"])], "g", [x, k], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)]), str(run.folder / "sum.onnx"))
    numpy.savez(run.folder / "x.npz", x=numpy.array([[1, 2, 3, 4]], numpy.float32))
    run("run", "sum.onnx", "-i", "x.npz", code=2, words=("--value NAME=NUMBER",))
    run("run", "sum.onnx", "--value", "k=1", "-i", "x.npz", words=("1 3 6 10",))
    for wrong in ("k", "k=", "=1", "k=1,", "k=nan", "k=one"):
        run("check", "sum.onnx", "--value", wrong, code=2, words=("must be like sr=16000",))


def scalars(run):
    """Values of rank 0 are reduced over no axis at all: one element, to which the reduction applies."""
    numpy.savez(run.folder / "scalar.npz", x=numpy.float32(-1.5))
    reduced = {"ReduceL1": 1.5, "ReduceL2": 1.5, "ReduceSumSquare": 2.25, "ReduceSum": -1.5, "ReduceMax": -1.5, "ReduceMean": -1.5}
    for operator, wanted in reduced.items():
        (run.folder / "scalar.onnx").write_bytes(model([node(operator, ["x"], ["y"])], inputs=[port("x", [])],
                                                       outputs=[port("y", [])]))
        run("run", "scalar.onnx", "-i", "scalar.npz", "-o", "reduced.npz")
        found = numpy.load(run.folder / "reduced.npz")["y"].ravel()
        expect(found.tolist() == [wanted], f"{operator} of -1.5: {found}")
    quantized = [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"], "q"), node("DequantizeLinear", ["q", "s", "z"], ["y"], "d")]
    (run.folder / "scalar.onnx").write_bytes(model(quantized, inputs=[port("x", [])], outputs=[port("y", [])]))
    checked = _harness.run(run.program, ["check", "scalar.onnx", "-t", "h17s", "-q"], run.folder)
    expect(checked.returncode in (0, 1) and "error:" not in checked.stderr, f"{checked}")
    run("run", "scalar.onnx", "-i", "scalar.npz", "-o", "reduced.npz")
    found = float(numpy.load(run.folder / "reduced.npz")["y"].ravel()[0])
    expect(abs(found + 1.5) < 1.5 / 255, f"-1.5 quantized to 255 steps: {found}")


def without_weights(run):
    (run.folder / "model.mil").write_text(PASTED)
    told = ("the values of 1 weight are not there: the rules on values are open", "R056", "weights.missing")
    run("check", "model.mil", "--function", "encode", "-t", "h13", words=("accepted", *told))
    run("cost", "model.mil", "--function", "encode", "-t", "h13", words=("dispatch-bound",))
    run("placement", "model.mil", "--function", "encode", words=("the file's own remarks:", 'y (line 5): SelectedBackend = string("ane")'))
    run("draw", "model.mil", "--function", "encode", words=("<svg",))
    run("run", "model.mil", "--function", "encode", code=2, words=("w (const): the blob @model_path/w.bin",))
    run("run", "model.mil", "--function", "encode", "--weights", "zeros", words=("from 0 to 0", "zeros stand for them"))
    run("run", "model.mil", "--function", "encode", "--weights", "random", words=("random numbers stand for them",), without=("from 0 to 0",))
    run("run", "model.mil", "--function", "encode", "--weights", "nowhere.safetensors", code=2, words=("nowhere.safetensors",))
    run("convert", "model.mil", "--function", "encode", "--to", "netplist", "--weights", "zeros", "-o", "net", words=("zeros stand for them",))
    for file in (run.folder / "net").glob("*"):
        if file.suffix != ".plist":
            file.unlink()
    run("check", "net", "-t", "h13", words=("accepted", *told))


def several_models(run):
    """A line for each function and each enumerated shape."""
    (run.folder / "model.mil").write_text(PASTED)
    told = run("check", "model.mil", "-t", "h13", code=1).splitlines()
    expect([each.split(maxsplit=1) for each in told[1:2]] == [["encode", "accepted"]] and told[0] == "model.mil: 3 models", f"{told[:4]}")
    expect(told[2].startswith("  decode, x=1,4,8 ") and "refused by h13" in told[2] and told[3].startswith("  decode, x=1,32,8 "), f"{told[:4]}")
    run("check", "model.mil", "--function", "decode", "--shape", "x=1,4,8", "-t", "h13", code=1, without=("models",))
    run("check", "model.mil", "--function", "decode", "--shape", "x=1,5,8", "-t", "h13", code=1, words=("takes the shapes [1, 4, 8], [1, 32, 8], given is [1, 5, 8]",))
    run("check", "model.mil", "--format", "html", code=2, words=("is a page of one model, and there are 3",))


def folders(run):
    below = run.folder / "many" / "deeper"
    below.mkdir(parents=True)
    for name in ("order.onnx", "rank0.onnx"):
        shutil.copy(ONNX / name, below)
    shutil.copy(MIL / "tensor_buffer.mil", run.folder / "many")
    (below / "broken.mil").write_text("program(1.3) {")
    (below / "Info.plist").write_text("<plist/>")
    logs = [run("check", "many", "-t", "h13", "--jobs", jobs, "--format", "sarif", code=1) for jobs in (1, 3)]
    expect(logs[0] == logs[1], "the number of jobs changes the log")
    expect(len(json.loads(logs[0])["runs"]) == 4, f"{len(json.loads(logs[0])['runs'])} runs")
    found = json.loads(run("check", "many", "-t", "h13", "--jobs", 2, "--format", "json", code=1))
    expect([pathlib.Path(each["model"]).name for each in found] == ["broken.mil", "order.onnx", "rank0.onnx", "tensor_buffer.mil"], f"{found}")
    (run.folder / "none").mkdir()
    run("check", "none", code=2, words=("is a folder without models",))


def targets(run):
    listed = lambda names: [line.split()[1] for line in run("targets", names).splitlines()[1:]]
    expect(listed('M1,M3pro,M5 Pro') == ["h13", "h15g", "h17s"], f"{listed('M1,M3pro,M5 Pro')}")
    expect(listed("m1 ultra,M4-Max") == ["h13g", "h16g"], f"{listed('m1 ultra,M4-Max')}")
    expect("h14" in listed("..h14") and "h15" not in listed("..h14") and "h13" in listed("..M2"), f"{listed('..h14')}")
    run("targets", "iphone15", code=2, words=("no source says which target the engine of this device is",))
    run("targets", "M1..h13g,M99", code=2, words=("target 'M99'",))


def forms(run):
    (run.folder / "bare.mil").write_text(PASTED.split("    func decode")[0].replace("int32(1)", "1") + "}\n")
    run("check", "bare.mil", "-t", "h13",
        words=("bare.mil:5", "the value of groups has no type: write groups = int32(1)", "`anemone convert` writes it so [file.form]"))
    run("check", MIL / "tensor_buffer.mil", "-t", "h17s",
        words=("accepted", "the port x is a buffer, strides [256, 256, 256, 1], interleave factors [1, 1, 1, 1]"))


def main():
    program = command()
    with tempfile.TemporaryDirectory() as folder:
        run = Command(program, pathlib.Path(folder))
        done = _harness.run(program, ["check", str(ONNX / "order.onnx"), "-q"], folder)
        if "built without ONNX" not in done.stdout + done.stderr:
            names(run)
            folders(run)
            scalars(run)
            try:
                values(run)
            except ImportError:
                pass
        without_weights(run)
        several_models(run)
        targets(run)
        forms(run)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
