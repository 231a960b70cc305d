"""No output of any subcommand takes the place of anything that the same call reads, however either is named; and whatever ends a
program that writes, at whatever moment, leaves old files or new ones and nothing beside them.

Inputs are models in all their parts, weights of their own, arrays, expected arrays, samples, tokens, files of options and of
arguments. They are named by links in each part of a path, by links followed by `..`, through /proc/self and by hard links."""

import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from _arrays import npy, npz
from _harness import PATIENCE, ROOT, command, expect, run, verdict

sys.path.insert(0, str(ROOT / "tests"))
import from_environment

THOROUGH = from_environment.thorough()  # else one name of each file, and a part of each model as every fourth output
REPLACED = "is read, and would be written over"


def write_model(folder):
    """MIL text whose matrix is in a blob, from 8 to 4."""
    folder.mkdir()
    matrix = "BLOBFILE(path = string(\"@model_path/weights.bin\"), offset = uint64(64))"
    (folder / "model.mil").write_text(
        "program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 8]> x) {\n        tensor<fp16, [4, 8]> w = const()[name = string(\"w\"), "
        f"val = tensor<fp16, [4, 8]>({matrix})];\n        tensor<fp16, [1, 4]> y = linear(x = x, weight = w)[name = string(\"y\")];\n"
        "    } -> (y);\n}\n")
    header = struct.pack("<II56x", 1, 2) + struct.pack("<IIQQ40x", 0xDEADBEEF, 1, 64, 128)
    (folder / "weights.bin").write_bytes(header + struct.pack("<32e", *(i % 7 / 8 for i in range(32))))


def write_inputs(program, folder):
    write_model(folder / "mil")
    for form, out in (("netplist", "net"), ("mlpackage", "p.mlpackage"), ("cpp", "m.hpp")):
        done = run(program, ["convert", "mil", "--to", form, "-o", out], folder)
        expect(done.returncode == 0, done.stderr)
    (folder / "m.hpp").unlink()
    (folder / "gap").mkdir()
    shutil.copy(folder / "mil" / "model.mil", folder / "gap")
    (folder / "m.safetensors").rename(folder / "w.safetensors")
    x = npy("<f4", "(2, 8)", struct.pack("<16f", *range(16)))
    (folder / "x.npz").write_bytes(npz({"x": npy("<f4", "(1, 8)", struct.pack("<8f", *range(8)))}))
    (folder / "y.npz").write_bytes(npz({"y": npy("<f4", "(1, 4)", struct.pack("<4f", *range(4)))}))
    (folder / "samples.npz").write_bytes(npz({"x": x, "wanted": npy("<f4", "(2, 4)", struct.pack("<8f", *range(8)))}))
    (folder / "held.npz").write_bytes((folder / "samples.npz").read_bytes())
    (folder / "c.toml").write_text('[check]\ntargets = "h13"\n')


TRAIN = ["--steps", "1", "--loss", "mean_squared"]
# Arguments with {} for a file that is read, those that the file is, and outputs, {} again.
OUTPUTS = {"check": [["-o"]], "run": [["-o"]], "diff": [["--svg"]], "timeline": [["--svg"]], "bench": [["--svg"]], "draw": [["-o"]],
           "optimize": [["--svg"], ["--to", "cpp", "-o"]], "compress": [["--svg"]],
           "convert": [["--to", "cpp", "-o"]], "train": [["--csv"], ["--svg"], ["--to", "cpp", "-o"]]}
MORE = {"compress": ["--random-runs", "2", "--most-loss", "1"], "bench": ["--seconds", "0.001"],
        "train": ["-d", "samples.npz", *TRAIN]}
READ = [("run", ["mil", "-i", "{}"], "x.npz"), ("run", ["mil", "--compare", "{}"], "y.npz"), ("diff", ["mil", "-i", "{}"], "x.npz"),
        ("check", ["mil", "--ranges", "{}"], "x.npz"), ("optimize", ["mil", "--ranges", "{}"], "x.npz"),
        ("compress", ["mil", "--most-loss", "1", "-d", "{}"], "samples.npz"), ("train", ["mil", *TRAIN, "-d", "{}"], "samples.npz"),
        ("train", ["mil", *TRAIN, "-d", "samples.npz", "-v", "{}"], "held.npz"), ("timeline", ["mil", "{}"], "net/net.plist"),
        ("check", ["mil", "{}"], "net/net.plist"), ("diff", ["mil", "{}"], "net/net.plist")]
READ += [(each, ["gap", "--weights", "{}", *MORE.get(each, [])], "w.safetensors") for each in ("run", "diff", "bench", "compress")]
READ += [(each, ["mil", "{config}", *MORE.get(each, [])], "c.toml") for each in OUTPUTS]
READ += [(each, ["mil", "{arguments}", *MORE.get(each, [])], "args") for each in OUTPUTS]


