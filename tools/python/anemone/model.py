"""Models of files and their programs."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _native, plans
from .arrays import dense
from .errors import Error
from .plans import Compressed, Optimized, Placement, Timeline
from .report import Report

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Shapes = Mapping[str, Sequence[int]]
Ranges = Mapping[str, Tuple[float, float]]


class Port(NamedTuple):
    """An input or output of a model, or a state that its programs keep."""

    name: str
    dtype: numpy.dtype
    shape: Tuple[int, ...]


class Cost(NamedTuple):
    """An estimate of a run on one target."""

    target: str  #: "h13"
    product: str  #: "M1"
    seconds: Optional[float]  #: None where the target's rates are not known
    flops: int
    bytes: int  #: that the layers read and write
    bound: str  #: "compute", "memory", "dispatch", "none" or "not known"
    measured: bool  #: whether the rates were fitted to this chip; otherwise they are scaled from another


class Program:
    """A model compiled for a backend, with the states that it keeps between runs. One thread at a time: another that calls
    meanwhile gets an Error. Other threads of Python go on while it runs."""

    def __init__(self, session: "_native.Session", backend: str) -> None:
        self._session = session
        self.backend = backend

    def run(self, inputs: Mapping[str, Any]) -> Dict[str, numpy.ndarray]:
        """The outputs by name, as float16, int8 or uint8. Inputs are anything that NumPy makes an array of numbers of.
        Extents of 1 may be left out or added; a number that the port does not hold is an Error."""
        if not isinstance(inputs, Mapping):
            raise TypeError(f"inputs are a dictionary of arrays by name, not {type(inputs).__name__}")
        return self._session.run({name: dense(name, value) for name, value in inputs.items()})

    def state(self, name: str) -> numpy.ndarray:
        """A copy of a state as the last run left it."""
        return self._session.read_state(name)

    def set_state(self, name: str, value: Any) -> None:
        """Replaces a state."""
        self._session.write_state(name, dense(name, value))

    def reset(self) -> None:
        """Zeros for all states."""
        self._session.reset()

    def __repr__(self) -> str:
        return f"<anemone.Program for {self.backend}>"


class Model:
    """A model of a file: MIL text, a .mlmodelc, a .mlpackage, a netplist, ONNX. It does not change; threads may share it.

    function      of MIL text or a package, or the procedure of a netplist, where there are several
    shapes        of ONNX inputs that the file leaves free: {"x": (1, 3, 224, 224)}
    max_memory    bytes that weights, and the values of a run, may take
    approximates  to be checked, costed and drawn only: constants that fp16 does not hold are the nearest that it does
    """

    def __init__(self, path: Path, *, function: str = "", shapes: Optional[Shapes] = None, max_memory: int = 8 << 30,
                 approximates: bool = False) -> None:
        self.path = os.fsdecode(path)
        if not 0 < max_memory < 1 << 64:
            raise Error("argument", "max_memory", f"argument: max_memory: is {max_memory}, allowed are 1 to 2^64 - 1")
        given = [f"{name}={','.join(str(int(extent)) for extent in shape)}" for name, shape in (shapes or {}).items()]
        self._native = _native.Model(os.fsencode(path), function, given, max_memory, approximates)
        self._programs: Dict[str, Program] = {}

    @classmethod
    def _made(cls, of: "Model", native: "_native.Model") -> "Model":
        """What became of a model."""
        made = cls.__new__(cls)
        made.path = of.path
        made._native = native
        made._programs = {}
        return made

    @property
    def inputs(self) -> List[Port]:
        return _ports(self._native.inputs)

    @property
    def outputs(self) -> List[Port]:
        return _ports(self._native.outputs)

    @property
    def states(self) -> List[Port]:
        return _ports(self._native.states)

    @property
    def notes(self) -> List[str]:
        """What is different from the file, a sentence each."""
        return list(self._native.notes)

    def check(self, targets: str = "macs", *, errors: Sequence[str] = (), waive: Sequence[str] = (),
              route: str = "any") -> Report:
        """What targets make of the model. `targets` is "macs", "all", "h13", "h14..h16", "h15..", or several with commas.
        `errors` are rules whose warnings are errors, `waive` those that are not checked, by fact ("R030") or name; `route`
        adds the rules of "mil" or "netplist"."""
        return Report.of(*self._native.check(targets, _list(errors), _list(waive), route))

    def cost(self, targets: str = "macs") -> List[Cost]:
        """What a run costs on each target."""
        return [Cost(*self._native.cost(each)) for each in _native.targets(targets)]

    def optimize(self, target: str = "h17s", *, bits: bool = False, values: bool = False, errors: bool = False,
                 resident: bool = False, ranges: Optional[Ranges] = None, prove: bool = False) -> Optimized:
        """A faster model that computes the same, by the estimate for a target. `bits` admits only rewrites that keep every
        bit; `values` takes first of all those after which fewer values may overflow, by the `ranges` of inputs,
        {"x": (-1, 1)}, and the weights, `errors` those with a smaller expected error of the least exact product; `resident` admits none after which more operands do not stay on the chip. `prove`
        runs the model before and after each step, in the target's arithmetic."""
        given = [(name, float(low), float(high)) for name, (low, high) in (ranges or {}).items()]
        plan = self._native.optimize(target, bits, values, errors, resident, prove, given)
        return plans.optimized(plan, Model._made(self, plan.model()))

    def compress(self, target: str = "h17s", *, data: Optional[Mapping[str, Any]] = None, random_runs: int = 32,
                 most_loss: float = 0.01, goal: str = "size", plain: bool = False, backend: str = "cpu",
                 to: str = "mil") -> Compressed:
        """A form for each weight: as small, or by the `goal` "time" as fast, as `most_loss` allows, the largest relative
        error of the outputs. `data` are runs by the names of inputs, one after the other along a first axis: half of them
        are learnt from, the others judge. Without them the runs are random numbers. `plain` rounds to the nearest, without
        error feedback; the runs are judged on `backend`; a file of `to`, "mil" or "mlpackage", is to hold the weights."""
        if not isinstance(data, (Mapping, type(None))):
            raise TypeError(f"data are a dictionary of arrays by name, not {type(data).__name__}")
        if not 0 < random_runs < 1 << 32:
            raise Error("argument", "random_runs", f"argument: random_runs: is {random_runs}, allowed are 1 to 4096")
        arrays = {name: dense(name, value) for name, value in (data or {}).items()}
        plan = self._native.compress(target, arrays, random_runs, most_loss, goal, plain, backend, to)
        return plans.compressed(plan, Model._made(self, plan.model()))

    def placement(self, target: str = "h17s", *, goal: str = "time", batches: int = 0) -> Placement:
        """Where the model and its layers belong: on the engine, the GPU or the CPU. The `goal` is "time" or "energy"; the
        text also has batches of 1, 2, 4 ... up to `batches`."""
        return plans.placement(self._native.place(target, goal, batches))

    def timeline(self, target: str = "h17s", *, beside: Sequence["Model"] = (), calls: int = 8, period: float = 0.0,
                 idle: float = 0.0, warm: bool = False, batches: Sequence[int] = ()) -> Timeline:
        """Simulates calls of the model, and of those `beside` it, which share the engine: so many `calls` of each, one every
        `period` seconds, or when the one before it has ended; after `idle` seconds of rest; `warm` models have run before.
        The text also has what one sample takes in `batches` of these sizes."""
        models = [each._native for each in (self, *beside)]
        return plans.timeline(_native.simulate(models, target, calls, period, idle, warm, list(batches)))

    def draw(self, title: Optional[str] = None) -> str:
        """A drawing, as the text of an SVG document."""
        shown = os.path.basename(self.path) if title is None else title
        return self._native.draw(shown.encode(errors="backslashreplace").decode())

    def convert(self, to: str, folder: Path) -> str:
        """Writes the model and its weights as "mil", "netplist" or "mlpackage" into a folder, which is made where it is
        missing. The path of the text, or of the package."""
        return os.fsdecode(self._native.convert(to, os.fsencode(folder)))

    def compile(self, backend: str = "cpu") -> Program:
        """A program of its own: "cpu", "oracle:h13" (a chip's arithmetic, bit by bit), "engine:h13"."""
        return Program(_native.Session(self._native, backend), backend)

    def run(self, inputs: Mapping[str, Any], backend: str = "cpu") -> Dict[str, numpy.ndarray]:
        """Runs the model's own program for a backend, which is compiled once: its states go on from run to run."""
        return self._program(backend).run(inputs)

    def reset(self) -> None:
        """Zeros for all states of the model's own programs."""
        for each in self._programs.values():
            each.reset()

    def _program(self, backend: str) -> Program:
        if backend not in self._programs:
            self._programs[backend] = self.compile(backend)
        return self._programs[backend]

    def __repr__(self) -> str:
        def text(ports: List[Port]) -> str:
            return ", ".join(f"{port.name}: {port.dtype}{list(port.shape)}" for port in ports)
        return f"<anemone.Model {self.path!r} ({text(self.inputs)}) -> ({text(self.outputs)})>"


