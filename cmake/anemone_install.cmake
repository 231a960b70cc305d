# Install rules: headers, a CMake package, a pkg-config file and, where it is built, the stand-in.

include(CMakePackageConfigHelpers)
set(anemone_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/anemone") # independent of the architecture

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/anemone" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

install(TARGETS anemone EXPORT anemone_targets)
install(
  EXPORT anemone_targets
  FILE anemoneTargets.cmake
  NAMESPACE anemone::
  DESTINATION "${anemone_package_dir}")

if(ANEMONE_INSTALL_COMPILED)
  set_target_properties(anemone_compiled PROPERTIES EXCLUDE_FROM_ALL OFF)
  set(anemone_compiled_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/anemone_compiled")
  install(
    TARGETS anemone_compiled
    EXPORT anemone_compiled_targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(
    EXPORT anemone_compiled_targets
    FILE anemoneCompiledTargets.cmake
    NAMESPACE anemone::
    DESTINATION "${anemone_compiled_package_dir}")
endif()

if(ANEMONE_INSTALL_COMPILED AND TARGET anemone_onnx_compiled)
  set_target_properties(anemone_onnx_compiled PROPERTIES EXCLUDE_FROM_ALL OFF)
  install(
    TARGETS anemone_onnx_compiled
    EXPORT anemone_onnx_compiled_targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(
    EXPORT anemone_onnx_compiled_targets
    FILE anemoneOnnxCompiledTargets.cmake
    NAMESPACE anemone::
    DESTINATION "${anemone_compiled_package_dir}")
endif()

if(TARGET anemone_c)
  install(
    TARGETS anemone_c
    EXPORT anemone_c_targets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT c NAMELINK_COMPONENT development)
  install(
    EXPORT anemone_c_targets
    FILE anemoneCTargets.cmake
    NAMESPACE anemone::
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/anemone_compiled")
endif()

if(TARGET anemone_standin)
  set(ANEMONE_INSTALL_STANDINDIR "${CMAKE_INSTALL_LIBDIR}/anemone")
  set(anemone_standin_file "$<TARGET_FILE_NAME:anemone_standin>")
  install(
    TARGETS anemone_standin
    LIBRARY DESTINATION "${ANEMONE_INSTALL_STANDINDIR}"
    RUNTIME DESTINATION "${ANEMONE_INSTALL_STANDINDIR}")
endif()

configure_package_config_file(
  cmake/anemoneConfig.cmake.in "${PROJECT_BINARY_DIR}/anemoneConfig.cmake.in"
  INSTALL_DESTINATION "${anemone_package_dir}")
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/anemoneConfig.cmake" INPUT "${PROJECT_BINARY_DIR}/anemoneConfig.cmake.in")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/anemoneConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/anemoneConfig.cmake" "${PROJECT_BINARY_DIR}/anemoneConfigVersion.cmake"
        DESTINATION "${anemone_package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/anemone_rapidjson.cmake" "${PROJECT_SOURCE_DIR}/cmake/anemone_onnx.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/anemone_weight_statistics.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/anemone_add_model.cmake" DESTINATION "${anemone_package_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/weight_statistics" DESTINATION "${anemone_package_dir}") # the tool

cmake_path(IS_ABSOLUTE CMAKE_INSTALL_INCLUDEDIR anemone_absolute_include)
if(anemone_absolute_include)
  set(anemone_pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
else()
  set(anemone_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
list(TRANSFORM CMAKE_DL_LIBS PREPEND "-l" OUTPUT_VARIABLE anemone_pc_libs)
set(anemone_pc_flags "")
if(ANEMONE_FMT_HEADER_ONLY)
  set(anemone_pc_flags " -DFMT_HEADER_ONLY")
endif()
configure_file(cmake/anemone.pc.in "${PROJECT_BINARY_DIR}/anemone.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/anemone.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR anemone_absolute_lib)
if(anemone_absolute_lib)
  set(anemone_pc_libdir "${CMAKE_INSTALL_LIBDIR}")
else()
  set(anemone_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
if(ANEMONE_INSTALL_COMPILED)
  configure_file(cmake/anemone_compiled.pc.in "${PROJECT_BINARY_DIR}/anemone_compiled.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/anemone_compiled.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
endif()
if(TARGET anemone_c)
  configure_file(cmake/anemone_c.pc.in "${PROJECT_BINARY_DIR}/anemone_c.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/anemone_c.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
endif()

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/anemone")
