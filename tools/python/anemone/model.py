"""Models of files and their programs."""

from __future__ import annotations

import json
import os
import threading
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from . import _native, plans, training
from .arrays import dense
from .generation import Generation
from .measured import DecodingCost, Precision
from .plans import Compressed, Differed, Optimized, Placement, Timeline
from .report import Report
from .training import Trained

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Shapes = Mapping[str, Sequence[int]]
Values = Mapping[str, Union[float, Sequence[float]]]
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
    joules: Optional[float]  #: of the package above idle; None where the target's rates are not known, and so the next
    engine_joules: Optional[float]  #: of these the engine's own


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
    """A model of a file: MIL text, a .mlmodelc, a .mlpackage, a netplist, ONNX, or the folder of a published
    model; or of the name of a known network of images, texts or speech.

    It does not change; threads may share it.
    """

    def __init__(self, path: Path, *, function: str = "", shapes: Optional[Shapes] = None, values: Optional[Values] = None,
                 weights: str = "", max_memory: int = 8 << 30, approximates: bool = False, context: int = 0, chunk: int = 1,
                 batch: int = 1, layout: str = "rows", image: str = "normalized", frame_height: int = 0,
                 frame_width: int = 0) -> None:
        """Reads it.

        function      the function of MIL text or of a package, the procedure of a netplist, the program of a language
                      model that one does not hold, or the part of a network of several (of CLIP image, text; of Whisper
                      encoder, cross, decoder, step; of a U-Net down, middle, up); else the only one, or the whole
        shapes        of inputs that the file leaves free: {"x": (1, 3, 224, 224)}
        values        of ONNX inputs that are constants, such as a rate; one number fills the shape: {"sr": 16000,
                      "axes": (2, 3)}
        weights       what stands for weights whose file is not there: zeros, random, or a safetensors or GGUF file
        max_memory    bytes that weights, and the values of a run, may take
        approximates  to be judged and drawn only, with constants as the nearest that fp16 holds
        context       of a published language model: positions that its caches hold; of a network of texts: tokens of a
                      run; 0: what is usual
        chunk         the same: positions that one run computes, 1 to decode
        batch         the same: texts that one run computes at once, each with a cache of its own
        layout        of a published model: activations as frameworks have them, (positions, width), or as the engine
                      has them, (1, width, 1, positions): "rows" or "channels"
        image         of an image network: its input as normalized numbers, or as pixels, bytes from 0 to 255 that it
                      normalizes itself: "normalized" or "pixels"
        frame_height  with pixels: rows of what the camera gives, which the graph resizes so that the shorter side fits,
                      and of which it takes the centre; 0: as the network takes it
        frame_width   the same: its columns; 0: as the network takes it
        """
        options = _given(locals(), "path")
        options["shapes"] = [f"{name}={','.join(str(int(each)) for each in shape)}" for name, shape in (shapes or {}).items()]
        options["values"] = [f"{name}={','.join(repr(float(each)) for each in numpy.ravel(value))}"
                             for name, value in (values or {}).items()]
        self.path = os.fsdecode(path)
        self._native = _native.Model(os.fsencode(path), options)
        self._programs: Dict[str, Program] = {}
        self._turn = threading.RLock()

    @classmethod
    def _made(cls, of: "Model", native: "_native.Model") -> "Model":
        """What became of a model."""
        made = cls.__new__(cls)
        made.path = of.path
        made._native = native
        made._programs = {}
        made._turn = threading.RLock()
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

    def check(self, targets: str = "macs", *, errors: Sequence[str] = (), waive: Sequence[str] = (), route: str = "any",
              profile: str = "engine", system: str = "any", ranges: Optional[Ranges] = None) -> Report:
        """What targets make of the model.

        targets  macs, all, h13, h14..h16, h15.., ..h14, M1, "M3 Pro", or several with commas
        errors   rules whose warnings are errors, by fact (R030) or name
        waive    rules that are not checked
        route    the rules of one route too: "any", "mil" or "netplist"
        profile  what the model is held to: vendor adds the vendor's own guidance to what is refused or wrong, and
                 leaves other remarks out: "engine" or "vendor"
        system   what this system's Core ML does not know is an error: "any", "macos12", "macos13", "macos14" or
                 "macos15"
        ranges   of inputs: {"x": (-1, 1)}
        """
        return Report.of(*self._native.check(_given(locals())))

    def cost(self, targets: str = "macs", *, shared_ports: bool = False) -> List[Cost]:
        """What a run costs on each target.

        targets       macs, all, h13, h14..h16, h15.., or several with commas
        shared_ports  inputs and outputs lie in memory that the engine reads in place; otherwise the host copies them
        """
        return [Cost(*each) for each in self._native.cost(_given(locals()))]

    def optimize(self, target: str = "h17s", *, bits: bool = False, values: bool = False, errors: bool = False,
                 forms: bool = False, vendor: bool = False, resident: bool = False, prove: bool = False,
                 ranges: Optional[Ranges] = None) -> Optimized:
        """A faster model that computes the same, by the cost model.

        target    the chip
        bits      only rewrites that keep every bit
        values    first of all fewer values that may overflow, by the ranges of inputs and the true weights
        errors    first of all a smaller expected error of the least exact product, by the same
        forms     first of all fewer stored weights that files hold as fp16: blocks become layers of their own, which
                  takes about 4 times as long
        vendor    first of all fewer operations in another form than the engine's vendor asks for, whatever that costs:
                  attention head by head, layers as 1x1 convolutions
        resident  no more operands than before that do not stay on the chip
        prove     run the model before and after each step on random inputs, in the chip's arithmetic
        ranges    what the values of inputs stay within: {"x": (-1, 1)}
        """
        plan = self._native.optimize(_given(locals()))
        return plans.optimized(plan, Model._made(self, plan.model()))

    def compress(self, target: str = "h17s", *, data: Optional[Mapping[str, Any]] = None, random_runs: int = 32,
                 most_loss: float = 0.01, goal: str = "size", plain: bool = False, backend: str = "cpu",
                 to: str = "mil") -> Compressed:
        """A form for each weight: as small, or as fast, as a bound on the loss allows.

        target       the chip
        data         runs to learn from, to choose by and to judge by, by the names of inputs, along a first axis; None:
                     random numbers
        random_runs  how many runs of random numbers, without data
        most_loss    the largest relative error of the outputs
        goal         what is to be least, the size of the weights or the time by the cost model: "size" or "time"
        plain        round to the nearest, without error feedback
        backend      where the runs are judged: cpu, oracle:TARGET or engine:TARGET
        to           the file that is to hold the weights, of which mlpackage has more forms: "mil" or "mlpackage"
        """
        options = _given(locals(), "data")
        plan = self._native.compress(options, _runs(data))
        return plans.compressed(plan, Model._made(self, plan.model()))

    def diff(self, *, backend: str = "oracle:h13", bound: float = 0.05, absolute: float = 0,
             data: Optional[Mapping[str, Any]] = None, random_runs: int = 1, quick: bool = False) -> Differed:
        """Which layer breaks: an arithmetic against double precision, layer by layer, and what helps.

        backend      the arithmetic that is compared with double precision: cpu (fp16) or oracle:TARGET
        bound        how far a value may be from the exact one, relative to it and to the layer's root mean square
        absolute     how far a value may be from the exact one at least, in place of the share of the root mean square;
                     0: none
        data         samples to compare on, by the names of inputs, along a first axis; None: random numbers
        random_runs  how many samples of random numbers, without data
        quick        run only those layers alone at which errors arise, and try no changes of the model
        """
        options = _given(locals(), "data")
        return plans.differed(self._native.diff(options, _runs(data)), backend)

    def placement(self, target: str = "h17s", *, goal: str = "time", batches: int = 0, gpu_graph: bool = False) -> Placement:
        """Where the model and its layers belong: on the engine, the GPU or the CPU.

        target     the chip
        goal       what is to be least: "time" or "energy"
        batches    the text also has batches of 1, 2, 4 ... up to this; 0: none
        gpu_graph  the GPU runs under a framework that encodes a whole graph, as those for language models do; otherwise
                   layer after layer
        """
        return plans.placement(self._native.place(_given(locals())))

    def timeline(self, target: str = "h17s", *, beside: Sequence["Model"] = (), calls: int = 8, period: float = 0,
                 idle: float = 0, warm: bool = False, batches: Sequence[int] = ()) -> Timeline:
        """Simulates calls of the model, and of those `beside` it, which share the engine.

        target   the chip
        calls    calls of each model
        period   seconds from one call of a model to its next; 0: when the one before it has ended
        idle     seconds of rest before the first call
        warm     the models have run before
        batches  the text also has what one sample takes in batches of these sizes
        """
        options = _given(locals(), "beside")
        for each in beside:
            if not isinstance(each, Model):
                raise TypeError(f"beside has models, not {type(each).__name__}")
        return plans.timeline(_native.simulate([each._native for each in (self, *beside)], options))

    def draw(self, title: Optional[str] = None, *, theme: str = "automatic", collapse: str = "auto",
             weights: bool = False) -> str:
        """A drawing, as the text of an SVG document, under a title or the name of the file.

        theme     the colours: "automatic", "light" or "dark"
        collapse  blocks as one box: none; by so many parts of their names; auto: as many as one can read
        weights   weights and constants as boxes of their own
        """
        options = _given(locals(), "title")
        shown = os.path.basename(self.path) if title is None else title
        return self._native.draw(shown.encode(errors="backslashreplace").decode(), options)

    def convert(self, to: str, folder: Path, *, name: str = "", weights_file: str = "", targets: str = "",
                core_ml_states: bool = False, force: bool = False, system: str = "any") -> str:
        """Writes the model and its weights into a folder, which is made where it is missing, or as C++ to a header with a
        safetensors file of its name beside it. The path of the text, of the package, of the header.

        to              MIL text, a netplist, an ML package or a C++ header: "mil", "netplist", "mlpackage" or "cpp"
        name            the namespace of the C++ model, a::b too; without it the header's name
        weights_file    how the C++ program opens the weights, if it is elsewhere
        targets         targets that the C++ model has to conform to, checked at build time
        core_ml_states  states as Core ML has them, in MIL text
        force           replace the model of an ML package that has other files too, which stay
        system          the oldest system whose Core ML is to load MIL text or a package: "any", "macos12", "macos13",
                        "macos14" or "macos15"
        """
        return os.fsdecode(self._native.convert(os.fsencode(folder), _given(locals(), "folder")))

    def compile(self, backend: str = "cpu") -> Program:
        """A program of its own.

        backend  cpu, oracle:TARGET (a chip's arithmetic, bit by bit) or engine:TARGET
        """
        return Program(_native.Session(self._native, _given(locals())), backend)

    def run(self, inputs: Mapping[str, Any], backend: str = "cpu") -> Dict[str, numpy.ndarray]:
        """Runs the model's own program for a backend, which is compiled once: its states go on from run to run.
        Threads that share the model run it one after the other; programs of their own (compile) run at the same time."""
        with self._turn:
            return self._program(backend).run(inputs)

    def reset(self) -> None:
        """Zeros for all states of the model's own programs."""
        with self._turn:
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


