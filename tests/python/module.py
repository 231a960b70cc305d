"""The Python module: what it computes against NumPy and PyTorch, what it says against the command, bad input, threads, and
the page docs/python.md, which is run.

Ends with 77 where the module was not built (ANEMONE_BUILD_PYTHON), or there is no NumPy."""

import ast
import doctest
import inspect
import os
import pathlib
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

from _harness import ROOT, expect, verdict
from _module import BUILD, CLASSIFIER, anemone, numpy, refused
from _onnx_messages import model as onnx_model
from _onnx_messages import node as onnx_node
from _onnx_messages import tensor as onnx_tensor

COUNTER = ROOT / "tests" / "c" / "counter.mil"
BYTES = ROOT / "tests" / "c" / "bytes.mil"
TURNED = ROOT / "tests" / "c" / "turned.mil"


def classified(image):
    """What classifier.mil computes, by its text."""
    padded = numpy.pad(image.reshape(4, 4).astype(float), 1)
    patches = numpy.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    filters = numpy.array([[[1, 1, 1], [0, 0, 0], [-1, -1, -1]], [[1, 0, -1]] * 3])
    sums = numpy.abs(numpy.einsum("yxij,fij->fyx", patches, filters)).sum((1, 2)) / 8
    shares = numpy.exp(sums - sums.max())
    return (shares / shares.sum()).reshape(1, 2)


def computes_what_numpy_computes():
    random = numpy.random.default_rng(5)
    model = anemone.Model(CLASSIFIER)
    backends = ["cpu", "oracle:h13", "oracle:h17"] + (["engine:h13"] if "ANEMONE_E5RT" in os.environ else [])
    for backend in backends:
        for _ in range(3):
            image = random.random((1, 1, 4, 4))
            answer = model.run({"image": image}, backend)
            expect(list(answer) == ["probabilities"], list(answer))
            got = answer["probabilities"]
            expect(got.dtype == numpy.float16 and got.shape == (1, 2), f"{got!r}")
            expect(numpy.abs(got - classified(image)).max() < 4e-3, f"{backend}: {got} for {classified(image)}")


def takes_any_array():
    program = anemone.Model(CLASSIFIER).compile()
    image = (numpy.arange(16) % 7 / 8).reshape(4, 4)  # exact in fp16
    expected = program.run({"image": image.reshape(1, 1, 4, 4)})["probabilities"]
    wide = numpy.zeros((8, 12))
    wide[::2, ::3] = image
    raw = bytearray(1 + image.size * 2)
    unaligned = numpy.frombuffer(raw, numpy.float16, offset=1, count=16).reshape(4, 4)
    unaligned[:] = image
    fixed = image.copy()
    fixed.flags.writeable = False
    arrays = {
        "float16": image.astype("float16"), "float32": image.astype("float32"), "longdouble": image.astype("longdouble"),
        "big-endian": image.astype(">f4"), "big-endian halves": image.astype(">f2"), "strided": wide[::2, ::3],
        "Fortran": numpy.asfortranarray(image), "reversed": image[::-1, ::-1].copy()[::-1, ::-1], "unaligned": unaligned,
        "read-only": fixed, "list": image.tolist(), "ones added": image.reshape(1, 4, 1, 4, 1),
    }
    for name, array in arrays.items():
        got = program.run({"image": array})["probabilities"]
        expect(numpy.array_equal(got, expected), f"{name}: {got} instead of {expected}")
    before = sys.getrefcount(image)
    for _ in range(10):
        program.run({"image": image})
    expect(sys.getrefcount(image) == before, "inputs are kept")
    whole = (image * 8).astype(int)
    expected = program.run({"image": whole.astype(float)})["probabilities"]
    for kind in ("int8", "uint8", "int32", "uint16", "int64", "bool"):
        array = whole.astype(kind)
        expect(numpy.array_equal(program.run({"image": array})["probabilities"],
                                 program.run({"image": array.astype(float)})["probabilities"]), kind)
    refused(anemone.Model(ROOT / "tests" / "c" / "huge.mil").compile, "argument", "max_memory: the values of the model take")
    ids = anemone.Model(ROOT / "tests" / "readers" / "cases" / "gather_ids.mil")
    for value in (2049, 30001, 50256):
        for kind in (numpy.int32, numpy.int64, numpy.float32):
            refused(lambda: ids.run({"x": numpy.array([1, 2, 3, value], kind)}), "port",
                    f"x: element 3 of 'x' is {value}: an integer that fp16 cannot hold exactly", "2048")
    refused(lambda: ids.run({"x": numpy.array([1, 2, 3, 4096], numpy.float16)}), "port",
            "x: element 3 of 'x' is 4096 in fp16, which is also what an integer beside it is rounded to")
    expect(ids.run({"x": [2048, 1, 2, 4098 + 2]})["y"].tolist() == [2048, 4100], "integers that fp16 has")
    both = anemone.Model(BYTES)
    u, s = numpy.array([[0, 1, 200, 255]], "uint8"), numpy.array([[-128, -1, 100, 127]], "int8")
    for change in (lambda a: a, lambda a: a.astype("float32"), lambda a: a.astype("int64")):
        answer = both.run({"u": change(u), "s": change(s)})
        expect(answer["sum"].tolist() == (u.astype(int) + s).tolist(), answer)
        expect(answer["difference"].tolist() == (u.astype(int) - s).tolist(), answer)


