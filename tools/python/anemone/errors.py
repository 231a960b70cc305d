"""What is raised."""

from __future__ import annotations

from typing import List, NamedTuple, Sequence, Tuple


class Fault(NamedTuple):
    """One thing in a file that cannot be read."""

    file: str
    line: int  #: from 1 on; 0 where it is not known
    column: int
    operation: str
    reason: str


class Error(RuntimeError):
    """What was asked cannot be done: the text names the thing, the value and the limit."""

    kind: str  #: "file", "weights", "port", "graph", "lowering", "library", "engine" or "argument"
    subject: str  #: the file, the port, the argument
    faults: List[Fault]  #: of a file that is refused, all of them

    def __init__(self, kind: str, subject: str, text: str,
                 faults: Sequence[Tuple[str, int, int, str, str]] = ()) -> None:
        super().__init__(text)
        self.kind = kind
        self.subject = subject
        self.faults = [Fault(*each) for each in faults]

    def __reduce__(self) -> Tuple[object, ...]:  # between processes
        return (Error, (self.kind, self.subject, str(self), [tuple(each) for each in self.faults]))
