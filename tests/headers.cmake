# One file includes all headers, with their bodies. In the thorough test every header is also compiled alone, as
# declarations: it includes what it uses. What another header includes first is compiled alone with that one. With g++ so is
# what only other parts of the library include (the headers of the bodies of backends and emitters, of the engine, the passes,
# the arithmetic, the families of rules, and the parts of compression, differences, segments and reports), and each body by
# itself, which the library compiles folder by folder anyway.
file(
  GLOB_RECURSE headers CONFIGURE_DEPENDS
  RELATIVE "${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_SOURCE_DIR}/include/anemone/*.hpp")
if(NOT TARGET anemone::onnx_proto)
  list(FILTER headers EXCLUDE REGEX "^anemone/onnx/")
endif()
set(public_headers ${headers})
foreach(
  inner IN
  ITEMS "/(cost|analysis|passes|catalogue|folding|ranges|numerics|rules|forms|kernels)/"
        "/backend/engine/|/backend/(node_shapes|one_run|op_table)[.]"
        "/backend/(cpu/(step|repertoire)|oracle/([a-z]+_|step|evaluate))|_steps?[.]"
        "/backend/cpu/(aligned_memory|direct_results|epilogue|simd/[a-z]+|state_update)[.]"
        "/benchmark/(layer_models|limit_loops|port_values)[.]|/rewrites/(layouts|products|sums)[.]"
        "/compress/(compression_search|error_feedback|form_(descent|holder|trials)|loss_interval|moments|optimal_palette|output_loss|stored_forms|weight_rounder)[.]"
        "/diff/(cause|cause_search|forward|histogram|holders|partners|replay|trace)[.]|/segments/(doors|limits|wiring)[.]"
        "/drawing/(blocks|layout|picture|repeats|scopes|style|svg|text)"
        "/base/unique_names[.]|/io/(file_part|folder_contents|journal|new_folder|open_file|rapidjson|steady_file|unfinished)[.]"
        "/formats/(cpp_|mil_|netplist_|plist_|form_refusal)"
        "/mlpackage/(manifest|messages|program_|schema_numbers|syntax_|text_statements|wire)"
        "/graph/(attribute_structs|attributes_of|constants|meaning|op_facet|op_table|readers|strided|unused_port_prefix|uses|weights_of)[.]"
        "/ops/(einsum_plan|rank|volume_plan)[.]"
        "/onnx/([a-np-z][a-z_]*|operators)[.]"
        "/readers/(mil_|netplist_|plist_|batch_norm_line|element_count|file_(elements|lookup|names)|large_constants|layer_name)"
        "/readers/(limited_files|mapped_file|missing_data|model_folder|number_text|recurrence)"
        "/report/(aside|cost_text|diff_drawing|diff_text|timeline_text|findings|neighbourhood|plot|shared_violation|terminal)[.]"
        "/weights/(formats/|name_faults|safetensors_)")
  list(FILTER public_headers EXCLUDE REGEX "${inner}")
endforeach()
set(alone OFF)
if(ANEMONE_TEST_THOROUGH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(alone ON)
endif()
set(included_first "")
foreach(header IN LISTS public_headers)
  file(STRINGS "${PROJECT_SOURCE_DIR}/include/${header}" first REGEX "^#include " LIMIT_COUNT 1)
  if(first MATCHES "\"(.+)\"")
    cmake_path(GET header PARENT_PATH folder)
    cmake_path(SET path NORMALIZE "${folder}/${CMAKE_MATCH_1}")
    list(APPEND included_first "${path}")
  endif()
endforeach()
set(declaration_sources "")
set(body_sources "")
set(header_only_sources "")
set(all_headers "")
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER "${header}" name)
  set(text "#include <${header}> // IWYU pragma: keep\n")
  file(CONFIGURE OUTPUT "headers/declared/${name}.cpp" CONTENT "@text@" @ONLY)
  if(alone OR (header IN_LIST public_headers AND NOT header IN_LIST included_first))
    list(APPEND declaration_sources "${CMAKE_CURRENT_BINARY_DIR}/headers/declared/${name}.cpp")
  endif()
  string(APPEND all_headers "#include <${header}>\n")
  cmake_path(REPLACE_EXTENSION header LAST_ONLY ipp OUTPUT_VARIABLE body)
  if(alone AND EXISTS "${PROJECT_SOURCE_DIR}/include/${body}")
    file(CONFIGURE OUTPUT "headers/header_only/${name}.cpp" CONTENT "@text@" @ONLY)
    list(APPEND header_only_sources "${CMAKE_CURRENT_BINARY_DIR}/headers/header_only/${name}.cpp")
    file(CONFIGURE OUTPUT "headers/bodies/${name}.cpp" CONTENT "#include <@body@>\n" @ONLY)
    list(APPEND body_sources "${CMAKE_CURRENT_BINARY_DIR}/headers/bodies/${name}.cpp")
  endif()
endforeach()
file(CONFIGURE OUTPUT headers/all_headers.cpp CONTENT "@all_headers@" @ONLY)
add_library(anemone_headers OBJECT EXCLUDE_FROM_ALL ${declaration_sources} ${body_sources})
target_compile_definitions(anemone_headers PRIVATE ANEMONE_COMPILED)
add_library(anemone_all_headers OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/headers/all_headers.cpp"
                                                        ${header_only_sources})
foreach(library IN ITEMS anemone_headers anemone_all_headers)
  target_link_libraries(${library} PRIVATE anemone::anemone anemone_warnings)
  if(TARGET anemone::onnx)
    target_link_libraries(${library} PRIVATE anemone::onnx)
  endif()
endforeach()
target_compile_options(anemone_headers PRIVATE -fsyntax-only)

if(ANEMONE_TEST_HEADERS AND in_rest)
  set(compiled anemone_all_headers)
  if(ANEMONE_TEST_THOROUGH)
    list(APPEND compiled anemone_headers)
  endif()
  set(keep_going "")
  if(CMAKE_GENERATOR MATCHES "Ninja")
    set(keep_going -- -k 0)
  endif()
  anemone_test(headers COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${compiled} ${keep_going} LABELS text)
endif()
