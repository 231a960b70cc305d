"""What a training came to."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, List, Optional

import numpy

from . import _native

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class Validation:
    """What held-out samples gave after a step."""

    step: int
    loss: float
    accuracy: Optional[float]  #: the part of right classes; None where the loss has none


@dataclass(frozen=True)
class Trained:
    """A model with trained weights, and how they were found."""

    model: "Model"
    loss: numpy.ndarray        #: of each step's batch, before the update
    rate: numpy.ndarray        #: of each step
    loss_scale: numpy.ndarray  #: of each step
    skipped: numpy.ndarray     #: steps whose gradients were not finite, and which changed no weight
    validations: List[Validation]
    best_step: int             #: whose weights the model has
    was_stopped: bool          #: by validations that did not get better
    resumed_from: int          #: the step of the checkpoint; 0: none
    frozen: List[str]          #: weights that stayed, and why
    _native: Any = field(repr=False)

    def csv(self) -> str:
        """The metrics, a line for each step."""
        return self._native.csv

    def draw(self) -> str:
        """The curves, as the text of an SVG document."""
        return self._native.draw()

    def __str__(self) -> str:
        return self._native.text


def trained(made: _native.Trained, model: "Model") -> Trained:
    told = json.loads(made.json)
    steps = told["steps"]

    def column(name: str, dtype: Any) -> numpy.ndarray:
        return numpy.array([numpy.nan if each[name] is None else each[name] for each in steps], dtype)

    return Trained(model, column("loss", float), column("rate", float), column("loss_scale", float), column("skipped", bool),
                   [Validation(**each) for each in told["validations"]], told["best_step"], told["was_stopped"],
                   told["resumed_from"], told["frozen"], made)