def check(path: Path, targets: str = "macs", *, errors: Sequence[str] = (), waive: Sequence[str] = (), route: str = "any",
          **reading: Any) -> Report:
    """What targets make of a file. See Model.check, and Model for how it is read."""
    return _judged(path, reading).check(targets, errors=errors, waive=waive, route=route)


def cost(path: Path, targets: str = "macs", **reading: Any) -> List[Cost]:
    """What a run of a file costs on each target."""
    return _judged(path, reading).cost(targets)


def draw(path: Path, title: Optional[str] = None, **reading: Any) -> str:
    """A file drawn, as the text of an SVG document."""
    return _judged(path, reading).draw(title)


def run(path: Path, inputs: Mapping[str, Any], backend: str = "cpu", **reading: Any) -> Dict[str, numpy.ndarray]:
    """The outputs of a file by name."""
    return Model(path, **reading).run(inputs, backend)


def targets(names: str = "all") -> List[str]:
    """The targets that a text means."""
    return _native.targets(names)


def _judged(path: Path, reading: Mapping[str, Any]) -> Model:
    how: Dict[str, Any] = {"approximates": True, **reading}
    return Model(path, **how)


def _ports(ports: List[Tuple[str, str, Tuple[int, ...]]]) -> List[Port]:
    return [Port(name, numpy.dtype(dtype), shape) for name, dtype, shape in ports]


def _list(names: Union[str, Sequence[str]]) -> List[str]:
    return [names] if isinstance(names, str) else list(names)