def names_of(folder, file):
    """Other names of a file, and what is to be removed afterwards."""
    path = folder / file
    os.link(path, folder / "hard")
    (folder / "soft").symlink_to(file)
    (folder / "twice").symlink_to("soft")
    (folder / "around").symlink_to(path.parent)
    (folder / "deep").mkdir()
    (folder / "deep" / "down").mkdir()
    (folder / "elsewhere").symlink_to("deep/down")
    names = [file, "hard", "soft", "twice", f"around/{path.name}", f"elsewhere/../../{file}", f"/proc/self/root{path}",
             f"/proc/self/cwd/{file}", f".//{file}"]
    return names if sys.platform == "linux" else names[:6]


def forget(folder):
    for name in ("hard", "soft", "twice", "around", "elsewhere"):
        (folder / name).unlink()
    shutil.rmtree(folder / "deep")


def contents(folder):
    return {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*"))
            if each.is_file() and not each.is_symlink()}


def refused(program, words, folder, before):
    done = run(program, words, folder)
    expect(done.returncode == 2 and REPLACED in done.stderr, f"{words}: {done.returncode} {done.stderr[:300]!r}")
    expect(contents(folder) == before, f"{words}: something has changed")
    for name, data in before.items():  # for what follows
        if not (folder / name).exists() or (folder / name).read_bytes() != data:
            (folder / name).write_bytes(data)


def inputs_are_kept(program, folder):
    """Arrays, weights, options and arguments as outputs of the call that reads them."""
    write_inputs(program, folder)
    (folder / "args").write_text("--there\n")
    for k, (subcommand, words, file) in enumerate(READ):
        names = names_of(folder, file)
        # All names in turn, over the subcommands; where the file is read by another name, too.
        pairs = [(names[k % len(names)], names[(5 * k + 1) % len(names)]), (file, names[(k + 3) % len(names)])]
        for read, written in pairs if THOROUGH else pairs[k % 2:][:1]:
            for output in OUTPUTS[subcommand]:
                if file == "net/net.plist" and subcommand in ("check", "diff") and output != ["-o"]:
                    continue  # --svg is for one file
                arguments = [subcommand, *words, *output, written]
                if "{config}" in words:
                    arguments = ["--config", read, *(each for each in arguments if each != "{config}")]
                elif "{arguments}" in words:
                    rest = [each for each in arguments if each != "{arguments}"]
                    (folder / "args").write_text("\n".join(rest[1:]) + "\n")
                    arguments = [rest[0], f"@{read}"]
                else:
                    arguments = [each.replace("{}", read) for each in arguments]
                refused(program, arguments, folder, contents(folder))
        forget(folder)
    refused(program, ["convert", "gap", "--weights", "w.safetensors", "--to", "cpp", "-o", "w.hpp"], folder, contents(folder))


def models_are_kept(program, folder):
    """Each part of a model, which is named by a link, as an output of each subcommand."""
    write_inputs(program, folder)
    homes = {"mil": ["mil/model.mil"], "net": ["net/net.plist"], "p.mlpackage": ["p.mlpackage/Data/com.apple.CoreML/model.mlmodel"]}
    turn = 0
    for home, files in homes.items():
        parts = [str(each.relative_to(folder)) for each in (folder / home).rglob("*") if each.is_file()]
        (folder / "to_home").symlink_to(home)
        (folder / "to_parent").symlink_to(pathlib.Path(files[0]).parent)
        given = [home, "to_home", files[0], "to_parent/" + pathlib.Path(files[0]).name, f"to_parent/../{pathlib.Path(files[0]).parent.name}/"
                 + pathlib.Path(files[0]).name, f"/proc/self/cwd/{home}", f"/proc/self/root{folder}/{files[0]}"]
        for part in parts:
            names = names_of(folder, part)
            for subcommand, outputs in OUTPUTS.items():
                for output in outputs:
                    turn += 1
                    if turn % 4 and not THOROUGH:
                        continue
                    refused(program, [subcommand, given[turn % len(given)], *MORE.get(subcommand, []), *output, names[turn % len(names)]],
                            folder, contents(folder))
            forget(folder)
        for each in ("to_home", "to_parent"):
            (folder / each).unlink()


# ---- a program that is ended --------------------------------------------------------------------------------------------

