#!/usr/bin/env python3
"""Seconds and memory of `anemone check` on a large ONNX file, for all Macs.

Usage: check.py PROGRAM [--nodes 1000] [--megabytes 100] [--keep FILE]; PROGRAM is an optimised build's bin/anemone.
Needs Debian's python3-onnx. The model is a chain of residual blocks, each a convolution, a rectifier and a sum."""

import argparse
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def write_model(path, nodes, megabytes):
    """In a process of its own: what a parent has in memory counts among its children's peaks."""
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    blocks = max(nodes // 3, 1)
    channels = max(int((megabytes * 1e6 / 4 / blocks) ** 0.5) // 8 * 8, 8)
    random = numpy.random.default_rng(1)
    made, weights, last = [], [], "x"
    for i in range(blocks):
        scope = f"/layers.{i}"
        values = random.standard_normal((channels, channels, 1, 1), dtype=numpy.float32) / channels**0.5
        weights.append(numpy_helper.from_array(values, f"layers.{i}.conv.weight"))
        conv, relu, add = (f"{scope}/{part}_output_0" for part in ("conv/Conv", "act/Relu", "Add"))
        made.append(helper.make_node("Conv", [last, weights[-1].name], [conv], name=f"{scope}/conv/Conv"))
        made.append(helper.make_node("Relu", [conv], [relu], name=f"{scope}/act/Relu"))
        made.append(helper.make_node("Add", [relu, last], [add], name=f"{scope}/Add"))
        last = add
    shape = [1, channels, 14, 14]
    graph = helper.make_graph(made, "chain", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(last, TensorProto.FLOAT, shape)], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def measured(command):
    """Seconds passed, seconds of processors, and the largest resident set in bytes."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{command}: status {status}")
    unit = 1 if sys.platform == "darwin" else 1024
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--keep", type=pathlib.Path, help="where the model stays")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or pathlib.Path(folder) / "chain.onnx"
        writer = multiprocessing.Process(target=write_model, args=(path, given.nodes, given.megabytes))
        writer.start()
        writer.join()
        if writer.exitcode != 0:
            raise SystemExit("the model was not written")
        size = path.stat().st_size
        print(f"{given.nodes // 3 * 3} nodes, {size / 1e6:.1f} MB")
        for options in ([], ["--ranges", "x=-1,1"], ["--format", "json"], ["--format", "sarif"], ["--format", "html"]):
            wall, busy, peak = measured([given.program, "check", path, "--targets", "macs", *options])
            print(f"check {' '.join(options):20} {wall:6.2f} s ({busy:5.2f} s of processors), "
                  f"{peak / 1e6:6.1f} MB, {peak / size:.2f} times the file")


if __name__ == "__main__":
    main()
