#!/usr/bin/env python3
"""What a file that uses the library costs a compiler, in three tables.

Files: those that users write (benchmarks/files, and the README's first program), header-only and for anemone::compiled,
with the functions that they emit; seconds also as a multiple of what a file costs that prints a line with fmt. --page writes
that table into docs/compile_time.md, and the figures of the README.

Models: 10 to 2,000 operations with every check on, by each compiler, beside Eigen expressions of as many operations (and
Fastor's, where its headers are found). Every model is C++ text with one statement for each operation, as a person would write it. `repeated` has residual blocks of
eight different widths; in `distinct` no two operations have the same shapes, so that nothing is instantiated twice. A peer
gets statements of ten operations on matrices of as many different sizes. Seconds are user time, the least of some runs;
megabytes the compiler's peak. "per operation" leaves out what an empty model costs.

Training: a typed model, and its training step (`training_graph`), which has several times as many operations, each judged for
all Macs. --page writes that table too.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = ["-std=c++20", "-O0", "-c"]
FILES = ROOT / "benchmarks/files"
# What a user does: the file, its optimisation, and the ways that it is asked about.
HELLO = "hello, with fmt, -O2"
USES = [
    (HELLO, FILES / "hello.cpp", "-O2", ["header-only"]),
    ("model.hpp, empty", FILES / "model.cpp", "-O0", ["header-only"]),
    ("anemone.hpp, empty", FILES / "empty.cpp", "-O0", ["header-only", "compiled"]),
    ("a model on one backend", FILES / "one_backend.cpp", "-O0", ["header-only", "compiled"]),
    ("the first program", ROOT / "tests/package/main.cpp", "-O0", ["header-only", "compiled"]),
    ("the first program, -O2", ROOT / "tests/package/main.cpp", "-O2", ["header-only", "compiled"]),
    ("an encoder, 3 backends, reports, -O2", FILES / "encoder.cpp", "-O2", ["header-only", "compiled"]),
]
WIDTHS = [16, 24, 32, 40, 48, 56, 64, 72]


def model(statements):
    body = "\n    ".join(statements)
    return f"""#include <anemone/model.hpp>
using namespace ane;
constexpr auto model = graph([](auto& g) {{
    {body}
}});
static_assert(conforms<model, macs>);
int main() {{}}
"""


def repeated(operations):
    """Residual blocks of four operations: conv2d, relu, add, and a convolution to the next block's width."""
    lines = [f'auto x0 = g.input("x"_s, f16<1, {WIDTHS[0]}, 16, 16>, within(0, 1));']
    value, width = "x0", WIDTHS[0]
    for i in range(operations):
        name, block = f"x{i + 1}", i // 4
        if i % 4 == 0:
            skip = value
            lines.append(f'auto {name} = conv2d<conv{{.padding = same}}>({value}, g.weight("b{block}.w", f16<{width}, {width}, 3, 3>),'
                         f' g.weight("b{block}.b", f16<{width}>));')
        elif i % 4 == 1:
            lines.append(f"auto {name} = relu({value});")
        elif i % 4 == 2:
            lines.append(f"auto {name} = add({value}, {skip});")
        else:
            to = WIDTHS[(block + 1) % len(WIDTHS)]
            lines.append(f'auto {name} = conv2d({value}, g.weight("b{block}.p", f16<{to}, {width}, 1, 1>));')
            width = to
        value = name
    lines.append(f'g.output("y"_s, {value});')
    return model(lines)


