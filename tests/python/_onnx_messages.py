"""Messages of ONNX, byte by byte (https://protobuf.dev/programming-guides/encoding), by the numbers of their fields."""

import struct


def varint(n):
    out = bytearray()
    n &= (1 << 64) - 1
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, dims, kind=1, **how):
    body = b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name)
    if "raw" in how:
        body += field(9, how["raw"])
    for key, text in how.get("external", {}).items():
        body += field(13, field(1, key) + field(2, text))
    return body + (field(14, 1) if "external" in how else b"")


def integers(name, values):
    return tensor(name, [len(values)], 7, raw=struct.pack(f"<{len(values)}q", *values))


def port(name, dims, kind=1):
    shape = b"".join(field(1, field(1, d) if isinstance(d, int) else field(2, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def node(operator, inputs, outputs, name="n", domain="", attributes=b""):
    names = b"".join(field(1, i) for i in inputs) + b"".join(field(2, o) for o in outputs)
    return names + field(3, name) + field(4, operator) + attributes + field(7, domain)


def model(nodes=(), weights=(), inputs=(port("x", [1, 4]),), outputs=(port("y", [1, 4]),), opset=17, extra=b""):
    graph = b"".join(field(1, n) for n in nodes) + field(2, "g") + b"".join(field(5, w) for w in weights)
    graph += b"".join(field(11, i) for i in inputs) + b"".join(field(12, o) for o in outputs) + extra
    return field(1, 8) + field(7, graph) + field(8, field(2, opset))
