# Peers as referees: a program that runs graphs, and scripts that make them and judge what comes out. Scripts end with 77
# where a peer is not installed.

if(NOT Python3_FOUND)
  return()
endif()

# anemone_peer_test(<name> <argument of Python>...)
function(anemone_peer_test name)
  anemone_test(${name} COMMAND "${Python3_EXECUTABLE}" ${ARGN} LABELS peers)
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

set(conformance "${CMAKE_CURRENT_SOURCE_DIR}/conformance")
if(in_memory)
  if(TARGET anemone::onnx_compiled)
    anemone_executable(conformance_onnx_run conformance/onnx_run.cpp)
    target_link_libraries(conformance_onnx_run PRIVATE anemone::onnx_compiled anemone::onnx_proto)
  endif()
  anemone_peer_test(conformance_onnx "${conformance}/onnx_cases.py")
endif()
if(in_rest)
  anemone_executable(conformance_evaluate conformance/evaluate.cpp)
  foreach(cases IN ITEMS text limits torch)
    anemone_peer_test(conformance_${cases} "${conformance}/${cases}_cases.py")
  endforeach()
endif()
if(ANEMONE_TEST_THOROUGH AND NOT ANEMONE_SANITIZE) # what whole models compute; their layers are among the cases above
  anemone_peer_test(conformance_models "${conformance}/models_cases.py")
  anemone_peer_test(conformance_networks "${conformance}/networks.py" --small)
endif()
if(ANEMONE_TEST_THOROUGH AND in_rest) # tests/gradient has differences of the forward model in every run
  anemone_peer_test(conformance_gradients "${conformance}/torch_gradients.py" --rounds 8 --graphs 200)
elseif(in_rest) # random graphs alone: the CPU and the engine's arithmetic within the errors that are stated
  anemone_peer_test(conformance_gradients "${conformance}/torch_gradients.py" --rounds 0 --graphs 16)
endif()

# Random graphs: a program that runs and writes them, and a script that interprets what it wrote.
if(in_rest)
  anemone_executable(differential_graphs differential/graphs.cpp)
  set(graphs 800)
  if(ANEMONE_SANITIZE)
    set(graphs 250)
  endif()
  anemone_peer_test(differential "${CMAKE_CURRENT_SOURCE_DIR}/differential/differential.py" --graphs ${graphs})
endif()

# The bounds are those of g++ and of optimised kernels.
if(in_rest AND ANEMONE_KERNEL_OPTIONS AND NOT ANEMONE_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  anemone_executable(kernel_run instructions/kernel_run.cpp)
  set(sets --quick)
  if(ANEMONE_TEST_THOROUGH)
    set(sets "")
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND sets --set neon)
  endif()
  anemone_peer_test(kernel_run "${CMAKE_CURRENT_SOURCE_DIR}/instructions/instructions.py" --program "$<TARGET_FILE:kernel_run>"
                               --objdump "${CMAKE_OBJDUMP}" ${sets})
endif()

# Programs that write files which the scripts of python/ read.
if(in_rest AND NOT ANEMONE_SANITIZE)
  file(GLOB tools CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tools/*.cpp")
  foreach(tool IN LISTS tools)
    cmake_path(GET tool STEM name)
    anemone_executable(${name} "${tool}")
  endforeach()
endif()