class LanguageModel:
    """A language model of a folder with config.json and its weights, opened to decode:

        model = anemone.LanguageModel("SmolLM-135M")
        for token in model.generate(tokens, max_tokens=64):
            print(token)

    Tokens are numbers, of any tokenizer; where the folder has a `tokenizer.model` of SentencePiece, `tokens_of` and `text_of`
    are its. Threads may share a model, and generations take turns."""

    def __init__(self, path: Path, *, context: int = 2048, chunk: int = 64, rows: int = 0, caches: str = "inputs",
                 layers: int = 0, head_parts: int = 1, draft: str = "", lookup: int = 0, backend: str = "cpu", threads: int = 0,
                 max_memory: int = 8 << 30) -> None:
        """Reads it and prepares its programs, which are compiled when they are first needed.

        context     tokens that a text may have: the prompt and what follows it
        chunk       tokens of a prompt that one run of its program takes
        rows        tokens that one run of a step's program takes, the others of which are padding: 1, 4 or 8; 0: 8 with
                    drafts, else 1
        caches      keys and values of earlier tokens as inputs, which the host keeps, or as states of the program:
                    "inputs" or "states"
        layers      layers of one program; 0: as many as the engine takes
        head_parts  parts of the vocabulary, a product each
        draft       a smaller model of the same vocabulary, which proposes tokens: fewer steps, the same text
        lookup      tokens of a pattern that is looked up in the text, so that what followed it is proposed; 0: nothing
                    is
        backend     cpu, oracle:TARGET (a chip's arithmetic, bit by bit) or engine:TARGET
        threads     of the CPU; 0: as many as it has
        max_memory  bytes that weights, and the keys and values of a text, may take
        """
        self.path = os.fsdecode(path)
        self._native = _native.LanguageModel(os.fsencode(path), _given(locals(), "path"))

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return self._native.vocabulary

    @property
    def notes(self) -> List[str]:
        """What the reader remarks, a sentence each."""
        return list(self._native.notes)

    def generate(self, tokens: Sequence[int], *, max_tokens: int = 128, temperature: float = 0, top_k: int = 0,
                 top_p: float = 1, min_p: float = 0, repetition_penalty: float = 1, seed: int = 0,
                 stop: Sequence[int] = ()) -> Generation:
        """Continues a prompt: an iterator of tokens. One that begins like an earlier text goes on from what that one left.

        max_tokens          tokens that follow the prompt, at most
        temperature         what logits are divided by before a draw; 0: the most likely token
        top_k               draw of the k most likely tokens only; 0: of all
        top_p               draw of the fewest tokens that together have this probability
        min_p               draw of tokens that have this part of the probability of the most likely one
        repetition_penalty  what logits of tokens that were there are divided by, negative ones multiplied
        seed                of the draws
        stop                tokens that end the text, which they are no part of
        """
        prompt = [int(each) for each in numpy.asarray(tokens).ravel()]
        return Generation(self._native.generate(prompt, _given(locals(), "tokens", "prompt")))

    def tokens_of(self, text: str) -> List[int]:
        """The tokens of a text, with the one that begins it."""
        return self._native.tokens_of(text)

    def text_of(self, tokens: Sequence[int]) -> str:
        return self._native.text_of([int(each) for each in tokens])

    def __repr__(self) -> str:
        return f"<anemone.LanguageModel {self.path}>"


