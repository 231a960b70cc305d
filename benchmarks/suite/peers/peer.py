"""The loop of a peer in Python: commands in, JSON out (process_contender.hpp has the protocol)."""

import json
import os
import sys
import time

import numpy as np


class Problem:
    """A folder that `write_problem` wrote: nodes, and the numbers of those that have any."""

    def __init__(self, folder):
        with open(os.path.join(folder, "problem.json"), encoding="utf-8") as file:
            described = json.load(file)
        self.folder = folder
        self.name = described["name"]
        self.nodes = described["nodes"]
        self.outputs = described["outputs"]
        self.writes = {w["select"]: w for w in described["writes"]}
        numbers = np.fromfile(os.path.join(folder, "values.f32"), dtype=np.float32)
        self.values = {}
        for i, node in enumerate(self.nodes):
            if "offset" in node:
                count = int(np.prod(node["shape"]))
                self.values[i] = numbers[node["offset"] : node["offset"] + count].reshape(node["shape"])


def serve(load, text):
    """`load(problem)` returns a function that runs it and one that gives the outputs of the last run."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints does not disturb the protocol
    run = outputs = None
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        try:
            if command == "describe":
                answer = {"text": text}
            elif command == "load":
                problem = Problem(argument)
                begin = time.perf_counter()
                run, outputs = load(problem)
                answer = {"seconds": time.perf_counter() - begin}
            elif command == "run":
                times = []
                for _ in range(int(argument)):
                    begin = time.perf_counter()
                    run()
                    times.append(time.perf_counter() - begin)
                answer = {"seconds": times}
            elif command == "outputs":
                with open(argument, "wb") as file:
                    for array in outputs():
                        file.write(np.ascontiguousarray(array, dtype=np.float32).tobytes())
                answer = {}
            else:
                answer = {"error": "no such command: " + command}
        except Exception as failure:  # noqa: BLE001, whatever it is, the table says so
            answer = {"error": f"{type(failure).__name__}: {failure}".split("\n", maxsplit=1)[0]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
