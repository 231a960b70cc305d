"""Arrays of callers as the compiled part takes them."""

from __future__ import annotations

from typing import Any

import numpy

from .errors import Error

#: The element types that go as they are; other numbers go as float64, which holds whatever a port does.
_PLAIN = ("float16", "float32", "float64", "int8", "uint8", "bool")


def dense(name: str, value: Any) -> numpy.ndarray:
    """A dense array of numbers, in C order and of the machine's byte order: the value itself where it is one."""
    if not isinstance(name, str):
        raise TypeError(f"the name of an array is a str, not {name!r}")
    if numpy.ma.is_masked(value):
        raise Error("port", name, f"port: {name}: has masked elements; fill them in")
    array = numpy.asarray(value)
    if array.dtype.kind not in "fiub":
        raise Error("port", name, f"port: {name}: has dtype {array.dtype}; ports take numbers and bools")
    wanted = array.dtype.newbyteorder("=") if array.dtype.name in _PLAIN else numpy.dtype("float64")
    return numpy.require(array, wanted, ["C", "A"])