class Trainer:
    """Trains the weights of a model on arrays:

        trainer = anemone.Trainer(anemone.Model("net.onnx"))
        print(trainer.train({"x": images, "wanted": labels}, epochs=5))
        trainer.model.convert("mil", "trained")
    """

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a trainer trains a Model, not {type(model).__name__}")
        self.model = model  #: with the weights of the last training

    def train(self, data: Mapping[str, Any], *, validate: Optional[Mapping[str, Any]] = None, wanted: str = "wanted",
              output: str = "", loss: str = "cross_entropy", axis: int = -1, smoothing: float = 0, optimizer: str = "adam",
              rate: float = 0.001, schedule: str = "constant", warm_up: int = 0, last_rate: float = 0, decay: float = 0,
              clip: float = 0, clip_norm: float = 0, weight_limit: float = 0, loss_scale: float = 0, pairs: bool = False,
              epochs: float = 1, steps: int = 0, batch: int = 0, train: Sequence[str] = (), freeze: Sequence[str] = (),
              seed: int = 1, ordered: bool = False, validate_every: int = 0, patience: int = 0, checkpoint: str = "",
              checkpoint_every: int = 0, keep: int = 3, resume: bool = False, backend: str = "cpu", threads: int = 0,
              step_memory: int = 0) -> Trained:
        """Trains on samples; the trainer's model is then the trained one.

        data              samples to train on: an array for each input and one that is wanted, samples along the first
                          axis
        validate          samples to validate on, of the same form: the weights with the smallest loss on them are kept
        wanted            the array of the data that the output should become
        output            the output that is trained; may be left out where there is one
        loss              what is to become small: "cross_entropy", "mean_squared", "mean_absolute", "huber" or
                          "binary_cross_entropy"
        axis              that of the classes, for the cross entropy; from the end where it is negative
        smoothing         smoothing of labels
        optimizer         how weights follow their gradients: "sgd", "momentum", "nesterov", "adam", "adamw" or "lion"
        rate              the learning rate
        schedule          how the rate goes on after the warm-up: "constant", "cosine" or "linear"
        warm_up           steps over which the rate grows from nothing
        last_rate         the part of the rate that the last step has
        decay             decay of the weights
        clip              limit of each gradient's elements; 0: none
        clip_norm         limit of the norm of all gradients together; 0: none
        weight_limit      limit of the weights, to which they are clipped and which they promise then, as the engine
                          asks; 0: none
        loss_scale        what the loss is multiplied by, so that gradients stay within fp16; 0: found on the way
        pairs             trained weights as two fp16 numbers, which keeps updates below half a unit of the last place
        epochs            passes over the data
        steps             steps, in place of epochs; 0: by these
        batch             samples in a step, where the file leaves the first extent of its inputs free; 0: as the model
                          is
        train             names of the weights that are trained, with * and ?; else all
        freeze            names of weights that stay as they are, with * and ?
        seed              of the order of the samples
        ordered           take the samples as they stand in the data
        validate_every    steps from a validation to the next; 0: an epoch
        patience          validations without a smaller loss that end the training; 0: none do
        checkpoint        the folder of the checkpoints
        checkpoint_every  steps from a checkpoint to the next; 0: an epoch
        keep              how many checkpoints stay, the last ones
        resume            go on from the last checkpoint
        backend           where the steps run: cpu, oracle:TARGET (a chip's arithmetic, bit by bit) or engine:TARGET
        threads           of the CPU; 0: as many as it has
        step_memory       bytes that the values between a step's layers may take: where they take more, some of the
                          forward pass are computed again; 0: what a run may take, on the CPU
        """
        options = _given(locals(), "data", "validate")
        made = self.model._native.train(options, _runs(data), _runs(validate))
        self.model = Model._made(self.model, made.model())
        return training.trained(made, self.model)


