"""Reads MIL text with its weight file, from their published forms alone."""

import math
import re
import struct

import numpy as np

WORD = r"([A-Za-z_]\w*)"
NUMBER = r"(-?(?:0x[0-9a-fA-F.]+p[+-]?\d+|[\d.]+(?:e[+-]?\d+)?))"
STRING = r'"((?:[^"\\]|\\.)*)"'
SYMBOL = r"(->|[][(){}<>,;=])"
TOKEN = re.compile(rf"\s*(?:{WORD}|{NUMBER}|{STRING}|{SYMBOL})")
WORDS = {"program", "func", "tensor", "const", "true", "false", "dict", "string", "bool", "buildInfo", "BLOBFILE"}
BITS = {"uint1": 1, "uint2": 2, "uint3": 3, "uint4": 4, "int4": 4, "uint6": 6, "uint8": 8, "int8": 8, "fp16": 16}
WORDS |= {"fp32", "int32", "uint32", "uint64"} | set(BITS)
BLOB_TYPES = {"fp16": 1, "uint8": 3, "int8": 4, "int4": 8, "uint1": 9, "uint2": 10, "uint4": 11}
BLOB_TYPES |= {"uint3": 12, "uint6": 13}


class Name(str):
    """A word or name of the text, as opposed to a string or number in it."""


class Tokens:
    """The tokens of a text, each a kind ("word" for symbols too, "number", "string") and its text."""

    def __init__(self, text):
        self.list, at = [], 0
        text = text.rstrip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise ValueError(f"no token at {text[at:at + 30]!r}")
            word, number, string, symbol = found.groups()
            if string is not None:
                self.list.append(("string", string))
            else:
                self.list.append(("number", number) if number else ("word", word or symbol))
            at = found.end()
        self.at = 0

    def peek(self, ahead=0):
        return self.list[self.at + ahead] if self.at + ahead < len(self.list) else ("end", "")

    def take(self, kind):
        found, text = self.peek()
        if found != kind:
            raise ValueError(f"expected a {kind}, found {text!r}")
        self.at += 1
        return text

    def accept(self, text):
        if self.peek() == ("word", text):
            self.at += 1
            return True
        return False

    def expect(self, *texts):
        for text in texts:
            if not self.accept(text):
                raise ValueError(f"expected {text!r}, found {self.peek()[1]!r}")

    def name(self):
        """A name that is no word of the grammar."""
        word = self.take("word")
        if word in WORDS or not re.fullmatch(r"[A-Za-z_]\w*", word):
            raise ValueError(f"{word!r} is no name")
        return Name(word)


def number(text):
    return float.fromhex(text) if "0x" in text else float(text) if "." in text or "e" in text else int(text)


class Blob:
    """The weight file: a header of 64 bytes, then records."""

    def __init__(self, data):
        self.data = data
        self.count, version = struct.unpack_from("<II", data)
        assert version == 2 and data[8:64] == bytes(56)
        self.read = set()

    def tensor(self, kind, shape, offset):
        assert offset % 64 == 0 and offset >= 64
        sentinel, code, size, start, unused = struct.unpack_from("<IIQQQ", self.data, offset)
        assert sentinel == 0xDEADBEEF and code == BLOB_TYPES[kind] and start == offset + 64 and unused < 8
        count = math.prod(shape)
        assert size * 8 - unused == count * BITS[kind] and start + size <= len(self.data)
        self.read.add(offset)
        raw = np.frombuffer(self.data, np.uint8, size, start)
        if kind == "fp16":
            return raw.view("<f2").astype(np.float64).reshape(shape)
        bits = np.unpackbits(raw, bitorder="little")[: count * BITS[kind]].reshape(count, BITS[kind])
        value = (bits << np.arange(BITS[kind])).sum(1).astype(np.float64)
        if kind.startswith("int"):
            value = np.where(value >= 2 ** (BITS[kind] - 1), value - 2 ** BITS[kind], value)
        return value.reshape(shape)


