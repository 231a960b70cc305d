#!/usr/bin/env python3
"""Checks emitted netplists with Python's own property list reader: bytes, grammar, wiring, blobs, and results.

The program write_netplists writes the netplist of every model of tests/formats/netplist_models.hpp and one run of it on
the CPU. The netplist is evaluated unit by unit and has to give the same outputs. Nothing is shared with the C++ code.
"""

import os
import pathlib
import plistlib
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (Debian package python3-numpy)")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "differential"))
import netplist_interpreter
import sets

BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", "build"))
PROGRAM = BUILD / "bin" / "write_netplists"

PADS = {"PadTop": int, "PadBot": int, "PadLeft": int, "PadRight": int}
WINDOW = {"KernelWidth": int, "KernelHeight": int, "Step": list, **PADS}
CONV = {"Type": str, **WINDOW, "PaddingMode": str, "KernelMode": str, "KernelType": str, "KernelIndex": int, "KernelOffset": int}
DILATED = {**CONV, "KernelDilationX": int, "KernelDilationY": int}
TYPE = {"Type": str}
UPSAMPLING = {"Type": str, **WINDOW, "KernelMode": str, "KernelType": str, "KernelGroupReuse": bool}
ORDER = {"SortDimension": str, "VectorDimension": str, "SortIndices": list}
BLOCKS = ("PixelShuffle", "PixelUnshuffle", "ChannelToSpace", "SpaceToChannel", "SpaceToBatch", "BatchToSpace")

# Unit type, variant -> keys that must be there; a second dictionary for keys that may be there.
PARAMS = {
    **{
        ("Neuron", v): (TYPE, {})
        for v in ("ReLU", "SigmoidHighPrecision", "Tanh", "GELU", "Sqrt", "Exp2", "Sin", "Cos", "Ceil", "Floor", "Sign",
                  "RoundNearest", "Erf")
    },
    ("Neuron", "ELU"): ({**TYPE, "EluAlpha": int}, {}),
    **{("Neuron", v): (TYPE, {"Epsilon": int}) for v in ("Rsqrt", "Log2", "Inv")},
    ("Neuron", "LeakyReLU"): ({**TYPE, "ReluSlope": int, "ReluOffset": int}, {}),
    ("Neuron", "ClampedReLU"): ({**TYPE, "ReluMin": int, "ReluMax": int}, {}),
    **{("ElementWise", v): (TYPE, {}) for v in ("Add", "Mult", "Sub", "Min", "Max", "Abs")},
    **{("ElementWise", v): (TYPE, {}) for v in ("GreaterThan", "LessThan", "Equal", "NotEqual")},
    **{("ScaledElementWise", v): ({**TYPE, "Scale": int}, {}) for v in ("Add", "Mult", "Min", "Max")},
    ("GOC", None): ({}, {"ScaleScalar": int, "BiasScalar": int, "BiasScaleGroupData": dict}),
    **{("Conv", v): (CONV, {}) for v in ("Conv", "ChannelWiseConv", "DeConv", "ChannelWiseDeConv")},
    **{("Conv", v): (DILATED, {}) for v in ("DilatedConv", "ChannelWiseDilatedConv")},
    ("Pooling", "Max"): ({**TYPE, **WINDOW, "PaddingMode": str}, {}),
    ("Pooling", "Avg"): ({**TYPE, **WINDOW, "PaddingMode": str}, {"AverageCountExcludePadding": bool}),
    ("Softmax", None): ({"Dimension": str}, {}),
    **{("Reduction", v): ({**TYPE, "Dimension": list}, {}) for v in ("Sum", "Avg", "Max", "Min")},
    **{
        ("ArgMinMax", a + "Arg" + b): ({"Mode": str, **{k: t for k, t in WINDOW.items() if k != "Step"}}, {})
        for a in ("Spatial", "Channel")
        for b in ("Max", "Min")
    },
    **{("GlobalArgMinMax", v): ({**TYPE, "Dimension": str}, {}) for v in ("Max", "Min")},
    ("Reshape", None): ({"Reshaped" + a: int for a in ("Batch", "Channel", "Height", "Width")}, {"ReshapedDepth": int}),
    ("Transpose", None): ({"TransposeDimensions": list}, {}),
    ("Concat", None): ({"Dimension": str}, {}),
    ("InputView", None): ({"Dimension": str, "Offset": int, "Size": int}, {}),
    ("Broadcast", None): ({"BroadcastInfo": list}, {}),
    ("MatrixMultiplication", None): (None, {}),
    **{(kind, None): ({"FactorX": int, "FactorY": int, "FactorZ": int}, {}) for kind in BLOCKS},
    ("LocalResponseNormalization", "Channel"): (
        {**TYPE, "KernelWidth": int, "KernelHeight": int, "KernelChannel": int, "Alpha": int, "Beta": float, "K": float},
        {},
    ),
    ("Sort", None): ({**ORDER, "Direction": str}, {"Indices": bool}),
    **{("TopK", v): ({**TYPE, **ORDER, "K": int}, {"Indices": bool}) for v in ("Max", "Min")},
    ("Dropout", None): ({"DropoutRate": int, "Seed": int}, {}),
    ("CrossCorrelation", None): ({"NumGroups": int, **PADS, "TemplateHeight": int, "TemplateWidth": int}, {}),
    ("CrossProduct", None): ({}, {}),
    ("CostVolume", None): ({"DisparityDirection": int, "DisparityRange": int}, {}),
    ("FurthestPointSampling", None): ({"CentroidCount": int, "DistanceMetric": str}, {}),
    ("Gather", None): ({"GatherNDAxes": list}, {}),
    ("DynamicSlice", None): (
        {"DynamicSliceAxisOrder": list, "DynamicSliceInfo": list, "CoordinateInfo": list, "CoordinateMode": str,
         "PaddingInfo": list, "BackgroundValue": float},
        {},
    ),
    ("SDPA", None): ({"SubtractMax": bool}, {}),
    ("MinMaxNormalization", None): ({"Dimension": str, "Epsilon": int}, {}),
}
OPERANDS = {  # of units that read not one
    **dict.fromkeys(("MatrixMultiplication", "ScaledElementWise", "CrossCorrelation", "CrossProduct", "CostVolume"), {2}),
    **dict.fromkeys(("Gather", "DynamicSlice"), {2}),
    "SDPA": {4, 5},
}
FP16_PATTERNS = {"EluAlpha", "Scale", "Alpha", "Epsilon", "ReluSlope", "ReluOffset", "ReluMin", "ReluMax", "ScaleScalar", "BiasScalar"}
WITHOUT_CHANNELS = {"Reshape", "InputView", "DynamicSlice"}
ITEMS = {
    "BroadcastInfo": {"Dimension": str, "Size": int},
    "TransposeDimensions": {"TransposeSourceDimension": str, "TransposeDestinationDimension": str},
}


