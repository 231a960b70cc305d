# anemone_add_model(<target> <file> [NAME <name>] [FUNCTION <function>] [SHAPES <input>=<extents>...] [TARGETS <target>...]
#                   [DEPENDS <file>...])
#
# Gives a target a model from a file (ONNX, MIL text, a netplist, a folder of one) as a C++ header, made again whenever the
# file changes, with the weights beside it:
#
#     anemone_add_model(app net.onnx SHAPES x=1,3,224,224 TARGETS h13 h17s)
#     #include "net.hpp"       ... ane::compile<net::model>(backend, ane::load_safetensors(std::string(net::weights_file)))
#
# NAME is the header's and the namespace's, the stem of the file unless given. FUNCTION is one of several in MIL text, SHAPES
# bind what an ONNX file leaves free, TARGETS (h13, h14.., macs) become a static_assert. DEPENDS are other files that the
# model reads, such as its weights. A relative path is one of the current source folder.
#
# The program is `anemone`: the one that this build makes, else the installed one. Set ANEMONE_PROGRAM to one that runs on
# the machine that builds when that is not the one that is built for.

set(anemone_add_model_hint "${CMAKE_CURRENT_LIST_DIR}" CACHE INTERNAL "")

# In Anemone's own build the program is described after the examples: whether it will be there.
set(anemone_builds_program OFF CACHE INTERNAL "")
if(ANEMONE_BUILD_TOOLS)
  find_package(CLI11 QUIET)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(libzip QUIET IMPORTED_TARGET libzip)
  endif()
  if(TARGET CLI11::CLI11 AND TARGET PkgConfig::libzip)
    set(anemone_builds_program ON CACHE INTERNAL "")
  endif()
endif()

# The program, or an error that says how to get one.
function(anemone_find_program result)
  if(ANEMONE_PROGRAM)
    set(program "${ANEMONE_PROGRAM}")
  elseif(TARGET anemone_command OR anemone_builds_program)
    set(program anemone_command)
  else()
    # <prefix>/share/cmake/anemone is where the package is, <prefix>/bin where the program is.
    find_program(ANEMONE_PROGRAM anemone HINTS "${anemone_add_model_hint}/../../../bin" ENV ANEMONE_PREFIX)
    set(program "${ANEMONE_PROGRAM}")
  endif()
  if(NOT program)
    message(FATAL_ERROR "anemone_add_model needs the program `anemone`, which was not built: set ANEMONE_BUILD_TOOLS to ON "
                        "before the folder of Anemone is added, and install CLI11 and libzip (Debian: libcli11-dev "
                        "libzip-dev pkg-config, and for ONNX files libonnx-dev libprotobuf-dev protobuf-compiler; "
                        "Homebrew: cli11 libzip pkg-config onnx). Or set ANEMONE_PROGRAM to a program.")
  endif()
  set(${result} "${program}" PARENT_SCOPE)
endfunction()

function(anemone_add_model target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NAME;FUNCTION" "SHAPES;TARGETS;DEPENDS")
  if(NOT TARGET ${target} OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "anemone_add_model(<target> <file> [NAME <name>] [FUNCTION <function>] "
                        "[SHAPES <input>=<extents>...] [TARGETS <target>...] [DEPENDS <file>...])")
  endif()
  cmake_path(ABSOLUTE_PATH file NORMALIZE)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "anemone_add_model: there is no file ${file}")
  endif()
  if(NOT arg_NAME)
    cmake_path(GET file STEM LAST_ONLY stem)
    string(MAKE_C_IDENTIFIER "${stem}" arg_NAME)
  endif()
  set(read "${file}")
  if(IS_DIRECTORY "${file}")
    file(GLOB_RECURSE read CONFIGURE_DEPENDS "${file}/*")
  endif()
  anemone_find_program(program)

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_models")
  set(header "${folder}/${arg_NAME}.hpp")
  set(weights "${folder}/${arg_NAME}.safetensors")
  set(options "")
  if(arg_FUNCTION)
    list(APPEND options --function "${arg_FUNCTION}")
  endif()
  foreach(shape IN LISTS arg_SHAPES)
    list(APPEND options --shape "${shape}")
  endforeach()
  if(arg_TARGETS)
    list(JOIN arg_TARGETS "," targets)
    list(APPEND options --targets "${targets}")
  endif()
  add_custom_command(
    OUTPUT "${header}" "${weights}"
    COMMAND ${program} convert "${file}" --to cpp --output "${header}" --name "${arg_NAME}" --weights-file "${weights}"
            ${options}
    DEPENDS ${program} ${read} ${arg_DEPENDS}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "${arg_NAME}, a model from ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
