#!/usr/bin/env python3
"""Runs the command where memory, files and the process itself fail at the n-th call (tests/faults/failing_calls.c).

usage: faults.py <command> <library> [--all] [--stride n] [--part i/parts]

Whatever fails: no signal ends the command, its exit code is one of its own, a failure is told in a sentence, and neither a
temporary file nor half of a file is left. The short form takes a prime stride over n, the whole one every n up to 2,000.
"""

import argparse
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
MIL = (HERE / "model.mil").read_text()
# What is asked, and what it writes.
COMMANDS = [
    (["check", "m.mil", "-f", "json", "-o", "found.json"], ["found.json"]),
    (["check", "m.mil", "-f", "html", "-o", "found.html"], ["found.html"]),
    (["run", "m.mil", "--seed", "1", "-o", "y.npz"], ["y.npz"]),
    (["run", "m.mil", "-b", "oracle:h13"], []),
    (["diff", "m.mil"], []),
    (["diff", "m.mil", "--reference", "f64", "--json"], []),
    (["cost", "m.mil", "--layers"], []),
    (["placement", "m.mil", "--batches", "4"], []),
    (["timeline", "m.mil", "--svg", "t.svg"], ["t.svg"]),
    (["optimize", "m.mil", "--prove", "-o", "faster"], ["faster"]),
    (["compress", "m.mil", "--random-runs", "2", "--most-loss", "1", "-o", "small"], ["small"]),
    (["draw", "m.mil", "-o", "m.svg"], ["m.svg"]),
    # Arguments too long to be copied without memory, which the parser does where it cannot throw.
    (["check", "a_model_of_a_long_name.mil", "--targets=h13,h14,h15,h16", "-q"], []),
    (["cost", "a_model_of_a_long_name.mil", "--there-is-no-such-option"], []),
    (["there_is_no_such_subcommand"], []),
    (["check", "--help"], []),
    (["convert", "m.mil", "--to", "mil", "-o", "as_mil"], ["as_mil"]),
    (["convert", "m.mil", "--to", "netplist", "-o", "as_netplist"], ["as_netplist"]),
    (["convert", "m.mil", "--to", "mlpackage", "-o", "p.mlpackage"], ["p.mlpackage"]),
    (["convert", "m.mil", "--to", "cpp", "-o", "m.hpp"], ["m.hpp"]),
    (["check", "p.mlpackage", "-q"], []),
    (["check", "as_mil", "-q"], []),
    (["run", "as_netplist"], []),
    (["bench", "m.mil", "--seconds", "0.001", "--no-limits", "--json"], []),
    (["train", "m.mil", "-d", "samples.npz", "--loss", "mean_squared", "--steps", "2", "-o", "trained"], ["trained"]),
    (["generate", "tiny", "--tokens", "1,2,3", "-n", "2"], []),
    (["precision", "tiny", "-d", "tokens.txt", "--quick"], []),
    (["check", "tiny", "-q"], []),
    (["cost", "tiny"], []),
    (["targets"], []),
    (["rules", "R030"], []),
    (["manual"], []),
    (["completions", "bash"], []),
]
# What some of them read.
MADE = {"mil": "as_mil", "netplist": "as_netplist", "mlpackage": "p.mlpackage"}
# Models whose weights stay in their files until somebody needs them, and weights of a file of their own.
LARGE_MODELS = ["large", "large_netplist", "large.mlpackage", "large.onnx", "external.onnx"]
LARGE = [[word, name] for name in LARGE_MODELS for word in ("check", "run")]
LARGE += [["run", "gap", "--weights", "large.safetensors"], ["convert", "large.onnx", "--to", "mil", "-o", "again"],
          ["compress", "large", "--random-runs", "2", "--most-loss", "1", "-o", "again"]]
MOST = 2000  # allocations; calls of files are fewer
SENTENCE = re.compile(r"^(error|warning|note)\b|: error: |error: memory")


