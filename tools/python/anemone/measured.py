"""What a language model takes on a chip, and what its arithmetic costs it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional


@dataclass(frozen=True)
class Interval:
    """A figure with the interval that holds it in nine of ten cases."""

    typical: float
    at_least: float
    at_most: float


@dataclass(frozen=True)
class DecodingCost:
    """What a token, and a position of the prompt, take on one chip, by the cost model: never run on Apple silicon."""

    target: str
    context: int                      #: positions before the token
    capacity: int                     #: of the caches, which a token pays whatever they hold
    queries: int                      #: of a program that gives a token
    chunk: int                        #: positions of the prompt at once
    batch: int                        #: texts that are decoded together
    programs: int                     #: that a token runs
    token_seconds: Interval           #: of one token: a run, which takes `batch` times as long, gives one to each text
    position_seconds: Interval
    token_joules: Interval            #: of the package, above idle
    position_joules: Interval
    token_shares: Dict[str, float]    #: of the seconds: weights, caches, arithmetic, values, dispatches
    weight_bytes: int
    cache_bytes: int
    embedding_bytes: int              #: the table that the host takes rows of
    disk_bytes: int
    known_by: str                     #: "measured": the rates were fitted to this chip; "predicted": scaled from another

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "DecodingCost":
        return cls(**{name: Interval(**value) if name.endswith(("seconds", "joules")) else value for name, value in told.items()})

    @property
    def tokens_per_second(self) -> float:
        """Of all texts together."""
        return 1 / self.token_seconds.typical


@dataclass(frozen=True)
class LogitError:
    """How far logits are from those in double precision, over all positions."""

    positions: int
    flips: int           #: positions at which another token is the most likely one
    not_finite: int      #: of these, those with a logit that is no finite number
    equal: float         #: the share of positions with the same token
    mean_kl: float       #: in nats, over the positions that are finite
    worst_kl: float
    least_cosine: float  #: of the logits of a position with the exact ones


@dataclass(frozen=True)
class Proposal:
    """A change of the model, which was made and run."""

    change: str              #: "scaled sums", "paired residual stream", "scaled sums and paired stream", "on the host"
    on_host: List[str]       #: parts
    after: LogitError
    added_operations: int
    scaled: int              #: values that are held times a power of two
    host_operations: int
    crossings: int           #: values of a run that go to the host or come back


class Precision:
    """What a chip's arithmetic costs a language model, which of its parts and layers change tokens, and what helps."""

    def __init__(self, text: str, told: str) -> None:
        self.text = text                           #: as the command prints it
        self.json: Dict[str, Any] = json.loads(told)  #: as `anemone precision --json`
        self.whole = LogitError(**self.json["whole"])
        #: with one part alone in that arithmetic, by its name; and with one layer alone
        self.parts = {each["part"]: LogitError(**each["alone"]) for each in self.json["parts"]}
        self.layers = [LogitError(**each["alone"]) for each in self.json["layers"]]
        self.proposals = [Proposal(**{**each, "after": LogitError(**each["after"])}) for each in self.json["proposals"]]

    @property
    def recommended(self) -> Optional[Proposal]:
        """The cheapest change that restores every token, or that with the fewest flips; None: none is needed, or was tried."""
        return None if self.json["recommended"] is None else self.proposals[self.json["recommended"]]

    def __str__(self) -> str:
        return self.text