def keeps_states():
    model = anemone.Model(COUNTER)
    expect([port.name for port in model.states] == ["sum"] and [port.name for port in model.inputs] == ["x"], "ports")
    other = model.compile("oracle:h15")
    total = numpy.zeros((1, 3))
    for step in range(4):
        x = numpy.array([step, 1, -2])
        total += x
        expect(numpy.array_equal(model.run({"x": x})["total"], total), f"step {step}")
    expect(other.run({"x": [1, 1, 1]})["total"].tolist() == [[1, 1, 1]], "states are shared by programs")
    other.set_state("sum", numpy.array([5.5, 0, 1], ">f8"))
    expect(other.state("sum").tolist() == [[5.5, 0, 1]], "set_state")
    expect(other.run({"x": [1, 1, 1]})["total"].tolist() == [[6.5, 1, 2]], "a state that was set")
    model.reset()
    expect(model.run({"x": [1, 2, 3]})["total"].tolist() == [[1, 2, 3]], "reset")
    refused(lambda: other.state("x"), "port", "x: no state has this name; there are: sum")
    refused(lambda: other.set_state("sum", [1, 2]), "port", "sum: is 1x3, the array is 2")


def layer(folder, weights, rows=1):
    """A model of one linear layer: MIL text and its blob."""
    outputs, inputs = weights.shape
    data = weights.astype("<f2").tobytes()
    head = struct.pack("<II", 1, 2).ljust(64, b"\0") + struct.pack("<IIQQ", 0xDEADBEEF, 1, len(data), 128).ljust(64, b"\0")
    folder.mkdir()
    (folder / "weight.bin").write_bytes(head + data)
    (folder / "layer.mil").write_text(f"""program(1.3)
[buildInfo = dict<string, string>({{{{"written by", "a test"}}}})]
{{
    func main<ios18>(tensor<fp16, [{rows}, {inputs}]> x) {{
        tensor<fp16, [{outputs}, {inputs}]> w = const()[name = string("w"), val = tensor<fp16, [{outputs}, {inputs}]>(BLOBFILE(path = string("@model_path/weight.bin"), offset = uint64(64)))];
        tensor<fp16, [{rows}, {outputs}]> y = linear(x = x, weight = w);
    }} -> (y);
}}
""")
    return anemone.Model(folder / "layer.mil")


def command_json(*arguments):
    """What the command prints as JSON; None where it was not built."""
    program = BUILD / "bin" / "anemone"
    if not program.exists():
        return None
    return subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True, check=True).stdout.strip()


