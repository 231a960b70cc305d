# cmake -D WAY=... -P check.cmake: gets Anemone in one of the ways there are, then configures, builds and runs the project
# beside this file against it, header-only and compiled. Everything happens below SCRATCH_DIR.
#
#   WAY         install, and after it find_package, pkg_config or c; add_subdirectory; fetch_content
#   SOURCE_DIR  the root of Anemone
#   BUILD_DIR   where it was built, with ANEMONE_INSTALL_COMPILED
#   COMPILER    the C++ compiler, FLAGS its flags; GENERATOR the generator of CMake
#   FMT         what ANEMONE_FMT_HEADER_ONLY is

set(scratch "${SCRATCH_DIR}/${WAY}")
set(prefix "${SCRATCH_DIR}/prefix")
file(REMOVE_RECURSE "${scratch}")
file(MAKE_DIRECTORY "${scratch}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(WAY STREQUAL "install")
  file(REMOVE_RECURSE "${prefix}")
  run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${scratch}/first_prefix")
  file(RENAME "${scratch}/first_prefix" "${prefix}") # the package must survive a move
  foreach(path IN ITEMS include/anemone/values/half.hpp include/anemone/passes/print.ipp share/cmake/anemone/anemoneConfig.cmake
                        share/pkgconfig/anemone.pc share/pkgconfig/anemone_compiled.pc)
    if(NOT EXISTS "${prefix}/${path}")
      message(FATAL_ERROR "not installed: ${path}")
    endif()
  endforeach()
  if(EXISTS "${prefix}/bin/anemone") # what it says of itself comes with it
    foreach(path IN ITEMS man/man1/anemone.1 bash-completion/completions/anemone zsh/site-functions/_anemone
                          fish/vendor_completions.d/anemone.fish)
      if(NOT EXISTS "${prefix}/share/${path}")
        message(FATAL_ERROR "not installed: share/${path}")
      endif()
    endforeach()
  endif()
  return()
endif()

if(WAY STREQUAL "pkg_config")
  find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
  set(ENV{PKG_CONFIG_PATH} "${prefix}/share/pkgconfig:$ENV{PKG_CONFIG_PATH}")
  # The library was made by one compiler, as find_package's programs are; programs may come from the other as well.
  find_program(CLANG NAMES clang++)
  set(compiler "${COMPILER}")
  if(CLANG AND NOT FLAGS)
    set(compiler "${CLANG}")
  endif()
  separate_arguments(own_flags UNIX_COMMAND "${FLAGS}")
  set(source_of_anemone checked.cpp) # find_package shows that header-only programs run
  set(source_of_anemone_compiled main.cpp)
  foreach(package IN ITEMS anemone anemone_compiled)
    execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs ${package} COMMAND_ERROR_IS_FATAL ANY
                    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("${compiler}" ${own_flags} -std=c++20 -O0 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
        "${CMAKE_CURRENT_LIST_DIR}/${source_of_${package}}" -o "${scratch}/${package}" ${flags})
    run("${scratch}/${package}")
  endforeach()
  return()
endif()

if(WAY STREQUAL "c") # a project that knows no C++, by CMake and by pkg-config
  run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/c" -B "${scratch}/build" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
      "-DANEMONE_DIR=${SOURCE_DIR}")
  run("${CMAKE_COMMAND}" --build "${scratch}/build")
  run("${CMAKE_CTEST_COMMAND}" --test-dir "${scratch}/build" --output-on-failure)
  return()
endif()

set(shared OFF)
set(fatal_errors OFF)
if(WAY STREQUAL "add_subdirectory") # one of the ways has the library shared, and compilers stop at the first error
  set(shared ON)
  set(fatal_errors ON)
endif()
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${scratch}/build" -G "${GENERATOR}" -D "WAY=${WAY}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DANEMONE_FMT_HEADER_ONLY=${FMT}"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DANEMONE_DIR=${SOURCE_DIR}"
    "-DANEMONE_COMPILED_SHARED=${shared}" -DANEMONE_COMPILED_UNITY=ON "-DANEMONE_FATAL_ERRORS=${fatal_errors}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
if(fatal_errors)
  file(READ "${scratch}/build/compile_commands.json" commands)
  if(NOT commands MATCHES "main.cpp.*-(fmax-errors=1|Wfatal-errors)|-(fmax-errors=1|Wfatal-errors).*main.cpp")
    message(FATAL_ERROR "ANEMONE_FATAL_ERRORS sets no flag")
  endif()
endif()
run("${CMAKE_COMMAND}" --build "${scratch}/build")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${scratch}/build" --output-on-failure)
