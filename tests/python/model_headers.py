#!/usr/bin/env python3
"""Models as C++: the headers compile without a warning, and the models in them are those that were written.

A tool writes headers and, beside each, what its model has to be: nodes, attributes, findings, the bits of two runs on the
CPU and in the oracle. A program that includes the headers says the same of its constants. Usage: model_headers.py [--all];
with --all models that PyTorch exports too (also where ANEMONE_TEST_ALL is set).
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

import _harness
from _harness import expect, skip, verdict

ROOT = pathlib.Path(os.environ["ANEMONE_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["ANEMONE_BUILD_DIR"])
WRITER = BUILD / "bin" / "write_cpp_models"
COMMAND = BUILD / "bin" / "anemone"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
ENVIRONMENT = {**os.environ, "LC_ALL": "C"}


def run(arguments, folder, **more):
    return _harness.run(arguments[0], arguments[1:], folder, env=ENVIRONMENT, **more)


def compiler_and_flags():
    """As the tool itself was compiled, without its file."""
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if entry["file"].endswith("tests/tools/write_cpp_models.cpp"):
            words = shlex.split(entry["command"])
            words = words[: words.index("-o")]
            return words[1:] if "ccache" in words[0] else words
    return None


def build(command, source, folder, program):
    """The program, with the library that the tool is linked with."""
    libraries = [each for each in (BUILD / "libanemone_compiled.a", BUILD / "libanemone_compiled.so") if each.exists()]
    done = run([*command, source, "-o", program, *libraries, "-lfmt", "-pthread"], folder)
    expect(done.returncode == 0, f"{source} is not compiled: {done.stderr[:3000]}")
    return done.returncode == 0


def program_of(models):
    text = '#include "model_text.hpp"\n#include <anemone/weights/safetensors.hpp>\n#include <string>\n'
    text += "".join(f'#include "{each}.hpp"\n' for each in models)
    text += "void show(const char* to, const ane::graph_view& g, std::string_view weights) {\n"
    text += "    const std::string text = model_texts::text_of(g, ane::load_safetensors(std::string(weights)));\n"
    text += '    std::FILE* const file = std::fopen(to, "w");\n'
    text += "    std::fputs(text.c_str(), file);\n    std::fclose(file);\n}\nint main() {\n"
    text += "".join(f'    show("{each}.out", {each}::model, {each}::weights_file);\n' for each in models)
    return text + "}\n"


def headers_are_models(folder):
    done = run([WRITER, folder], folder)
    expect(done.returncode == 0, f"the writer: {done.stderr}")
    models = sorted(each.stem for each in folder.glob("*.hpp"))
    expect(models == ["every_operation", "images", "states", "words"], f"written: {models}")
    command = compiler_and_flags()
    if command is None:
        print("no compile_commands.json: the headers are not compiled")
        return
    (folder / "models.cpp").write_text(program_of(models))
    if build([*command, *WARNINGS, f"-I{ROOT / 'tests' / 'tools'}"], "models.cpp", folder, "models"):
        done = run([folder / "models"], folder)
        expect(done.returncode == 0, f"the program: {done.stderr}")
        for each in models:
            wanted = (folder / f"{each}.txt").read_text()
            found = (folder / f"{each}.out").read_text()
            if each == "words":  # one of its constants became a weight: as many nodes, the same bits
                wanted, found = (text[text.index("cpu\n") :] for text in (wanted, found))
            lines = [pair for pair in zip(wanted.splitlines(), found.splitlines()) if pair[0] != pair[1]]
            expect(wanted == found, f"{each}: {lines[:3]}")
            stopped = wanted.count("stopped:")
            expect(stopped == (2 if each == "every_operation" else 0), f"{each}: {stopped} backends stopped")
    text = (folder / "every_operation.hpp").read_text()
    operations = re.findall(r"^ANEMONE_\w+\((\w+),", (ROOT / "include/anemone/graph/operations.def").read_text(), re.M)
    calls = {"cast": "to_f16", "top_k_indices": "top_k"}
    for each in operations:
        if each not in ("input", "weight", "constant"):
            expect(re.search(rf"\b{calls.get(each, each)}[<(]", text) is not None, f"{each} is not in the header")
    for compiler in ("g++", "clang++"):  # the one that builds the library has seen them; so cheap that both may
        if shutil.which(compiler) is not None:
            done = run([compiler, "-std=c++20", "-fsyntax-only", *WARNINGS, f"-I{ROOT / 'include'}", "-x", "c++", "-"],
                       folder, input="".join(f'#include "{each}.hpp"\n' for each in models))
            expect(done.returncode == 0 and not done.stderr, f"{compiler}: {done.stderr[:2000]}")


WIDE = """program(1.3)
{
    func main<ios18>(tensor<fp16, [1, 1, 4, 40]> x) {
        tensor<fp16, [1, 1, 1, 14]> w = const()[name = string("w"), val = tensor<fp16, [1, 1, 1, 14]>([[[[%s]]]])];
        string valid = const()[name = string("valid"), val = string("valid")];
        tensor<fp16, [1, 1, 4, 27]> y = conv(pad_type = valid, weight = w, x = x)[name = string("too/wide\\"")];
    } -> (y);
}
""" % ", ".join(["1"] * 14)


def command(folder):
    """`anemone convert --to cpp`: verdicts, names of files, and what a failure leaves behind."""
    (folder / "wide.mil").write_text(WIDE)
    checked = run([COMMAND, "check", "wide.mil", "--targets", "h13"], folder)
    expect(checked.returncode == 1 and "R030" in checked.stdout, f"check: {checked.stdout}")
    done = run([COMMAND, "convert", "wide.mil", "--to", "cpp", "-o", "wide.hpp", "--targets", "macs"], folder)
    expect(done.returncode == 0 and "wide.safetensors" in done.stdout, f"convert: {done}")
    done = run(["g++", "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'include'}", "-x", "c++", "-"], folder,
               input='#include "wide.hpp"\n')
    expect(done.returncode != 0 and "kernel_width_exceeds" in done.stderr, f"the same verdict: {done.stderr[:500]}")
    text = (folder / "wide.hpp").read_text()
    expect('g.layer("too/wide\\""' in text, "the name of the layer")
    hell = {'a "b"\n#error\\.mil': "a_b_error", "int.mil": "int_", "relu.mil": "relu_model", "9.mil": "w_9",
            "層??.mil": "unnamed", "ane.mil": "ane_model"}
    together = ""
    for name, space in hell.items():
        (folder / name).write_text(WIDE)
        output = name[: -len(".mil")] + ".hpp"
        done = run([COMMAND, "convert", name, "--to", "cpp", "-o", output], folder)
        expect(done.returncode == 0, f"{name!r}: {done.stderr}")
        text = (folder / output).read_text()
        expect(f"\nnamespace {space} {{" in text, f"{name!r}: {re.findall('namespace .*', text)}")
        together += text.replace("#pragma once", "")
    done = run(["g++", "-std=c++20", "-fsyntax-only", *WARNINGS, f"-I{ROOT / 'include'}", "-x", "c++", "-"], folder,
               input=together)
    expect(done.returncode == 0, f"names of files: {done.stderr[:800]}")
    for arguments in (["--name", "a b"], ["--name", "ane"], ["--name", "relu"], ["--name", "a::"], ["--name", "int"],
                      ["--targets", "h99"]):
        done = run([COMMAND, "convert", "wide.mil", "--to", "cpp", "-o", "refused.hpp", *arguments], folder)
        expect(done.returncode == 2 and done.stderr.count("\n") == 1, f"{arguments}: {done}")
    (folder / "half.safetensors").mkdir()
    for output in ("half.hpp", "missing.safetensors", "wide.mil/x.hpp"):
        done = run([COMMAND, "convert", "wide.mil", "--to", "cpp", "-o", output], folder)
        expect(done.returncode == 2 and done.stderr.startswith("error: "), f"{output}: {done}")
    left = [each.name for each in folder.iterdir() if each.name.startswith(("half", "refused", "missing"))]
    expect(left == ["half.safetensors"], f"left behind: {left}")


EXPORT = """
import sys, torch, torch.nn as nn
torch.manual_seed(1)
class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.down, self.head = nn.Conv2d(8, 16, 3, stride=2, padding=1, groups=2), nn.Linear(16 * 4 * 4, 10)
    def forward(self, x):
        x = nn.functional.gelu(self.down(torch.relu(self.norm(self.stem(x)))))
        return torch.softmax(self.head(nn.functional.max_pool2d(x, 2).flatten(1)), -1)
torch.onnx.export(Cnn().eval(), torch.randn(1, 3, 16, 16), "cnn.onnx", input_names=["x"], output_names=["y"])
layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
torch.onnx.export(encoder, torch.randn(1, 12, 32), "encoder.onnx", input_names=["x"], output_names=["y"], opset_version=17)
mlp = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 32), nn.LeakyReLU(0.1), nn.Linear(32, 4)).eval()
torch.onnx.export(mlp, torch.randn(1, 16), "mlp.onnx", input_names=["x"], output_names=["y"])
"""

RUN = """
#include "{name}.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/weights/safetensors.hpp>
#include <cstdio>
#include <string>
static_assert(ane::conforms<{name}::model, ane::h13> == {accepted});
template <class Backend> void write(const Backend& backend, const char* to) {{
    const ane::weight_store weights = ane::load_safetensors(std::string({name}::weights_file));
    auto program = ane::compile({name}::model.view(), backend, weights);
    std::vector<std::byte> x({x}), y({y});
    std::FILE* const in = std::fopen("{name}.x", "rb");
    if (std::fread(x.data(), 1, x.size(), in) != x.size()) {{ std::abort(); }}
    std::fclose(in);
    const std::span<const std::byte> inputs[]{{x}};
    const std::span<std::byte> outputs[]{{y}};
    program.run(inputs, outputs);
    std::FILE* const out = std::fopen(to, "wb");
    std::fwrite(y.data(), 1, y.size(), out);
    std::fclose(out);
}}
int main() {{
    write(ane::backend::cpu{{}}, "{name}.cpu");
    write(ane::backend::oracle(ane::h13), "{name}.oracle");
}}
"""


def exported_models(folder):
    """What PyTorch exports: the program's bits are those of `anemone run` on the file."""
    done = run(["/usr/bin/python3", "-c", EXPORT], folder)
    if done.returncode != 0 or not COMMAND.exists():
        print(f"no PyTorch or no command: exported models are left out {done.stderr[-200:]}")
        return
    import numpy

    for name, shape, size in (("cnn", (1, 3, 16, 16), 10), ("encoder", (1, 12, 32), 384), ("mlp", (1, 16), 4)):
        x = numpy.random.default_rng(1).uniform(-1, 1, shape).astype(numpy.float16)
        numpy.save(folder / f"{name}.npy", x)
        (folder / f"{name}.x").write_bytes(x.tobytes())
        done = run([COMMAND, "convert", f"{name}.onnx", "--to", "cpp", "-o", f"{name}.hpp"], folder)
        expect(done.returncode == 0, f"{name}: {done.stderr}")
        checked = run([COMMAND, "check", f"{name}.onnx", "--targets", "h13"], folder)
        expect(checked.returncode in (0, 1), f"{name}: {checked.stderr}")
        accepted = "true" if checked.returncode == 0 else "false"
        (folder / f"{name}.cpp").write_text(RUN.format(name=name, x=2 * x.size, y=2 * size, accepted=accepted))
        if build([*compiler_and_flags(), *WARNINGS, "-I."], f"{name}.cpp", folder, name):
            expect(run([folder / name], folder).returncode == 0, f"{name}: the program fails")
            for backend in ("cpu", "oracle"):
                which = "oracle:h13" if backend == "oracle" else "cpu"
                done = run([COMMAND, "run", f"{name}.onnx", "--input", f"{name}.npy", "--backend", which, "--output",
                            f"{name}.{backend}.npy"], folder)
                expect(done.returncode == 0, f"{name}: {done.stderr}")
                wanted = numpy.load(folder / f"{name}.{backend}.npy")
                found = numpy.frombuffer((folder / f"{name}.{backend}").read_bytes(), numpy.float16)
                expect(wanted.tobytes() == found.tobytes(), f"{name} on {backend}: {wanted.ravel()[:4]} {found[:4]}")
        print(f"{name}: compiled, the same bits")


def main():
    if not WRITER.exists() or shutil.which("g++") is None:
        skip("the writer was not built, or there is no g++")
    with tempfile.TemporaryDirectory() as name:
        headers_are_models(pathlib.Path(name))
    if COMMAND.exists():
        with tempfile.TemporaryDirectory() as name:
            command(pathlib.Path(name))
    if "--all" in sys.argv or os.environ.get("ANEMONE_TEST_ALL"):
        with tempfile.TemporaryDirectory() as name:
            exported_models(pathlib.Path(name))
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
