"""The same mistake has the same sentence in the command, in C and in Python, but for the option's name: numbers beyond
their limits, words that are none, targets, backends, rules, ranges and inputs that are none.

The C library is called through ctypes, with structures as anemone.h declares them. Ends with 77 where one of the three was
not built, or there is no NumPy."""

import ctypes
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

import _options
from _harness import PATIENCE, ROOT, command, expect, skip, verdict
from _module import BUILD, CLASSIFIER as MODEL, anemone

LANGUAGE = ROOT / "tests" / "c" / "tiny_llama"

TYPES = {"size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64, "int64_t": ctypes.c_int64, "int": ctypes.c_int,
         "double": ctypes.c_double, "const char*": ctypes.c_char_p}


# ---- C ------------------------------------------------------------------------------------------------------------------


class Range(ctypes.Structure):
    _fields_ = [("input", ctypes.c_char_p), ("low", ctypes.c_double), ("high", ctypes.c_double)]


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int32), ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class Samples(ctypes.Structure):
    _fields_ = [("arrays", ctypes.POINTER(Array)), ("array_count", ctypes.c_size_t), ("count", ctypes.c_size_t)]
    kept = []  # what they point to

    @classmethod
    def of(cls, arrays):
        floats = {name: numpy.ascontiguousarray(values, numpy.float32) for name, values in arrays.items()}
        listed = (Array * len(floats))(*[(name.encode(), 3, values.ctypes.data, values.nbytes)
                                         for name, values in floats.items()])
        made = cls(listed, len(floats), len(next(iter(floats.values()))))
        cls.kept += [floats, listed, made]
        return made


@functools.lru_cache(maxsize=None)
def structure(name):
    fields = [(member, TYPES.get(declared[:-len(member)].strip(), ctypes.c_void_p))
              for declared, member, _ in _options.structures()[name]]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


class Library:
    def __init__(self):
        found = sorted((BUILD / "lib").glob("libanemone_c.*"))
        if not found:
            skip("the C interface was not built")
        self.c = ctypes.CDLL(str(found[0]))
        self.c.anemone_error.restype = ctypes.c_char_p
        self.model = ctypes.c_void_p()
        if self.c.anemone_open(bytes(MODEL), None, ctypes.byref(self.model)) != 0:
            raise RuntimeError(self.c.anemone_error())
        self.language = ctypes.c_void_p()
        if self.c.anemone_language_model_open(bytes(LANGUAGE), None, ctypes.byref(self.language)) != 0:
            raise RuntimeError(self.c.anemone_error())

    def how(self, case, option, value):
        """The structure of a use case with one member, and what it points to."""
        name = case["place"]["c"]
        if not name or option["is_argument_in_c"]:
            return None, None
        made = structure(name)()
        made.size = ctypes.sizeof(made)
        member = option["names"]["c"]
        if name == "anemone_training":
            made.data = ctypes.cast(ctypes.pointer(Samples.of(samples())), ctypes.c_void_p)
        if option["kind"] in ("texts", "own"):
            kept = (Range * 1)(value) if isinstance(value, Range) else (ctypes.c_char_p * 1)(value.encode())
            setattr(made, member, ctypes.cast(kept, ctypes.c_void_p))
            count = next(each for declared, each, _ in _options.structures()[name]
                         if declared.startswith("size_t") and each.startswith(member[:-1]))
            setattr(made, count, 1)
        else:
            kept = value.encode() if isinstance(value, str) else value
            setattr(made, member, kept)
        return ctypes.byref(made), (made, kept)

    def fault(self, case, option, value):
        """What the library says of one wrong option."""
        out = ctypes.c_void_p()
        how, kept = self.how(case, option, value)
        argument = value.encode() if option["is_argument_in_c"] else b"h13"
        models = (ctypes.c_void_p * 1)(self.model)
        place = case["place"]["python"]
        prompt = (ctypes.c_int32 * 1)(1)
        calls = {
            "LanguageModel.__init__": lambda: self.c.anemone_language_model_open(bytes(LANGUAGE), how, ctypes.byref(out)),
            "LanguageModel.generate": lambda: self.c.anemone_generate(self.language, prompt, ctypes.c_size_t(1), how,
                                                                      ctypes.byref(out)),
            "Model.__init__": lambda: self.c.anemone_open(bytes(MODEL), how, ctypes.byref(out)),
            "Model.check": lambda: self.c.anemone_check(self.model, argument, how, ctypes.byref(out)),
            "Model.optimize": lambda: self.c.anemone_optimize(self.model, argument, how, ctypes.byref(out)),
            "Model.compress": lambda: self.c.anemone_compress(self.model, argument, how, ctypes.byref(out)),
            "Model.diff": lambda: self.c.anemone_diff(self.model, how, ctypes.byref(out)),
            "Model.placement": lambda: self.c.anemone_place(self.model, argument, how, ctypes.byref(out)),
            "Model.timeline": lambda: self.c.anemone_timeline(models, ctypes.c_size_t(1), argument, how, ctypes.byref(out)),
            "Trainer.train": lambda: self.c.anemone_train(self.model, how, None, None, ctypes.byref(out)),
            "Model.convert": lambda: self.c.anemone_convert(self.model, value.encode(), b"never"),
            "Model.compile": lambda: self.c.anemone_compile(self.model, value.encode(), ctypes.byref(out)),
        }
        status = calls[place]()
        expect(status != 0, f"C: {place} takes {option['name']} = {value!r}")
        del kept
        return self.c.anemone_error().decode() if status != 0 else None