class Statement:
    """`results` are triples of type, shape and name; the first one also has members of its own."""

    __slots__ = ("type", "shape", "result", "results", "operation", "arguments", "attributes")


class Text:
    """A text, parsed: parameters [(type, shape, name)], statements, and the names that it returns."""

    def __init__(self, text, blob):
        t = self.t = Tokens(text)
        self.blob = blob
        t.expect("program", "(")
        assert t.take("number") == "1.3"
        t.expect(")", "[", "buildInfo", "=", "dict", "<", "string", ",", "string", ">", "(", "{")
        keys = []
        while not t.accept("}"):
            t.expect("{")
            keys.append(t.take("string"))
            t.expect(",")
            t.take("string")
            t.expect("}")
            t.accept(",")
        assert keys == ["coremlc-component-MIL", "coremlc-version"]
        t.expect(")", "]", "{", "func", "main", "<", "ios18", ">", "(")
        self.parameters = self.sequence(")", lambda: (*self.type(), t.name()))
        t.expect("{")
        self.statements = []
        while not t.accept("}"):
            self.statements.append(self.statement())
        t.expect("->", "(")
        self.outputs = self.sequence(")", t.name)
        t.expect(";", "}")
        assert t.peek()[0] == "end"

    def sequence(self, close, item):
        found = []
        while not self.t.accept(close):
            found.append(item())
            if not self.t.accept(","):
                self.t.expect(close)
                break
        return found

    def type(self):
        t = self.t
        if not t.accept("tensor"):
            return t.take("word"), ()
        t.expect("<")
        kind = t.take("word")
        t.expect(",", "[")
        shape = tuple(self.sequence("]", lambda: number(t.take("number"))))
        t.expect(">")
        return kind, shape

    def literal(self):
        """A typed value: an array, a bool or a string."""
        t = self.t
        kind, shape = self.type()
        t.expect("(")
        if t.accept("BLOBFILE"):
            t.expect("(", "path", "=", "string", "(")
            assert t.take("string") == "@model_path/weights.bin"
            t.expect(")", ",", "offset", "=", "uint64", "(")
            offset = number(t.take("number"))
            t.expect(")", ")")
            value = self.blob.tensor(kind, shape, offset)
        elif kind == "string":
            value = t.take("string")
        elif kind == "bool" and not shape:
            value = {"true": True, "false": False}[t.take("word")]
        elif t.peek() == ("word", "["):
            value = np.array(self.members(), bool if kind == "bool" else np.float64).reshape(shape)
        else:
            value = np.float64(number(t.take("number")))
            if kind == "fp16":
                assert np.float16(value) == value, "a literal that is not fp16"
        t.expect(")")
        return value

    def members(self):
        """A list of numbers or of flags, or of such lists."""
        t = self.t
        if t.accept("["):
            return self.sequence("]", self.members)
        if t.peek()[0] == "number":
            return number(t.take("number"))
        return {"true": True, "false": False}[t.take("word")]

    def argument(self):
        """A pair of a key and a name, a list of names, or a value."""
        t = self.t
        key = t.take("word")
        t.expect("=")
        if t.accept("("):
            return key, self.sequence(")", t.name)
        if t.peek(1)[1] in ("(", "<") and t.peek(1)[0] == "word":
            return key, self.literal()
        return key, t.name()

    def statement(self):
        t = self.t
        s = Statement()
        s.results = []
        while not s.results or t.accept(","):
            s.results.append((*self.type(), t.name()))
        s.type, s.shape, s.result = s.results[0]
        t.expect("=")
        s.operation = t.take("word")
        t.expect("(")
        s.arguments = dict(self.sequence(")", self.argument))
        t.expect("[")
        s.attributes = dict(self.sequence("]", self.argument))
        assert len(s.results) > 1 or s.attributes["name"] == s.result
        t.expect(";")
        return s
