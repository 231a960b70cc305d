"""Packages as another writer makes them, by Python's protobuf."""

import json
import struct

import numpy as np

from _core_ml_schema import FP16, FP32, INT8, MESSAGES, STRING


class Foreign:
    """A model as another writer makes it: fp32 ports, casts, values in their places, quantized weights in attributes."""

    def __init__(self):
        self.blob = bytearray(64)
        struct.pack_into("<II", self.blob, 0, 0, 2)
        self.model = MESSAGES["Model"](specificationVersion=7)
        self.function = self.model.mlProgram.functions["main"]
        self.model.mlProgram.version = 1
        self.function.opset = "CoreML6"
        self.block = self.function.block_specializations["CoreML6"]

    @staticmethod
    def set_type(value_type, kind, shape):
        value_type.tensorType.dataType = kind
        value_type.tensorType.rank = len(shape)
        for extent in shape:
            value_type.tensorType.dimensions.add().constant.size = extent

    def set_value(self, value, kind, given):
        if kind == STRING:
            self.set_type(value.type, kind, ())
            value.immediateValue.tensor.strings.values.append(given)
            return
        array = np.array(given)
        self.set_type(value.type, kind, array.shape)
        if kind == FP16:
            value.immediateValue.tensor.bytes.values = array.astype("<f2").tobytes()
        elif kind == FP32:
            value.immediateValue.tensor.floats.values.extend(array.ravel().tolist())
        elif kind == INT8:
            value.immediateValue.tensor.bytes.values = array.astype(np.int8).tobytes()
        else:
            value.immediateValue.tensor.ints.values.extend(array.ravel().tolist())

    def set_blob(self, value, kind, array):
        offset = len(self.blob)
        data = array.astype({FP16: "<f2", FP32: "<f4", INT8: np.int8}[kind]).tobytes()
        code = {FP16: 1, FP32: 2, INT8: 4}[kind]
        self.blob += struct.pack("<IIQQ", 0xDEADBEEF, code, len(data), offset + 64).ljust(64, b"\0") + data
        self.blob += bytes(-len(self.blob) % 64)
        self.set_type(value.type, kind, array.shape)
        value.blobFileValue.fileName = "@model_path/weights/weight.bin"
        value.blobFileValue.offset = offset

    def add(self, kind, result, of, shape, **arguments):
        operation = self.block.operations.add(type=kind)
        made = operation.outputs.add(name=result)
        self.set_type(made.type, of, shape)
        self.set_value(operation.attributes["name"], STRING, result)
        for key, given in arguments.items():
            binding = operation.inputs[key].arguments.add()
            if isinstance(given, str):
                binding.name = given
            else:
                self.set_value(binding.value, *given)
        return operation

    def write(self, package):
        home = package / "Data/com.apple.CoreML"
        (home / "weights").mkdir(parents=True, exist_ok=True)
        (home / "weights/weight.bin").write_bytes(self.blob)
        (home / "model.mlmodel").write_bytes(self.model.SerializeToString())
        items = {"B": {"path": "com.apple.CoreML/weights"}, "A": {"path": "com.apple.CoreML/model.mlmodel"}}
        (package / "Manifest.json").write_text(json.dumps({"fileFormatVersion": "1.0.0", "itemInfoEntries": items,
                                                           "rootModelIdentifier": "A"}))
