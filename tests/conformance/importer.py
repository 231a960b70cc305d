"""Runs the program conformance_onnx_run, which reads models with the library's own importer."""

import pathlib
import re
import subprocess
import tempfile

import numpy as np

from harness import BUILD

TYPES = {"fp64": np.float64, "fp16": np.float16, "uint8": np.uint8, "int8": np.int8, "bool": np.uint8}


class Importer:
    def __init__(self, program=None):
        self.program = pathlib.Path(program) if program else BUILD / "bin" / "conformance_onnx_run"

    def missing(self):
        return not self.program.exists()

    def run(self, folders, *options):
        """For each folder ("ok", {port: array}, operations), or ("refused" or "unsupported" or "error", why, None)."""
        with tempfile.TemporaryDirectory() as scratch:
            results = pathlib.Path(scratch) / "results"
            text = "".join(f"{folder}\n" for folder in folders)
            command = [self.program, *options, results]
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{self.program} ended with {done.returncode}: {done.stderr}\n{done.stdout[-400:]}")
            data = results.read_bytes()
        outcomes, at = {}, 0
        for line in done.stdout.splitlines():
            status, folder, *rest = line.split(" ")
            if status == "operations":
                outcomes[folder] = (*outcomes[folder][:2], set(rest))
                continue
            if status != "ok":
                outcomes[folder] = (status, " ".join(rest), None)
                continue
            arrays = {}
            for port in rest:
                name, element, extents = port.split(":")
                shape = [int(e) for e in extents.split(",") if e]
                count = int(np.prod(shape, dtype=np.int64))
                arrays[name] = np.frombuffer(data, TYPES[element], count, at).reshape(shape)
                at += count * np.dtype(TYPES[element]).itemsize
            outcomes[folder] = ("ok", arrays, set())
        return [outcomes[str(folder)] for folder in folders]


def port_name(name):
    """What the importer calls a port."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return "_" + name if not name or name[0].isdigit() else name