def check(path: Path, targets: str = "macs", *, errors: Sequence[str] = (), waive: Sequence[str] = (), route: str = "any",
          profile: str = "engine", system: str = "any", ranges: Optional[Ranges] = None, **reading: Any) -> Report:
    """What targets make of a file. See Model.check, and Model for how it is read."""
    return _judged(path, reading).check(**_given(locals(), "path", "reading"))


def cost(path: Path, targets: str = "macs", *, shared_ports: bool = False, **reading: Any) -> List[Cost]:
    """What a run of a file costs on each target. See Model.cost, and Model for how it is read."""
    return _judged(path, reading).cost(**_given(locals(), "path", "reading"))


def decoding_cost(path: Path, targets: str = "macs", *, context: int = 0, chunk: int = 64,
                  batch: int = 1) -> List[DecodingCost]:
    """What a token, and a position of the prompt, take on each target whose rates are known: of a folder with config.json,
    which is enough, or a GGUF file.

    context  positions that the caches hold; 0: 2048, or what the model was trained for where that is less
    chunk    positions of the prompt at once
    batch    texts that are decoded together, each with a cache of its own
    """
    reading = {"context": context, "chunk": chunk, "batch": batch}
    return [DecodingCost.of(each) for each in json.loads(_native.decoding_cost(os.fsencode(path), {"targets": targets}, reading))]


