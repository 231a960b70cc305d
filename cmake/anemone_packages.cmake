# Debian packages: `cpack -G DEB` in a build folder that was configured with -DCMAKE_INSTALL_PREFIX=/usr. A package for each
# component that was built: the program, what developers need, the library of the C interface, the Python module.

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(CPACK_PACKAGE_NAME anemone)
set(CPACK_PACKAGE_VENDOR "Anemone")
if(NOT CPACK_PACKAGE_CONTACT) # -DCPACK_PACKAGE_CONTACT="Name <address>": whoever makes the packages
  set(CPACK_PACKAGE_CONTACT "The Anemone authors <nobody@localhost>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "models for the Apple Neural Engine, checked and run without it")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # what programs and libraries were linked with
set(CPACK_COMPONENTS_ALL development)
set(anemone_soversion "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, libraries and the CMake package, with which one writes neural\nnetworks for the Apple Neural Engine that the C++ compiler checks.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libanemone-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libboost-dev (>= 1.74), libfmt-dev (>= 9), rapidjson-dev")
if(NOT ANEMONE_COMPILED_SHARED) # headers and archives: looking at each of 600 files would take most of the time
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
endif()
if(TARGET anemone_onnx_compiled) # the component onnx
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libonnx-dev, libprotobuf-dev")
endif()

if(TARGET anemone_command)
  list(APPEND CPACK_COMPONENTS_ALL program)
  set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
      "The command anemone: checks, runs, costs, draws and converts models that\ncome as files (ONNX, MIL text, netplists), by the rules and the arithmetic\nof the Apple Neural Engine, without one.")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME anemone)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
endif()

if(TARGET anemone_c)
  list(APPEND CPACK_COMPONENTS_ALL c)
  set(CPACK_COMPONENT_C_DESCRIPTION
      "The library of the C interface: checks, costs and runs models that come\nas files.")
  set(CPACK_DEBIAN_C_PACKAGE_NAME "libanemone-c${anemone_soversion}")
  set(CPACK_DEBIAN_C_PACKAGE_SECTION libs)
  # What packages that link it depend on, and that the loader's cache is to be made anew.
  set(control "${PROJECT_BINARY_DIR}/debian")
  file(CONFIGURE OUTPUT "${control}/shlibs"
       CONTENT "libanemone_c ${anemone_soversion} libanemone-c${anemone_soversion} (>= ${PROJECT_VERSION})\n" @ONLY)
  file(CONFIGURE OUTPUT "${control}/triggers" CONTENT "activate-noawait ldconfig\n" @ONLY)
  set(CPACK_DEBIAN_C_PACKAGE_CONTROL_EXTRA "${control}/shlibs;${control}/triggers")
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libanemone-c${anemone_soversion} (= ${PROJECT_VERSION})")
endif()

if(TARGET anemone_python)
  if(ANEMONE_INSTALL_PYTHONDIR STREQUAL "lib/python3/dist-packages")
    list(APPEND CPACK_COMPONENTS_ALL python)
    math(EXPR next "${ANEMONE_PYTHON_MINOR} + 1")
    set(CPACK_COMPONENT_PYTHON_DESCRIPTION
        "The Python module anemone: checks, costs and runs models that come as\nfiles, on NumPy arrays.")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-anemone)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
        "python3 (>= 3.${ANEMONE_PYTHON_MINOR}), python3 (<< 3.${next}), python3-numpy")
  else()
    message(STATUS "no package of the Python module: Debian's interpreter looks below /usr, set CMAKE_INSTALL_PREFIX")
  endif()
endif()

# What every package says of its copyright; no part of other installations.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  install(
    FILES "${PROJECT_SOURCE_DIR}/LICENSE"
    DESTINATION "share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}"
    RENAME copyright
    COMPONENT "${component}"
    EXCLUDE_FROM_ALL)
endforeach()

include(CPack)
