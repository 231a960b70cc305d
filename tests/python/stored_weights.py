"""Every form in which MIL text stores a weight, decoded by `anemone run` and by NumPy: palettes of 1 to 8 bits, in groups and of
vectors, with tables that are stored in integers and with scales on top; integers with scales along any axis; zeros left out.

Usage: stored_weights.py [PROGRAM]; PROGRAM is the command of ANEMONE_BUILD_DIR where none is given."""

import pathlib
import struct
import sys
import tempfile

from _harness import command, expect, run, skip, verdict

try:
    import numpy as np
except ImportError as missing:
    skip(f"{missing} (Debian package python3-numpy)")

SHAPE = (4, 6, 2, 4)
draw = np.random.default_rng(20261127)


def written(value):
    return float(value).hex() if isinstance(value, np.floating) else str(int(value))


def nested(array):
    return written(array) if array.ndim == 0 else "[" + ", ".join(nested(each) for each in array) + "]"


def tensor(kind, shape):
    return f"tensor<{kind}, [{', '.join(map(str, shape))}]>"


class Weight:
    """Statements that make `w`, and the values that it stands for."""

    def __init__(self, shape=SHAPE):
        self.lines = []
        self.shape = shape

    def constant(self, name, kind, array):
        of = tensor(kind, array.shape)
        self.lines.append(f'{of} {name} = const()[name = string("{name}"), val = {of}({nested(array)})];')
        return array.astype(np.float64)

    def statement(self, operation, name, kind, shape, **arguments):
        words = ", ".join(f"{key} = {value}" for key, value in arguments.items())
        self.lines.append(f'{tensor(kind, shape)} {name} = {operation}({words})[name = string("{name}")];')


def halves(*shape):
    return draw.normal(size=shape).astype(np.float16)


def integers(bits, signed, *shape):
    low = -(1 << (bits - 1)) if signed else 0
    return draw.integers(low, low + (1 << bits), size=shape)


