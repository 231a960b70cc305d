# What compilers say, and what scripts read in the sources and in what the programs wrote.

if(NOT Python3_FOUND)
  message(WARNING "no Python 3: the compile_fail and python tests are left out")
  return()
endif()

# anemone_script_test(<name> <script> <argument>... [LABELS <label>...])
function(anemone_script_test name script)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LABELS")
  anemone_test(${name} COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/${script}" ${arg_UNPARSED_ARGUMENTS}
               LABELS ${arg_LABELS})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# Mistakes that both compilers must refuse: all of them by clang++, and every tenth by g++ where each test runs once.
separate_arguments(own_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
list(TRANSFORM own_flags PREPEND "--flag=")
set(which "")
if(ANEMONE_TEST_THOROUGH OR NOT ANEMONE_TEST_UNITY)
  set(which --alone) # each by itself, as each test then is
elseif(ANEMONE_TEST_SHARE STREQUAL "rest")
  set(which --every 10)
endif()
if(in_memory OR in_rest)
  anemone_script_test(compile_fail compile_fail/run.py --compiler "${CMAKE_CXX_COMPILER}" ${own_flags} ${which} LABELS text)
endif()
if(NOT in_rest)
  return()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It has a compiler of its own, whatever this one is: once is enough.
  set(everything "")
  if(ANEMONE_TEST_THOROUGH)
    set(everything --everything)
    anemone_script_test(gates gates/gates.py LABELS text)
  endif()
  anemone_script_test(apple_syntax apple/syntax.py ${everything} LABELS text)
endif()

if(ANEMONE_TEST_SHARE STREQUAL "rest") # a step of its own in ./run test --all
  anemone_test(clang_tidy COMMAND "${PROJECT_SOURCE_DIR}/run" tidy --headers LABELS text)
endif()

# These look at what other programs made; sanitizers, which leave some of them out, would find nothing here.
if(ANEMONE_SANITIZE)
  return()
endif()
if(ANEMONE_TEST_THOROUGH)
  anemone_script_test(determinism determinism/run.py LABELS text)
endif()
file(GLOB scripts CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/python/*.py")
list(FILTER scripts EXCLUDE REGEX "/_[^/]*$") # a leading underscore: a module that the tests share
if(NOT ANEMONE_TEST_THOROUGH) # networks of PyTorch as headers, each compiled; tokens in the arithmetic of chips
  list(REMOVE_ITEM scripts python/model_headers.py python/generated_on_chips.py)
endif()
foreach(script IN LISTS scripts)
  cmake_path(GET script STEM name)
  anemone_script_test(python_${name} ${script} LABELS python)
endforeach()
