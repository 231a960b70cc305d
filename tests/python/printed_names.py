"""Whatever a file or an argument calls things, a terminal is never told to do something: no control, no mark that turns the text
or has no width, and no line that a name begins; and no sentence becomes longer than one can read.

One name with all such marks, and one of 200,000 letters, is put in every place that has one: of MIL text, netplists, ML packages,
ONNX, safetensors, GGUF, configurations and arrays, into each option of each subcommand, and into the names of files."""

import io
import itertools
import json
import pathlib
import plistlib
import re
import shutil
import struct
import sys
import tempfile
import zipfile

import _gguf as gguf
import _language_model as language
from _arrays import npy
from _harness import ROOT, command, expect, run, verdict
from _onnx_messages import field, model, node, port, tensor

sys.path.insert(0, str(ROOT / "tests"))
import from_environment

EVERY = 1 if from_environment.thorough() else 31  # call of the command; a prime, so that each place has its turn at another one
calls = itertools.count()
RAW = ["\x1b", "\x07", "\x7f", "\x9b", "\r", "\u202e", "\u2066", "\u200b", "\u3164", "\U000e0041"]
FORGED = "\nerror: forged"
MARK = "".join(RAW) + FORGED + "z"
LONG = "n" * 200_000
LONGEST = 10_000  # of a line
WITHOUT_LINES = {"json", "sarif", "html", "--json", "draw", "completions"}  # what programs read
IN_XML = "".join(each for each in RAW if ord(each) > 0x9f) + FORGED + "z"
HALF = 10


def told(program, arguments, folder, what):
    """Runs the command, or leaves it out of the usual test; nothing of the mark is told."""
    if next(calls) % EVERY:
        return None
    done = run(program, arguments, folder, encoding="utf-8", errors="surrogateescape")
    for name, text in (("output", done.stdout), ("errors", done.stderr)):
        for each in RAW if "html" in arguments else (*RAW, FORGED):  # no line of a page means anything
            if each in text:
                at = text.index(each)
                expect(False, f"{what}: {arguments} tells {each!r} in its {name}: {text[max(at - 100, 0):at + 100]!r}")
    said = done.stderr if WITHOUT_LINES & set(arguments) else done.stderr + done.stdout
    line = max(said.splitlines(), key=len, default="")
    expect(len(line) < LONGEST, f"{what}: {[each[:40] for each in arguments]} tells a line of {len(line)}: {line[:300]!r}")
    expect(done.returncode in (0, 1, 2), f"{what}: {arguments}: exit code {done.returncode}")
    return done


# ---- models -------------------------------------------------------------------------------------------------------------

# What tells of a model: each is asked where its names can be read, the first two where they cannot.
TOLD = [["check"], ["run"], ["check", "-q"], ["check", "--all", "--targets", "h11"], ["check", "--format", "json"],
        ["check", "--format", "sarif"], ["check", "--format", "html"], ["diff"], ["diff", "--reference", "f64"],
        ["diff", "--reference", "f64", "--json"], ["cost", "--layers"], ["cost", "--json"], ["placement"], ["placement", "--json"],
        ["timeline"], ["timeline", "--json"], ["optimize"], ["optimize", "--json"], ["draw"], ["draw", "--format", "text"],
        ["compress", "--random-runs", "2", "--most-loss", "1"], ["bench", "--seconds", "0.001", "--no-limits"],
        ["bench", "--seconds", "0.001", "--no-limits", "--csv"], ["run", "-i", "none=none.npy"], ["run", "-o", "none=y.npy"],
        ["train", "-d", "samples.npz", "--steps", "1"], ["check", "--ranges", "none=0,1"], ["check", "--function", "none"],
        ["run", "--shape", "none=1,2"], ["convert", "--to", "mil", "-o", "made"], ["convert", "--to", "netplist", "-o", "made"],
        ["convert", "--to", "mlpackage", "-o", "made.mlpackage"], ["convert", "--to", "cpp", "-o", "made.hpp"]]


def tell_of(program, folder, name, what):
    is_read = True
    for words in TOLD if not isinstance(what, list) else TOLD[:2]:
        done = told(program, [words[0], name, *words[1:]], folder, what if isinstance(what, str) else what[0])
        if done and words == TOLD[1] and done.returncode == 2:
            is_read = False
        if not is_read:
            break
    for each in ("made", "made.mlpackage"):
        shutil.rmtree(folder / each, ignore_errors=True)