WRITERS = [(["convert", "large", "--to", "mil", "-o", "out"], ["out"]), (["convert", "large", "--to", "netplist", "-o", "out"], ["out"]),
           (["convert", "large", "--to", "mlpackage", "-o", "out"], ["out"]),
           (["convert", "large", "--to", "cpp", "-o", "out.hpp"], ["out.hpp", "out.safetensors"]),
           (["compress", "large", "--random-runs", "2", "--most-loss", "1", "-o", "out"], ["out"]),
           (["optimize", "large", "-o", "out", "--svg", "out.svg"], ["out", "out.svg"]),
           (["run", "large", "-o", "out.npz"], ["out.npz"]), (["draw", "large", "-o", "out.svg"], ["out.svg"]),
           (["check", "large", "-f", "html", "-o", "out.html"], ["out.html"]), (["diff", "large", "--svg", "out.svg"], ["out.svg"]),
           (["timeline", "large", "--svg", "out.svg"], ["out.svg"]), (["bench", "large", "--seconds", "0.01", "--svg", "out.svg"], ["out.svg"]),
           (["train", "large", "-d", "large.npz", "--loss", "mean_squared", "--steps", "2", "--checkpoint", "kept", "--csv", "out.csv",
             "--svg", "out.svg", "-o", "out"], ["out.csv", "out.svg", "out"]),
           (["manual", "-o", "out.1"], ["out.1"]), (["completions", "bash", "-o", "out"], ["out"])]


def write_large(folder):
    """A weight of 2 MB: what writes it is interrupted in the middle now and then."""
    (folder / "large").mkdir()
    (folder / "large" / "model.mil").write_text(
        "program(1.3)\n{\n    func main<ios18>(tensor<fp16, [1, 1024]> x) {\n        tensor<fp16, [1024, 1024]> w = const()[name = "
        "string(\"w\"), val = tensor<fp16, [1024, 1024]>(BLOBFILE(path = string(\"@model_path/weights.bin\"), offset = uint64(64)))];\n"
        "        tensor<fp16, [1, 1024]> y = linear(x = x, weight = w)[name = string(\"y\")];\n    } -> (y);\n}\n")
    header = struct.pack("<II56x", 1, 2) + struct.pack("<IIQQ40x", 0xDEADBEEF, 1, 2 << 20, 128)
    (folder / "large" / "weights.bin").write_bytes(header + struct.pack("<1024e", *(i % 13 / 64 for i in range(1024))) * 1024)
    x = npy("<f4", "(2, 1024)", struct.pack("<4f", 0, 0.25, 0.5, 1) * 512)
    (folder / "large.npz").write_bytes(npz({"x": x, "wanted": npy("<f4", "(2, 1024)", bytes(8192))}))


def take_away(folder, names):
    for name in names:
        shutil.rmtree(folder / name) if (folder / name).is_dir() else (folder / name).unlink(missing_ok=True)


def ended_at_any_moment(program, folder, times):
    """SIGINT, SIGTERM and SIGHUP at moments that are drawn evenly over the time that the whole takes."""
    write_large(folder)
    draw = random.Random(from_environment.seed())
    kept = set(contents(folder))
    for words, outputs in WRITERS:
        began = time.monotonic()
        done = run(program, words, folder)
        whole = time.monotonic() - began
        expect(done.returncode == 0, f"{words}: {done.stderr}")
        new = {name: data for name, data in contents(folder).items() if name not in kept}
        for k in range(times):
            take_away(folder, [*outputs, "kept"])
            which = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[k % 3]
            with subprocess.Popen([program, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as begun:
                time.sleep(draw.uniform(0, whole))
                begun.send_signal(which)
                begun.stderr.read()
                ended = begun.wait(PATIENCE)
            expect(ended in (0, -which), f"{words}, {which.name}: ended with {ended}")
            found = {name: data for name, data in contents(folder).items() if name not in kept}
            beside = [name for name in found if ".anemone-" in name or not name.startswith(tuple([*outputs, "kept"]))]
            expect(not beside, f"{words}, {which.name}: left {beside}")
            if words[0] in ("bench", "diff"):
                continue  # what it draws takes another time each time
            for name in outputs:
                of = {each: data for each, data in found.items() if each == name or each.startswith(name + "/")}
                wanted = {each: data for each, data in new.items() if each == name or each.startswith(name + "/")}
                expect(of in ({}, wanted) or set(of) == set(wanted) and words[0] in ("train", "check"),
                       f"{words}, {which.name}: half of {name} is there: {list(of)}")
        take_away(folder, [*outputs, "kept"])


def main():
    program = command()
    for part in (inputs_are_kept, models_are_kept):
        with tempfile.TemporaryDirectory() as folder:
            part(program, pathlib.Path(folder).resolve())
    with tempfile.TemporaryDirectory() as folder:
        ended_at_any_moment(program, pathlib.Path(folder).resolve(), 60 if THOROUGH else 2)
    return verdict("outputs")


if __name__ == "__main__":
    sys.exit(main())
