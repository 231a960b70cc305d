"""What the Apple Neural Engine makes of a model, without the engine: check, cost and run models of files.

    import anemone

    print(anemone.check("net.onnx", targets="h14.."))      # which chips take it, and why not
    y = anemone.run("net.onnx", {"x": x}, backend="oracle:h16")["y"]   # a chip's arithmetic, bit by bit

Files are MIL text (and folders of .mlmodelc), ML packages, netplists and, where it was built with it, ONNX. Nothing here
was ever run on Apple silicon.
"""

from ._native import version as __version__
from .errors import Error, Fault
from .generation import Figures, Generation
from .measured import DecodingCost, Interval, LogitError, Precision, Proposal
from .model import Cost, LanguageModel, Model, Port, Program, Trainer, check, cost, decoding_cost, draw, precision, run, targets
from .plans import (Call, Compressed, Deviation, Differed, Difference, HeldOut, LayerError, Optimized, Placement, Plan, Point,
                    Remedy, Segment, Step, StoredWeight, Timeline, Whole)
from .report import Finding, Report, Verdict
from .training import Trained, Validation

__all__ = ["Call", "Compressed", "Cost", "DecodingCost", "Deviation", "Differed", "Difference", "Error", "Fault", "Figures", "Finding", "Generation", "HeldOut", "Interval", "LanguageModel", "LayerError", "LogitError",
           "Model", "Optimized", "Placement", "Plan", "Point", "Port", "Precision", "Program", "Proposal", "Remedy", "Report", "Segment", "Step", "StoredWeight", "Timeline", "Trained", "Trainer", "Validation", "Verdict", "Whole", "__version__",
           "check", "cost", "decoding_cost", "draw", "precision", "run", "targets"]
