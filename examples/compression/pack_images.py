"""Write digit_images.safetensors: the thirty images of examples/digits as bytes, U8 [30, 784], and their labels, U8 [30].

    python3 pack_images.py      without any package: programs that judge the digit network then need no reader of PNG
"""
import csv
import json
import struct
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIGITS = HERE.parent / "digits" / "images"


def read_grey(path):
    """An 8-bit grey PNG, not interlaced, as its pixels."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (width, height, depth, colour, interlaced) == (28, 28, 8, 0, 0), path
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    rows, previous, raw = [], bytes(width), zlib.decompress(packed)
    for y in range(height):
        rule, line = raw[y * (width + 1)], bytearray(raw[y * (width + 1) + 1:(y + 1) * (width + 1)])
        for x in range(width):
            left, up = (line[x - 1] if x else 0), previous[x]
            corner = previous[x - 1] if x else 0
            near = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))
            line[x] = (line[x] + (0, left, up, (left + up) // 2, near[2])[rule]) % 256
        rows.append(bytes(line))
        previous = line
    return b"".join(rows)


def main():
    with open(DIGITS / "labels.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    images = b"".join(read_grey(DIGITS / row["file"]) for row in rows)
    labels = bytes(int(row["label"]) for row in rows)
    header = {"images": {"dtype": "U8", "shape": [len(rows), 784], "data_offsets": [0, len(images)]},
              "labels": {"dtype": "U8", "shape": [len(rows)], "data_offsets": [len(images), len(images) + len(labels)]}}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    (HERE / "digit_images.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + images + labels)


if __name__ == "__main__":
    main()
