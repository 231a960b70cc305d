"""Why a packaged case of ONNX does not apply: facts of its model and data, and what the importer may refuse.

A refusal counts only with the sentence and for the operators that stand here. Any other fails its case, so an importer
that begins to refuse what it read before is noticed.
"""

import collections
import re

import onnx

# The model leaves epsilon out, which then is 1e-6; its outputs are those of 1e-2.
CONTRADICTORY = {"node/test_adam_multiple"}

SEQUENCES = "sequences, optional values and maps"
STRINGS = "strings"
DATA = "shapes that depend on data"
RANDOM = "random numbers"
NOTHING = "empty tensors"

# The reason, what the importer says of a node, and the operators that it may say it of ("" for an output of the model).
Refusal = collections.namedtuple("Refusal", "reason sentence operators")
REFUSALS = [
    Refusal(
        SEQUENCES, r"(makes|reads) (a sequence|an optional value); only tensors are read",
        "Optional SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength "
        "ConcatFromSequence SplitToSequence",
    ),
    Refusal(STRINGS, r"casts to string", "Cast"),
    Refusal(DATA, r"gives a shape that depends on data", "Compress NonMaxSuppression NonZero Unique"),
    Refusal(DATA, r"needs input 1 while reading, which depends on data \(.*\)", "Range"),
    Refusal(RANDOM, r"draws random numbers", "Bernoulli RandomUniformLike"),
    Refusal(RANDOM, r"draws random numbers, as in training", "Dropout"),
    Refusal(NOTHING, r"reads a tensor \[(\d+, )*0(, \d+)*\] without elements", "Reshape Split Trilu"),
    Refusal(NOTHING, r"output .* reads a tensor \[0\] without elements", ""),
    Refusal(NOTHING, r"takes nothing of axis \d", "Slice"),
    Refusal("loops, which a model here writes out", r"loops: a model here writes its steps out", "Loop Scan"),
    Refusal(
        "constants that no composition here computes", r"is an operator that no composition here computes",
        "BlackmanWindow HammingWindow HannWindow MelWeightMatrix",
    ),
    Refusal(
        "derivatives of a graph", r"is of the domain .*, whose operators are not known here",
        "ai.onnx.preview.training.Gradient",
    ),
    Refusal("cubic interpolation at coordinates that are data", r'samples in the mode "bicubic"', "GridSample"),
]  # fmt: skip


def outside(case):
    """Why nothing can be expected of a case, whatever the importer says of it; None for most."""
    if case.name in CONTRADICTORY:
        return "packaged outputs that do not follow from the model"
    graph = case.model.graph
    ports = [*graph.input, *graph.output]
    if not all(port.type.HasField("tensor_type") for port in ports):
        return SEQUENCES
    if any(port.type.tensor_type.elem_type == onnx.TensorProto.STRING for port in ports):
        return STRINGS
    if any(port.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 for port in graph.output):
        return "rounding to bfloat16"
    if case.overflowing():
        return "values that fp16 does not hold"
    return None


def faults_in(message):
    """(operator, sentence) of each fault that the importer names: `file:node: name (Operator): sentence`."""
    _, *faults = re.split(r"   (?=\S*model\.onnx)", message)
    found = []
    for fault in faults:
        node = re.fullmatch(r"\S+model\.onnx:\d+: .*? \(([\w.]+)\): (.*)", fault)
        whole = re.fullmatch(r"\S+model\.onnx: (.*)", fault)
        if not node and not whole:
            return []
        found.append((node[1], node[2]) if node else ("", whole[1]))
    return found


def sorted_refusal(message):
    """The reason that a refusal stands for and the operators that it names, or (None, ()) where it is none of those."""
    reasons, operators = [], set()
    for operator, sentence in faults_in(message):
        fitting = [
            known.reason for known in REFUSALS
            if operator in (known.operators.split() or [""]) and re.fullmatch(known.sentence, sentence)
        ]  # fmt: skip
        if not fitting:
            return None, ()
        reasons.append(fitting[0])
        operators.add(operator.rpartition(".")[2])
    return (reasons[0], operators - {""}) if len(set(reasons)) == 1 else (None, ())
