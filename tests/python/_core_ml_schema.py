"""The messages of a Core ML model of the kind ML Program, from the numbers of the public schema, for Python's protobuf."""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# `x[]` is repeated, `x{}` a map from strings, `x@Type` one of the oneof `Type`.
SCHEMA = """
Model specificationVersion 1 int32 | description 2 ModelDescription | mlProgram 502 Program | neuralNetwork 500 Empty
ModelDescription input[] 1 Feature | output[] 10 Feature | state[] 13 Feature | functions[] 20 FunctionDescription | \
 defaultFunctionName 21 string
FunctionDescription name 1 string | input[] 2 Feature | output[] 3 Feature | state[] 6 Feature
Feature name 1 string | shortDescription 2 string | type 3 FeatureType
FeatureType imageType@Type 4 Empty | multiArrayType@Type 5 Array | stateType@Type 8 StateFeature
StateFeature arrayType 1 Array
Array shape[] 1 int64 | dataType 2 int32
Empty
Program version 1 int64 | functions{} 2 Function | docString 3 string | attributes{} 4 Value
Function inputs[] 1 NamedValueType | opset 2 string | block_specializations{} 3 Block | attributes{} 4 Value
Block inputs[] 1 NamedValueType | outputs[] 2 string | operations[] 3 Operation | attributes{} 4 Value
Operation type 1 string | inputs{} 2 Argument | outputs[] 3 NamedValueType | blocks[] 4 Block | attributes{} 5 Value
Argument arguments[] 1 Binding
Binding name@binding 1 string | value@binding 2 Value
NamedValueType name 1 string | type 2 ValueType
ValueType tensorType@type 1 TensorType | stateType@type 5 StateType
StateType wrappedType 1 ValueType
TensorType dataType 1 int32 | rank 2 int64 | dimensions[] 3 Dimension
Dimension constant@dimension 1 Constant | unknown@dimension 2 Unknown
Constant size 1 uint64
Unknown variadic 1 bool
Value docString 1 string | type 2 ValueType | immediateValue@value 3 Immediate | blobFileValue@value 5 Blob
Blob fileName 1 string | offset 2 uint64
Immediate tensor 1 TensorValue
TensorValue floats@value 1 Floats | ints@value 2 Ints | bools@value 3 Bools | strings@value 4 Strings | \
 longInts@value 5 LongInts | doubles@value 6 Doubles | bytes@value 7 Bytes
Floats values[] 1 float
Ints values[] 1 int32
Bools values[] 1 bool
Strings values[] 1 string
LongInts values[] 1 int64
Doubles values[] 1 double
Bytes values 1 bytes
"""


def messages():
    """A class for each message of the schema."""
    kinds = {name: getattr(descriptor_pb2.FieldDescriptorProto, f"TYPE_{name.upper()}")
             for name in ("int32", "int64", "uint64", "bool", "string", "float", "double", "bytes")}
    file = descriptor_pb2.FileDescriptorProto(name="schema.proto", package="schema", syntax="proto3")
    for line in SCHEMA.strip().replace("\\\n", "").splitlines():
        name, _, rest = line.partition(" ")
        message = file.message_type.add(name=name)
        for given in filter(None, rest.split("|")):
            field, number, kind = given.split()
            field, _, oneof = field.partition("@")
            added = message.field.add(name=field.rstrip("[]{}"), number=int(number))
            if oneof:
                if not message.oneof_decl:
                    message.oneof_decl.add(name=oneof)
                added.oneof_index = 0
            is_list = field.endswith(("[]", "{}"))
            added.label = added.LABEL_REPEATED if is_list else added.LABEL_OPTIONAL
            if field.endswith("{}"):
                entry = "".join(part[:1].upper() + part[1:] for part in added.name.split("_")) + "Entry"
                nested = message.nested_type.add(name=entry)
                nested.options.map_entry = True
                nested.field.add(name="key", number=1, type=kinds["string"], label=added.LABEL_OPTIONAL)
                nested.field.add(name="value", number=2, type=added.TYPE_MESSAGE, label=added.LABEL_OPTIONAL,
                                 type_name=f".schema.{kind}")
                added.type, added.type_name = added.TYPE_MESSAGE, f".schema.{name}.{entry}"
            elif kind in kinds:
                added.type = kinds[kind]
            else:
                added.type, added.type_name = added.TYPE_MESSAGE, f".schema.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    make = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return {name: make(pool.FindMessageTypeByName(f"schema.{name}")) for name in (m.name for m in file.message_type)}


MESSAGES = messages()
BOOL, STRING, FP16, FP32, INT8, INT32 = 1, 2, 10, 11, 21, 23
