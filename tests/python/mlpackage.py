"""ML packages, judged by the protobuf library of Python with a schema that is written down here once more: what the
command writes has the fields, types, offsets and values that it should have, and what another writer makes is read.

Usage: mlpackage.py [PROGRAM]; PROGRAM is the command of ANEMONE_BUILD_DIR where none is given."""

import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import uuid

import _harness
from _harness import PATIENCE, command, expect, skip, verdict

try:
    import numpy as np
    from google.protobuf.message import DecodeError

    from _core_ml_schema import BOOL, FP16, FP32, INT8, INT32, MESSAGES, STRING
    from _core_ml_writer import Foreign
except ImportError as missing:
    skip(f"{missing} (Debian packages python3-numpy, python3-protobuf)")


def run(program, folder, *arguments):
    return _harness.run(program, arguments, folder, errors="replace")


def shape_of(value_type):
    tensor = value_type.tensorType
    expect(tensor.rank == len(tensor.dimensions), f"rank {tensor.rank} of {len(tensor.dimensions)} dimensions")
    return tuple(d.constant.size for d in tensor.dimensions)


def value_of(value, weights):
    """A constant as an array, or as a text."""
    shape = shape_of(value.type)
    kind = value.type.tensorType.dataType
    if value.HasField("blobFileValue"):
        expect(value.blobFileValue.fileName == "@model_path/weights/weight.bin", value.blobFileValue.fileName)
        at = value.blobFileValue.offset
        sentinel, code, size, begin = struct.unpack_from("<IIQQ", weights, at)
        expect(sentinel == 0xDEADBEEF and at % 64 == 0, f"no entry at {at}")
        expect((kind, code) in {(FP16, 1), (INT8, 4)}, f"type {kind} in the message, {code} in the blob")
        data = weights[begin:begin + size]
        return np.frombuffer(data, "<f2" if code == 1 else np.int8).reshape(shape)
    tensor = value.immediateValue.tensor
    if kind == STRING:
        expect(len(tensor.strings.values) == 1, "one text")
        return tensor.strings.values[0]
    if kind == FP16:
        return np.frombuffer(tensor.bytes.values, "<f2").reshape(shape)
    return np.array(tensor.bools.values if kind == BOOL else tensor.ints.values, np.int64).reshape(shape)


def evaluated(function, weights, inputs):
    """The few operations of these tests, in float64."""
    (block,) = function.block_specializations.values()
    known = dict(inputs)
    for operation in block.operations:
        arguments = {}
        for key, given in operation.inputs.items():
            for binding in given.arguments:
                expect(binding.name in known, f"{operation.type} reads {binding.name!r}, which nothing before it gives")
                arguments[key] = known[binding.name]
        (result,) = operation.outputs
        expect(result.name not in known, f"{result.name} is defined twice")
        expect(value_of(operation.attributes["name"], weights) == result.name, f"the name of {result.name}")
        if operation.type == "const":
            made = value_of(operation.attributes["val"], weights)
            expect(operation.attributes["val"].type == result.type, f"the type of {result.name}")
        elif operation.type == "matmul":
            expect(not arguments["transpose_x"].any() and not arguments["transpose_y"].any(), "transposed")
            made = arguments["x"].astype(float) @ arguments["y"].astype(float)
        elif operation.type == "relu":
            made = np.maximum(arguments["x"], 0)
        elif operation.type in ("add", "mul"):
            made = (np.add if operation.type == "add" else np.multiply)(arguments["x"], arguments["y"].astype(float))
        else:
            raise ValueError(operation.type)
        expect(isinstance(made, str) or made.shape == shape_of(result.type), f"the shape of {result.name}")
        known[result.name] = made
    return {name: known[name] for name in block.outputs}


