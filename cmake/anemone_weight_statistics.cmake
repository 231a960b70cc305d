# anemone_weight_statistics(<target> FILE <file.safetensors> [HEADER <name>] [NAMESPACE <name>])
#
# Gives a target a header with the statistics of the tensors of a file, made again whenever the file changes:
#
#     anemone_weight_statistics(app FILE model.safetensors)
#     #include "model_statistics.hpp"             ... bounded_by(stats::stem_weight)
#
# HEADER is <stem of the file>_statistics.hpp and NAMESPACE is stats unless given. A relative FILE is one of the current
# source folder. The tool is built from source once; set ANEMONE_WEIGHT_STATISTICS_TOOL to a program that runs on the
# machine that builds when that is not the one that is built for.

cmake_path(SET anemone_tool_folder NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/weight_statistics")
if(NOT EXISTS "${anemone_tool_folder}")
  cmake_path(SET anemone_tool_folder NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../examples/weight_statistics")
endif()
set(ANEMONE_WEIGHT_STATISTICS_SOURCE "${anemone_tool_folder}/main.cpp" CACHE INTERNAL "")

function(anemone_weight_statistics target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE;HEADER;NAMESPACE" "")
  if(NOT TARGET ${target} OR NOT arg_FILE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "anemone_weight_statistics(<target> FILE <file> [HEADER <name>] [NAMESPACE <name>])")
  endif()
  cmake_path(ABSOLUTE_PATH arg_FILE NORMALIZE)
  if(NOT arg_HEADER)
    cmake_path(GET arg_FILE STEM stem)
    set(arg_HEADER "${stem}_statistics.hpp")
  endif()
  if(NOT arg_NAMESPACE)
    set(arg_NAMESPACE stats)
  endif()
  if(ANEMONE_WEIGHT_STATISTICS_TOOL)
    set(tool "${ANEMONE_WEIGHT_STATISTICS_TOOL}")
  else()
    set(tool anemone_weight_statistics)
    if(NOT TARGET ${tool})
      add_executable(${tool} EXCLUDE_FROM_ALL "${ANEMONE_WEIGHT_STATISTICS_SOURCE}")
      if(PROJECT_NAME STREQUAL "anemone") # its own tests and examples have built the bodies
        target_link_libraries(${tool} PRIVATE anemone::compiled)
      else()
        target_link_libraries(${tool} PRIVATE anemone::anemone)
      endif()
    endif()
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_statistics")
  add_custom_command(
    OUTPUT "${folder}/${arg_HEADER}"
    COMMAND ${tool} "${arg_FILE}" --output "${folder}/${arg_HEADER}" --namespace "${arg_NAMESPACE}"
    DEPENDS ${tool} "${arg_FILE}"
    COMMENT "Statistics of ${arg_FILE}"
    VERBATIM)
  target_sources(${target} PRIVATE "${folder}/${arg_HEADER}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