class Places:
    """Texts in the order in which they are asked for, the one of number `marked` with the mark."""

    def __init__(self, marked, mark=MARK):
        self.marked, self.mark, self.count = marked, mark, 0

    def __call__(self, text):
        self.count += 1
        return text + self.mark if self.count == self.marked else text


def each_place(program, folder, name, make, mark=MARK, whole=()):
    """`make(places)` gives the bytes of a file: once for each place, told by all subcommands for those in `whole`."""
    places = Places(0)
    make(places)
    for each in (mark, LONG):
        for at in range(1, places.count + 1):
            (folder / name).write_bytes(make(Places(at, each)))
            what = f"{name}, {'mark' if each == mark else 'long name'} in place {at}"
            tell_of(program, folder, name, what if at in whole else [what])


def mil(n):
    w = "[" + ", ".join(["[1, 2, 3, 4]"] * 4) + "]"
    return f'''program(1.3)
[{n("buildInfo")} = dict<string, string>({{{{"{n("coremlc-version")}", "{n("3400")}"}}}})]
{{
    func {n("main")}<{n("ios18")}>(tensor<fp16, [1, 4]> {n("x")}) {{
        tensor<fp16, [4, 4]> {n("w")} = const()[name = string("{n("w")}"), val = tensor<fp16, [4, 4]>({w})];
        tensor<fp16, [1, 4]> {n("h")} = {n("linear")}({n("x")} = {n("x")}, weight = w)[{n("name")} = string("{n("h")}")];
        tensor<{n("fp16")}, [1, 4]> y = softmax(x = h, axis = int32(1))[name = string("{n("y")}")];
    }} -> ({n("y")});
}}
'''.encode()


def blob_mil(n):
    """Weights whose file is named, and is not there."""
    return f'''program(1.3)
{{
    func main<ios18>(tensor<fp16, [1, 4]> x) {{
        tensor<fp16, [1, 4]> w = const()[name = string("{n("w")}"), val = tensor<fp16, [1, 4]>(BLOBFILE(path = string("{n("w.bin")}"), offset = uint64(64)))];
        tensor<fp16, [1, 4]> y = add(x = x, y = w)[name = string("{n("y")}")];
    }} -> (y);
}}
'''.encode()


def onnx(n):
    weight = tensor(n("w"), [4, 4], HALF, raw=struct.pack("<16e", *range(16)))
    nodes = [node("MatMul", [n("x"), n("w")], [n("h")], n("first")),
             node(n("Relu"), ["h"], ["y"], n("second"), n(""), field(5, field(1, n("axis")) + field(3, 1) + field(20, 2)))]
    return model(nodes, [weight], [port(n("x"), [1, 4], HALF)], [port(n("y"), [1, 4], HALF)]) + field(14, field(1, n("key")) + field(
        2, n("value"))) + field(2, n("writer"))


def all_marked_onnx(mark):
    """One that can be read, with marks wherever it has a choice."""
    x, h, y, w = ("x" + mark, "h" + mark, "y" + mark, "w" + mark)
    weight = tensor(w, [4, 4], HALF, raw=struct.pack("<16e", *range(16)))
    return model([node("MatMul", [x, w], [h], "first" + mark), node("Relu", [h], [y], "second/" + mark + "/z")], [weight],
                 [port(x, [1, 4], HALF)], [port(y, [1, 4], HALF)])


def external_onnx(n):
    weight = tensor(n("w"), [4, 4], HALF, external={"location": n("weights.bin"), n("offset"): n("0")})
    return model([node("MatMul", ["x", "w"], ["y"])], [weight], [port("x", [n("batch"), 4], HALF)], [port("y", [1, 4], HALF)])


def marked(value, n):
    """A structure of a property list or of JSON, each text and key of it asked for."""
    if isinstance(value, dict):
        return {n(key): marked(each, n) for key, each in value.items()}
    if isinstance(value, list):
        return [marked(each, n) for each in value]
    return n(value) if isinstance(value, str) else value


def netplists(program, folder):
    (folder / "m.mil").write_bytes(mil(Places(0)))
    done = run(program, ["convert", "m.mil", "--to", "netplist", "-o", "net"], folder)
    expect(done.returncode == 0, done.stderr)
    value = plistlib.loads((folder / "net" / "net.plist").read_bytes())
    each_place(program, folder / "net", "net.plist", lambda n: plistlib.dumps(marked(value, n), sort_keys=False), IN_XML)
    each_place(program, folder / "net", "net.plist",
               lambda n: plistlib.dumps(marked(value, n), fmt=plistlib.FMT_BINARY, sort_keys=False))