# ---- the others ---------------------------------------------------------------------------------------------------------


def samples():
    """For a training of the model."""
    return {"image": numpy.zeros((2, 1, 8, 8), numpy.float32), "wanted": numpy.array([0, 1])}


def in_python(case, option, value):
    method = case["place"]["python"].removeprefix("Model.")
    name = option["names"]["python"]
    given = {name: [value] if option["kind"] == "texts" and isinstance(value, str) else value}
    try:
        if method == "__init__":
            anemone.Model(MODEL, **given)
        elif method == "LanguageModel.__init__":
            anemone.LanguageModel(LANGUAGE, **given)
        elif method == "precision":
            anemone.precision(LANGUAGE, [1], **given)
        elif method == "LanguageModel.generate":
            anemone.LanguageModel(LANGUAGE).generate([1], **given)
        else:
            required = {"to": "cpp", "folder": "never"} if method == "convert" else {}
            if method == "Trainer.train":
                call = functools.partial(anemone.Trainer(anemone.Model(MODEL)).train, samples())
            else:
                call = getattr(anemone.Model(MODEL), method)
            call(**{**required, **given})
    except anemone.Error as error:
        return str(error)
    expect(False, f"Python: {method} takes {name} = {value!r}")
    return None


def in_the_command(program, folder, case, option, value):
    subcommand = case["place"]["command"].replace("*", "cost")
    name = option["names"]["command"]
    line = [program, subcommand, MODEL, f"--{name.replace('_', '-')}={value}"]
    if subcommand == "precision":
        (pathlib.Path(folder) / "tokens.txt").write_text("1")
        line[2:3] = [LANGUAGE, "-d", "tokens.txt"]
    if subcommand == "generate":
        line[2:3] = [LANGUAGE, "--tokens=1"]
    line += ["-o", "never", *(["--to", "cpp"] if name != "to" else [])] if subcommand == "convert" else []
    if subcommand == "train":
        numpy.savez(pathlib.Path(folder) / "samples.npz", **samples())
        line += ["-d", "samples.npz", "-o", "never"]
    line += ["--reference", "f64"] if case["place"]["python"] == "Model.diff" else []
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    expect(done.returncode == 2, f"{subcommand} takes --{option['name']} = {value!r}: {done}")
    return done.stderr.strip()


def sentence(told, option, by):
    """Without what front ends may differ in: the kind of the error, the option's name, the unit of its numbers, and that a
    number that may be left out is 0 in C and Python then."""
    if told is None:
        return ""
    name = option["names"][by]
    own = f"--{name.replace('_', '-')}" if by == "command" else name
    text = re.sub(r"^(error|argument|port): ", "", told)
    if option["kind"] != "text":  # a target is one, whatever the option that names it
        text = re.sub(rf"^{re.escape(own)}(?=[: ])", "<option>", text)
    if option["kind"] in ("count", "number"):
        unit = option["command_unit"] if by == "command" else 1
        text = re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", lambda m: f"{float(m[0]) * unit:.9g}", text)
    return text.replace("allowed are 0 to", "allowed are 1 to") if option.get("is_optional") else text