def optimizes(folder):
    """Two transposes that cancel keep every bit, two factors that become one do not."""
    model = anemone.Model(TURNED)
    x = numpy.random.default_rng(2).standard_normal((1, 384, 512)).astype("float16")
    before = model.run({"x": x}, "oracle:h13")["y"]
    expect(numpy.array_equal(before, x * numpy.float16(float.fromhex("0x1.554p-2")) * numpy.float16(3)), "the model computes what its text says")
    plan = model.optimize("h13", prove=True)
    expect([(step.rewrite, step.keeps) for step in plan.steps] == [("cancel_transposes", "bits"), ("merge_factors", "rounding")],
           plan)
    expect(plan.keeps == "rounding" and plan.proof.holds and plan.proof.differing > 0, plan)
    expect(plan.steps[0].proof.differing == 0 and all(step.proof.holds for step in plan.steps), plan)
    after = plan.model.run({"x": x}, "oracle:h13")["y"].astype(float)
    expect(numpy.linalg.norm(after - before) < numpy.linalg.norm(before.astype(float)) / 256, "the rounding model")
    times = [each.cost("h13")[0].seconds for each in (model, plan.model)]
    expect(times == [plan.before, plan.after] and plan.gain == times[0] / times[1] > 2, f"{times} for {plan}")
    expect("all of them" in str(plan) and "proof" not in str(model.optimize("h13")), str(plan))
    bits = model.optimize("h13", bits=True)
    expect(bits.keeps == "bits" and [step.rewrite for step in bits.steps] == ["cancel_transposes"] and bits.proof is None, bits)
    expect(numpy.array_equal(bits.model.run({"x": x}, "oracle:h13")["y"], before), "bits")
    expect(bits.steps[0].proof is None and bits.model.check("h13").accepted, bits)
    svg = plan.draw()
    xml.etree.ElementTree.fromstring(svg)
    expect('id="before' in svg and 'id="after' in svg, "the drawing")
    again = anemone.Model(bits.model.convert("mil", folder / "faster"))
    expect("transpose" not in pathlib.Path(again.path).read_text(), "the file has the rewritten model")
    expect(numpy.array_equal(again.run({"x": x}, "oracle:h13")["y"], before), "the file computes it")
    unknown = model.optimize("u1")
    expect((unknown.gain, unknown.keeps, unknown.steps) == (1, "bits", []), unknown)
    printed = command_json("optimize", TURNED, "-t", "h13", "--prove")
    expect(printed in (None, plan.json.strip()), "optimize and anemone optimize differ")

    # 1024 times 50 * 0.999 is 51,150, which the accumulator of the M1 does not hold
    sums = layer(folder / "sums", numpy.full((4, 1024), 0.9990234375))
    sound = sums.optimize("h13", values=True, ranges={"x": (-50, 50)})
    fifty = numpy.full((1, 1024), 50)
    expect(sound.refuted_before > 0 and sound.refuted_after == 0, sound)
    expect(numpy.isinf(sums.run({"x": fifty}, "oracle:h13")["y"]).all(), "sums that do not fit")
    expect(numpy.allclose(sound.model.run({"x": fifty}, "oracle:h13")["y"], 51150, rtol=0.002), "sums that fit")
    exact = sums.optimize("h17s", errors=True, ranges={"x": (-0.001, 0.001)})
    expect(0 < 2 * exact.error_after < exact.error_before and sound.error_before == 0, exact)


def compresses(folder):
    """Weights of -127/64 to 127/64: bytes hold them, 4 bits do not."""
    random = numpy.random.default_rng(4)
    outputs, inputs = 96, 256
    weights = random.integers(-127, 128, (outputs, inputs)) / 64
    weights[:, 0] = 127 / 64
    model = layer(folder / "weights", weights, rows=4)
    data = random.standard_normal((10, 4, inputs)).astype("float16")
    exact = model.compress("h13", data={"x": data}, most_loss=1e-6, backend="oracle:h13")
    expect(exact.before.bytes == 2 * outputs * inputs and exact.after.bytes == outputs * inputs + 2 * outputs, exact)
    expect(exact.ratio == exact.before.bytes / exact.after.bytes and exact.after.loss == 0, exact)
    expect([(each.name, each.form, each.bytes) for each in exact.weights] == [("w", "int8", exact.after.bytes)], exact.weights)
    expect(exact.most_loss == 1e-6 and "random" not in str(exact), str(exact))
    before = [model.run({"x": each}, "oracle:h13")["y"].astype(float) for each in data]
    for run, each in enumerate(data):
        expect(numpy.array_equal(exact.model.run({"x": each}, "oracle:h13")["y"], before[run]), "bytes are exact")
    files = [sum(each.stat().st_size for each in pathlib.Path(of.convert("mil", folder / name)).parent.rglob("*.bin"))
             for of, name in ((model, "whole"), (exact.model, "small"))]
    saved = exact.before.bytes - exact.after.bytes
    expect(abs(files[0] - files[1] - saved) <= 256, f"files of {files} bytes, {saved} are saved")  # and heads of 64
    expect(numpy.array_equal(anemone.Model(folder / "small").run({"x": data[0]}, "oracle:h13")["y"], before[0]), "the small file")

    lossy = model.compress("h13", data={"x": data}, most_loss=0.2, backend="oracle:h13")
    after = [lossy.model.run({"x": each}, "oracle:h13")["y"] for each in data]
    # Every other run is learnt from; 1, 5 and 9 are chosen by, 3 and 7 are held out.
    loss, held_out = (numpy.linalg.norm(numpy.subtract(after[runs], before[runs])) / numpy.linalg.norm(before[runs])
                      for runs in (slice(1, None, 4), slice(3, None, 4)))
    expect(lossy.ratio > 3 and 0 < lossy.after.loss <= 0.2 and abs(lossy.after.loss - loss) < 1e-6, f"{loss} for {lossy}")
    expect(lossy.held_out.runs == 2 and abs(lossy.held_out.loss - held_out) < 1e-6, f"{held_out} for {lossy}")
    expect(lossy.held_out.at_least < held_out < lossy.held_out.at_most, lossy)
    expect(model.compress("h13", data={"x": data[:1]}, most_loss=0.2).held_out is None, "a single run")
    expect(lossy.after.seconds == lossy.model.cost("h13")[0].seconds, lossy)
    xml.etree.ElementTree.fromstring(lossy.draw())
    alike = {"x": random.standard_normal((10, 4, 3)) @ random.standard_normal((3, inputs))}  # there is something to learn
    fed_back, plain = (model.compress("h13", data=alike, most_loss=0.2, plain=plain) for plain in (False, True))
    expect(fed_back.weights[0].error_feedback and not plain.weights[0].error_feedback, f"{fed_back} {plain}")
    expect(plain.after.loss > 2 * fed_back.after.loss, f"{fed_back} {plain}")
    expect("judged on random numbers" in str(model.compress("h13", most_loss=0.5, random_runs=4)), "random numbers")
    numpy.save(folder / "data.npy", data)
    printed = command_json("compress", folder / "weights" / "layer.mil", "-t", "h13", "-d", folder / "data.npy", "-b", "oracle:h13",
                           "--most-loss", 0.2)
    expect(printed in (None, lossy.json.strip()), "compress and anemone compress differ")
    text, package = (model.compress("h16", data={"x": data}, most_loss=0.3, goal="time", to=to) for to in ("mil", "mlpackage"))
    expect("an ML package holds" in str(text) and "an ML package holds" not in str(package), f"{text} {package}")  # forms left out
    again = anemone.Model(package.model.convert("mlpackage", folder / "small.mlpackage"))
    expect(numpy.array_equal(again.run({"x": data[0]})["y"], package.model.run({"x": data[0]})["y"]), "the small package")


