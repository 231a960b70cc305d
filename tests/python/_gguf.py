"""GGUF files, written with struct from the published layout, and NumPy's decoders of the blocks of ggml's types."""

import struct

import numpy as np

KINDS = {"u8": (0, "B"), "i8": (1, "b"), "u16": (2, "H"), "i16": (3, "h"), "u32": (4, "I"), "i32": (5, "i"), "f32": (6, "f"),
         "bool": (7, "?"), "u64": (10, "Q"), "i64": (11, "q"), "f64": (12, "d")}
TYPES = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q8_0": (8, 32, 34), "Q4_K": (12, 256, 144), "Q6_K": (14, 256, 210),
         "BF16": (30, 1, 2)}  # number, elements and bytes of a block


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key, kind, value):
    """A key with its value: a text, a number of KINDS, or of "[kind]" a list."""
    if kind == "text":
        return text(key) + struct.pack("<I", 8) + text(value)
    if kind == "[text]":
        return text(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    if kind.startswith("["):
        number, letter = KINDS[kind[1:-1]]
        return text(key) + struct.pack("<IIQ", 9, number, len(value)) + struct.pack(f"<{len(value)}{letter}", *value)
    number, letter = KINDS[kind]
    return text(key) + struct.pack(f"<I{letter}", number, value)


def written(entries, tensors, version=3, alignment=32):
    """The bytes of a file: entries are (key, kind, value); tensors are (name, shape row-major, type, data)."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries)) + b"".join(entry(*each) for each in entries)
    data = bytearray()
    for name, shape, kind, block_bytes in tensors:
        data.extend(bytes(-len(data) % alignment))
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        head += struct.pack("<IQ", TYPES[kind][0], len(data))
        data.extend(block_bytes)
    return head + bytes(-len(head) % alignment) + bytes(data)


def random_blocks(draw, kind, count, scales=(-24, 0)):
    """The bytes of `count` elements: any codes, and scales of powers of two between these times up to 2."""
    if kind in ("F32", "F16"):
        return draw.normal(size=count).astype({"F32": np.float32, "F16": np.float16}[kind]).tobytes()
    if kind == "BF16":
        return (draw.normal(size=count).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    _, elements, size = TYPES[kind]
    blocks = draw.integers(0, 256, size=(count // elements, size), dtype=np.uint8)
    for at in {"Q4_0": (0,), "Q8_0": (0,), "Q4_K": (0, 2), "Q6_K": (208,)}[kind]:
        scale = draw.uniform(-2, 2, size=len(blocks)) * 2.0**draw.integers(*scales, size=len(blocks))
        blocks[:, at:at + 2] = scale.astype(np.float16).view(np.uint8).reshape(-1, 2)
    return blocks.tobytes()


def quantized_q8_0(values):
    """Blocks of Q8_0 that are near to values."""
    rows = np.asarray(values, np.float64).reshape(-1, 32)
    scale = (np.abs(rows).max(axis=1) / 127).astype(np.float16)
    codes = np.rint(rows / np.where(scale == 0, 1, scale).astype(np.float64)[:, None]).clip(-127, 127).astype(np.int8)
    return np.concatenate([scale.view(np.uint8).reshape(-1, 2), codes.view(np.uint8)], axis=1).tobytes()


def decoded(kind, data, shape):
    """The elements in double precision; what ggml computes in float, the difference of Q4_K, rounded to it."""
    raw = np.frombuffer(data, np.uint8)
    if kind == "F32":
        return raw.view(np.float32).astype(np.float64).reshape(shape)
    if kind == "F16":
        return raw.view(np.float16).astype(np.float64).reshape(shape)
    if kind == "BF16":
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64).reshape(shape)
    blocks = raw.reshape(-1, TYPES[kind][2])

    def scale(at):
        return blocks[:, at:at + 2].copy().view(np.float16).astype(np.float64)

    if kind == "Q8_0":
        values = scale(0) * blocks[:, 2:].view(np.int8)
    elif kind == "Q4_0":
        values = scale(0) * (np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1).astype(np.int64) - 8)
    elif kind == "Q4_K":
        packed = blocks[:, 4:16].astype(np.int64)
        first, second, third = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
        factor = np.concatenate([first & 63, (third & 15) | (first >> 6) << 4], axis=1)
        offset = np.concatenate([second & 63, (third >> 4) | (second >> 6) << 4], axis=1)
        codes = blocks[:, 16:].reshape(-1, 4, 1, 32)
        codes = np.concatenate([codes & 15, codes >> 4], axis=2).reshape(-1, 8, 32)
        values = scale(0)[:, :, None] * factor[:, :, None] * codes - scale(2)[:, :, None] * offset[:, :, None]
        values = values.astype(np.float32).astype(np.float64)
    else:
        low = blocks[:, :128].reshape(-1, 2, 1, 2, 32)
        low = np.concatenate([low & 15, low >> 4], axis=2).reshape(-1, 2, 4, 32)
        high = blocks[:, 128:192].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1) & 3
        codes = (low.astype(np.int64) | high.astype(np.int64) << 4) - 32
        values = scale(208)[:, :, None] * blocks[:, 192:208].view(np.int8)[:, :, None] * codes.reshape(-1, 16, 16)
    return values.reshape(shape)
