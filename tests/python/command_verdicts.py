"""Files that look harmless and that the engine's compiler refuses, or Core ML gives to another device.

Usage: command_verdicts.py [PROGRAM]; PROGRAM is the one of ANEMONE_BUILD_DIR where none is given."""

import pathlib
import struct
import sys
import tempfile

import _harness
from _harness import ROOT, command, expect, verdict
from _onnx_messages import field, integers, model, node, port, tensor

TESTS = ROOT / "tests"


def text_attribute(name, text):
    return field(5, field(1, name) + field(4, text) + field(20, 3))


class Command:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, *arguments, code=0, words=()):
        done = _harness.run(self.program, [str(each) for each in arguments], self.folder)
        told = done.stdout + done.stderr
        expect(code == done.returncode and all(each in told for each in words), f"{arguments}: {done}, wanted {code}, {words}")
        return told


def strides(run, with_onnx):
    """R041: at most two factors, each 2, 3, 4 or 8."""
    if with_onnx:
        run("check", TESTS / "onnx" / "cases" / "stride_7.onnx", code=1,
            words=("stride 7 is not a product of at most two of 2, 3, 4 and 8", "R041, decompiled", "refused"))


def advice_for_kernels(run, with_onnx):
    """R030: what is told to do is not refused in turn (tests/rules/advice.cpp), and optimize does it."""
    if with_onnx:
        bank = TESTS / "rules" / "cases" / "conv_512_wide.onnx"
        run("check", bank, code=1,
            words=("kernel width 512 exceeds 13", "kernel width 512 exceeds 15", "try: cut the input into frames, rows of one stride each that are joined, and multiply",
                   "optimize writes such a form"))
        for chip in ("h13", "h16"):
            run("optimize", bank, "--target", chip, "--prove", "-o", f"frames_{chip}",
                words=("polyphase_filters", "refuses 1 layer of the model as written, and 0 after it", "holds"))
            run("check", f"frames_{chip}", words=("accepted",))


def what_optimize_mends(run, with_onnx):
    """Small files of the form of models that npm packages ship: a voice detector's mirrored border, a
    convolution whose input is quantized by scales of the run, 1x1 convolutions of more pixels than a row has places."""
    if not with_onnx:
        return
    floats = lambda *values: struct.pack(f"<{len(values)}f", *values)
    voice = model([node("Pad", ["x", "border"], ["y"], "pad", attributes=text_attribute("mode", "reflect"))],
                  [integers("border", [0, 0, 0, 0, 0, 40])], inputs=[port("x", [1, 2, 512])], outputs=[port("y", [1, 2, 552])])
    codes = model([node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"], "codes"), node("Mul", ["scale", "of_weight"], ["both"], "scales"),
                   node("ConvInteger", ["q", "w", "zero", "w_zero"], ["sums"], "conv"),
                   node("Cast", ["sums"], ["floats"], "cast", attributes=field(5, field(1, "to") + field(3, 1) + field(20, 2))),
                   node("Mul", ["floats", "both"], ["y"], "out")],
                  [tensor("w", [6, 4, 3, 3], 3, raw=bytes(range(216))), tensor("w_zero", [], 3, raw=bytes(1)),
                   tensor("of_weight", [], 1, raw=floats(0.01))],
                  inputs=[port("x", [1, 4, 9, 9])], outputs=[port("y", [1, 6, 7, 7])])
    image = model([node("Conv", ["x", "w"], ["y"], "conv")], [tensor("w", [16, 48, 1, 1], 1, raw=floats(*[0.125] * 768))],
                  inputs=[port("x", [1, 48, 160, 160])], outputs=[port("y", [1, 16, 160, 160])])
    for name, made, before in (("voice", voice, "refused"), ("codes", codes, "refused"), ("image", image, "accepted")):
        (run.folder / f"{name}.onnx").write_bytes(made)
        run("check", f"{name}.onnx", "-t", "h13", code=1 if before == "refused" else 0, words=(before,))
        told = run("optimize", f"{name}.onnx", "-t", "h13", "-o", f"{name}_mended")
        expect(before == "accepted" or "and 0 after it" in told, f"{name} is mended: {told}")
        run("check", f"{name}_mended", "-t", "h13", words=("accepted",))


def gates_of_an_lstm(run, with_onnx):
    """R090: the reader cuts gates from the weights."""
    if with_onnx:
        run("check", TESTS / "onnx" / "cases" / "lstm_nodir.onnx", words=("accepted",))


def forms_of_mil(run):
    """What the file says in words that the compiler refuses: the graph can be used all the same."""
    cases = TESTS / "readers" / "cases"
    for options in ([], ["--route", "mil"]):
        run("check", cases / "weights_in_blocks.mil", *options,
            words=("weights_in_blocks.mil:9", "y (conv): the engine's compiler: Not implemented: a weight with scales for blocks", "file.refused"), code=1)
    run("check", cases / "rsqrt_without_epsilon.mil",
        words=("rsqrt_without_epsilon.mil:5", "the engine's compiler: its parser has no default for epsilon", "file.refused"), code=1)
    run("check", cases / "int32_input.mil", "-t", "h14g",
        words=("int32_input.mil:4", "the engine's compiler: int32 is no type of a port on the MIL route", "file.refused"), code=1)
    run("check", TESTS / "diff" / "cases" / "gelu_tanh.mil", words=("the engine has one table for both", "file.note"))


