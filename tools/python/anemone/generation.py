"""A text that a language model continues."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Iterator, List

from . import _native


@dataclass(frozen=True)
class Figures:
    """How a generation went so far."""

    prompt_tokens: int
    reused_tokens: int        #: of the prompt, those that an earlier text had begun with
    steps: int                #: passes through the model after the prompt
    proposed: int             #: tokens, by a draft or a lookup
    accepted: int             #: of these
    first_seconds: float      #: to the first token
    seconds: float            #: in all
    tokens_per_second: float  #: after the first


class Generation:
    """The tokens that follow a prompt, an iterator: `for token in model.generate(tokens)`. Control-C ends a step that is
    computed, and what was given stays; the iteration may go on after it. One thread at a time."""

    def __init__(self, native: "_native.Generating") -> None:
        self._native = native
        self.tokens: List[int] = []  #: those that were given

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        token = self._native.next()
        if token is None:
            raise StopIteration
        self.tokens.append(token)
        return token

    @property
    def ended_by(self) -> str:
        """"max_tokens", "stop", "context", or "not_yet"."""
        return json.loads(self._native.json)["ended_by"]

    @property
    def figures(self) -> Figures:
        told = json.loads(self._native.json)
        return Figures(**{name: told[name] for name in Figures.__dataclass_fields__})