def places_and_times():
    model, other = anemone.Model(CLASSIFIER), anemone.Model(TURNED, approximates=True)
    copied = model.cost("h13")[0]
    cost = copied.seconds
    expect(0 < copied.engine_joules < copied.joules, copied)
    expect(model.cost("h13", shared_ports=True)[0].seconds < cost, "ports that are not copied")
    place = model.placement("h13")
    expect(place.whole["engine"].seconds == cost and place.fastest == "CPU", place)  # docs/command.md
    expect(abs(place.whole["GPU"].seconds - 267e-6) < 1e-6 and place.joules is None and place.known_by == "measured", place)
    expect([(each.device, each.first) for each in place.segments] == [("CPU", 1)], place.segments)
    expect("items/s" in str(model.placement("h13", batches=4)) and "items/s" not in str(place), str(place))
    expect(model.placement("h13", goal="energy").joules > 0, "energy")
    one_graph = model.placement("h13", gpu_graph=True).whole["GPU"].seconds
    expect(153e-6 < one_graph < place.whole["GPU"].seconds, one_graph)
    steady = model.timeline("h13", calls=1, warm=True)
    expect(abs(steady.seconds - cost) < 1e-9 and len(steady.calls) == 1, f"a steady call takes the estimate of {cost}: {steady}")
    rested = model.timeline("h13", calls=1, warm=True, idle=10)
    expect(rested.calls[0].cause == "re-wake" and abs(rested.seconds - 0.26) < 0.01, rested)  # docs/timeline.md
    both = model.timeline("h13", beside=[other], calls=3, period=0.01, batches=[1, 2])
    expect([each.program for each in both.calls] == ["classifier.mil", "turned.mil"] * 3, both.calls)
    expect([each.arrival for each in both.calls[::2]] == [0, 0.01, 0.02], both.calls)
    expect(both.calls[0].cause == "first calls" and "turned.mil in batches" in str(both), str(both))
    ends = [each.end - each.arrival for each in both.calls]
    expect(abs(both.mean_latency - sum(ends) / 6) < 1e-12 and both.median_latency == sorted(ends)[2], both)
    for first, second in zip(both.calls, both.calls[1:]):
        expect(second.engine >= first.engine_end, "one has the engine at a time")
    xml.etree.ElementTree.fromstring(both.draw())
    for name, plan in (("placement", place), ("timeline", model.timeline("h13"))):
        expect(command_json(name, CLASSIFIER, "-t", "h13") in (None, plan.json.strip()), f"{name} and anemone {name} differ")


