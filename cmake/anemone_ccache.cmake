# What was compiled before is taken from ccache, where it is installed and no other launcher is asked for. Comes before every
# target. -DANEMONE_CCACHE=OFF does without.

option(ANEMONE_CCACHE "Compile through ccache where it is installed" ON)
find_program(ANEMONE_CCACHE_PROGRAM ccache)
mark_as_advanced(ANEMONE_CCACHE_PROGRAM)
if(NOT ANEMONE_CCACHE OR NOT ANEMONE_CCACHE_PROGRAM OR DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()

# A header that is parsed once is known by its contents: the sloppiness is what ccache asks for to take it at all, and clang
# would note in it when its parts were written. What a file includes is learnt from the compiler, with its work, and not by
# preprocessing beforehand.
set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
                                "${ANEMONE_CCACHE_PROGRAM}")
set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
