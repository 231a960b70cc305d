# The library, to its users however they got it: `anemone::anemone`, headers alone, and `anemone::compiled`, the same with
# the bodies (.ipp) built once. include/anemone/base/way.hpp tells the two ways apart.

find_package(Boost 1.74 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(Threads REQUIRED)
include("${CMAKE_CURRENT_LIST_DIR}/anemone_rapidjson.cmake")
if(NOT TARGET anemone::rapidjson)
  message(FATAL_ERROR "Anemone needs the headers of RapidJSON (rapidjson/reader.h): set ANEMONE_RAPIDJSON_INCLUDE_DIR")
endif()

# A fmt that was built for another standard library than this compiler's (Debian's, where clang uses libc++) does not link.
option(ANEMONE_FMT_HEADER_ONLY "Use fmt without its library" OFF)
if(ANEMONE_FMT_HEADER_ONLY)
  set(anemone_fmt fmt::fmt-header-only)
else()
  set(anemone_fmt fmt::fmt)
endif()

add_library(anemone INTERFACE)
add_library(anemone::anemone ALIAS anemone)
target_compile_features(anemone INTERFACE cxx_std_20)
target_include_directories(anemone INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(anemone INTERFACE Boost::headers ${anemone_fmt} anemone::rapidjson Threads::Threads ${CMAKE_DL_LIBS})

# What a compiler adds after the first mistake is its echo. g++ has another option for it: with -Wfatal-errors it leaves out
# the notes of the first error, and a broken `conforms` tells its reason in them.
option(ANEMONE_FATAL_ERRORS "Compilers stop at the first error in whatever uses Anemone" OFF)
if(ANEMONE_FATAL_ERRORS)
  target_compile_options(anemone INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fmax-errors=1>
                                           $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wfatal-errors>)
endif()

# One source a folder, made here: nothing but the bodies of the folder.
file(
  GLOB_RECURSE anemone_bodies CONFIGURE_DEPENDS
  RELATIVE "${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_SOURCE_DIR}/include/anemone/*.ipp")
set(anemone_onnx_bodies ${anemone_bodies})
list(FILTER anemone_onnx_bodies INCLUDE REGEX "^anemone/onnx/")
list(FILTER anemone_bodies EXCLUDE REGEX "^anemone/onnx/") # a component of its own
set(anemone_folders "")
foreach(body IN LISTS anemone_bodies)
  cmake_path(GET body PARENT_PATH folder)
  list(APPEND anemone_folders "${folder}")
  string(APPEND anemone_bodies_of_${folder} "#include <${body}>\n")
endforeach()
list(REMOVE_DUPLICATES anemone_folders)
set(anemone_sources "")
foreach(folder IN LISTS anemone_folders)
  string(MAKE_C_IDENTIFIER "${folder}" source)
  set(source "${PROJECT_BINARY_DIR}/compiled/${source}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "${anemone_bodies_of_${folder}}" @ONLY)
  list(APPEND anemone_sources "${source}")
endforeach()

# The loops of the CPU's kernels: an object for some of the families and one instruction set, as kernels/families.def says,
# empty where the processor is not of its kind. They are most of the work, and independent of each other.
set(families_file "${PROJECT_SOURCE_DIR}/include/anemone/backend/cpu/kernels/families.def")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${families_file}")
file(STRINGS "${families_file}" family_rows REGEX "^ANEMONE_KERNEL_FAMILY")
set(anemone_loop_objects "")
foreach(row IN LISTS family_rows)
  string(REGEX MATCH "\\(([a-z_]+), ([a-z_]+), ([a-z_]+)\\)" matched "${row}")
  list(APPEND anemone_loop_objects "${CMAKE_MATCH_3}")
  list(APPEND anemone_loops_of_${CMAKE_MATCH_3} "${CMAKE_MATCH_1}")
endforeach()
list(REMOVE_DUPLICATES anemone_loop_objects)
set(anemone_kernel_sources "${PROJECT_BINARY_DIR}/compiled/anemone_backend_cpu_kernels.cpp")
foreach(set_bit IN ITEMS generic:1 avx2:2 avx512:4 neon:8)
  string(REPLACE ":" ";" set_bit "${set_bit}")
  list(GET set_bit 0 set)
  list(GET set_bit 1 bit)
  foreach(families IN LISTS anemone_loop_objects)
    set(text "#include <anemone/base/isa.hpp>\n#if ANEMONE_SETS & ${bit}\n#define ANEMONE_LOOPS ${bit}\n")
    string(APPEND text "#include <anemone/backend/cpu/kernels/levels.hpp>\n"
                       "namespace ane::cpu::detail::inline ANEMONE_WAY::${set} {\n")
    foreach(family IN LISTS anemone_loops_of_${families})
      string(APPEND text "template struct ${family}_loops<every_kernel>;\n")
    endforeach()
    string(APPEND text "}\n#endif\n")
    set(source "${PROJECT_BINARY_DIR}/compiled/loops_${set}_${families}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "${text}" @ONLY)
    list(APPEND anemone_kernel_sources "${source}")
    list(APPEND anemone_sources "${source}")
  endforeach()
endforeach()

# Not part of `all`: it is built when something links it. Static unless a shared library is asked for.
option(ANEMONE_COMPILED_SHARED "Make anemone::compiled a shared library" OFF)
if(ANEMONE_COMPILED_SHARED)
  add_library(anemone_compiled SHARED EXCLUDE_FROM_ALL ${anemone_sources})
else()
  add_library(anemone_compiled STATIC EXCLUDE_FROM_ALL ${anemone_sources})
endif()
add_library(anemone::compiled ALIAS anemone_compiled)
set_target_properties(
  anemone_compiled
  PROPERTIES EXPORT_NAME compiled
             POSITION_INDEPENDENT_CODE ON
             VERSION "${PROJECT_VERSION}"
             SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
option(ANEMONE_COMPILED_UNITY "Build anemone::compiled from few large sources: half the work on few processors" OFF)
if(ANEMONE_COMPILED_UNITY) # otherwise what CMAKE_UNITY_BUILD says
  set_target_properties(anemone_compiled PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 15)
endif()
# Each has the settings of its instruction set, and the macro that names it.
set_source_files_properties(${anemone_kernel_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
# Builds for tests do not optimise; their kernels may, so that what is tested is what users run. So may the oracle's sums,
# which is most of what tests with random graphs compute.
set(ANEMONE_KERNEL_OPTIONS "" CACHE STRING "Options of the compiler for kernels and the oracle's arithmetic alone, such as -O2")
if(ANEMONE_KERNEL_OPTIONS)
  set_source_files_properties(${anemone_kernel_sources} PROPERTIES COMPILE_OPTIONS "${ANEMONE_KERNEL_OPTIONS}")
  if(NOT ANEMONE_SANITIZE) # where these options leave the sanitizers out
    set_source_files_properties("${PROJECT_BINARY_DIR}/compiled/anemone_numerics.cpp"
                                PROPERTIES COMPILE_OPTIONS "${ANEMONE_KERNEL_OPTIONS}" SKIP_UNITY_BUILD_INCLUSION ON
                                           SKIP_PRECOMPILE_HEADERS ON)
  endif()
endif()
target_link_libraries(anemone_compiled PUBLIC anemone)
target_compile_definitions(anemone_compiled PUBLIC ANEMONE_COMPILED)

# The component that reads ONNX files, where ONNX and Protocol Buffers are installed for this compiler's standard library.
option(ANEMONE_ONNX "Offer anemone::onnx where ONNX is found" ON)
if(ANEMONE_ONNX)
  include("${CMAKE_CURRENT_LIST_DIR}/anemone_onnx.cmake")
endif()
if(TARGET anemone::onnx_proto)
  add_library(anemone_onnx INTERFACE)
  add_library(anemone::onnx ALIAS anemone_onnx)
  set_target_properties(anemone_onnx PROPERTIES EXPORT_NAME onnx)
  target_link_libraries(anemone_onnx INTERFACE anemone anemone::onnx_proto)

  set(anemone_onnx_text "")
  foreach(body IN LISTS anemone_onnx_bodies)
    string(APPEND anemone_onnx_text "#include <${body}>\n")
  endforeach()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/compiled/anemone_onnx.cpp" CONTENT "@anemone_onnx_text@" @ONLY)
  add_library(anemone_onnx_compiled STATIC EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/compiled/anemone_onnx.cpp")
  add_library(anemone::onnx_compiled ALIAS anemone_onnx_compiled)
  set_target_properties(anemone_onnx_compiled PROPERTIES EXPORT_NAME onnx_compiled POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(anemone_onnx_compiled PUBLIC anemone_compiled PRIVATE anemone::onnx_proto)
endif()