def differs(folder):
    """20000 and 63/64 of it is 39,687.5: in fp16, and above the 2^15 at which the M1's register ends."""
    model = layer(folder / "ceiling", numpy.array([[1, 63 / 64, 1 / 64, 2 / 64]]))
    data = numpy.array([[[200, 200, 0, 0]], [[20000, 20000, 0, 0]], [[1, 2, 3, 4]]])
    found = model.diff(data={"x": data})
    expect((found.judged, found.samples, found.affected, found.worst_sample) == ("oracle H13", 3, 1, 1), found)
    first = found.first
    expect(first is found.layers[0] and first.cause == "ceiling" and "linear" in first.name, first)
    expect((first.whole.expected, first.whole.got, first.whole.beyond) == (39687.5, None, 1), first)
    expect(first.alone.not_finite == 1 and first.samples == 1, first)
    expect(found.remedies and all(each.affected == 0 and each.after.relative < 0.01 for each in found.remedies), found.remedies)
    expect(found.tried >= len(found.remedies) and not found.is_cut_short, found)
    expect("ceiling" in str(found) and "what helps" in str(found), str(found))
    xml.etree.ElementTree.fromstring(found.draw())
    quick = model.diff(data={"x": data}, quick=True)
    expect(quick.first.cause == "ceiling" and quick.remedies == [], quick)
    plain = model.diff(data={"x": data}, backend="cpu")
    expect(plain.first is None and plain.affected == 0 and plain.layers[0].whole.beyond == 0, plain)
    narrow = model.diff(data={"x": data}, backend="cpu", bound=0, absolute=1e-9)
    expect(narrow.first is not None and narrow.first.cause == "rounding", narrow)
    random = [model.diff(random_runs=2, backend="cpu") for _ in range(2)]
    expect(random[0].samples == 2 and random[0].json == random[1].json, "random numbers are the same each time")
    numpy.save(folder / "ceiling.npy", data)
    done = subprocess.run([BUILD / "bin" / "anemone", "diff", model.path, "--reference", "f64", "-d", folder / "ceiling.npy", "--json"],
                          capture_output=True, text=True, check=False) if (BUILD / "bin" / "anemone").exists() else None
    expect(done is None or (done.returncode == 1 and done.stdout.strip() == found.json.strip()), "diff and anemone diff differ")
    refused(lambda: model.diff(backend="engine:h13"), "argument", "it must be cpu or oracle:TARGET")
    refused(lambda: model.diff(bound=-1), "argument", "bound")
    refused(lambda: model.diff(random_runs=0), "argument", "runs")
    refused(lambda: model.diff(data={"y": data}), "port", "y: no input has this name; there are: x")
    refused(lambda: model.diff(data={"x": numpy.zeros((2, 3))}), "argument", "data: 'x' is")
    refused(lambda: model.diff(data={"x": numpy.full((1, 4), 1e6)}), "port", "beyond fp16's 65504")


def bad_plans(folder):
    model = anemone.Model(CLASSIFIER)
    for ask in (model.optimize, model.compress, model.placement, model.timeline):
        refused(lambda: ask("h99"), "argument", "h99")
        refused(lambda: ask("macs"), "argument", "macs")
    refused(lambda: model.placement("u1"), "argument", "no clock of u1 is known")
    refused(lambda: model.placement(goal="speed"), "argument", "goal 'speed'")
    refused(lambda: model.placement(batches=-1), "argument", "batches: are -1")
    refused(lambda: model.timeline("u1"), "argument", "u1")
    for beside in ((None,), ("model",), (model, None)):
        try:
            model.timeline(beside=beside)
            expect(False, f"{beside} are models")
        except TypeError as error:
            expect("beside" in str(error), error)
    refused(lambda: model.timeline(calls=0), "argument", "calls: are 0")
    refused(lambda: model.timeline(batches=[0]), "argument", "0 samples")
    for value in (-1, numpy.nan, numpy.inf):
        refused(lambda: model.timeline(period=value), "argument", "period")
        refused(lambda: model.timeline(idle=value), "argument", "idle")
    refused(lambda: model.optimize(ranges={"x": (0, 1)}), "port", "x: no input has this name; there are: image")
    for low, high in ((1, 0), (0, 1e5), (numpy.nan, 1)):
        refused(lambda: model.optimize(ranges={"image": (low, high)}), "argument", "range of image")
    refused(lambda: model.compress(goal="speed"), "argument", "goal 'speed'")
    refused(lambda: model.compress(to="netplist"), "argument", "to 'netplist': must be mil or mlpackage")
    refused(lambda: model.compress(backend="gpu"), "argument", "backend 'gpu'")
    refused(lambda: model.compress(most_loss=-1), "argument", "most_loss")
    for runs in (0, -1, 4097, 1 << 70):
        refused(lambda: model.compress(random_runs=runs), "argument", "runs", f"{runs}")
    for shape in ((3, 100), (4, 4, 2), (0, 4, 4), ()):
        refused(lambda: model.compress(data={"image": numpy.zeros(shape)}), "argument", "data: 'image' is")
    refused(lambda: model.compress(data={"x": numpy.zeros((2, 4, 4))}), "port", "x: no input has this name; there are: image")
    refused(lambda: model.compress(data={"image": numpy.full((2, 4, 4), 1e6)}), "port", "beyond fp16's 65504")
    refused(lambda: model.compress(data={"image": numpy.full((2, 4, 4), numpy.nan)}), "argument", "finite")
    judged = anemone.Model(CLASSIFIER, approximates=True)
    refused(lambda: judged.compress(), "argument", "to be judged")
    refused(lambda: judged.optimize(prove=True), "argument", "to be judged")
    refused(lambda: judged.optimize().model.compile(), "argument", "to be judged")
    exact = layer(folder / "plain", numpy.ones((2, 4))).compress("h13")
    refused(lambda: exact.draw(), "argument", "0 points have an error") if exact.after.loss == 0 else None
    for call in (lambda: model.compress(data=[1]), lambda: model._native.optimize("h13"),
                 lambda: anemone.model._native.simulate([None], "h13", 1, 0.0, 0.0, False, [])):
        try:
            call()
            expect(False, "TypeError is not raised")
        except TypeError:
            pass