def packages(program, folder):
    from _core_ml_writer import FP16, Foreign

    (folder / "m.mil").write_bytes(mil(Places(0)))
    done = run(program, ["convert", "m.mil", "--to", "mlpackage", "-o", "p.mlpackage"], folder)
    expect(done.returncode == 0, done.stderr)
    manifest = folder / "p.mlpackage" / "Manifest.json"
    value = json.loads(manifest.read_text())
    places = Places(0)
    marked(value, places)
    for mark in (MARK, LONG):
        for at in range(1, places.count + 1):
            manifest.write_text(json.dumps(marked(value, Places(at, mark))))
            tell_of(program, folder, "p.mlpackage", [f"Manifest.json, place {at}"])
    shutil.rmtree(folder / "p.mlpackage")
    for name, kind in (("y" + MARK, "relu"), ("y", "relu" + MARK), ("y", "relu"), ("y" + LONG, "relu"), ("y", "relu" + LONG)):
        made = Foreign()
        made.set_type(made.function.inputs.add(name="x").type, FP16, (1, 4))
        made.add(kind, name, FP16, (1, 4), x="x")
        made.block.outputs.append(name)
        if (name, kind) == ("y", "relu"):
            made.function.opset = "CoreML7" + MARK
        made.write(folder / "p.mlpackage")
        tell_of(program, folder, "p.mlpackage", f"{kind[:40]} of {name[:40]}")


def language_folders(program, folder):
    c = language.configuration(vocabulary=8, layers=1, width=16, heads=2, kept_heads=1, inner=16)
    weights = language.random_weights(c, 1)
    language.write(folder / "tiny", c, weights)
    tensors = (folder / "tiny" / "model.safetensors").read_bytes()
    (folder / "tokens.txt").write_text("1,2,3")
    asked = [["check", "tiny"], ["cost", "tiny"], ["generate", "tiny", "--tokens", "1,2", "-n", "1"],
             ["precision", "tiny", "-d", "tokens.txt", "--quick"]]

    def tell(what):
        for words in asked:
            told(program, words, folder, what)

    places = Places(0)
    marked(c, places)
    for mark in (MARK, LONG):
        for at in range(1, places.count + 1):
            (folder / "tiny" / "config.json").write_text(json.dumps(marked(c, Places(at, mark))))
            tell(f"config.json, place {at}")
    (folder / "tiny" / "config.json").write_text(json.dumps(c))
    size = struct.unpack("<Q", tensors[:8])[0]
    header = json.loads(tensors[8:8 + size]) | {"__metadata__": {"format": "pt"}}
    header |= {"extra": {"dtype": "F16", "shape": [1], "data_offsets": [len(tensors) - 8 - size, len(tensors) - 6 - size]}}
    places = Places(0)
    marked(header, places)
    for mark in (MARK, LONG):
        for at in range(1, places.count + 1):
            text = json.dumps(marked(header, Places(at, mark))).encode()
            (folder / "tiny" / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + tensors[8 + size:] + b"\0\0")
            tell(f"model.safetensors, place {at}")
    (folder / "tiny" / "model.safetensors").unlink()
    for mark in (MARK, LONG):
        for index in ({"weight_map" + mark: {}}, {"weight_map": {"a" + mark: "b.safetensors"}}, {"weight_map": {"a": "b" + mark}}):
            (folder / "tiny" / "model.safetensors.index.json").write_text(json.dumps(index))
            tell("the index of shards")
        kind = ("general.architecture", "text", "llama")
        for entries, tensor_name in (([(*kind[:2], "llama" + mark)], "t"), ([kind, ("a" + mark, "text", "b")], "t"),
                                     ([kind, ("llama.block_count", "text", "1" + mark)], "t"), ([kind], "t" + mark)):
            (folder / "m.gguf").write_bytes(gguf.written(entries, [(tensor_name, (4,), "F32", bytes(16))] * 2))
            for words in (["check", "m.gguf"], ["cost", "m.gguf"], ["generate", "m.gguf", "--tokens", "1", "-n", "1"]):
                told(program, words, folder, "GGUF")


# ---- arrays, options, files ---------------------------------------------------------------------------------------------


