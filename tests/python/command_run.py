"""`anemone run`: images in and out, requests in a row with a state, and comparisons. Images are made here, byte by byte."""

import pathlib
import struct
import sys
import tempfile
import zipfile
import zlib

import _harness
from _arrays import npy, npz
from _harness import command, expect, skip, verdict


# ---- files --------------------------------------------------------------------------------------------------------------


def png(width, height, kind, depth, rows, extra=b"", passes=None):
    """https://www.w3.org/TR/png: rows unfiltered; `passes` has those of an interlaced image."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, passes is not None)
    data = b"".join(b"\0" + row for row in (rows if passes is None else passes))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def palette(colours):
    data = bytes(colours)
    return struct.pack(">I", len(data)) + b"PLTE" + data + struct.pack(">I", zlib.crc32(b"PLTE" + data))


def unfiltered(data):
    """(width, height, channels, bytes) of an 8-bit PNG, whatever filters its rows have."""
    at, body, head = 8, b"", None
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        part = data[at + 8:at + 8 + size]
        expect(struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(name + part), "a checksum of the PNG")
        head, body = (part if name == b"IHDR" else head), (body + part if name == b"IDAT" else body)
        at += 12 + size
    width, height, depth, kind = struct.unpack(">IIBB", head[:10])
    expect(depth == 8 and kind in (0, 2), f"a PNG of {depth} bits, kind {kind}")
    channels = 1 if kind == 0 else 3
    body, stride, above, out = zlib.decompress(body), width * channels, bytes(width * channels), b""
    for y in range(height):
        rule, row = body[y * (stride + 1)], bytearray(body[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a, b = row[x - channels] if x >= channels else 0, above[x]
            c = above[x - channels] if x >= channels else 0
            p = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[x] = (row[x] + (0, a, b, (a + b) // 2, p)[rule]) & 255
        above = bytes(row)
        out += above
    return width, height, channels, out


def floats(shape, values):
    return npy("<f4", shape, struct.pack(f"<{len(values)}f", *values))


def values_of(data):
    """The numbers of a .npy file of float16 or float32."""
    size = int.from_bytes(data[8:10], "little")
    kind = "e" if b"<f2" in data[:10 + size] else "f"
    return [v[0] for v in struct.iter_unpack("<" + kind, data[10 + size:])]


def program_of(inputs, body, outputs="y"):
    return f"program(1.3)\n{{\n func main<ios18>({inputs}) {{\n{body}\n }} -> ({outputs});\n}}\n"


# ---- tests --------------------------------------------------------------------------------------------------------------


class Command:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, line, code=0, words=""):
        done = _harness.run(self.program, line.split(), self.folder)
        expect(done.returncode == code and words in done.stdout + done.stderr, f"{line}: {done}")
        return done.stdout

    def write(self, name, data):
        (self.folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
        return name

    def outputs(self, line):
        self(line + " -o out.npy")
        return values_of((self.folder / "out.npy").read_bytes())


def close(found, wanted):
    """As fp16 has the numbers."""
    return len(found) == len(wanted) and all(abs(a - b) <= abs(b) * 2 ** -11 + 2 ** -24 for a, b in zip(found, wanted))


def images(run):
    width, height = 5, 3
    pixels = [(37 * i + 11 * c) % 256 for i in range(15) for c in range(3)]
    grey = [(53 * i) % 256 for i in range(15)]
    planes = [pixels[3 * i + c] for c in range(3) for i in range(15)]
    body = ' tensor<fp16, [1, {0}, 3, 5]> y = identity(x = x)[name = string("y")];'
    run.write("rgb.mil", program_of("tensor<fp16, [1, 3, 3, 5]> x", body.format(3)))
    run.write("grey.mil", program_of("tensor<fp16, [1, 1, 3, 5]> x", body.format(1)))

    def rows(flat, each):
        return [bytes(flat[i:i + each]) for i in range(0, len(flat), each)]

    colour = {
        "a.png": png(width, height, 2, 8, rows(pixels, 15)),
        "a.ppm": b"P6\n# a comment\n5 3\n255\n" + bytes(pixels),
        "a.text": b"P3 5 3 255 " + " ".join(map(str, pixels)).encode(),
        "opaque.png": png(width, height, 6, 8, rows([v for i in range(15) for v in (*pixels[3 * i:3 * i + 3], 255)], 20)),
        "wide.png": png(width, height, 2, 16, [b"".join(bytes([v, v]) for v in row) for row in rows(pixels, 15)]),
        "palette.png": png(width, height, 3, 8, rows(list(range(15)), 5), palette(pixels)),
    }
    for name, data in colour.items():
        found = run.outputs(f"run rgb.mil -i x={run.write(name, data)}")
        expect(close(found, [v / 255 for v in planes]), f"{name}: {found}")
    one = png(width, height, 0, 1, [b"\xa8", b"\x50", b"\xf8"])  # bits of 5 pixels
    expect(run.outputs(f"run grey.mil -i {run.write('bits.png', one)}") == [1, 0, 1, 0, 1, 0, 1, 0, 1, 0] + [1] * 5, "1 bit")
    # Adam7 of 5 x 3: the pixels of each pass, row by row
    at = lambda y, x: grey[5 * y + x]  # noqa: E731
    passes = [bytes([at(0, 0)]), bytes([at(0, 4)]), bytes([at(0, 2)]), bytes([at(2, 0), at(2, 2), at(2, 4)]),
              bytes([at(0, 1), at(0, 3)]), bytes([at(2, 1), at(2, 3)]), bytes(grey[5:10])]
    for name, data in {"g.png": png(width, height, 0, 8, rows(grey, 5)), "laced.png": png(width, height, 0, 8, [], passes=passes),
                       "g.pgm": b"P5 5 3 255\n" + bytes(grey),
                       "deep.pgm": b"P5\n5 3 65535\n" + b"".join(bytes([v, v]) for v in grey)}.items():
        expect(close(run.outputs(f"run grey.mil -i {run.write(name, data)}"), [v / 255 for v in grey]), name)
    expect(close(run.outputs("run rgb.mil -i x=g.png"), [v / 255 for v in grey] * 3), "grey into three channels")
    expect(close(run.outputs("run grey.mil -i g.png --image-scale -1..1"), [v / 127.5 - 1 for v in grey]), "-1..1")
    found = run.outputs("run rgb.mil -i a.png --image-mean 0.5,0.25,0 --image-std 0.5,2,1")
    expect(close(found, [(v / 255 - (0.5, 0.25, 0)[i // 15]) / (0.5, 2, 1)[i // 15] for i, v in enumerate(planes)]), "mean")
    # and out again: the same pixels, whatever the scale
    for scale in ("", "--image-scale -1..1", "--image-scale 0..255", "--image-mean 0.5 --image-std 0.25"):
        run(f"run rgb.mil -i a.png {scale} -o y=out.png")
        expect(unfiltered((run.folder / "out.png").read_bytes()) == (5, 3, 3, bytes(pixels)), f"out.png {scale}")
    run("run rgb.mil -i a.png -o out.ppm")
    expect((run.folder / "out.ppm").read_bytes() == b"P6\n5 3\n255\n" + bytes(pixels), "out.ppm")
    run("run grey.mil -i g.png -o out.pgm -o out.png")
    expect((run.folder / "out.pgm").read_bytes() == b"P5\n5 3\n255\n" + bytes(grey), "out.pgm")
    expect(unfiltered((run.folder / "out.png").read_bytes()) == (5, 3, 1, bytes(grey)), "a grey out.png")
    run.write("beyond.npy", floats((1, 1, 3, 5), [-1, 2, float("nan")] + [0.5] * 12))
    run("run grey.mil -i beyond.npy -o out.pgm", words="3 of 15 numbers of y lie outside 0..1")
    expect((run.folder / "out.pgm").read_bytes()[-15:] == bytes([0, 255, 0] + [128] * 12), "what lies outside")
    run("run grey.mil -i a.png", 2, "is 5 x 3 pixels of 3 channels, the input is 5 x 3 pixels of 1 channel")
    run.write("small.pgm", b"P5 4 3 255\n" + bytes(12))
    run("run rgb.mil -i small.pgm", 2, "is 4 x 3 pixels of 1 channel, the input is 5 x 3 pixels of 3 channels")
    clear = png(width, height, 4, 8, rows([v for g in grey for v in (g, 254)], 10))
    run(f"run grey.mil -i {run.write('clear.png', clear)}", 2, "is transparent at column 0, row 0")
    run("run grey.mil -i g.png --image-scale 1..1", 2, "is not a range")
    run("run grey.mil -i g.png --image-std 0", 2, "is not a number")
    run("run rgb.mil -i a.png --image-mean 1,2", 2, "has 2 numbers, the image 3 channels")
    run("run rgb.mil -i a.png -o out.pgm", 2, "is 1x3x3x5, out.pgm holds 1 x 1")


def bytes_port(run):
    run.write("bytes.mil", program_of("tensor<uint8, [1, 1, 1, 3]> x",
                                      ' tensor<fp16, [1, 1, 1, 3]> y = cast(x = x, dtype = string("fp16"))[name = string("y")];'))
    run.write("three.pgm", b"P5 3 1 255\n" + bytes([0, 7, 255]))
    expect(run.outputs("run bytes.mil -i three.pgm") == [0, 7, 255], "bytes are 0..255")
    run("run bytes.mil -i three.pgm --image-scale 0..1", 2, "whole numbers")


def requests(run):
    """A running sum, kept in a state between requests."""
    run.write("sum.mil", program_of(
        "tensor<fp16, [1, 2]> x, state<tensor<fp16, [1, 2]>> total",
        ' tensor<fp16, [1, 2]> old = read_state(input = total)[name = string("old")];\n'
        ' tensor<fp16, [1, 2]> y = add(x = old, y = x)[name = string("y")];\n'
        ' write_state(data = y, input = total)[name = string("keep")];'))
    for i, values in enumerate(((1, 2), (10, 20), (100, 200))):
        run.write(f"r{i}.npz", npz({"x": floats((1, 2), values)}))
        run.write(f"r{i}.npy", floats((1, 2), values))
    for backend in ("cpu", "oracle:h13"):
        told = run(f"run sum.mil -b {backend} -i r0.npz -i r1.npy -i r2.npz -o out.npz")
        with zipfile.ZipFile(run.folder / "out.npz") as archive:
            expect(archive.namelist() == ["y.npy"] and values_of(archive.read("y.npy")) == [111, 222], f"{backend}: the sum")
        for each in ("request 1, r0.npz", "1 2", "request 2, r1.npy", "11 22", "request 3, r2.npz", "111 222"):
            expect(each in told, f"{backend}: no {each!r} in {told}")
    expect(run.outputs("run sum.mil -i r2.npz") == [100, 200], "a program starts at zero")
    expect(run.outputs("run sum.mil -i x=r2.npy") == [100, 200], "one input by its name")
    run("run sum.mil -i r0.npz -i x=r1.npy", 2, "not both")
    run("run sum.mil -i total=r0.npy", 2, "total: no input has this name; there are: x")


def outputs(run):
    run.write("two.mil", program_of("tensor<fp16, [1, 2]> x",
                                    ' tensor<fp16, [1, 2]> a = relu(x = x)[name = string("a")];\n'
                                    ' tensor<fp16, [1, 2]> b = exp(x = x)[name = string("b")];', "a, b"))
    run.write("x.npy", floats((1, 2), (-1, 2)))
    run("run two.mil -i x.npy -o a=a.npy -o all.npz")
    expect(values_of((run.folder / "a.npy").read_bytes()) == [0, 2], "one output of two")
    run("run two.mil -i x.npy --compare all.npz")
    run("run two.mil -i x.npy -o b.npy", 2, "one array")
    run("run two.mil -i x.npy -o b.png", 2, "--output a=b.png")
    run.write("infinite.npy", floats((1, 2), (float("inf"), float("inf"))))
    run("run two.mil -i infinite.npy", words="b (1x2): no finite number")


def means(run):
    """Windows that ceil_mode adds: the engine divides by the whole kernel, ONNX by what lies on the input."""
    cases = _harness.ROOT / "tests" / "diff" / "cases"
    x = values_of(zipfile.ZipFile(cases / "avg_pool_ceil_in.npz").read("x.npy"))
    windows = [[x[7 * i + j] for i in range(7) for j in range(7) if i // 3 == y and i % 3 < 2 and j // 3 == z and j % 3 < 2]
               for y in range(3) for z in range(3)]
    whole = [sum(w) / 4 for w in windows]
    inside = [sum(w) / len(w) for w in windows]
    expect([whole[i] for i in (2, 5, 6, 7, 8)] == [4.75, 15.25, 21.25, 22.75, 12], f"the means by hand: {whole}")
    for backend in ("cpu", "oracle:h13", "oracle:h18"):
        how = f"-i {cases}/avg_pool_ceil_in.npz -b {backend}"
        expect(run.outputs(f"run {cases}/avg_pool_ceil.mil {how}") == whole, f"{backend}: the means of MIL")
        expect(run.outputs(f"run {cases}/avg_pool_ceil_other.onnx {how}") == inside, f"{backend}: the means of ONNX")
    run(f"diff {cases}/avg_pool_ceil.mil {cases}/avg_pool_ceil_other.onnx -i {cases}/avg_pool_ceil_in.npz", 1, "avg_pool")
    for form in ("mil", "netplist", "mlpackage"):  # what ceil_mode adds is padding there
        run(f"convert {cases}/avg_pool_ceil.mil --to {form} -o written.{form}")
        expect(run.outputs(f"run written.{form} -i {cases}/avg_pool_ceil_in.npz") == whole, f"the means of a {form}")


def main():
    program = command()
    with tempfile.TemporaryDirectory() as folder:
        run = Command(program, pathlib.Path(folder))
        probe = run.write("probe.png", png(1, 1, 0, 8, [b"\0"]))
        run.write("probe.mil", program_of("tensor<fp16, [1, 1]> x", ' tensor<fp16, [1, 1]> y = relu(x = x)[name = string("y")];'))
        if "libpng" in _harness.run(program, ["run", "probe.mil", "-i", probe], folder).stderr:
            skip("the command was built without libpng")
        images(run)
        bytes_port(run)
        requests(run)
        outputs(run)
        means(run)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
