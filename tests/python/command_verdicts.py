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
        expect(code in (None, done.returncode) and all(each in told for each in words), f"{arguments}: {done}, wanted {code}, {words}")
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


def waived_rules(run):
    """A rule that is waived refuses no text either; and what sources dispute is refused by no route."""
    text = """program(1.3)
{{
 func main<ios18>(tensor<fp16, [1, 8, 8, 64]> x{}) {{
  {}
 }} -> (y);
}}
"""
    (run.folder / "sine.mil").write_text(text.format("", 'tensor<fp16, [1, 8, 8, 64]> y = sin(x = x)[name = string("y")];'))
    run("check", "sine.mil", "-t", "h13", code=1, words=("R132",))
    told = run("check", "sine.mil", "-t", "h13", "--waive", "R132", words=("accepted",))
    expect("R132" not in told, told)
    (run.folder / "along.mil").write_text(text.format(", tensor<fp16, [4]> i", """tensor<uint16, [4]> k = cast(x = i, dtype = string("uint16"))[name = string("k")];
  tensor<fp16, [1, 8, 8, 4]> y = gather(x = x, indices = k, axis = int32(3), batch_dims = int32(0), validate_indices = bool(false))[name = string("y")];"""))
    for route in ("any", "mil"):
        run("check", "along.mil", "-t", "h17s", "--route", route, words=("accepted",))


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


def weights_read_as_fp16(run, with_onnx):
    """Forms of other tools that no file of ours has: a warning says that the weight is fp16, and it costs as fp16 does."""
    side = 64
    integers, scales = f"tensor<uint4, [{side}, {side}]>", f"tensor<fp16, [{side}, 2]>"
    rows = lambda text, columns: "[" + ", ".join(["[" + ", ".join([text] * columns) + "]"] * side) + "]"
    plain = linear_text(None)
    begin, end = plain.index(f"tensor<fp16, [{side}, {side}]> w"), plain.index(f"tensor<fp16, [1, {side}]> y")
    stored = (f'{integers} q = const()[name = string("q"), val = {integers}({rows("3", side)})];\n'
              f'{scales} s = const()[name = string("s"), val = {scales}({rows("0.25", 2)})];\n'
              f'tensor<fp16, [{side}, {side}]> w = constexpr_blockwise_shift_scale(data = q, scale = s)[name = string("w")];\n')
    (run.folder / "unsigned.mil").write_text(plain[:begin] + stored + plain[end:])
    (run.folder / "fp16.mil").write_text(plain)
    told = run("check", "unsigned.mil", "-t", "h13", code=None, words=("warning: compressed weights in forms that the library does not store", "weights.expanded"))
    expect(told.count("weights.expanded") == 1, told)
    expect(run("cost", "unsigned.mil", "--json") == run("cost", "fp16.mil", "--json"), "the price of integers without a sign")
    if not with_onnx:
        return
    attributes = field(5, field(1, "axis") + field(3, 1) + field(20, 2)) + field(5, field(1, "block_size") + field(3, 32) + field(20, 2))
    ports = {"inputs": [port("x", [1, side])], "outputs": [port("y", [1, side])], "opset": 21}
    product = node("MatMul", ["x", "w"], ["y"], "product")
    blocks = model([node("DequantizeLinear", ["q", "s"], ["w"], "real", attributes=attributes), product],
                   [tensor("q", [side, side], 22, raw=bytes([0x21] * (side * side // 2))),
                    tensor("s", [side, 2], 1, raw=struct.pack(f"<{2 * side}f", *[0.25] * (2 * side)))], **ports)
    dense = model([product], [tensor("w", [side, side], 1, raw=struct.pack(f"<{side * side}f", *[0.25, 0.5] * (side * side // 2)))], **ports)
    (run.folder / "blocks.onnx").write_bytes(blocks)
    (run.folder / "dense.onnx").write_bytes(dense)
    run("check", "blocks.onnx", "-t", "h13", words=('warning: the weight "q" is int4 with scales for blocks of 32 in the file and fp16 here, and written so [weights.expanded]',))
    expect("weights.expanded" not in run("check", "dense.onnx", "-t", "h13"), "a weight of fp32")
    expect(run("cost", "blocks.onnx", "--json") == run("cost", "dense.onnx", "--json"), "the price of blocks")
    sizes = []
    for name in ("blocks", "dense"):
        run("convert", f"{name}.onnx", "--to", "mil", "-o", name)
        sizes.append(sum(each.stat().st_size for each in (run.folder / name).rglob("*.bin")))
    expect(sizes[0] == sizes[1] > 2 * side * side, f"{sizes}")


def operations_of_systems(run, with_onnx):
    """A system that the target names: its Core ML lacks operations of later ones. Values of rank 0 are written with rank 1."""
    attention = """program(1.3)
{
 func main<ios18>(tensor<fp16, [1, 2, 16, 32]> q, tensor<fp16, [1, 2, 16, 32]> k, tensor<fp16, [1, 2, 16, 32]> v) {
  tensor<fp16, [1, 2, 16, 32]> y = scaled_dot_product_attention(query = q, key = k, value = v)[name = string("y")];
 } -> (y);
}
"""
    (run.folder / "attention.mil").write_text(attention)
    for system, code in (("macos13", 1), ("macos14", 1), ("macos15", 0)):
        words = ("macOS 15",) if code else ("accepted",)
        run("check", "attention.mil", "-t", "h16", "--system", system, code=code, words=words)
    run("convert", "attention.mil", "--to", "mil", "-o", "in_parts")
    run("check", "attention.mil", "-t", "h16", "--system", "macos99", code=2, words=("macos14", "macos15"))
    if with_onnx:
        scalar = TESTS / "onnx" / "cases" / "rank0.onnx"
        run("check", scalar, "-t", "h13", "--system", "macos14", words=("accepted",))
        run("convert", scalar, "--to", "mil", "-o", "rank_one")
        text = (run.folder / "rank_one" / "model.mil").read_text()
        expect("[]>" not in text.split("func main")[1].split(")")[0] and "fp16, []" not in text, text)


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
        for of_onnx in (strides, advice_for_kernels, what_optimize_mends, gates_of_an_lstm, weights_read_as_fp16,
                        operations_of_systems):
            of_onnx(run, with_onnx)
        forms_of_mil(run)
        palettes_as_written(run)
        waived_rules(run)
        older_systems(run)
        placement(run)
        placement_of_own_layers(run)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
