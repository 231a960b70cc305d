#!/usr/bin/env python3
"""What `anemone diff --reference f64` of a deep model costs, beside a plain run of it in the same arithmetic.

Usage: deep_diff.py PROGRAM [--nodes 1000] [--megabytes 100] [--backend oracle:h13] [--keep FILE] [--page]; PROGRAM is an
optimised build's bin/anemone. Needs Debian's python3-onnx. The model is that of check.py. Processor seconds are compared: the
time that passes depends on what else the machine does. --page writes the table into docs/differences.md."""

import argparse
import datetime
import multiprocessing
import os
import pathlib
import tempfile

from check import measured, write_model
from compile_time import machine

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "differences.md"
BEGIN, END = "<!-- written by benchmarks/deep_diff.py --page -->\n", "<!-- end of the deep diff -->\n"


def write_input(path, model):
    """In a process of its own, as the model."""
    import numpy
    import onnx

    shape = [each.dim_value for each in onnx.load(model).graph.input[0].type.tensor_type.shape.dim]
    numpy.savez(path, x=numpy.random.default_rng(2).standard_normal(shape, dtype=numpy.float32) / 8)


def apart(call, *arguments):
    process = multiprocessing.Process(target=call, args=arguments)
    process.start()
    process.join()
    if process.exitcode != 0:
        raise SystemExit(f"{call.__name__} failed")


def write_page(given, nodes, megabytes, rows):
    """The table, where docs/differences.md has its place."""
    lines = [f"| {nodes} layers, {megabytes:.1f} MB, `{given.backend}` | Processor seconds | Plain runs | Peak, MB |", "|---|---:|---:|---:|"]
    lines += [f"| `{name}` | {busy:.1f} | {runs:.1f} | {peak / 1e6:.0f} |" for name, busy, runs, peak in rows]
    lines.append(f"\nMeasured on {datetime.date.today()} on {os.cpu_count()} processors, {machine()}.")
    before, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--backend", default="oracle:h13")
    parser.add_argument("--keep", type=pathlib.Path, help="where the model stays")
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model, data = given.keep or pathlib.Path(folder) / "chain.onnx", pathlib.Path(folder) / "x.npz"
        if not model.exists():
            apart(write_model, model, given.nodes, given.megabytes)
        apart(write_input, data, model)
        size = model.stat().st_size
        nodes = given.nodes // 3 * 3
        print(f"{nodes} nodes, {size / 1e6:.1f} MB")
        plain = [given.program, "run", model, "--input", data, "--backend", given.backend]
        lines = {"run": plain, "diff --reference f64 --quick": [given.program, "diff", model, "--reference", "f64", "--backend", given.backend,
                                                               "--data", data, "--quick"]}
        lines["diff --reference f64"] = lines["diff --reference f64 --quick"][:-1]
        first, rows = None, []
        for name, line in lines.items():
            wall, busy, peak = measured(line)
            first = first or busy
            print(f"{name:30} {wall:7.2f} s ({busy:7.2f} s of processors), {peak / 1e6:7.1f} MB, {busy / first:5.2f} plain runs")
            rows.append((name, busy, busy / first, peak))
        if given.page:
            write_page(given, nodes, size / 1e6, rows)


if __name__ == "__main__":
    main()