def keys_are(test, values, required, optional=()):
    """Exactly the required keys and perhaps optional ones, each of its type; a boolean is not an integer here."""
    types = dict(required)
    types.update(optional or {})
    test.assertLessEqual(set(required), set(values))
    test.assertLessEqual(set(values), set(types))
    for key, value in values.items():
        test.assertIs(type(value), types[key], key)


def each_model(check):
    """A test over the directory, the document and the network body of every model."""

    def test(self):
        self.assertGreaterEqual(len(self.models), 10)
        for place in self.models:
            with self.subTest(model=place.name):
                document = plistlib.loads((place / "net.plist").read_bytes())
                check(self, place, document, document[document["Networks"][0]])

    return test


class Netplist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        subprocess.run([PROGRAM, cls.directory.name], check=True)
        cls.models = sorted(p for p in pathlib.Path(cls.directory.name).iterdir() if p.is_dir())

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def test_bytes_are_those_of_plistlib(self):
        for path in sorted(pathlib.Path(self.directory.name).glob("**/*.plist")):
            with self.subTest(path=path.name, model=path.parent.name):
                written = path.read_bytes()
                self.assertEqual(plistlib.dumps(plistlib.loads(written), sort_keys=True), written)

    def test_values_read_back(self):
        values = plistlib.loads((pathlib.Path(self.directory.name) / "values.plist").read_bytes())
        self.assertEqual(values["integers"], [0, -1, 65535, -(2**63), 2**63 - 1])
        self.assertEqual(values["flags"], [True, False])
        self.assertEqual([type(f) for f in values["flags"]], [bool, bool])
        self.assertEqual(values["texts"], ["", "a<b>&c", "tab\tline\nend", "caf\u00e9 \U0001f600", "\"quoted\" 'text'"])
        self.assertEqual((values["empty array"], values["empty dictionary"]), ([], {}))
        expected = [struct.unpack("<d", struct.pack("<Q", p & (2**64 - 1)))[0] for p in values["real patterns"]]
        self.assertGreater(len(expected), 1000)
        self.assertEqual(values["reals"], expected)
        self.assertEqual([str(r) for r in values["reals"]], [str(r) for r in expected])

    def test_every_form_is_used(self):
        used = set()
        for place in self.models:
            document = plistlib.loads((place / "net.plist").read_bytes())
            body = document[document["Networks"][0]]
            for name in body["Units"]:
                params = body[name].get("Params", {})
                used.add((body[name]["Type"], params.get("Mode" if body[name]["Type"] == "ArgMinMax" else "Type")))
        self.assertEqual(used, set(PARAMS))

    @each_model
    def test_document(self, place, document, body):
        network = "network_" + place.name
        keys_are(self, document, {"Version": str, "Networks": list, "ProcedureList": list, network: dict})
        self.assertEqual(document["Version"], "1.0.10")
        self.assertEqual(document["Networks"], [network])
        self.assertEqual(len(document["ProcedureList"]), 1)
        procedure = document["ProcedureList"][0]
        keys_are(self, procedure, {"Name": str, "OperationList": list, "InputList": list, "OutputList": list})
        self.assertEqual(procedure["Name"], "procedure_" + place.name)
        self.assertEqual(procedure["OperationList"], [{"OperationName": "op0", "NetworkName": network}])
        self.assertTrue(body["Units"])

    @each_model
    def test_ports(self, place, document, body):
        extents = {k: int for k in ("BatchSize", "InputChannels", "InputDepth", "InputHeight", "InputWidth")}
        procedure = document["ProcedureList"][0]
        run = plistlib.loads((place / "run.plist").read_bytes())
        shapes = {p["Name"]: netplist_interpreter.five(p["Shape"]) for p in run["Inputs"]}
        seen = set()
        for entry in procedure["InputList"]:
            keys_are(self, entry, {"InputName": str, "Name": str, "OperationName": str, "InputType": str,
                                   "InputInterleave": int, **extents})
            fixed = entry["OperationName"], entry["InputType"], entry["InputInterleave"]
            self.assertEqual(fixed, ("op0", "Float16", 1))
            shape = [entry[k] for k in ("BatchSize", "InputDepth", "InputChannels", "InputHeight", "InputWidth")]
            self.assertEqual(shape, shapes[entry["InputName"]])
            pair = (entry["InputName"], entry["Name"])
            self.assertNotIn(pair, seen)
            seen.add(pair)
        # In the order of the units, and of the operands within a unit.
        wanted = [(b, u) for u in body["Units"] for b in body[u]["Bottom"] if b in shapes]
        self.assertEqual([(e["InputName"], e["Name"]) for e in procedure["InputList"]], wanted)
        self.assertEqual({name for name, _ in wanted}, set(shapes))
        self.assertEqual([o["OutputName"] for o in procedure["OutputList"]], [o["Name"] for o in run["Outputs"]])
        for entry in procedure["OutputList"]:
            keys_are(self, entry, {"OutputName": str, "Name": str, "OperationName": str, "OutputType": str,
                                   "OutputInterleave": int})
            self.assertIn(entry["Name"], body["Units"])
            symbol = body[entry["OutputName"]]
            self.assertEqual(symbol, {"OutputName": entry["OutputName"], "Bottom": entry["Name"],
                                      "OutputType": "Float16", "OutputInterleave": 1})
            fixed = entry["OperationName"], entry["OutputType"], entry["OutputInterleave"]
            self.assertEqual(fixed, ("op0", "Float16", 1))

    @each_model
    def test_names(self, _place, document, body):
        procedure = document["ProcedureList"][0]
        inputs = list(dict.fromkeys(e["InputName"] for e in procedure["InputList"]))
        outputs = [e["OutputName"] for e in procedure["OutputList"]]
        names = body["Units"] + body.get("Constants", []) + inputs + outputs
        self.assertEqual(len(names), len(set(names)))
        own = {"Units", "Weights"} | ({"Constants"} if "Constants" in body else set())
        self.assertFalse(own & set(names))
        self.assertEqual(set(body), own | set(body["Units"]) | set(body.get("Constants", [])) | set(outputs))
        self.assertNotEqual(body.get("Constants"), [])
        known = set(inputs) | set(body.get("Constants", []))
        for name in body["Units"]:
            bottoms = body[name]["Bottom"]
            self.assertLessEqual(set(bottoms), known, f"{name} reads what no earlier unit gives")
            self.assertEqual(len(bottoms), len(set(bottoms)), f"{name} names a symbol twice")
            known.add(name)
        read = {b for u in body["Units"] for b in body[u]["Bottom"]} | {body[o]["Bottom"] for o in outputs}
        self.assertEqual(known - read, set(), "computed or stored for nothing")

    @each_model
    def test_units(self, _place, _document, body):
        for name in body["Units"]:
            unit = body[name]
            with self.subTest(unit=name):
                types = [body[b]["ConstantType"] if b in body.get("Constants", []) else "Float16" for b in unit["Bottom"]]
                self.check_unit(name, unit, types)

    def check_unit(self, name, unit, types):
        keys = {"Name": str, "Type": str, "Bottom": list, "InputType": list, "OutputType": str}
        if unit["Type"] not in WITHOUT_CHANNELS:
            keys["OutputChannels"] = int
        if unit["Type"] == "Conv":
            keys["NumGroups"] = int
        if unit["Type"] != "MatrixMultiplication":
            keys["Params"] = dict
        keys_are(self, unit, keys)
        self.assertEqual(unit["Name"], name)
        self.assertEqual(unit["InputType"], types)
        self.assertEqual(unit["OutputType"], "Float16")
        params = unit.get("Params")
        if params is None:
            self.assertEqual(len(unit["Bottom"]), 2)
            return
        variant = params.get("Mode") if unit["Type"] == "ArgMinMax" else params.get("Type")
        upsamples = params.get("KernelMode") == "Unity"
        required, optional = (UPSAMPLING, {}) if upsamples else PARAMS[unit["Type"], variant]
        keys_are(self, params, required, optional)
        for key in FP16_PATTERNS & set(params):
            self.assertTrue(0 <= params[key] <= 0xFFFF)
        for key in set(ITEMS) & set(params):
            self.assertTrue(params[key])
            for item in params[key]:
                keys_are(self, item, ITEMS[key])
        if "Step" in params:
            self.assertEqual([type(s) for s in params["Step"]], [int, int])
        if unit["Type"] == "Conv":
            mode = "Unity" if upsamples else "Dense"
            self.assertEqual((params["KernelMode"], params["KernelType"]), (mode, "Float16"))
        if "BiasScaleGroupData" in params:
            self.assertEqual(len(params), 1)
            group = params["BiasScaleGroupData"]
            halves = [h for h in ("Scale", "Bias") if h + "Count" in group]
            self.assertTrue(halves)
            mutable = {"BiasMutable": bool} if "Bias" in halves else {}
            keys_are(self, group, {h + k: int for h in halves for k in ("Count", "Index", "Offset")}, mutable)
        binary = unit["Type"] == "ElementWise" and variant != "Abs"
        if unit["Type"] == "Concat":
            self.assertGreaterEqual(len(unit["Bottom"]), 2)
        else:
            self.assertIn(len(unit["Bottom"]), OPERANDS.get(unit["Type"], {2} if binary else {1}))

    @each_model
    def test_constants_and_weights(self, place, _document, body):
        extents = ("BatchSize", "Channels", "Depth", "Height", "Width")
        lengths = {"Constant" + k: int for k in (*extents, "Interleave", "Index", "ByteOffset")}
        files = body["Weights"]
        self.assertEqual(files, [f"weights.{i}" for i in range(len(files))])
        self.assertEqual({p.name for p in place.iterdir()}, set(files) | {"net.plist", "run.plist"})
        self.assertEqual((place / "weights.0").read_bytes(), bytes(1024))
        content = [(place / f).read_bytes() for f in files[1:]]
        self.assertEqual(len(content), len(set(content)), "equal blobs have files of their own")
        for name in body.get("Constants", []):
            constant = body[name]
            keys_are(self, constant, {"ConstantName": str, "ConstantType": str, **lengths})
            self.assertEqual(constant["ConstantName"], name)
            positions = {b for u in body["Units"] if body[u]["Type"] == "Gather" for b in body[u]["Bottom"][1:]}
            self.assertEqual(constant["ConstantType"], "UInt16" if name in positions else "Float16")
            self.assertEqual((constant["ConstantBatchSize"], constant["ConstantDepth"]), (1, 1))
            self.assertEqual((constant["ConstantInterleave"], constant["ConstantByteOffset"]), (1, 0))
            size = 2 * constant["ConstantChannels"] * constant["ConstantHeight"] * constant["ConstantWidth"]
            self.assertGreater(constant["ConstantIndex"], 0)
            self.assertEqual(len(content[constant["ConstantIndex"] - 1]), size)

    @each_model
    def test_results(self, place, _document, _body):
        run = plistlib.loads((place / "run.plist").read_bytes())
        program = netplist_interpreter.Program(place)
        inputs = {p["Name"]: halves(p) for p in run["Inputs"]}
        with np.errstate(all="ignore"), sets.without_rounding():
            wanted, _ = program.evaluate(inputs, [p["Name"] for p in run["Outputs"]])
        for port, exact in zip(run["Outputs"], wanted):
            self.assertEqual(exact.shape, tuple(netplist_interpreter.five(port["Shape"])), port["Name"])
            got = halves(port).reshape(exact.shape)
            # The CPU rounds to fp16 after each operation, this evaluation never does.
            np.testing.assert_allclose(got, exact.low, rtol=0.01, atol=0.01, err_msg=port["Name"])
        sizes = [len(f) for f in program.blobs.files]
        self.assertEqual(program.blobs.used[1:], sizes[1:], "a blob has bytes that nobody reads")


def halves(port):
    """The numbers of a port's fp16 patterns."""
    return np.array(port["Patterns"], np.uint16).view(np.float16).astype(np.float64).reshape(port["Shape"])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = sys.argv.pop(1)
    unittest.main()