def npz(*arrays):
    """An archive of files of any names."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, data in arrays:
            file.writestr(name, data)
    return made.getvalue()


SAMPLES = npz(*((f"{name}.npy", npy("<f4", "(4, 4)", bytes(64))) for name in ("x", "wanted")))


def arrays(program, folder):
    (folder / "m.mil").write_bytes(mil(Places(0)))
    good = npy("<f4", "(1, 4)", struct.pack("<4f", 1, 2, 3, 4))
    for k, data in enumerate((npz((f"x{MARK}.npy", good)), npz(("x.npy", npy("<f4" + MARK, "(1, 4)"))),
                              npz(("x.npy", good), (f"x{MARK}", b"what")), npz(("x.npy", npy("<f4", f"(1, '{MARK}')"))),
                              npz((f"x{LONG[:60_000]}.npy", good)), npz(("x.npy", npy("<f4" + LONG[:60_000], "(1, 4)"))))):
        (folder / "marked.npz").write_bytes(data)
        for words in (["run", "m.mil", "-i", "marked.npz"], ["run", "m.mil", "--compare", "marked.npz"],
                      ["diff", "m.mil", "-i", "marked.npz"], ["check", "m.mil", "--ranges", "marked.npz"],
                      ["compress", "m.mil", "-d", "marked.npz", "--most-loss", "1"], ["train", "m.mil", "-d", "marked.npz"],
                      ["precision", "m.mil", "-d", "marked.npz"]):
            told(program, words, folder, f"arrays {k}")


def options(program, folder):
    (folder / "m.mil").write_bytes(mil(Places(0)))
    described = run(program, ["completions", "fish"], folder).stdout
    found = set(re.findall(r"__fish_seen_subcommand_from (\w+)\S* .*?-l ([\w-]+)", described))
    expect(len(found) > 150, f"{len(found)} options were found")
    for subcommand, name in sorted(found):
        told(program, [subcommand, "m.mil", f"--{name}=1{MARK}"], folder, "an option's value")
        told(program, [subcommand, "m.mil", f"--{name}=1{LONG[:100_000]}"], folder, "an option's value")
    for subcommand in sorted({each for each, _ in found}):
        for words in ([f"m{MARK}.mil"], ["m.mil", f"--no{MARK}"], ["m.mil", MARK], [f"@m{MARK}"], ["m.mil", "--config", f"c{MARK}"]):
            told(program, [subcommand, *words], folder, "an argument")
        (folder / "args").write_text(f"{subcommand}\nm.mil\n--no{MARK}\n")
        told(program, ["@args"], folder, "arguments of a file")
        for text in (f"[{subcommand}]\nno{MARK} = 1\n", f'[{subcommand}]\ntargets = "{MARK}"\n', f'["{MARK}"]\na = 1\n',
                     f'[{subcommand}]\n"{MARK}" = "{MARK}"\n', f'[{subcommand}]\nformat = "{MARK.replace(FORGED, "")}"\n'):
            (folder / "anemone.toml").write_text(text)
            told(program, [subcommand, "m.mil"], folder, f"anemone.toml with {text!r}")
        (folder / "anemone.toml").unlink()


def file_names(program, folder):
    name = f"m{MARK}.mil"
    (folder / name).write_bytes(mil(Places(0)))
    (folder / "samples.npz").write_bytes(SAMPLES)
    tell_of(program, folder, name, "a file's name")
    inside = folder / f"d{MARK}"
    inside.mkdir()
    shutil.copy(folder / name, inside / name)
    for words in (["check", inside.name], ["check", "."], ["convert", name, "--to", "mil", "-o", inside.name], ["draw", name, "-o", inside.name],
                  ["run", name, "-o", f"{inside.name}/y.npz"], ["optimize", name, "-o", f"o{MARK}"]):
        told(program, words, folder, "a folder's name")


def main():
    program = command()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / "samples.npz").write_bytes(SAMPLES)
        each_place(program, folder, "m.mil", mil, whole=range(8, 20))
        each_place(program, folder, "blob.mil", blob_mil)
        (folder / "probe.onnx").write_bytes(onnx(Places(0)))
        has_onnx = "built without ONNX" not in run(program, ["check", "probe.onnx"], folder).stderr
        if has_onnx:
            each_place(program, folder, "m.onnx", onnx)
            each_place(program, folder, "external.onnx", external_onnx)
            for mark in (MARK, LONG):
                (folder / "all.onnx").write_bytes(all_marked_onnx(mark))
                tell_of(program, folder, "all.onnx", "all.onnx")
    for part in (netplists, packages, language_folders, arrays, options, file_names):
        with tempfile.TemporaryDirectory() as place:
            part(program, pathlib.Path(place))
    return verdict("names of files")


if __name__ == "__main__":
    sys.exit(main())