def written(program, folder):
    """A perceptron out of the command: every field is known, and computes what the command computes."""
    random = np.random.default_rng(5)
    first = (random.integers(-64, 64, (8, 12)) / 64).astype(np.float16)
    second = (random.integers(-64, 64, (12, 4)) / 64).astype(np.float16)
    text = f"""program(1.0)
{{
    func main<ios17>(tensor<fp16, [2, 8]> x) {{
        tensor<fp16, [8, 12]> a = const()[val = tensor<fp16, [8, 12]>({first.tolist()})];
        tensor<fp16, [12, 4]> b = const()[val = tensor<fp16, [12, 4]>({second.tolist()})];
        bool no = const()[val = bool(false)];
        tensor<fp16, [2, 12]> h = matmul(x = x, y = a, transpose_x = no, transpose_y = no);
        tensor<fp16, [2, 12]> r = relu(x = h);
        tensor<fp16, [2, 4]> m = matmul(x = r, y = b, transpose_x = no, transpose_y = no);
        tensor<fp16, [2, 4]> y = add(x = m, y = fp16(0.25));
    }} -> (y);
}}
"""
    (folder / "perceptron.mil").write_text(text)
    done = run(program, folder, "convert", "perceptron.mil", "--to", "mlpackage", "--output", "perceptron.mlpackage")
    expect(done.returncode == 0 and done.stdout == "perceptron.mlpackage\n", f"convert: {done}")
    package = folder / "perceptron.mlpackage"
    files = sorted(path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file())
    home = "Data/com.apple.CoreML"
    expect(files == [f"{home}/model.mlmodel", f"{home}/weights/weight.bin", "Manifest.json"], files)

    manifest = json.loads((package / "Manifest.json").read_text())
    expect(manifest["fileFormatVersion"] == "1.0.0", manifest)
    root = manifest["itemInfoEntries"][manifest["rootModelIdentifier"]]
    expect(root["path"] == "com.apple.CoreML/model.mlmodel" and root["name"] == "model.mlmodel", root)
    for identifier, item in manifest["itemInfoEntries"].items():
        expect(str(uuid.UUID(identifier)).upper() == identifier and uuid.UUID(identifier).version == 8, identifier)
        expect((package / "Data" / item["path"]).exists() and item["author"] == "com.apple.CoreML", item)

    data = (package / home / "model.mlmodel").read_bytes()
    model = MESSAGES["Model"].FromString(data)
    again = MESSAGES["Model"]()
    again.CopyFrom(model)
    again.DiscardUnknownFields()
    expect(again == model and len(again.SerializeToString()) == len(data), "a field that the schema does not have")
    expect(model.specificationVersion == 9, f"version {model.specificationVersion}")
    for features, name, shape in ((model.description.input, "x", [2, 8]), (model.description.output, "y", [2, 4])):
        expect([f.name for f in features] == [name], features)
        expect(list(features[0].type.multiArrayType.shape) == shape, features)
        expect(features[0].type.multiArrayType.dataType == 65552, features)
    function = model.mlProgram.functions["main"]
    expect(model.mlProgram.version == 1 and function.opset == "CoreML8", function.opset)
    expect(list(function.block_specializations) == ["CoreML8"], "the block")
    x = (random.integers(-32, 32, (2, 8)) / 32).astype(np.float16)
    weights = (package / home / "weights/weight.bin").read_bytes()
    wanted = evaluated(function, weights, {"x": x})["y"]
    by_hand = np.maximum(x.astype(float) @ first, 0) @ second.astype(float) + 0.25
    expect(np.array_equal(wanted, by_hand), "the message computes something else")
    np.save(folder / "x.npy", x)
    done = run(program, folder, "run", "perceptron.mlpackage", "--input", "x.npy", "--output", "y.npy")
    expect(done.returncode == 0, done.stderr)
    expect(np.allclose(np.load(folder / "y.npy"), by_hand, atol=0.02), "run")
    if (protoc := shutil.which("protoc")) is not None:
        raw = subprocess.run([protoc, "--decode_raw"], input=data, capture_output=True, timeout=PATIENCE)
        expect(raw.returncode == 0 and raw.stdout.startswith(b"1: 9\n2 {\n"), raw.stderr)

    # The folder that coremlc makes of it: text and weights.
    compiled = folder / "perceptron.mlmodelc"
    run(program, folder, "convert", "perceptron.mil", "--to", "mil", "--output", "text")
    (compiled / "weights").mkdir(parents=True)
    text = (folder / "text/model.mil").read_text().replace("@model_path/weights.bin", "@model_path/weights/weight.bin")
    (compiled / "model.mil").write_text(text)
    (compiled / "weights/weight.bin").write_bytes(weights)
    other = run(program, folder, "run", "perceptron.mlmodelc", "--input", "x.npy", "--compare", "y.npy")
    expect(other.returncode == 0, f"mlmodelc: {other}")