def distinct(operations):
    """Linear layers and activations, every width another one."""
    width = 16
    lines = [f'auto x0 = g.input("x"_s, f16<1, {width}>, within(0, 1));']
    for i in range(operations):
        if i % 2 == 0:
            to = 16 + (i // 2 * 7919) % 8191
            lines.append(f'auto x{i + 1} = linear(x{i}, g.weight("w{i}", f16<{to}, {width}>));')
            width = to
        else:
            lines.append(f"auto x{i + 1} = relu(x{i});")
    lines.append(f'g.output("y"_s, x{operations});')
    return model(lines)


def perceptron(layers, trains):
    """Layers of two operations; its training step in place of it, where it trains."""
    lines = ['auto x0 = g.input("x"_s, f16<8, 16>, within(-1, 1));']
    for i in range(layers):
        last = i + 1 == layers
        lines.append(f'auto x{i + 1} = {"linear" if last else "relu(linear"}(x{i}, g.weight("w{i}", f16<{17 + i}, {16 + i}>), '
                     f'g.weight("b{i}", f16<{17 + i}>)){"" if last else ")"};')
    lines.append(f'g.output("y"_s, x{layers});')
    text = model(lines)
    if trains:
        text = text.replace("#include <anemone/model.hpp>",
                            "#include <anemone/model.hpp>\n#include <anemone/training/constant.hpp>")
        text = text.replace("static_assert(conforms<model, macs>);",
                            "constexpr training_options how{.loss = {.kind = loss_kind::mean_squared}, .by = momentum{}};\n"
                            "static_assert(conforms<training_graph<model, how>, macs>);")
    return text


def operations_of(source, compiler, folder):
    """How many operations a model has, or its training step: those that are no inputs, weights or constants."""
    subject = "training_graph<model, how>" if "training_graph" in source else "model"
    counting = source.replace("int main() {}", f"""int main() {{
    const graph_view g = {subject};
    int count = 0;
    for (int i = 0; i < g.size(); ++i) {{
        count += is_source(g[i].kind) ? 0 : 1;
    }}
    __builtin_printf("%d", count);
}}""")
    measure(compiler, counting, [ROOT / "include"], folder)
    subprocess.run([compiler, folder / "model.o", "-o", folder / "counts"], check=True)
    return int(subprocess.run([folder / "counts"], capture_output=True, text=True, check=True).stdout)


def measure_training(compilers, options):
    """A typed model beside its training step."""
    results = []
    progress = Progress(len(compilers) * 2 * options.repeat)
    with tempfile.TemporaryDirectory() as scratch:
        for compiler in compilers:
            row = {"compiler": compiler, "layers": options.layers}
            try:
                for which, trains in (("model", False), ("step", True)):
                    source = perceptron(options.layers, trains)
                    row[f"{which}_operations"] = operations_of(source, compiler, pathlib.Path(scratch))
                    runs = []
                    for _ in range(options.repeat):
                        progress.step(f"{compiler}: {which}")
                        runs.append(measure(compiler, source, [ROOT / "include"], pathlib.Path(scratch)))
                    row[f"{which}_seconds"], row[f"{which}_megabytes"] = min(r[0] for r in runs), min(r[1] for r in runs)
                row["times"] = row["step_seconds"] / row["model_seconds"]
            except RuntimeError as error:
                row["failure"] = str(error)
            results.append(row)
    progress.end()
    for row in results:
        print(f"{row['compiler']}: {row['failure'][:200]}" if "failure" in row else
              f"{row['compiler']}: a model of {row['model_operations']} operations {row['model_seconds']:.2f} s, its training step of "
              f"{row['step_operations']} operations {row['step_seconds']:.2f} s, {row['times']:.2f} times as long")
    return results


def write_training(results):
    rows = ["| Compiler | Model: operations | s | MB | Its training step: operations | s | MB | times as long |",
            "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for row in results:
        rows.append(f"| {version_of(row['compiler'])} | {row['model_operations']} | {row['model_seconds']:.1f} | "
                    f"{row['model_megabytes']:.0f} | {row['step_operations']} | {row['step_seconds']:.1f} | "
                    f"{row['step_megabytes']:.0f} | {row['times']:.2f} |")
    replace(ROOT / "docs/compile_time.md",
            r"(<!-- written by benchmarks/compile_time.py --only training --page -->\n).*?(<!-- end of the training -->)",
            lambda m: m[1] + "\n".join(rows) + "\n" + m[2])


def statements_of_ten(operations, declare, term):
    lines = []
    for first in range(0, operations, 10):
        size = 2 + first // 10
        count = min(10, operations - first)
        names = [f"m{first}_{k}" for k in range(count + 1)]
        lines += [declare(size, name) for name in names]
        text = names[0]
        for k in range(count):
            text = term(k, text, names[k + 1])
        lines.append(declare(size, f"r{first}")[:-1] + f" = {text};")
        lines.append(f"sum += r{first}(0, 0);")
    return "\n    ".join(lines)


def eigen(operations):
    def term(k, a, b):
        return [f"({a} + {b})", f"{a}.cwiseProduct({b})", f"({a} - {b})", f"{a}.cwiseMax({b})", f"({a} * 2.0f + {b})"][k % 5]

    body = statements_of_ten(operations, lambda n, name: f"Eigen::Matrix<float, {n}, {n + 1}> {name};", term)
    return f"#include <Eigen/Core>\nfloat f() {{\n    float sum = 0;\n    {body}\n    return sum;\n}}\n"


def fastor(operations):
    def term(k, a, b):
        return [f"({a} + {b})", f"({a} * {b})", f"({a} - {b})", f"max({a}, {b})", f"({a} * 2.0f + {b})"][k % 5]

    body = statements_of_ten(operations, lambda n, name: f"Fastor::Tensor<float, {n}, {n + 1}> {name};", term)
    return f"#include <Fastor/Fastor.h>\nfloat f() {{\n    float sum = 0;\n    {body}\n    return sum;\n}}\n"


def include_folder(header, *places):
    for place in places:
        if place and (pathlib.Path(place) / header).exists():
            return place
    return None


def measure(compiler, source, includes, folder, *flags):
    """(seconds of user time, megabytes at the peak), or the first line of what the compiler complains of. The source is
    a text or a path."""
    path = source
    if isinstance(source, str):
        path = folder / "model.cpp"
        path.write_text(source)
    command = [compiler, *FLAGS, *flags, *[f"-I{i}" for i in includes], str(path), "-o", str(folder / "model.o")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        complaint = [line for line in output.splitlines() if "error" in line]
        raise RuntimeError(complaint[0] if complaint else f"{compiler} ended with {process.returncode}")
    unit = 1024.0 if sys.platform != "darwin" else 1024.0 * 1024.0
    return usage.ru_utime, usage.ru_maxrss / unit


def functions(object_file):
    """How many functions an object file defines; None where there is no nm."""
    if not shutil.which("nm"):
        return None
    listed = subprocess.run(["nm", object_file], capture_output=True, text=True, check=True).stdout
    return sum(line.split()[-2] in "TtWw" for line in listed.splitlines() if len(line.split()) > 1)


def measure_files(compilers, repeat):
    """The table of files: rows of seconds, megabytes and functions."""
    results, progress = [], Progress(len(compilers) * sum(len(ways) for *_, ways in USES) * repeat)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for compiler in compilers:
            for title, path, optimisation, ways in USES:
                for way in ways:
                    flags = [optimisation] + (["-DANEMONE_COMPILED"] if way == "compiled" else [])
                    row = {"compiler": compiler, "file": title, "way": way}
                    runs = []
                    for _ in range(repeat):
                        progress.step(f"{compiler}: {title}, {way}")
                        try:
                            runs.append(measure(compiler, path, [ROOT / "include"], folder, *flags))
                        except RuntimeError as error:
                            row["failure"] = str(error)
                    if runs:
                        row["seconds"], row["megabytes"] = min(r[0] for r in runs), min(r[1] for r in runs)
                        row["functions"] = functions(folder / "model.o")
                    results.append(row)
    progress.end()
    hello = {row["compiler"]: row["seconds"] for row in results if row["file"] == HELLO and "seconds" in row}
    for row in results:
        if "seconds" in row and row["compiler"] in hello:
            row["of_hello"] = row["seconds"] / hello[row["compiler"]]
    print(f"{'compiler':<12} {'file':<38} {'way':<12} {'s':>7} {'hellos':>7} {'MB':>6} {'functions':>10}")
    for row in results:
        start = f"{row['compiler']:<12} {row['file']:<38} {row['way']:<12}"
        print(f"{start}  {row['failure'][:200]}" if "failure" in row else
              f"{start} {row['seconds']:7.2f} {row.get('of_hello', 0):7.1f} {row['megabytes']:6.0f} {row['functions'] or '':>10}")
    print()
    return results


def version_of(compiler):
    told = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()
    return f"{compiler} {told.split('.')[0]}" if told else compiler


def write_page(results):
    """The table of files, where docs/compile_time.md has its place, and the README's figure of its first program."""
    found = {(row["compiler"], row["file"], row["way"]): row for row in results}
    compilers = list(dict.fromkeys(row["compiler"] for row in results))
    names = [version_of(c) for c in compilers]
    rows = ["| File | Way | " + " | ".join(f"{n}: s | x hello | MB | functions" for n in names) + " |",
            "|---|---|" + "---:|" * (4 * len(names))]
    for title, _, _, ways in USES:
        for way in ways:
            cells = []
            for compiler in compilers:
                row = found[compiler, title, way]
                cells.append(f"{row['seconds']:.1f} | {row['of_hello']:.0f} | {row['megabytes']:.0f} | {row['functions']:,}")
            rows.append(f"| {title} | {way} | " + " | ".join(cells) + " |")
    rows.append(f"\nMeasured on {datetime.date.today()} on {os.cpu_count()} processors, {machine()}.")
    replace(ROOT / "docs/compile_time.md", r"(<!-- written by benchmarks/compile_time.py --page -->\n).*?(<!-- end of the files -->)",
            lambda m: m[1] + "\n".join(rows) + "\n" + m[2])
    first = {way: found[compilers[0], "the first program, -O2", way] for way in ("header-only", "compiled")}
    replace(ROOT / "README.md", r"(-lfmt +# the first program: )[^\n]*",
            lambda m: m[1] + f"{first['header-only']['seconds']:.0f} s with {names[0]}, {first['header-only']['of_hello']:.0f} times a line of fmt")
    replace(ROOT / "README.md", r"(PRIVATE anemone::compiled\) +# )[^\n]*",
            lambda m: m[1] + f"{first['compiled']['seconds']:.0f} s ({first['compiled']['of_hello']:.0f} times), and the library once")


def replace(path, pattern, by):
    new, count = re.subn(pattern, by, path.read_text(), flags=re.S)
    if count != 1:
        sys.exit(f"{path.name} has {count} places for {pattern}")
    path.write_text(new)


def machine():
    """What the system calls its processor."""
    try:
        told = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
        return told[1] if told else platform.processor()
    except OSError:
        return platform.processor()


class Progress:
    def __init__(self, steps):
        self.steps, self.done = steps, 0
        self.shown = sys.stderr.isatty()

    def step(self, text):
        if self.shown:
            filled = 30 * self.done // self.steps
            print(f"\r[{'#' * filled}{'.' * (30 - filled)}] {text:<40.40}", end="", file=sys.stderr, flush=True)
        self.done += 1

    def end(self):
        if self.shown:
            print("\r" + " " * 75 + "\r", end="", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", help="may be given several times; default: g++ and clang++")
    parser.add_argument("--only", choices=["files", "models", "training"], help="one of the tables")
    parser.add_argument("--operations", type=int, nargs="+", default=[10, 50, 200, 1000, 2000])
    parser.add_argument("--layers", type=int, default=19, help="of the model that is trained")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each, of which the least counts")
    parser.add_argument("--eigen", default=include_folder("Eigen/Core", "/usr/include/eigen3", "/opt/homebrew/include/eigen3",
                                                          "/usr/local/include/eigen3"))
    parser.add_argument("--fastor", default=include_folder("Fastor/Fastor.h", os.environ.get("FASTOR_INCLUDE"),
                                                           "/usr/include", "/usr/local/include"))
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    parser.add_argument("--page", action="store_true", help="write the tables of files and of training into docs/compile_time.md, and the figures of the README")
    options = parser.parse_args()
    if min(options.operations) < 1 or options.repeat < 1:
        parser.error("--operations and --repeat count from 1")

    compilers = options.compiler or [c for c in ("g++", "clang++") if shutil.which(c)]
    results = []
    if options.only in (None, "files"):
        results += measure_files(compilers, options.repeat)
        if options.page:
            if any("failure" in row for row in results):
                sys.exit("nothing is written: a file does not compile")
            write_page(results)
    if options.only in (None, "models"):
        results += measure_models(compilers, options)
    if options.only in (None, "training"):
        trained = measure_training(compilers, options)
        if options.page and not any("failure" in row for row in trained):
            write_training(trained)
        results += trained
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    return 1 if any("failure" in r for r in results) else 0


def measure_models(compilers, options):
    """The table of models, and what an operation costs beside one of a peer."""
    subjects = [("anemone, repeated", repeated, [ROOT / "include"]), ("anemone, distinct", distinct, [ROOT / "include"])]
    if options.eigen:
        subjects.append(("Eigen", eigen, [options.eigen]))
    if options.fastor:
        subjects.append(("Fastor", fastor, [options.fastor]))

    results = []
    progress = Progress(len(compilers) * len(subjects) * (len(options.operations) + 1) * options.repeat)
    with tempfile.TemporaryDirectory() as scratch:
        for compiler in compilers:
            for title, write, includes in subjects:
                base = None
                for count in [0, *sorted(options.operations)]:
                    # An input needs a reader: the empty model has one operation, an empty peer none.
                    source = write(count if count > 0 or write in (eigen, fastor) else 1)
                    runs, failure = [], None
                    for _ in range(options.repeat):
                        progress.step(f"{compiler}: {title}, {count}")
                        try:
                            runs.append(measure(compiler, source, includes, pathlib.Path(scratch)))
                        except RuntimeError as error:
                            failure = str(error)
                    row = {"compiler": compiler, "subject": title, "operations": count}
                    if failure:
                        row["failure"] = failure
                    else:
                        row["seconds"], row["megabytes"] = min(r[0] for r in runs), min(r[1] for r in runs)
                        base = base or row
                        if count > 0:
                            row["seconds_each"] = (row["seconds"] - base["seconds"]) / count
                            row["megabytes_each"] = (row["megabytes"] - base["megabytes"]) / count
                    results.append(row)
    progress.end()

    print(f"{'compiler':<10} {'subject':<20} {'operations':>10} {'s':>8} {'MB':>8} {'ms each':>9} {'kB each':>9}")
    for row in results:
        start = f"{row['compiler']:<10} {row['subject']:<20} {row['operations']:>10}"
        if "failure" in row:
            print(f"{start}  {row['failure'][:200]}")
        elif row["operations"] == 0:
            print(f"{start} {row['seconds']:8.2f} {row['megabytes']:8.0f}")
        else:
            print(f"{start} {row['seconds']:8.2f} {row['megabytes']:8.0f} {row['seconds_each'] * 1e3:9.2f}"
                  f" {row['megabytes_each'] * 1e3:9.1f}")
    print()
    each = {(r["compiler"], r["subject"], r["operations"]): r.get("seconds_each") for r in results}
    for compiler in compilers:
        for title, *_ in subjects:
            few, many = each.get((compiler, title, 200)), each.get((compiler, title, 2000))
            if few and many and few > 0:
                print(f"{compiler}, {title}: an operation of 2,000 costs {many / few:.2f} times one of 200")
        for title, *_ in subjects[2:]:
            for count in options.operations:
                ours, theirs = each.get((compiler, subjects[0][0], count)), each.get((compiler, title, count))
                if ours and theirs and theirs > 0:
                    print(f"{compiler}, {count} operations: anemone / {title} = {ours / theirs:.2f} (per operation)")
    return results


if __name__ == "__main__":
    sys.exit(main())
