# The ways in which another project gets the library; its flags are not ours.

if(ANEMONE_SANITIZE OR NOT in_rest)
  return()
endif()
set(ways "")
if(ANEMONE_INSTALL_COMPILED)
  list(APPEND ways install find_package)
endif()
if(ANEMONE_TEST_THOROUGH)
  list(APPEND ways fetch_content)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # builds the library once more, shared
    list(APPEND ways add_subdirectory)
  endif()
  if(ANEMONE_INSTALL_COMPILED)
    list(APPEND ways pkg_config)
    if(ANEMONE_BUILD_C)
      list(APPEND ways c)
    endif()
  endif()
endif()
foreach(way IN LISTS ways)
  anemone_test(
    package_${way}
    COMMAND
      "${CMAKE_COMMAND}" -D WAY=${way} -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}" -D "BUILD_DIR=${PROJECT_BINARY_DIR}" -D "SCRATCH_DIR=${CMAKE_CURRENT_BINARY_DIR}/package"
      -D "COMPILER=${CMAKE_CXX_COMPILER}" -D "FLAGS=${CMAKE_CXX_FLAGS}" -D "FMT=${ANEMONE_FMT_HEADER_ONLY}" -D "GENERATOR=${CMAKE_GENERATOR}" -P
      "${CMAKE_CURRENT_SOURCE_DIR}/package/check.cmake"
    LABELS package)
endforeach()
if(TEST package_install)
  set_tests_properties(package_install PROPERTIES FIXTURES_SETUP installed_package)
  foreach(way IN ITEMS find_package pkg_config c)
    if(TEST package_${way})
      set_tests_properties(package_${way} PROPERTIES FIXTURES_REQUIRED installed_package)
    endif()
  endforeach()
endif()
if(ANEMONE_TEST_THOROUGH AND Python3_FOUND AND ANEMONE_INSTALL)
  anemone_script_test(package_debian package/debian.py LABELS package)
endif()
