# What only the developers of Anemone build: the stand-in, tests, examples, benchmarks, all with the same strict flags.

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# A hundred programs that share one static library: LLVM's linker takes a quarter of the time.
find_program(ANEMONE_LLD ld.lld)
if(ANEMONE_LLD AND NOT APPLE AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=lld)
endif()

add_library(anemone_warnings INTERFACE)
target_compile_options(
  anemone_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Werror=switch
                             # Files that are compiled together may use each other's short names.
                             $<$<NOT:$<BOOL:$<TARGET_PROPERTY:ANEMONE_FILES_TOGETHER>>>:-Wshadow>
                             $<$<BOOL:${ANEMONE_WERROR}>:-Werror>)

# What most sources include, parsed once: for programs, and for the libraries as well where all code is position-independent
# (the presets that have it say -fPIC: a compiler takes parsed headers only with the options that they were parsed with). The
# presets clang and libcxx go without: there every file includes what it uses.
if(ANEMONE_BUILD_TESTS)
  file(CONFIGURE OUTPUT parsed_headers.cpp CONTENT "" @ONLY)
  add_library(anemone_parsed_headers OBJECT "${PROJECT_BINARY_DIR}/parsed_headers.cpp")
  target_link_libraries(anemone_parsed_headers PRIVATE anemone::anemone anemone_warnings)
  target_compile_definitions(anemone_parsed_headers PRIVATE ANEMONE_COMPILED) # as those that link anemone::compiled
  target_precompile_headers(anemone_parsed_headers PRIVATE <anemone/anemone.hpp>)
endif()

# anemone_reuse_parsed_headers(<target>...): in libraries, which then are without extensions of the language as well.
function(anemone_reuse_parsed_headers)
  if(TARGET anemone_parsed_headers AND CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "-fPIC")
    foreach(target IN LISTS ARGN)
      target_precompile_headers(${target} REUSE_FROM anemone_parsed_headers)
      set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    endforeach()
  endif()
endfunction()
anemone_reuse_parsed_headers(anemone_compiled)

# The stand-in: a shared library with the entry points of the engine's own, for machines without an engine.
if(EXISTS "${PROJECT_SOURCE_DIR}/tests/standin/CMakeLists.txt")
  add_subdirectory(tests/standin)
endif()
if(TARGET anemone_standin)
  set_target_properties(anemone_standin PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  # For scripts: one file whose text is the path.
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/standin.path" CONTENT "$<TARGET_FILE:anemone_standin>\n")
endif()

if(EXISTS "${PROJECT_SOURCE_DIR}/tests/standin_objc/CMakeLists.txt")
  add_subdirectory(tests/standin_objc)
  set_target_properties(anemone_standin_objc PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
endif()

# anemone_executable(<target> <source>...): a program of this repository, told where the repository and stand-in are. It
# includes anemone.hpp, parsed before, unless its property DISABLE_PRECOMPILE_HEADERS is set: other options of the compiler
# need another parse.
function(anemone_executable target)
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE anemone::compiled anemone_warnings)
  target_compile_definitions(${target} PRIVATE ANEMONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(TARGET anemone_parsed_headers)
    target_precompile_headers(${target} REUSE_FROM anemone_parsed_headers)
  endif()
  if(TARGET anemone_standin)
    target_compile_definitions(${target} PRIVATE ANEMONE_STANDIN_PATH="$<TARGET_FILE:anemone_standin>")
    add_dependencies(${target} anemone_standin)
  endif()
  if(TARGET anemone_standin_objc)
    target_compile_definitions(${target} PRIVATE ANEMONE_OBJC_STANDIN_PATH="$<TARGET_FILE:anemone_standin_objc>")
    add_dependencies(${target} anemone_standin_objc)
  endif()
endfunction()

# anemone_test(<name> COMMAND <command>... [LABELS <label>...]): a ctest test for which the stand-in is the engine's library.
# Its limit by the clock only ends what waits for ever: ten times what the longest takes beside six busy processes. What
# computes for ever is ended by its processor time (./run).
function(anemone_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;LABELS")
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}")
  set(environment "ANEMONE_BUILD_DIR=${PROJECT_BINARY_DIR}" "ANEMONE_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  if(TARGET anemone_standin)
    list(APPEND environment "ANEMONE_E5RT=$<TARGET_FILE:anemone_standin>")
  endif()
  if(TARGET anemone_standin_objc)
    list(APPEND environment "ANEMONE_OBJC=$<TARGET_FILE:anemone_standin_objc>")
  endif()
  set(limit 1800)
  if(ANEMONE_TEST_THOROUGH)
    set(limit 7200)
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" LABELS "${arg_LABELS}" TIMEOUT ${limit})
endfunction()

# anemone_folders_with_sources(<variable>): the folders below the current one that hold C++ files. New files are noticed
# at the next build.
function(anemone_folders_with_sources variable)
  file(
    GLOB sources CONFIGURE_DEPENDS
    RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
    "${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp")
  set(folders "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    list(APPEND folders "${folder}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${variable} "${folders}" PARENT_SCOPE)
endfunction()

if(ANEMONE_BUILD_TESTS OR ANEMONE_BUILD_EXAMPLES)
  enable_testing()
endif()
if(ANEMONE_BUILD_TESTS)
  add_subdirectory(tests)
endif()
if((ANEMONE_BUILD_TESTS AND NOT ANEMONE_TEST_SHARE STREQUAL "memory") OR ANEMONE_BUILD_PROBE)
  add_subdirectory(tests/probe)
endif()
if(ANEMONE_BUILD_EXAMPLES)
  add_subdirectory(examples)
endif()
if(ANEMONE_BUILD_BENCHMARKS)
  add_subdirectory(benchmarks)
endif()
