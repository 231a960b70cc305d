"""What a check found."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional


@dataclass(frozen=True)
class Finding:
    """A rule that an operation breaks on a target."""

    rule: str  #: its name, "kernel_width_exceeds"
    fact: str  #: what it rests on, "R030"; may be several
    level: str  #: "error", "warning" or "note"
    operation: str
    node: int  #: its number in the model
    label: str  #: its name, where it has one
    file: str
    line: int
    got: int
    limit: int
    mark: str  #: how it is known: "measured", "decompiled", "predicted", ...
    message: str
    suggestions: List[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.level}: {self.message}"


@dataclass(frozen=True)
class Verdict:
    """What one target makes of a model."""

    target: str  #: "h13"
    product: str  #: "M1 base"
    accepted: bool
    errors: int
    warnings: int
    notes: int
    seconds: Optional[float]  #: of a run, estimated; None where it is not known or the target refuses
    seconds_mark: Optional[str]  #: how it is known
    findings: List[Finding] = field(repr=False)

    def __str__(self) -> str:
        time = "" if self.seconds is None else f", about {self.seconds * 1e3:.3g} ms"
        return f"{self.target} ({self.product}): {'accepted' if self.accepted else 'refused'}{time}"


@dataclass(frozen=True)
class Report:
    """The verdicts of targets on a model. `str` of it is what `anemone check --quiet` prints."""

    model: str
    accepted: bool  #: by all targets
    verdicts: List[Verdict]
    remarks: List[str]  #: that hold on every target
    json: str = field(repr=False)  #: what `anemone check --format json` prints
    text: str = field(repr=False)

    @property
    def findings(self) -> List[Finding]:
        """Of all targets: errors first, then in the order of the targets."""
        every = [each for verdict in self.verdicts for each in verdict.findings]
        return sorted(every, key=lambda each: each.level != "error")

    def __getitem__(self, target: str) -> Verdict:
        """The verdict of a target by its name."""
        for each in self.verdicts:
            if each.target == target:
                return each
        raise KeyError(target)

    def __str__(self) -> str:
        return self.text.rstrip()

    @classmethod
    def of(cls, text_json: str, text: str) -> "Report":
        """From what the compiled part says."""
        data = json.loads(text_json)
        return cls(data["model"], data["accepted"], [_verdict(each) for each in data["verdicts"]], data["remarks"],
                   text_json, text)


def _known(of: Any, data: Mapping[str, Any]) -> dict:
    """The members of a JSON object that a class has."""
    return {name: data[name] for name in of.__dataclass_fields__ if name in data}


def _verdict(data: Mapping[str, Any]) -> Verdict:
    members = _known(Verdict, {"seconds_mark": None, **data})
    return Verdict(**members, findings=[Finding(**_known(Finding, each)) for each in data["violations"]])
