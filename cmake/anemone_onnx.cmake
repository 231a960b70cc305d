# The component that reads ONNX files: anemone::onnx, headers alone, and anemone::onnx_compiled beside anemone::compiled.
# Included here and by the installed package; what has no ONNX has no such target.

# As targets where Protocol Buffers has them (its newer versions need libraries of their own), else CMake's own module.
find_package(Protobuf CONFIG QUIET)
if(NOT TARGET protobuf::libprotobuf)
  find_package(Protobuf MODULE QUIET)
endif()
find_path(ANEMONE_ONNX_INCLUDE_DIR onnx/onnx_pb.h)
find_library(ANEMONE_ONNX_PROTO_LIBRARY onnx_proto)
mark_as_advanced(ANEMONE_ONNX_INCLUDE_DIR ANEMONE_ONNX_PROTO_LIBRARY)

if(TARGET protobuf::libprotobuf AND ANEMONE_ONNX_INCLUDE_DIR AND ANEMONE_ONNX_PROTO_LIBRARY AND NOT TARGET anemone::onnx_proto)
  add_library(anemone::onnx_proto INTERFACE IMPORTED)
  target_compile_definitions(anemone::onnx_proto INTERFACE ONNX_ML=1)
  target_include_directories(anemone::onnx_proto SYSTEM INTERFACE "${ANEMONE_ONNX_INCLUDE_DIR}")
  target_link_libraries(anemone::onnx_proto INTERFACE "${ANEMONE_ONNX_PROTO_LIBRARY}" protobuf::libprotobuf)
endif()