def bad_input(folder):
    model = anemone.Model(CLASSIFIER)
    image = numpy.zeros((4, 4))
    refused(lambda: model.run({}), "port", "image", "no array for this input")
    refused(lambda: model.run({"image": image, "extra": image}), "port", "extra: no input has this name; there are: image")
    refused(lambda: model.run({"image": image[:3]}), "port", "image: is 1x1x4x4, the array is 3x4")
    refused(lambda: model.run({"image": image.reshape(2, 8)}), "port", "2x8")
    refused(lambda: model.run({"image": image[:0]}), "port", "0x4")
    refused(lambda: model.run({"image": numpy.float64(1)}), "port", "scalar")
    for wrong in (image.astype(complex), image.astype(str), image.astype(object), image.astype("M8[s]"), None, "words"):
        refused(lambda: model.run({"image": wrong}), "port", "image: has dtype")
    refused(lambda: model.run({"image": numpy.ma.masked_equal(image, 0)}), "port", "image: has masked elements")
    refused(lambda: model.run({"image": image + 1e5}), "port", "beyond fp16's 65504")
    expect(numpy.isnan(model.run({"image": image + numpy.nan})["probabilities"]).all(), "NaN goes through")
    try:
        anemone.Model(ROOT / "tests" / "c" / "huge.mil", max_memory=(1 << 64) - 1).compile()
        expect(False, "128 TB were found")
    except MemoryError:
        pass
    both = anemone.Model(BYTES)
    u, s = numpy.zeros((1, 4)), numpy.zeros((1, 4))
    for value in (-1, 256, 0.5, numpy.nan, numpy.inf):
        refused(lambda: both.run({"u": u + value, "s": s}), "port", "u: element 0", "from 0 to 255")
    for raised, call in ((TypeError, lambda: model.run({3: image})), (TypeError, lambda: model.run([image])),
                         (TypeError, lambda: anemone.Model(3)), (TypeError, lambda: model.check(7)),
                         (TypeError, lambda: anemone.model._native.Session(None, "cpu")),
                         (ValueError, lambda: anemone.Model(CLASSIFIER, shapes={"x": "ab"}))):
        try:
            call()
            expect(False, f"{raised} is not raised")
        except raised:
            pass
    refused(lambda: model.compile("gpu"), "argument", "backend 'gpu'")
    refused(lambda: model.check("h99"), "argument", "h99")
    refused(lambda: model.check(route="gpu"), "argument", "route 'gpu'")
    refused(lambda: model.check(waive=["R9999"]), "argument", "R9999")
    refused(lambda: model.convert("coreml", folder), "argument", "coreml")
    refused(lambda: model.convert("mil", CLASSIFIER), "file", "classifier.mil")
    refused(lambda: anemone.Model(CLASSIFIER, approximates=True).compile(), "argument", "to be judged")
    refused(lambda: anemone.Model(CLASSIFIER, shapes={"x": (1, 2)}), "argument", "there are: image")
    for most in (0, -1, 1 << 64):
        refused(lambda: anemone.Model(CLASSIFIER, max_memory=most), "argument", f"max_memory: is {most}")
    refused(lambda: anemone.Model(folder / "missing.mil"), "file", "missing.mil: the file does not exist")
    refused(lambda: anemone.Model(os.fsencode(folder) + b"/\xff\x1b.mil"), "file", "\\xff")
    strange = os.fsencode(folder) + b"/\xff\xfe.mil"
    with open(strange, "wb") as file:
        file.write(CLASSIFIER.read_bytes())
    named = anemone.Model(strange)
    expect("<svg" in named.draw() and named.check("h13").accepted, "a path that is no UTF-8")
    (folder / "broken.mil").write_text("program(1.0)\n{ func main<ios18>(tensor<fp16, [1, 4]> x) { } -> (y); }")
    error = refused(lambda: anemone.check(folder / "broken.mil"), "file", "broken.mil:2:")
    expect(error is not None and error.faults and error.faults[0].line == 2, error and error.faults)
    copy = pickle.loads(pickle.dumps(error))
    expect((copy.kind, copy.subject, str(copy), copy.faults) == (error.kind, error.subject, str(error), error.faults), "pickled")
    for name, data in (("empty.mil", b""), ("zeros.plist", b"bplist00" + bytes(40)), ("words.onnx", b"\x08\xff" * 30)):
        (folder / name).write_bytes(data)
        refused(lambda: anemone.Model(folder / name), "file", name)