def large_models(harness, folder):
    """A product with a matrix of 128 KiB in each format."""
    sys.path.insert(0, str(HERE.parent / "python"))
    import _onnx_messages as onnx

    shape = [128, 512]
    matrix = struct.pack("<512e", *(i % 7 - 3 for i in range(512))) * 128
    text = ("program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 512]> x) {\n        tensor<fp16, [128, 512]> w = "
            "const()[name = string(\"w\"), val = tensor<fp16, [128, 512]>(BLOBFILE(path = string("
            "\"@model_path/weights.bin\"), offset = uint64(64)))];\n        tensor<fp16, [1, 128]> y = linear(x = x, "
            "weight = w)[name = string(\"y\")];\n    } -> (y);\n}\n")
    for name in ("large", "gap", "other"):
        (folder / name).mkdir()
        (folder / name / "model.mil").write_text(text if name != "other" else text.replace('"y"', '"z"'))
    header = struct.pack("<II56x", 1, 2)
    record = struct.pack("<IIQQ40x", 0xDEADBEEF, 1, len(matrix), 128)
    (folder / "large" / "weights.bin").write_bytes(header + record + matrix)
    (folder / "other" / "weights.bin").write_bytes(header + record + matrix[512:] + matrix[:512])
    for to, out in (("netplist", "large_netplist"), ("mlpackage", "large.mlpackage"), ("cpp", "large.hpp")):
        done = harness.run(["convert", "large", "--to", to, "-o", out], folder)
        if done.returncode != 0:
            harness.blame(["convert", to], "", done.stderr.decode())
    columns = b"".join(matrix[2 * i:2 * i + 2] * 128 for i in range(512))
    half, shape = 10, [512, 128]
    (folder / "columns.bin").write_bytes(columns)
    outside = {"location": "columns.bin", "offset": "0", "length": str(len(columns))}
    for name, kept in (("large.onnx", {"raw": columns}), ("external.onnx", {"external": outside})):
        (folder / name).write_bytes(onnx.model(
            [onnx.node("MatMul", ["x", "w"], ["y"], "y")], [onnx.tensor("w", shape, half, **kept)],
            inputs=[onnx.port("x", [1, 512], half)], outputs=[onnx.port("y", [1, 128], half)]))