def placement(run):
    """Core ML's plan leaves small work on the CPU; from 16 x 2048 x 64 on products are the engine's."""
    small = TESTS / "cost" / "cases" / "small_matmul.mil"
    run("placement", small, words=("system: all on the CPU (predicted)",))
    larger = small.read_text()
    for kind in ("fp16", "fp32"):
        larger = larger.replace(f"<{kind}, [4, 4]> a", f"<{kind}, [16, 2048]> a").replace(f"<{kind}, [4, 4]> b", f"<{kind}, [2048, 64]> b")
        larger = larger.replace(f"<{kind}, [4, 4]> y", f"<{kind}, [16, 64]> y").replace(f"<{kind}, [4, 4]> out", f"<{kind}, [16, 64]> out")
    (run.folder / "larger.mil").write_text(larger)
    run("placement", "larger.mil", words=("system: all on the engine (decompiled)",))


def placement_of_own_layers(run):
    """The layers that a file names are placed as such, and what the engine's compiler refuses in it has no engine there."""
    softplus = (TESTS / "rules" / "cases" / "softplus_native.mil").read_text()
    (run.folder / "softplus.mil").write_text(softplus.replace("[1, 10]", "[64, 64, 512]"))
    told = run("placement", "softplus.mil", words=("softplus #", "system: all on the engine (decompiled)"))
    expect("minimum" not in told and "relu" not in told, "the file's softplus is one layer: " + told)
    sums = (TESTS / "rules" / "cases" / "log_of_sum.mil").read_text()
    (run.folder / "sums.mil").write_text(sums.replace("[1, 7]", "[4, 512, 512]"))
    run("placement", "sums.mil", words=('cumsum "c" (line 8) (measured, M5; that it then takes another device: predicted)',))


def linear_text(form):
    """A linear layer of 64 features, whose weight is a palette of so many bits, or fp16 (None)."""
    side, shape = 64, "[64, 64]"
    if form is None:
        values = ", ".join("[" + ", ".join(f"{(i * 7 + j) % 5 - 2}" for j in range(side)) + "]" for i in range(side))
        weight = f'tensor<fp16, {shape}> w = const()[name = string("w"), val = tensor<fp16, {shape}>([{values}])];'
    else:
        codes = ", ".join("[" + ", ".join(str((i * 7 + j) % min(2**form, 5)) for j in range(side)) + "]" for i in range(side))
        table = ", ".join(f"[{i % 5 - 2}]" for i in range(2**form))
        weight = (f'tensor<uint{form}, {shape}> q = const()[name = string("q"), val = tensor<uint{form}, {shape}>([{codes}])];\n'
                  f'tensor<fp16, [1, 1, {2**form}, 1]> t = const()[name = string("t"), val = tensor<fp16, [1, 1, {2**form}, 1]>([[[{table}]]])];\n'
                  f'tensor<fp16, {shape}> w = constexpr_lut_to_dense(indices = q, lut = t)[name = string("w")];')
    return ("program(1.3)\n[buildInfo = dict<string, string>({})]\n{\nfunc main<ios18>(tensor<fp16, [1, 64]> x) {\n" + weight +
            '\ntensor<fp16, [1, 64]> y = linear(x = x, weight = w)[name = string("y")];\n} -> (y);\n}\n')


def palettes_as_written(run):
    """What a route's file holds as fp16 is told so, and costs what fp16 costs."""
    (run.folder / "fp16.mil").write_text(linear_text(None))
    for bits in (1, 2, 3, 4, 6, 8):
        file = f"palette{bits}.mil"
        (run.folder / file).write_text(linear_text(bits))
        for route in ("mil", "netplist"):
            told = run("check", file, "-a", "-t", "h13,h16,h17s", "--route", route, code=0 if bits in (4, 8) else 1)  # A13 has these two
            as_fp16 = route == "netplist" or bits not in (4, 8)
            expect(("written as the fp16 values" in told) == as_fp16, f"a palette of {bits} bits on {route}: {told}")
        cost = [run("cost", each, "-t", "h13,h16,h17s", "--json") for each in (file, "fp16.mil")]
        expect(bits in (4, 8) or cost[0] == cost[1], f"the price of a palette of {bits} bits: {cost}")


def older_systems(run):
    """A file that names newer operations than the system has is refused, and files are written with the system's own."""
    systems = {"macos12": "ios15", "macos13": "ios16", "macos14": "ios17", "macos15": "ios18"}
    for opset in systems.values():
        (run.folder / f"{opset}.mil").write_text(
            "program(1.3)\n[buildInfo = dict<string, string>({})]\n{\nfunc main<" + opset + ">(tensor<fp16, [1, 64]> x) {\n"
            'tensor<fp16, [1, 64]> y = relu(x = x)[name = string("y")];\n} -> (y);\n}\n')
        for system, newest in systems.items():
            fits = opset <= newest
            run("check", f"{opset}.mil", "-t", "h13", "--system", system, code=0 if fits else 1,
                words=("accepted",) if fits else (f"the file names the operations of {opset}", "refused"))
    for system, newest in systems.items():
        run("convert", "ios15.mil", "--to", "mil", "--system", system, "-o", f"for_{system}")
        text = (run.folder / f"for_{system}" / "model.mil").read_text()
        expect(f"main<{newest}>" in text, f"{system}: {text}")
        run("check", f"for_{system}", "-t", "h13", "--system", system, words=("accepted",))
    run("check", "ios15.mil", "-t", "h13", "--system", "macos11", code=2, words=("macos11",))


def main():
    program = command()
    with tempfile.TemporaryDirectory() as folder:
        run = Command(program, pathlib.Path(folder))
        done = _harness.run(program, ["check", TESTS / "onnx" / "cases" / "stride_7.onnx", "-q"], folder)
        with_onnx = "built without ONNX" not in done.stdout + done.stderr
        for of_onnx in (strides, advice_for_kernels, what_optimize_mends, gates_of_an_lstm):
            of_onnx(run, with_onnx)
        forms_of_mil(run)
        palettes_as_written(run)
        older_systems(run)
        placement(run)
        placement_of_own_layers(run)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