# ---- mistakes -----------------------------------------------------------------------------------------------------------


def wrong_numbers(option):
    """Beyond the limits, in the command's unit, and what is said of each."""
    number = float if option["kind"] == "number" else int
    least, most = number(option["least"]), option["most"] and number(option["most"])
    wrong = [least - 1, *([most + 1] if most and most < 1 << 63 else []), *([-1] if option.get("is_unsigned") else [])]
    for value in wrong + ([float("nan"), float("inf")] if number is float else []):
        unit = option["command_unit"]
        allowed = f"allowed are {least * unit:.9g} to {most * unit:.9g}" if most else "allowed are finite numbers from 0 on"
        shown = re.escape(f"{value * unit:.9g}")
        yield value, rf"^<option>: (is|are) {shown}, {re.escape(allowed)}$"


def mistakes(option):
    """Wrong values of an option, as the command, C and Python are given them, and what is said of them; None where one
    cannot say it: 0 is C's default, as it is Python's of a number that may be left out."""
    name, kind = option["name"], option["kind"]
    if kind in ("count", "number") and (option["is_limited"] or option["is_unsigned"]):
        for value, words in wrong_numbers(option):
            scaled = value * option["command_unit"]
            of_c = None if scaled == 0 or option["is_unsigned"] and scaled < 0 else scaled
            yield value, of_c, scaled or (None if option["is_optional"] else 0), words
    elif kind == "word":
        last = option["words"][-1]
        yield "nonsense", "nonsense", "nonsense", f"'nonsense': must be {', '.join(option['words'][:-1])} or {last}"
    elif option["word"] in ("TARGET", "TARGETS") and kind == "text" and name != "reference":
        yield "h99", "h99", "h99", r"^target 'h99': must be one of: "
    elif option["word"] == "BACKENDS":
        yield "gpu", "gpu", "gpu", "backend 'gpu': must be cpu, cpu:unfused, oracle:TARGET, oracle:TARGET:safe or engine:TARGET"
        yield "oracle:h99", "oracle:h99", "oracle:h99", r"^target 'h99': must be one of: "
    elif option["word"] == "RULES":
        yield "R9999", "R9999", "R9999", "rule 'R9999': is not a rule"
    elif name == "ranges":
        yield "x=0,1", Range(b"x", 0, 1), {"x": (0, 1)}, "x: no input has this name; there are: image"
        yield "image=1,0", Range(b"image", 1, 0), {"image": (1, 0)}, "range of image: goes from 1 to 0; it has to rise"
        yield "image=0,1e5", Range(b"image", 0, 1e5), {"image": (0, 1e5)}, "range of image: goes from 0 to 100000;"
    elif name == "shapes":
        yield "x=1,4", "x=1,4", {"x": (1, 4)}, "<option>: gives x a shape, which is no input; there are: image"


def main():
    cases = _options.tables()
    program, library = command(), Library()
    counted = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            for option in case["options"]:
                for of_command, of_c, of_python, words in mistakes(option):
                    counted += 1
                    told = {}
                    if case["place"]["command"] and not option["left_out"]["command"]:
                        told["command"] = in_the_command(program, folder, case, option, of_command)
                    if of_c is not None and (case["place"]["c"] or option["is_argument_in_c"]) and not option["left_out"]["c"]:
                        told["c"] = library.fault(case, option, of_c)
                    if of_python is not None and case["place"]["python"]:
                        told["python"] = in_python(case, option, of_python)
                    plain = {by: sentence(text, option, by) for by, text in told.items()}
                    what = f"{case['place']['command']}, {option['name']} = {of_command!r}"
                    expect(len(set(plain.values())) == 1, f"{what} has several sentences: {told}")
                    for by, text in plain.items():
                        expect(re.search(words, text), f"{what}: {by} says {told[by]!r}, not {words!r}")
    return verdict(f"{counted} mistakes")


if __name__ == "__main__":
    sys.exit(main())