def large_convolution(path, size, layers=1):
    """A file whose run takes a while: convolutions of 32 channels, all with the same weights."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    weights = numpy.random.default_rng(2).standard_normal((32, 32, 3, 3)).astype("float32") / 20
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 32, size, size]) for name in ("x", "y")]
    names = ["x", *(f"v{i}" for i in range(1, layers)), "y"]
    nodes = [helper.make_node("Conv", [names[i], "w"], [names[i + 1]], pads=[1, 1, 1, 1]) for i in range(layers)]
    graph = helper.make_graph(nodes, "large", ports[:1], ports[1:], [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


def other_threads_go_on(folder):
    try:
        large_convolution(folder / "large.onnx", 96)
        program = anemone.Model(folder / "large.onnx").compile("oracle:h13")  # long enough
    except ImportError:
        print("no onnx: threads are not tested")
        return
    except anemone.Error as error:  # built without ONNX
        print(f"threads are not tested: {error}")
        return
    x = numpy.ones((1, 32, 96, 96), "float16")
    busy, results = 0, []

    def run_until_seen():
        while len(results) < 3 or (busy < 4 and len(results) < 100):
            try:
                results.append(program.run({"x": x}))
            except anemone.Error as error:  # the question below came first
                expect("another thread" in str(error), error)

    runs = threading.Thread(target=run_until_seen)
    runs.start()
    while runs.is_alive():  # were the lock kept during a run, no question would come while it lasts
        try:
            program.state("none")
        except anemone.Error as error:
            busy += "another thread" in str(error)
        time.sleep(0.001)
    runs.join()
    expect(busy > 3, f"a program in use was free: {busy} times refused in {len(results)} runs")
    expect(all(numpy.array_equal(each["y"], results[0]["y"]) for each in results), "runs differ")


def threads_share_a_model():
    """Runs of one model by several threads take turns, whoever compiles it."""
    model = anemone.Model(CLASSIFIER)
    image = numpy.linspace(0, 1, model.inputs[0].shape[-1] ** 2).reshape(model.inputs[0].shape).astype("float16")
    wanted = anemone.run(CLASSIFIER, {"image": image})
    found = []

    def runs():
        for _ in range(20):
            try:
                found.append(model.run({"image": image}))
            except Exception as error:  # told below, by the main thread
                found.append(error)

    threads = [threading.Thread(target=runs) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    same = [each for each in found if isinstance(each, dict) and all(numpy.array_equal(each[k], wanted[k]) for k in wanted)]
    expect(len(same) == 120, f"{len(same)} of 120 runs were as alone; {[e for e in found if not isinstance(e, dict)][:1]}")


def is_interrupted(what, call):
    """That Control-C ends a call that would take far longer, soon, and that the next call works. Soon is 0.2 s, counted in
    time of processors, and for builds without optimisation ten times as much."""
    began = threading.Event()
    sent = []

    def interrupt():
        began.wait()
        time.sleep(0.3)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        began.set()
        call()
        expect(False, f"{what} was not interrupted")
        time.sleep(1)
    except KeyboardInterrupt:
        took = time.process_time() - sent[0]
        expect(took < 2, f"{what} went on for {took:.2f} s of processors after Control-C")
    sender.join()


def interrupts_end_long_calls(folder):
    try:
        large_convolution(folder / "deep.onnx", 64, 400)
        deep = anemone.Model(folder / "deep.onnx")
    except ImportError:
        print("no onnx: interrupts are not tested")
        return
    except anemone.Error as error:  # built without ONNX
        print(f"interrupts are not tested: {error}")
        return
    x = {"x": numpy.zeros((1, 32, 64, 64), "float16")}
    for backend in ("oracle:h13", "cpu"):
        program = deep.compile(backend)
        is_interrupted(f"a run on {backend}", lambda: [program.run(x) for _ in range(1 if backend != "cpu" else 100)])
        expect(program.state is not None, "the program is gone")
    is_interrupted("compress", lambda: deep.compress(most_loss=1, random_runs=256))
    is_interrupted("diff", lambda: deep.diff(random_runs=256))
    is_interrupted("optimize", lambda: deep.optimize(prove=True))
    names = ["x", *(f"v{i}" for i in range(1, 6000)), "y"]
    (folder / "chain.onnx").write_bytes(onnx_model([onnx_node(("Relu", "Abs")[i % 2], [names[i]], [names[i + 1]], f"n{i}")
                                                    for i in range(6000)]))
    chain = anemone.Model(folder / "chain.onnx")
    is_interrupted("check", lambda: chain.check("all"))
    is_interrupted("a check of one target", lambda: [chain.check("h13") for _ in range(1000)])
    ones = onnx_tensor("w", [4, 4], raw=struct.pack("<16f", *[0.25] * 16))
    (folder / "product.onnx").write_bytes(onnx_model([onnx_node("MatMul", ["x", "w"], ["y"])], [ones]))
    trainer = anemone.Trainer(anemone.Model(folder / "product.onnx"))
    samples = {"x": numpy.ones((4, 4), "f"), "wanted": numpy.zeros((4, 4), "f")}
    is_interrupted("train", lambda: trainer.train(samples, steps=1_000_000, loss="mean_squared"))
    run = anemone.Model(CLASSIFIER)
    image = numpy.zeros(run.inputs[0].shape, "float16")
    expect("image" not in run.run({"image": image}), "nothing runs afterwards")


def computes_what_torch_computes(folder):
    try:
        import torch
    except ImportError:
        print("no PyTorch: its models are not tested")
        return
    torch.manual_seed(3)
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                              torch.nn.Conv2d(8, 16, 3, stride=2), torch.nn.SiLU(), torch.nn.Flatten(),
                              torch.nn.Linear(16 * 9, 10), torch.nn.Softmax(-1)).eval()
    x = torch.randn(1, 3, 16, 16)
    try:
        torch.onnx.export(net, x, str(folder / "net.onnx"), input_names=["x"], output_names=["y"],
                          dynamic_axes={"x": {0: "batch"}})
        model = anemone.Model(folder / "net.onnx", shapes={"x": (1, 3, 16, 16)})
    except anemone.Error as error:
        if "without ONNX" in str(error):
            print(f"PyTorch is not compared: {error}")
            return
        raise
    with torch.no_grad():
        expected = net(x).numpy()
        for backend in ("cpu", "oracle:h14"):
            got = model.run({"x": x}, backend)["y"]  # a tensor of PyTorch is an array
            expect(got.shape == (1, 10) and numpy.abs(got - expected).max() < 4e-3, f"{backend}: {got} for {expected}")
    expect(model.check().accepted, "a small CNN runs on every Mac")
    refused(lambda: anemone.Model(folder / "net.onnx"), "file", "batch")


def stub_and_words():
    """The stub has what the compiled part has, and everything that is public says what it does."""
    native = anemone.model._native
    stub = ast.parse((ROOT / "tools" / "python" / "anemone" / "_native.pyi").read_text())
    declared = {each.name: each for each in stub.body if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
    public = {name for name in vars(native) if not name.startswith("_")} - {"version"}
    expect(set(declared) == public, f"{set(declared) ^ public}")
    for name, each in declared.items():
        if isinstance(each, ast.ClassDef):
            members = {member.name for member in each.body if isinstance(member, ast.FunctionDef)} - {"__init__"}
            found = {member for member in vars(getattr(native, name)) if not member.startswith("_")}
            expect(members == found, f"{name}: {members ^ found}")
    for name in anemone.__all__:
        each = getattr(anemone, name)
        expect(name == "__version__" or inspect.getdoc(each), f"anemone.{name} has no words")
    version = (ROOT / "CMakeLists.txt").read_text().split("VERSION ", 2)[2].split()[0]
    expect(anemone.__version__ == version, f"{anemone.__version__}, not {version}")


def page(folder):
    """docs/python.md."""
    folder = folder / "page"
    layer(folder, numpy.random.default_rng(6).standard_normal((96, 256)))
    for each in (CLASSIFIER, COUNTER):
        (folder / each.name).write_bytes(each.read_bytes())
    here = os.getcwd()
    os.chdir(folder)
    try:
        failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    finally:
        os.chdir(here)
    expect(tried > 5 and failed == 0, f"docs/python.md: {failed} of {tried} examples failed")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        computes_what_numpy_computes()
        takes_any_array()
        keeps_states()
        optimizes(folder)
        compresses(folder)
        differs(folder)
        places_and_times()
        bad_plans(folder)
        bad_input(folder)
        other_threads_go_on(folder)
        threads_share_a_model()
        interrupts_end_long_calls(folder)
        computes_what_torch_computes(folder)
        stub_and_words()
        page(folder)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