def kept(program, folder):
    """A state is Core ML's own, and kept between runs."""
    (folder / "sum.mil").write_text("""program(1.0)
{
    func main<ios18>(state<tensor<fp16, [1, 3]>> sum, tensor<fp16, [1, 3]> x) {
        tensor<fp16, [1, 3]> before = read_state(input = sum);
        tensor<fp16, [1, 3]> next = add(x = before, y = x);
        write_state(input = sum, data = next);
        tensor<fp16, [1, 3]> y = mul(x = next, y = fp16(0.5));
    } -> (y);
}
""")
    done = run(program, folder, "convert", "sum.mil", "--to", "mlpackage", "--output", "sum.mlpackage")
    expect(done.returncode == 0, done)
    model = MESSAGES["Model"].FromString((folder / "sum.mlpackage/Data/com.apple.CoreML/model.mlmodel").read_bytes())
    (state,) = model.description.state
    expect(state.name == "sum" and state.type.WhichOneof("Type") == "stateType", state)
    expect(list(state.type.stateType.arrayType.shape) == [1, 3], state)
    expect([each.name for each in model.description.input] == ["x"], model.description.input)
    function = model.mlProgram.functions["main"]
    types = {each.name: each.type.WhichOneof("type") for each in function.inputs}
    expect(types == {"sum": "stateType", "x": "tensorType"}, types)
    expect(shape_of(next(each for each in function.inputs if each.name == "sum").type.stateType.wrappedType) == (1, 3), "sum")
    (block,) = function.block_specializations.values()
    kinds = [each.type for each in block.operations if each.type != "const"]
    expect(kinds == ["read_state", "add", "mul", "write_state"], kinds)
    expect(len(block.operations[-1].outputs) == 0 and set(block.operations[-1].inputs) == {"input", "data"}, "write_state")
    np.savez(folder / "runs_0.npz", x=np.array([[1, 2, 3]], np.float32))
    np.savez(folder / "runs_1.npz", x=np.array([[10, 20, 30]], np.float32))
    done = run(program, folder, "run", "sum.mlpackage", "--input", "runs_0.npz", "--input", "runs_1.npz", "--output", "kept.npz")
    expect(done.returncode == 0 and "5.5 11 16.5" in done.stdout, f"{done.stdout}{done.stderr}")


def foreign_model():
    f = Foreign()
    random = np.random.default_rng(6)
    dense = random.integers(-8, 8, (16, 8)) / 8
    codes = random.integers(-100, 100, (4, 16))
    scales = 2.0 ** -random.integers(4, 8, 4)
    f.set_type(f.function.inputs.add(name="x").type, FP32, (2, 8))
    image = f.model.description.input.add(name="x")
    image.type.imageType.SetInParent()
    f.model.description.output.add(name="y").type.multiArrayType.dataType = 65568
    f.add("cast", "x_16", FP16, (2, 8), x="x", dtype=(STRING, "fp16"))
    f.set_blob(f.add("const", "w", FP16, (16, 8)).attributes["val"], FP16, dense)
    weight = f.add("constexpr_affine_dequantize", "v", FP16, (4, 16))
    f.set_blob(weight.attributes["quantized_data"], INT8, codes)
    f.set_blob(weight.attributes["scale"], FP16, scales)
    f.set_value(weight.attributes["zero_point"], INT8, 0)
    f.set_value(weight.attributes["axis"], INT32, 0)
    bias = np.arange(16) / 16
    f.add("linear", "h", FP16, (2, 16), x="x_16", weight="w", bias=(FP16, bias))
    f.add("linear", "z", FP16, (2, 4), x="h", weight="v")
    both = f.add("concat", "c", FP16, (2, 8), axis=(INT32, 1), interleave="no")
    for name in ("z", "z"):
        both.inputs["values"].arguments.add().name = name
    no = f.block.operations.add(type="const")
    f.set_type(no.outputs.add(name="no").type, BOOL, ())
    f.set_type(no.attributes["val"].type, BOOL, ())
    no.attributes["val"].immediateValue.tensor.bools.values.append(False)
    operations = list(f.block.operations)
    del f.block.operations[:]
    f.block.operations.extend(operations[-1:] + operations[:-1])
    f.add("cast", "y", FP32, (2, 8), x="c", dtype=(STRING, "fp32"))
    f.block.outputs.append("y")
    wanted = lambda x: np.tile((x @ dense.T + bias) @ (codes * scales[:, None]).T, 2)
    return f, wanted


