"""What could become of a model, and where and when it would run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Type, TypeVar

from . import _native

if TYPE_CHECKING:
    from .model import Model

Row = TypeVar("Row")


@dataclass(frozen=True)
class Plan:
    """What was found of a model. `str` of it is what the command prints."""

    target: str  #: "h13"; of a comparison "oracle:h13"
    json: str = field(repr=False)  #: what the command prints with --json
    text: str = field(repr=False)
    _native: "_native.Plan" = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text.rstrip()


@dataclass(frozen=True)
class Difference:
    """How the outputs of two models differ over the same runs."""

    holds: bool  #: whether the rewrite allows it
    values: int  #: of all outputs in all runs
    differing: int  #: of them, not of the same bits
    relative: Optional[float]  #: by Frobenius norms; None where it is not finite
    mended: int  #: of them, finite in the second model alone; counted here alone
    largest: Optional[float]  #: of the differences, by the largest magnitude of the output


@dataclass(frozen=True)
class Step:
    """A rewrite that was applied."""

    rewrite: str  #: "channels_first"
    places: int
    keeps: str  #: "bits" or "rounding"
    before: float  #: s of a run, estimated
    after: float
    proof: Optional[Difference]  #: of the models before and after it; None if none was requested


@dataclass(frozen=True)
class Optimized(Plan):
    """A faster model that computes the same."""

    model: "Model"
    before: float  #: s of a run, estimated; 0 where the target's rates are not known
    after: float
    apart: float  #: s, each layer as a program of its own
    refuted_before: int  #: limits of values that the ranges let the model pass
    refuted_after: int
    error_before: float  #: expected of the least exact product, relative; 0 where not requested, or not known
    error_after: float
    steps: List[Step]
    proof: Optional[Difference]  #: of the model and what became of it; None if none was requested

    @property
    def gain(self) -> float:
        """How many times as fast."""
        return self.before / self.after if self.after > 0 else 1.0

    @property
    def keeps(self) -> str:
        """Every one of the "bits", or all up to a "rounding"."""
        return "bits" if all(step.keeps == "bits" for step in self.steps) else "rounding"

    def draw(self) -> str:
        """The model before and after, as the text of an SVG document."""
        return self._native.draw()


@dataclass(frozen=True)
class Point:
    """A model with its weights in some forms."""

    bytes: int  #: of all weights
    seconds: Optional[float]  #: of a run, estimated; None where the target's rates are not known
    loss: Optional[float]  #: of the outputs, relative; None where it is not finite


@dataclass(frozen=True)
class HeldOut:
    """What compressed weights lose on runs that nothing was chosen by."""

    runs: int
    loss: Optional[float]  #: of the outputs; None where it is not finite
    at_least: Optional[float]  #: where the loss of a further run lies, nine times of ten; None where it is not known
    at_most: Optional[float]


@dataclass(frozen=True)
class StoredWeight:
    """A weight, and the form that was chosen for it."""

    name: str
    form: str  #: "int8", "palette of 4 bits", "fp16"
    bytes: int
    fp16_bytes: int
    error_feedback: bool  #: whether it is rounded with it
    weight_error: float  #: relative, of the elements
    output_error: Optional[float]  #: relative, of the outputs where this weight alone is stored so


@dataclass(frozen=True)
class Compressed(Plan):
    """A model with smaller weights."""

    model: "Model"
    most_loss: float  #: the gate
    ratio: float  #: how many times smaller all weights are
    before: Point
    after: Point  #: its loss is that of the runs that the forms were chosen by, not above the gate
    held_out: Optional[HeldOut]  #: None for a model with states, and for a single run: none could be held out
    weights: List[StoredWeight]  #: those that a form was chosen for

    def draw(self) -> str:
        """Sizes, or times, and errors, as the text of an SVG document."""
        return self._native.draw()


@dataclass(frozen=True)
class Whole:
    """A whole model on one device."""

    seconds: float
    joules: Optional[float]  #: None where it is not known


@dataclass(frozen=True)
class Segment:
    """Layers in a row on one device."""

    device: str  #: "engine", "GPU" or "CPU"
    first: int  #: layers, as the text counts them
    last: int
    seconds: float  #: with launch and transfer
    joules: Optional[float]


@dataclass(frozen=True)
class Placement(Plan):
    """Where a model and its layers belong."""

    known_by: str  #: "measured", "predicted"
    seconds: float  #: layer by layer, each where it belongs
    joules: Optional[float]
    segments: List[Segment]
    whole: Mapping[str, Optional[Whole]]  #: by device: "engine", "GPU", "CPU"; None where it cannot be there

    @property
    def fastest(self) -> Optional[str]:
        """The device on which the whole model takes the least time."""
        times = {device: each.seconds for device, each in self.whole.items() if each is not None}
        return min(times, key=lambda device: times[device]) if times else None


@dataclass(frozen=True)
class Call:
    """A call of a model; times in s."""

    program: str  #: the name of its file
    arrival: float  #: the caller begins
    start: float  #: its turn
    engine: float  #: the engine has it
    engine_end: float
    end: float  #: the caller has the result
    cause: str  #: why it took longer than a steady one: "first calls", "short pause", "re-wake" or ""


@dataclass(frozen=True)
class Timeline(Plan):
    """Calls of models that share the engine."""

    known_by: str  #: "measured", "predicted"
    seconds: float  #: from the first call to the last result
    calls_per_second: float
    utilisation: float  #: share of the time in which the engine has a call
    mean_latency: float
    median_latency: float
    p99_latency: float
    joules: Optional[float]  #: None where it is not known
    calls: List[Call]

    def draw(self) -> str:
        """The calls over time, as the text of an SVG document."""
        return self._native.draw()


@dataclass(frozen=True)
class Deviation:
    """How far values of a layer are from those in double precision."""

    elements: int
    beyond: int  #: of them beyond the bound
    not_finite: int  #: of these, finite in one of the two only
    max_abs: float  #: the largest difference of the others
    relative: Optional[float]  #: of the others, by Frobenius norms; None where it is not finite
    excess: Optional[float]  #: the largest difference in units of what is allowed; None where it is not finite
    worst: int  #: the element that has it; -1 where all are equal
    expected: Optional[float]  #: its value in double precision
    got: Optional[float]  #: and in the arithmetic that was compared


@dataclass(frozen=True)
class LayerError:
    """One layer against double precision."""

    name: str
    node: int  #: in the model
    whole: Deviation  #: from the inputs on, in the worst sample
    alone: Optional[Deviation]  #: on what it should read, rounded; None where it was not run alone
    cause: Optional[str]  #: "overflow" ...; "inherited" where others are to blame; None where it is within the bound
    largest: float  #: the largest magnitude, exactly
    samples: int  #: in how many it is beyond the bound
    worst_sample: int


@dataclass(frozen=True)
class Remedy:
    """A change of the model that was run, and helps."""

    text: str
    affected: int  #: samples with an output beyond the bound after it
    after: Deviation  #: of the output that is farthest off


@dataclass(frozen=True)
class Differed(Plan):
    """An arithmetic against double precision, layer by layer."""

    judged: str  #: "oracle H13"
    samples: int
    affected: int  #: samples with an output beyond the bound
    worst_sample: int
    layers: List[LayerError] = field(repr=False)
    first: Optional[LayerError]  #: the first that is beyond the bound in any sample
    remedies: List[Remedy] = field(repr=False)
    tried: int  #: changes that were run, those that do not help among them
    is_cut_short: bool  #: whether others were not run, because the model is large

    def draw(self) -> str:
        """The error of each layer, as the text of an SVG document."""
        return self._native.draw()


def optimized(plan: "_native.Plan", model: "Model") -> Optimized:
    data = json.loads(plan.json)
    steps = [_row(Step, {**each, "proof": _difference(each)}) for each in data["steps"]]
    return _row(Optimized, {**data, **_plan(plan), "model": model, "steps": steps, "proof": _difference(data)})


def compressed(plan: "_native.Plan", model: "Model") -> Compressed:
    data = json.loads(plan.json)
    return _row(Compressed, {**data, **_plan(plan), "model": model, "before": _row(Point, data["before"]),
                             "after": _row(Point, data["after"]), "held_out": data["held_out"] and _row(HeldOut, data["held_out"]),
                             "weights": _rows(StoredWeight, data["weights"])})


def differed(plan: "_native.Plan", backend: str) -> Differed:
    data = json.loads(plan.json)
    layers = [_row(LayerError, {**each, "whole": _row(Deviation, each["whole"]),
                                "alone": each["alone"] and _row(Deviation, each["alone"])}) for each in data["layers"]]
    search = data.get("remedies", {"helpful": [], "tried": 0, "cut_short": False})
    remedies = [Remedy(each["text"], each["after"]["affected"], _row(Deviation, each["after"]["worst"])) for each in search["helpful"]]
    first = None if data["first"] is None else layers[data["first"]]
    return _row(Differed, {**data, **_plan(plan), "target": backend, "layers": layers, "first": first, "remedies": remedies,
                            "tried": search["tried"], "is_cut_short": search["cut_short"]})


def placement(plan: "_native.Plan") -> Placement:
    data = json.loads(plan.json)
    whole = {device: each and _row(Whole, each) for device, each in data["whole"].items()}
    return _row(Placement, {**data, **_plan(plan), "segments": _rows(Segment, data["segments"]), "whole": whole})


def timeline(plan: "_native.Plan") -> Timeline:
    data = json.loads(plan.json)
    return _row(Timeline, {**data, **_plan(plan), "joules": data["joules"] or None, "calls": _rows(Call, data["calls"])})


def _plan(plan: "_native.Plan") -> Mapping[str, Any]:
    return {"json": plan.json, "text": plan.text, "_native": plan}


def _row(of: Type[Row], data: Mapping[str, Any]) -> Row:
    """The members of a JSON object that a class has."""
    return of(**{name: data[name] for name in of.__dataclass_fields__})  # type: ignore[attr-defined]


def _rows(of: Type[Row], data: List[Mapping[str, Any]]) -> List[Row]:
    return [_row(of, each) for each in data]


def _difference(data: Mapping[str, Any]) -> Optional[Difference]:
    return _row(Difference, data["proof"]) if "proof" in data else None
