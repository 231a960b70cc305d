# cmake -D WAY=... -P check.cmake: installs or includes Anemone, then configures, builds and runs the project beside this
# file against it. Everything happens below SCRATCH_DIR, which is made afresh.
#
#   WAY         find_package, add_subdirectory, fetch_content or pkg_config
#   SOURCE_DIR  the root of Anemone; BUILD_DIR a configured build of it, to install from
#   COMPILER    the C++ compiler; GENERATOR the generator of CMake

set(scratch "${SCRATCH_DIR}/${WAY}")
set(prefix "${scratch}/prefix")
file(REMOVE_RECURSE "${scratch}")
file(MAKE_DIRECTORY "${scratch}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Installs the library alone, with its bodies compiled: the stand-in and the programs of BUILD_DIR are not needed for this.
function(install_library)
  run("${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${scratch}/library" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
      "-DCMAKE_INSTALL_PREFIX=${scratch}/first_prefix" -DANEMONE_BUILD_TESTS=OFF -DANEMONE_BUILD_EXAMPLES=OFF
      -DANEMONE_INSTALL_COMPILED=ON ${ARGN})
  run("${CMAKE_COMMAND}" --build "${scratch}/library")
  run("${CMAKE_COMMAND}" --install "${scratch}/library")
  file(RENAME "${scratch}/first_prefix" "${prefix}") # the package must survive a move
  foreach(path IN ITEMS include/anemone/half.hpp share/cmake/anemone/anemoneConfig.cmake share/pkgconfig/anemone.pc
                        share/pkgconfig/anemone_compiled.pc)
    if(NOT EXISTS "${prefix}/${path}")
      message(FATAL_ERROR "not installed: ${path}")
    endif()
  endforeach()
endfunction()

if(WAY STREQUAL "pkg_config")
  find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
  install_library(-DANEMONE_COMPILED_SHARED=ON)
  set(ENV{PKG_CONFIG_PATH} "${prefix}/share/pkgconfig:$ENV{PKG_CONFIG_PATH}")
  foreach(package IN ITEMS anemone anemone_compiled)
    execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs ${package} COMMAND_ERROR_IS_FATAL ANY
                    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND "${PKG_CONFIG}" --variable=libdir ${package} OUTPUT_VARIABLE folder
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("${COMPILER}" -std=c++20 -Wall -Wextra -Wconversion -Werror "${CMAKE_CURRENT_LIST_DIR}/main.cpp"
        "${CMAKE_CURRENT_LIST_DIR}/second.cpp" -o "${scratch}/${package}" ${flags})
    set(ENV{LD_LIBRARY_PATH} "${folder}")
    run("${scratch}/${package}")
  endforeach()
  return()
endif()

if(WAY STREQUAL "find_package")
  install_library()
endif()
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${scratch}/build" -G "${GENERATOR}" -D "WAY=${WAY}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DANEMONE_DIR=${SOURCE_DIR}")
run("${CMAKE_COMMAND}" --build "${scratch}/build")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${scratch}/build" --output-on-failure)
