"""Files of arrays, made without NumPy: good ones, and such as NumPy would not write."""

import io
import zipfile


def npy(descr, shape, data=b"", order="False"):
    """A .npy file with this header and these bytes, whether they fit each other or not."""
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def npz(arrays):
    """An archive of .npy files by their names."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in arrays.items():
            archive.writestr(name + ".npy", data)
    return memory.getvalue()