def spread(values, shape):
    """Each block's entry at each of its elements."""
    for axis, extent in enumerate(shape):
        values = np.repeat(values, extent // values.shape[axis], axis)
    return values


def rounded(values):
    return values.astype(np.float16).astype(np.float64)


def looked_up(table, indices, axis=0):
    """Elements of a palette; `table` is [groups..., entries, vector]."""
    groups, vector = table.shape[:-2], table.shape[-1]
    each = np.empty(indices.shape + (vector,))
    for place in np.ndindex(*indices.shape):
        group = tuple(p * g // e for p, g, e in zip(place, groups, indices.shape))
        each[place] = table[group][int(indices[place])]
    if vector == 1:
        return each[..., 0]
    shape = list(indices.shape)
    shape[axis] *= vector
    return np.moveaxis(each, -1, axis + 1).reshape(shape)


def palette(bits, groups=(1, 1, 1, 1), vector=1, axis=0):
    w = Weight()
    shape = list(SHAPE)
    shape[axis] //= vector
    indices = w.constant("indices", f"uint{bits}", integers(bits, False, *shape))
    table = w.constant("table", "fp16", halves(*groups, 1 << bits, vector))
    more = {"vector_axis": f"int32({axis})"} if vector > 1 else {}
    w.statement("constexpr_lut_to_dense", "w", "fp16", SHAPE, indices="indices", lut="table", **more)
    return w, looked_up(table, indices, axis)


def palette_of_integers():
    w = Weight()
    indices = w.constant("indices", "uint4", integers(4, False, *SHAPE))
    codes = w.constant("codes", "int8", integers(8, True, 1, 1, 1, 1, 16, 1))
    scale = w.constant("scale", "fp16", np.abs(halves(1, 1, 1, 1, 1, 1)))
    w.statement("constexpr_blockwise_shift_scale", "table", "fp16", codes.shape, data="codes", scale="scale")
    w.statement("constexpr_lut_to_dense", "w", "fp16", SHAPE, indices="indices", lut="table")
    return w, looked_up(rounded(codes * scale), indices)


def palette_with_scales():
    w = Weight()
    indices = w.constant("indices", "uint4", integers(4, False, *SHAPE))
    table = w.constant("table", "fp16", halves(1, 1, 1, 1, 16, 1))
    scale = w.constant("scale", "fp16", np.abs(halves(4, 1, 1, 1)))
    w.statement("constexpr_lut_to_dense", "plain", "fp16", SHAPE, indices="indices", lut="table")
    w.statement("constexpr_blockwise_shift_scale", "w", "fp16", SHAPE, data="plain", scale="scale")
    return w, looked_up(table, indices) * spread(scale, SHAPE)


def blockwise(kind, blocks, with_offset, shape=SHAPE, scales=lambda blocks: np.abs(halves(*blocks)), scale_kind="fp16"):
    w = Weight(shape)
    bits, signed = int(kind.lstrip("uint")), not kind.startswith("u")
    data = w.constant("data", kind, integers(bits, signed, *shape))
    scale = w.constant("scale", scale_kind, scales(blocks))
    more = {}
    offset = np.zeros(blocks)
    if with_offset:
        offset = w.constant("offset", kind, integers(bits, signed, *blocks))
        more = {"offset": "offset"}
    w.statement("constexpr_blockwise_shift_scale", "w", "fp16", shape, data="data", scale="scale", **more)
    return w, (data - spread(offset, shape)) * spread(scale, shape)


def signed_scales(blocks):
    """Of both signs, subnormal, zero and minus zero, and as large as products of a byte may have them."""
    values = halves(*blocks).ravel()
    values[:6] = np.array([2.0**-24, -(2.0**-20), 0, -0.0, 250, -1], np.float16)[: values.size]
    return draw.permutation(values).reshape(blocks)


def singles(blocks):
    """Which fp16 does not hold."""
    return draw.normal(size=blocks).astype(np.float32)


def affine(kind, axis):
    w = Weight()
    signed = kind == "int8"
    data = w.constant("data", kind, integers(8, signed, *SHAPE))
    scale = w.constant("scale", "fp16", np.abs(halves(SHAPE[axis])))
    zero = w.constant("zero", kind, integers(8, signed, SHAPE[axis]))
    w.statement("constexpr_affine_dequantize", "w", "fp16", SHAPE, axis=f"int32({axis})", quantized_data="data", scale="scale",
                zero_point="zero")
    along = [-1 if i == axis else 1 for i in range(4)]
    return w, (data - zero.reshape(along)) * scale.reshape(along)


def sparse():
    w = Weight()
    mask = w.constant("mask", "uint1", integers(1, False, *SHAPE))
    kept = w.constant("kept", "fp16", halves(int(mask.sum())))
    w.statement("constexpr_sparse_to_dense", "w", "fp16", SHAPE, mask="mask", nonzero_data="kept")
    values = np.zeros(SHAPE)
    values[mask == 1] = kept
    return w, values


def sparse_pair(of_palette):
    w = Weight()
    mask = w.constant("mask", "uint1", integers(1, False, *SHAPE))
    count = int(mask.sum())
    both = f'{tensor("uint1", SHAPE)} m, {tensor("fp16", [count])} v'
    values = np.zeros(SHAPE)
    if of_palette:
        kept = w.constant("kept", "uint4", integers(4, False, count))
        table = w.constant("table", "fp16", halves(1, 1, 1, 1, 16, 1))
        w.lines.append(f'{both} = constexpr_lut_to_sparse(indices_mask = mask, indices_nonzero_data = kept, lut = table)[name = string("v")];')
        values[mask == 1] = table.reshape(-1)[kept.astype(int)]
    else:
        kept = w.constant("kept", "int8", integers(8, True, count))
        scale = w.constant("scale", "fp16", np.abs(halves(4, 1, 1, 1)))
        w.lines.append(f'{both} = constexpr_sparse_blockwise_shift_scale(data_mask = mask, nonzero_data = kept, scale = scale)[name = string("v")];')
        values[mask == 1] = kept * spread(scale, SHAPE)[mask == 1]
    w.statement("constexpr_sparse_to_dense", "w", "fp16", SHAPE, mask="m", nonzero_data="v")
    return w, values


def forms():
    for bits in (1, 2, 3, 4, 6, 8):
        yield f"palette of {bits} bits", palette(bits)
    for groups in ((2, 1, 1, 1), (1, 3, 1, 1), (4, 2, 1, 1)):
        yield f"palette in groups {groups}", palette(4, groups)
    for vector, axis in ((2, 0), (2, 1), (4, 0), (3, 1)):
        yield f"palette of vectors of {vector} along {axis}", palette(4, vector=vector, axis=axis)
    yield "palette of integers", palette_of_integers()
    yield "palette with scales on top", palette_with_scales()
    for kind in ("int4", "uint4", "int8", "uint8"):
        for blocks in ((4, 1, 1, 1), (1, 6, 1, 1), (4, 3, 1, 1), (2, 2, 2, 1), (1, 1, 1, 4), (4, 6, 2, 4), (1, 1, 1, 1)):
            yield f"{kind} in blocks {blocks}", blockwise(kind, blocks, False)
            yield f"{kind} in blocks {blocks} with offsets", blockwise(kind, blocks, True)
    # Runs of every length, beside what a register holds, and rows longer than a step; scales of all kinds.
    for shape, blocks in (((3, 40), (3, 1)), ((3, 40), (3, 2)), ((3, 40), (3, 5)), ((3, 40), (1, 40)), ((6, 33), (2, 33)),
                          ((6, 33), (3, 11)), ((2, 5, 3, 7), (2, 5, 1, 1)), ((2, 70000), (2, 1)), ((2, 66000), (1, 66000))):
        for kind in ("int8", "uint4") if shape[-1] > 100 else ("int4", "uint4", "int8", "uint8"):
            yield f"{kind} {shape} in blocks {blocks}", blockwise(kind, blocks, True, shape, signed_scales)
    for blocks in ((3, 2), (3, 40)):
        yield f"scales of fp32 {blocks}", blockwise("int8", blocks, True, (3, 40), singles, "fp32")
    for kind in ("int8", "uint8"):
        for axis in range(4):
            yield f"{kind} with scales along {axis}", affine(kind, axis)
    yield "sparse", sparse()
    yield "sparse palette", sparse_pair(True)
    yield "sparse blocks", sparse_pair(False)


def decoded(program, folder, name, made):
    """What a program gives that adds the weight to zeros, beside the values that the weight stands for."""
    weight, values = made
    body = "\n        ".join(weight.lines)
    of = tensor("fp16", weight.shape)
    (folder / "weight.mil").write_text(f"program(1.3)\n{{\n    func main<ios18>({of} x) {{\n        {body}\n"
                                       f'        {of} y = add(x = x, y = w)[name = string("y")];\n    }} -> (y);\n}}\n')
    np.savez(folder / "zeros.npz", x=np.zeros(weight.shape, np.float16))
    done = run(program, ["run", "weight.mil", "-i", "zeros.npz", "-o", "y.npz"], folder)
    expect(done.returncode == 0, f"{name}: {done.stderr}")
    if done.returncode == 0:
        with np.load(folder / "y.npz") as outputs:
            expect(np.array_equal(outputs["y"].astype(np.float16), values.astype(np.float16)), f"{name}: other values than NumPy's")


def doubted(program, folder):
    """What `check` says of chains: a scale on a palette is a hazard of one system, two forms in a row are refused."""
    def said(made):
        weight, _ = made
        of = tensor("fp16", SHAPE)
        body = "\n        ".join(weight.lines)
        (folder / "chain.mil").write_text(f"program(1.3)\n{{\n    func main<ios18>({of} x) {{\n        {body}\n"
                                          f'        {of} y = add(x = x, y = w)[name = string("y")];\n    }} -> (y);\n}}\n')
        done = run(program, ["check", "chain.mil", "-t", "h16g,h17s"], folder)
        return done.returncode, done.stdout

    code, words = said(palette_with_scales())
    expect(code == 0 and "file.hazard" in words and "crashes the loader of macOS 26" in words, f"scales on a palette: {code} {words}")
    code, words = said(palette_of_integers())
    expect(code == 0 and "file.hazard" not in words, f"a palette of integers: {code} {words}")
    weight = Weight()
    weight.constant("data", "int8", integers(8, True, *SHAPE))
    weight.constant("scale", "fp16", np.abs(halves(4, 1, 1, 1)))
    weight.statement("constexpr_blockwise_shift_scale", "once", "fp16", SHAPE, data="data", scale="scale")
    weight.statement("constexpr_blockwise_shift_scale", "w", "fp16", SHAPE, data="once", scale="scale")
    code, words = said((weight, None))
    expect(code == 1 and "reads another one is a validation error" in words, f"two forms in a row: {code} {words}")


# What a parent has in memory counts among its children's peaks: a small process in between starts the command.
LAUNCHER = """import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))"""


def peak(program, folder, model):
    """The largest resident set of `check`, in bytes."""
    done = run(sys.executable, ["-S", "-c", LAUNCHER, program, "check", model, "-t", "h17s", "-q"], folder)
    expect(done.returncode in (0, 1), f"{model}: {done}")
    return int(done.stdout or 0) * (1 if sys.platform == "darwin" else 1024)


def large(folder, name, rows, columns, blocks, count):
    """`count` weights of int8 with scales for blocks, each of them added to a port, with their blob; its bytes."""
    place = folder / name
    place.mkdir()
    blob, lines, last = bytearray(struct.pack("<II", 2 * count, 2) + bytes(56)), [], "x"

    def record(kind, code, array):
        blob.extend(bytes(-len(blob) % 64))
        at = len(blob)
        data = array.tobytes()
        blob.extend(struct.pack("<IIQQQ", 0xDEADBEEF, code, len(data), at + 64, 0) + bytes(32) + data)
        of = tensor(kind, array.shape)
        return f'{of}(BLOBFILE(path = string("@model_path/weights.bin"), offset = uint64({at})))'

    of = tensor("fp16", (rows, columns))
    for i in range(count):
        data = record("int8", 4, draw.integers(-128, 128, size=(rows, columns)).astype(np.int8))
        scale = record("fp16", 1, np.full((rows, blocks), 2.0**-10, np.float16))
        lines += [f'{tensor("int8", (rows, columns))} d{i} = const()[name = string("d{i}"), val = {data}];',
                  f'{tensor("fp16", (rows, blocks))} s{i} = const()[name = string("s{i}"), val = {scale}];',
                  f'{of} w{i} = constexpr_blockwise_shift_scale(data = d{i}, scale = s{i})[name = string("w{i}")];',
                  f'{of} y{i} = add(x = {last}, y = w{i})[name = string("y{i}")];']
        last = f"y{i}"
    (place / "weights.bin").write_bytes(blob)
    body = "\n        ".join(lines)
    (place / "model.mil").write_text(f"program(1.3)\n{{\n    func main<ios18>({of} x) {{\n        {body}\n    }} -> ({last});\n}}\n")
    return len(blob)


def memory(program, folder):
    """Bytes become fp16, twice as many: nothing else of a file stays in memory, whether it has many weights or one."""
    large(folder, "small", 8, 64, 2, 1)
    least = peak(program, folder, "small")
    for name, shape in (("many", (1024, 1024, 32, 12)), ("one", (4096, 2048, 64, 1))):
        size = large(folder, name, *shape)
        taken = peak(program, folder, name) - least
        expect(taken <= 2.2 * size, f"{name}: {taken / size:.2f} times the file of {size} bytes")


def main():
    program = command()
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, made in forms():
            decoded(program, folder, what, made)
            count += 1
        doubted(program, folder)
        memory(program, folder)
    return verdict(f"{count} forms")


if __name__ == "__main__":
    sys.exit(main())