def draw(path: Path, title: Optional[str] = None, *, theme: str = "automatic", collapse: str = "auto", weights: bool = False,
         **reading: Any) -> str:
    """A file drawn, as the text of an SVG document. See Model.draw, and Model for how it is read."""
    return _judged(path, reading).draw(**_given(locals(), "path", "reading"))


def precision(path: Path, tokens: Any, *, backend: str = "oracle:h13", context: int = 128, positions: int = 512,
              bound: float = 0.05, quick: bool = False, max_memory: int = 8 << 30) -> Precision:
    """What fp16, or a chip's arithmetic, costs a language model, on tokens [n] or [texts, n]: numbers of any tokenizer.

    backend     the arithmetic that is compared with double precision: cpu (fp16) or oracle:TARGET
    context     tokens of a piece that longer texts are cut into; pieces know nothing of each other
    positions   positions that are computed, at most; 0: all
    bound       how far a value may be from the exact one, relative to it and to the layer's root mean square
    quick       run no layer alone, and try no changes of the model
    max_memory  bytes that weights, and the values of a run, may take
    """
    texts = numpy.asarray(tokens)
    if texts.ndim not in (1, 2) or not (numpy.issubdtype(texts.dtype, numpy.integer) or texts.size == 0):
        raise TypeError(f"tokens are whole numbers, [n] or [texts, n], not {texts.dtype} {list(texts.shape)}")
    rows = [[int(each) for each in row] for row in numpy.atleast_2d(texts)]
    return Precision(*_native.precision(os.fsencode(path), rows, _given(locals(), "path", "tokens", "texts", "rows")))


def run(path: Path, inputs: Mapping[str, Any], backend: str = "cpu", **reading: Any) -> Dict[str, numpy.ndarray]:
    """The outputs of a file by name. See Model.compile, and Model for how it is read."""
    return Model(path, **reading).run(inputs, **_given(locals(), "path", "inputs", "reading"))


def targets(names: str = "all") -> List[str]:
    """The targets that a text means."""
    return _native.targets(names)


def _judged(path: Path, reading: Mapping[str, Any]) -> Model:
    how: Dict[str, Any] = {"approximates": True, **reading}
    return Model(path, **how)


def _runs(data: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """Runs of a model by the names of its inputs, as the compiled part takes them."""
    if not isinstance(data, (Mapping, type(None))):
        raise TypeError(f"data are a dictionary of arrays by name, not {type(data).__name__}")
    return {name: dense(name, value) for name, value in (data or {}).items()}


def _ports(ports: List[Tuple[str, str, Tuple[int, ...]]]) -> List[Port]:
    return [Port(name, numpy.dtype(dtype), shape) for name, dtype, shape in ports]


def _given(arguments: Mapping[str, Any], *others: str) -> Dict[str, Any]:
    """Of the arguments of a call, as locals() has them, the options."""
    return {name: value for name, value in arguments.items() if name not in ("self", *others)}
