# What reads, names and runs models and parses no arguments: of the command, of the C interface and of the Python module.
# One of these may come to need another file of anemone/: the linker says so, and it is added here, unless it writes to a
# terminal or keeps what threads would share.

set(names model_file program_run run_memory rule_names target_names tensor judgement mil_findings findings written_model plan_json requests sample_runs)
list(TRANSFORM names REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/anemone/\\1.cpp" OUTPUT_VARIABLE shared_sources)
add_library(anemone_tools STATIC EXCLUDE_FROM_ALL ${shared_sources})
set_target_properties(anemone_tools PROPERTIES POSITION_INDEPENDENT_CODE ON)
anemone_together(anemone_tools)
target_link_libraries(anemone_tools PUBLIC anemone::compiled)
if(TARGET anemone::onnx_compiled)
  target_link_libraries(anemone_tools PRIVATE anemone::onnx_compiled)
  target_compile_definitions(anemone_tools PRIVATE ANEMONE_COMMAND_ONNX)
endif()
if(TARGET anemone_warnings)
  target_link_libraries(anemone_tools PRIVATE anemone_warnings)
endif()

# Models, plans and programs as the C interface and the Python module ask for them.
if(ANEMONE_BUILD_C OR ANEMONE_BUILD_PYTHON)
  add_library(anemone_bindings STATIC EXCLUDE_FROM_ALL bindings/arrays.cpp bindings/model.cpp bindings/plans.cpp bindings/session.cpp)
  set_target_properties(anemone_bindings PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(anemone_bindings PUBLIC anemone_tools)
  if(TARGET anemone_warnings)
    target_link_libraries(anemone_bindings PRIVATE anemone_warnings)
  endif()
endif()