def read(program, folder):
    """What another writer made is read and computes what NumPy computes."""
    f, wanted = foreign_model()
    f.write(folder / "foreign.mlpackage")
    x = np.random.default_rng(7).integers(-8, 8, (2, 8)) / 8
    np.save(folder / "f.npy", x.astype(np.float32))
    done = run(program, folder, "run", "foreign.mlpackage", "--input", "f.npy", "--output", "g.npy")
    expect(done.returncode == 0, f"{done.stdout}{done.stderr}")
    if done.returncode == 0:
        np.testing.assert_allclose(np.load(folder / "g.npy"), wanted(x), rtol=0.01, atol=0.01)
    done = run(program, folder, "check", "foreign.mlpackage", "--targets", "h13")
    expect("the port x is an image in the file" in done.stdout and done.returncode == 0, done.stdout)
    expect("(foreign.mlpackage:6)" in done.stdout, f"the sixth operation is not named: {done.stdout}")
    for each in ("foreign.mlpackage/Data/com.apple.CoreML/model.mlmodel", "foreign.mlpackage/"):
        again = run(program, folder, "run", each, "--input", "f.npy", "--compare", "g.npy")
        expect(again.returncode == 0, f"{each}: {again.stdout}{again.stderr}")


def masks(program, folder):
    """A mask beyond fp16, in the text or in a blob, becomes a finite one."""
    for in_blob in (False, True):
        f = Foreign()
        f.set_type(f.function.inputs.add(name="x").type, FP16, (1, 3))
        mask = np.array([0, -np.inf, np.finfo(np.float32).min])
        if in_blob:
            f.set_blob(f.add("const", "m", FP32, (3,)).attributes["val"], FP32, mask)
        f.add("add", "s", FP16, (1, 3), x="x", y="m" if in_blob else (FP32, mask))
        f.add("softmax", "y", FP16, (1, 3), x="s", axis=(INT32, 1))
        f.block.outputs.append("y")
        f.write(folder / "masked.mlpackage")
        np.save(folder / "scores.npy", np.array([[-40, 1, 2]], np.float32))
        done = run(program, folder, "run", "masked.mlpackage", "--input", "scores.npy", "--output", "shares.npy")
        expect(done.returncode == 0 and "such as -inf, are -30000 here" in done.stderr, f"{done}")
        expect(np.load(folder / "shares.npy").tolist() == [[1, 0, 0]], f"in_blob {in_blob}")


def functions(program, folder):
    """One of several functions is chosen by name; without one it is the default that the description names."""
    f = Foreign()
    f.model.description.defaultFunctionName = "twice"
    for name, factor in (("once", 1), ("twice", 2), ("thrice", 3)):
        f.function = f.model.mlProgram.functions[name]
        f.function.opset = "CoreML8"
        f.block = f.function.block_specializations["CoreML8"]
        f.model.description.functions.add(name=name)
        f.set_type(f.function.inputs.add(name="x").type, FP16, (1, 3))
        f.add("mul", "y", FP16, (1, 3), x="x", y=(FP16, factor))
        f.block.outputs.append("y")
    del f.model.mlProgram.functions["main"]
    f.write(folder / "functions.mlpackage")
    np.save(folder / "ones.npy", np.ones((1, 3), np.float32))
    for arguments, wanted in (([], "2 2 2"), (["--function", "once"], "1 1 1"), (["--function", "thrice"], "3 3 3")):
        done = run(program, folder, "run", "functions.mlpackage", "--input", "ones.npy", *arguments)
        expect(wanted in done.stdout, f"{arguments}: {done.stdout}{done.stderr}")
    done = run(program, folder, "run", "functions.mlpackage", "--function", "none")
    expect(done.returncode != 0 and "has no function none, only" in done.stdout + done.stderr, done)