def judge_large(harness, folder):
    """Opening, reading and shortening of files fail under large weights: also when they are needed long after."""
    large_models(harness, folder)
    has_onnx = "built without ONNX" not in harness.run(["check", "large.onnx"], folder).stderr.decode()
    whole = {"again": None}
    for arguments in LARGE:
        if ".onnx" in arguments[1] and not has_onnx:
            continue
        remove(folder / "again")
        counts = harness.counts(arguments, folder)
        for what in ("open", "refuse", "read", "shrink"):
            every = 1 if harness.every == 1 else 5
            for n in sorted({*range(1, counts[what] + 1, every), counts[what]} - {0}):
                for later in ("", "+") if what != "shrink" and harness.every == 1 else ("",):
                    kept = {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
                    remove(folder / "again")
                    done = harness.run(arguments, folder, f"{what}:{n}{later}")
                    harness.judge(arguments, ["again"], folder, f"{what}:{n}{later}", done, whole)
                    if what == "shrink" and done.returncode == 0:
                        harness.blame(arguments, f"{what}:{n}", "went well with a file that ended")
                    for each, content in kept.items() if what == "shrink" else ():
                        each.write_bytes(content)


def judge_shared(harness, folder):
    """Two files that belong together, in a folder with a file of the user's: a process that is killed, or a call that fails, at
    any moment leaves both old or both new, once somebody reads there."""
    shared = folder / "shared"
    names = ["model.mil", "weights.bin"]

    def files():
        return [(shared / name).read_bytes() for name in names]

    def old():
        remove(shared)
        shared.mkdir()
        (shared / "notes.txt").write_text("mine")
        for name, content in zip(names, before or []):
            (shared / name).write_bytes(content)

    before = None
    contents = []
    for model in ("large", "other"):
        old()
        done = harness.run(["convert", model, "--to", "mil", "-o", "shared"], folder)
        if done.returncode != 0:
            return harness.blame(["convert", model], "", done.stderr.decode())
        contents.append(files())
    before, after = contents
    write = ["convert", "other", "--to", "mil", "-o", "shared"]
    old()
    counts = harness.counts(write, folder)
    ends = {"old": 0, "new": 0}
    for what in ("write", "rename", "sync"):
        for n in range(1, counts[what] + 1):
            for how in (f":{int(signal.SIGKILL)}", "", "+"):
                old()
                harness.run(write, folder, f"{what}:{n}{how}")
                done = harness.run(["check", "-q", "shared"], folder)
                found = files()
                ends["old" if found == before else "new"] += 1
                if found not in (before, after) or done.returncode not in (0, 1):
                    harness.blame(write, f"{what}:{n}{how}", f"files of two ages: {done.stderr.decode()[:200]}")
                if (shared / "notes.txt").read_text() != "mine" or (shared / ".anemone-journal").exists():
                    harness.blame(write, f"{what}:{n}{how}", "left its journal, or touched another file")
    if min(ends.values()) < 3:
        harness.blame(write, "", f"was not interrupted before and behind the change: {ends}")
    # A journal of somebody else, or one that names other files than its writer's, moves nothing.
    old()
    (shared / ".anemone-1-0").write_text("theirs")
    (shared / ".anemone-journal").write_text("anemone journal 1 forward\n5 5 12 9 .anemone-1-0notes.txt\nend\n")
    harness.run(["check", "-q", "shared"], folder)
    if (shared / "notes.txt").read_text() != "mine":
        harness.blame(["check", "shared"], "", "believed a journal that nobody wrote here")
    return None


def write_npz(path, arrays):
    """Arrays of fp32 by name, each with its shape, as NumPy writes them."""
    with zipfile.ZipFile(path, "w") as file:
        for name, (shape, values) in arrays.items():
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
            file.writestr(f"{name}.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header
                          + struct.pack(f"<{len(values)}f", *values))


def judge_training(harness, folder):
    """A training whose disk is full, or that is killed, at any write: metrics, curves and the model are the old files or the new
    ones, the message names what could not be written, and --resume comes from what is left to the bits of an unbroken training."""
    arguments = ["train", "m.mil", "-d", "samples.npz", "--loss", "mean_squared", "--steps", "4", "--checkpoint", "run",
                 "--checkpoint-every", "2", "--csv", "metrics.csv", "--svg", "curves.svg", "-o", "trained"]
    names = ["metrics.csv", "curves.svg"]

    def old():
        for name in ("run", "trained"):
            remove(folder / name)
        for name in names:
            (folder / name).write_text("old")

    def trained():
        return {path.name: path.read_bytes() for path in (folder / "trained").iterdir()} if (folder / "trained").is_dir() else {}

    old()
    counts = harness.counts(arguments, folder)
    whole, model = [(folder / name).read_bytes() for name in names], trained()
    if len(model) == 0 or b"old" in whole or counts["write"] < 6:
        return harness.blame(arguments, "", f"does not write what is to be judged: {counts}")
    for what in ("write", "rename", "sync", "mkdir"):
        for n in harness.every_n(counts[what]):
            for how in ("+", f":{int(signal.SIGKILL)}", "") if harness.every == 1 or what == "write" else ("+",):
                fail = f"{what}:{n}{how}"
                old()
                done = harness.run(arguments, folder, fail)
                said = done.stderr.decode(errors="replace")
                is_all_there = trained() == model and [(folder / name).read_bytes() for name in names] == whole
                if done.returncode == 0 and not is_all_there:
                    harness.blame(arguments, fail, "went well without all of its files")
                if done.returncode > 0 and not re.search(r"\brun\b|metrics\.csv|curves\.svg|trained", said):
                    harness.blame(arguments, fail, f"does not name the file: {said}")
                if how == "+" and what in ("write", "rename") and done.returncode != 2:
                    harness.blame(arguments, fail, f"exit code {done.returncode}: {said}")
                for name, content in zip(names, whole):
                    if (folder / name).read_bytes() not in (b"old", content):
                        harness.blame(arguments, fail, f"{name} is neither the old file nor the new one")
                again = harness.run([*arguments, "--resume"], folder)
                if again.returncode != 0 or trained() != model:
                    harness.blame([*arguments, "--resume"], fail, f"another model, or none: {again.stderr.decode()[:300]}")
                left = [path.name for path in [*folder.iterdir(), *(folder / "run").iterdir()] if path.name.startswith(".")]
                if left and done.returncode >= 0:
                    harness.blame(arguments, fail, f"left {left}")
                for name in left:
                    remove(folder / name)
    return None


class Server:
    """The command with its arguments, started once, of which each run is a child."""

    def __init__(self, command, arguments, folder, environment):
        self.said = [tempfile.TemporaryFile(buffering=0) for _ in range(2)]
        for file in self.said:  # each child writes at the end, which is the beginning again
            fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
        asked, self.asks = os.pipe()
        self.answers, answered = os.pipe()
        self.process = subprocess.Popen([command, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=self.said[0],
                                        stderr=self.said[1], pass_fds=(asked, answered),
                                        env=dict(environment, ANEMONE_FAIL_SERVER=f"{asked},{answered}"))
        os.close(asked)
        os.close(answered)
        self.answers = open(self.answers, "rb")

    def run(self, fail):
        for file in self.said:
            file.truncate(0)
        os.write(self.asks, f"{fail}\n".encode())
        status = os.waitstatus_to_exitcode(int(self.answers.readline()))
        said = [os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0) for file in self.said]
        return subprocess.CompletedProcess(self.process.args, status, *said)

    def close(self):
        os.close(self.asks)
        self.process.wait()
        for file in (self.answers, *self.said):
            file.close()


class Harness:
    def __init__(self, command, library, every):
        self.command = str(pathlib.Path(command).resolve())
        self.library = str(pathlib.Path(library).resolve())
        self.every = every
        self.wrong = []
        self.runs = 0
        self.server = None
        self.serves = None

    def run(self, arguments, folder, fail=None, counts=None):
        environment = dict(os.environ, LD_PRELOAD=self.library, ANEMONE_THREADS="1")
        environment.pop("ANEMONE_FAIL", None)
        self.runs += 1
        if fail:
            if self.serves != (arguments, folder):
                self.close()
                self.server = Server(self.command, arguments, folder, environment)
                self.serves = (arguments, folder)
            return self.server.run(fail)
        if counts:
            environment["ANEMONE_FAIL_COUNTS"] = counts
        return subprocess.run([self.command, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def close(self):
        if self.server:
            self.server.close()
        self.server = self.serves = None

    def blame(self, arguments, fail, what):
        self.wrong.append(f"ANEMONE_FAIL={fail} anemone {' '.join(arguments)}: {what}")

    def counts(self, arguments, folder):
        file = str(folder / "counts")
        done = self.run(arguments, folder, counts=file)
        if done.returncode not in (0, 1) and "there_is_no" not in " ".join(arguments).replace("-", "_"):
            self.blame(arguments, "", f"exit code {done.returncode}: {done.stderr.decode()}")
        lines = pathlib.Path(file).read_text().split("\n")
        os.remove(file)
        return {name: int(count) for name, count in (line.split() for line in lines if line)}

    def judge(self, arguments, written, folder, fail, done, before):
        """What must hold after a run in which something failed."""
        if done.returncode < 0:
            return self.blame(arguments, fail, f"ended by {signal.Signals(-done.returncode).name}: "
                                               f"{done.stderr.decode(errors='replace').strip()[:200]}")
        if done.returncode not in (0, 1, 2):
            self.blame(arguments, fail, f"exit code {done.returncode}")
        if done.returncode == 2 and not SENTENCE.search(done.stderr.decode(errors="replace")):
            self.blame(arguments, fail, f"no sentence: {done.stderr!r}")
        if re.search(r"No such file|cannot be found|does not exist", done.stderr.decode(errors="replace")):
            self.blame(arguments, fail, f"says of what is there that it is missing: {done.stderr!r}")
        left = [name for name in os.listdir(folder) if name.startswith(".")]
        if ".anemone-journal" in left and fail.startswith("rename") and fail.endswith("+") and done.returncode == 2:
            # Nothing can be renamed any more, not back either: the journal keeps the files of one age for the next run.
            self.run(arguments, folder)
            left = [name for name in os.listdir(folder) if name.startswith(".")]
        if left:
            self.blame(arguments, fail, f"left {left}")
            for name in left:
                remove(folder / name)
        for name in written:
            path = folder / name
            is_judged = done.returncode == 1 and is_whole_report(path)  # that the model cannot be read
            if path.is_file() and path.read_bytes() != before[name] and not is_judged:
                self.blame(arguments, fail, f"half of {name} is there")
        return None

    def every_n(self, count):
        if self.every == 1:
            return range(1, count + 1)
        return sorted({1, 2, 3, *range(self.every // 2, count + 1, self.every), count} - {0})


def is_whole_report(path):
    if path.suffix == ".json":
        try:
            return "unreadable" in str(json.loads(path.read_text()))
        except (OSError, ValueError):
            return False
    return path.suffix == ".html" and path.is_file() and path.read_text().rstrip().endswith("</html>")


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("library")
    parser.add_argument("--all", action="store_true", help="every n")
    parser.add_argument("--stride", type=int, default=307)
    parser.add_argument("--only", help="a word of the command line")
    parser.add_argument("--part", default="1/1", help="of so many, which take less time each")
    given = parser.parse_args()
    harness = Harness(given.command, given.library, 1 if given.all else given.stride)
    with tempfile.TemporaryDirectory(prefix="anemone_faults_") as place:
        folder = pathlib.Path(place)
        (folder / "m.mil").write_text(MIL)
        (folder / "a_model_of_a_long_name.mil").write_text(MIL)
        (folder / "tokens.txt").write_text("1,2,3,4,5,6")
        write_npz(folder / "samples.npz", {"x": ((4, 8), [i % 5 / 4 - 0.5 for i in range(32)]),
                                           "wanted": ((4, 12), [i % 3 for i in range(48)])})
        shutil.copytree(HERE.parent / "c" / "tiny_llama", folder / "tiny")
        for form, name in MADE.items():
            harness.run(["convert", "m.mil", "--to", form, "-o", name], folder)
        part, parts = map(int, given.part.split("/"))
        for arguments, written in COMMANDS[part - 1::parts]:
            if given.only and given.only not in arguments:
                continue
            is_needed = set(MADE.values()) & set(written)
            for name in written:
                remove(folder / name)
            counts = harness.counts(arguments, folder)
            whole = {name: (folder / name).read_bytes() if (folder / name).is_file() else None for name in written}
            for later in ("", "+"):
                for n in harness.every_n(min(counts["memory"], MOST)):
                    fail = f"memory:{n}{later}"
                    for name in written:
                        remove(folder / name)
                    done = harness.run(arguments, folder, fail)
                    harness.judge(arguments, written, folder, fail, done, whole)
                    if done.returncode == 0 and later and "check" not in arguments and n + 50 < counts["memory"]:
                        harness.blame(arguments, fail, "went well without memory")
                for what in ("open", "refuse", "write", "rename", "mkdir", "sync"):
                    for n in range(1, counts[what] + 1):
                        fail = f"{what}:{n}{later}"
                        for name in written:
                            remove(folder / name)
                        harness.judge(arguments, written, folder, fail, harness.run(arguments, folder, fail), whole)
            # A process that is killed at any write leaves the old file or the new one.
            for what in ("write", "rename", "sync"):
                for n in range(1, counts[what] + 1):
                    fail = f"{what}:{n}:{int(signal.SIGKILL)}"
                    harness.run(arguments, folder)
                    harness.run(arguments, folder, fail)
                    for name in written:
                        path = folder / name
                        if whole[name] is not None and (not path.is_file() or path.read_bytes() != whole[name]):
                            harness.blame(arguments, fail, f"{name} is neither the old file nor the new one")
                    for name in os.listdir(folder):
                        if name.startswith("."):
                            remove(folder / name)
            for n in range(1, counts["shrink"] + 1):  # a file becomes shorter while it is read
                shutil.copytree(folder, folder / "kept")
                done = harness.run(arguments, folder, f"shrink:{n}")
                harness.judge(arguments, [], folder, f"shrink:{n}", done, whole)
                if done.returncode == 0:
                    harness.blame(arguments, f"shrink:{n}", "went well with a file that ended")
                for name in os.listdir(folder):
                    if name != "kept":
                        remove(folder / name)
                for name in os.listdir(folder / "kept"):
                    (folder / "kept" / name).rename(folder / name)
                (folder / "kept").rmdir()
            if is_needed:
                harness.run(arguments, folder)
        if part == 1 and (not given.only or given.only == "large"):
            judge_large(harness, folder)
            judge_shared(harness, folder)
        if part == 1 and (not given.only or given.only == "train"):
            judge_training(harness, folder)
        harness.close()
    for line in harness.wrong[:40]:
        print(line)
    print(f"{harness.runs} runs of the command, {len(harness.wrong)} that failed otherwise than they may")
    return 1 if harness.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