def refused(program, folder):
    """Each is refused with exit code 1 by check, in a sentence without the file's own control characters."""

    def says(change, words, weights=None, code=1):
        f, _ = foreign_model()
        change(f)
        f.write(folder / "bad.mlpackage")
        if weights is not None:
            (folder / "bad.mlpackage/Data/com.apple.CoreML/weights/weight.bin").write_bytes(weights)
        done = run(program, folder, "check", "bad.mlpackage")
        expect(done.returncode == code and words in done.stdout, f"{words!r} is not in {done.stdout!r}{done.stderr!r}")
        expect(not any(ord(c) < 32 and c != "\n" for c in done.stdout + done.stderr), f"controls in {done.stdout!r}")

    def operation(f, kind):
        return next(each for each in f.block.operations if each.type == kind)

    def outside(f):
        operation(f, "constexpr_affine_dequantize").attributes["scale"].blobFileValue.fileName = "@model_path/../../../x"

    def renamed(f):
        operation(f, "linear").outputs[0].name = "a\x1b[31mb\nc"

    def flexible(f):
        f.function.inputs[0].type.tensorType.dimensions[0].unknown.variadic = False
        f.function.inputs[0].type.tensorType.dimensions[0].ClearField("constant")

    def two_blocks(f):
        f.function.block_specializations["CoreML7"].CopyFrom(f.block)
        f.function.opset = "CoreML9"

    says(outside, "is no path below the model's folder")
    says(renamed, "which is no UTF-8 or has control characters")
    says(flexible, "is an input with the unknown dimension ?")
    says(two_blocks, "has a function with 2 blocks, none of them for its opset CoreML9")
    says(lambda f: operation(f, "concat").blocks.add(), "has blocks of statements")
    says(lambda f: setattr(operation(f, "concat"), "type", "lstm\x07"), "which is no UTF-8 or has control characters")
    says(lambda f: setattr(operation(f, "linear").outputs[0].type.tensorType, "dataType", 77), "has elements of the type 77")
    says(lambda f: setattr(operation(f, "linear").outputs[0].type.tensorType, "rank", 3), "has rank 3 and 2 dimensions")
    says(lambda f: setattr(operation(f, "linear").outputs[0].type.tensorType.dimensions[0].constant, "size", 2**62),
         "has a dimension of 4611686018427387904 elements")
    says(lambda f: operation(f, "linear").inputs["bias"].arguments[0].value.immediateValue.tensor.bytes.ClearField("values"),
         "has a constant [16] of fp16 with 0 bytes")
    says(lambda f: operation(f, "linear").inputs["bias"].arguments[0].ClearField("value"), "has a name of 0 bytes")
    says(lambda f: f.block.outputs.append("nothing"), "is an output that no statement defines")
    says(lambda f: f.model.ClearField("mlProgram"), "is no model of Core ML: it has no ML Program")
    says(lambda f: (f.model.ClearField("mlProgram"), f.model.neuralNetwork.SetInParent()), "of the kind neural network")
    says(lambda f: None, "its header alone takes 64", b"", 0)  # told, and the rest is judged
    says(lambda f: None, "has version 0, known are 1 and 2", bytes(64) + bytes(1000))
    says(lambda f: None, "the sentinel is missing", b"\x02\0\0\0" * 2 + bytes(1064))

    f, _ = foreign_model()
    data = f.model.SerializeToString()
    model = folder / "bad.mlpackage/Data/com.apple.CoreML/model.mlmodel"
    (folder / "bad.mlpackage/Data/com.apple.CoreML/weights/weight.bin").write_bytes(f.blob)
    for size in range(0, len(data), 97):
        model.write_bytes(data[:size])
        done = run(program, folder, "check", "bad.mlpackage")
        expect(done.returncode == 1 and "bad.mlpackage" in done.stdout, f"{size} bytes: {done}")
    (folder / "bad.mlpackage/Manifest.json").write_text("{}")
    done = run(program, folder, "check", "bad.mlpackage")
    expect(done.returncode == 1 and "Manifest.json" in done.stdout, done)


def main():
    program = command()
    try:
        MESSAGES["Model"].FromString(b"\x08")
        expect(False, "the referee takes anything")
    except DecodeError:
        pass
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        written(program, folder)
        kept(program, folder)
        read(program, folder)
        masks(program, folder)
        functions(program, folder)
        refused(program, folder)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
