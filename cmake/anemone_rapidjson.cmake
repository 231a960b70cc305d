# anemone::rapidjson, if the headers of RapidJSON are found. Its own package files differ from one distribution to the
# next, or are missing.

find_path(ANEMONE_RAPIDJSON_INCLUDE_DIR rapidjson/reader.h)
if(ANEMONE_RAPIDJSON_INCLUDE_DIR AND NOT TARGET anemone::rapidjson)
  add_library(anemone::rapidjson INTERFACE IMPORTED)
  set_target_properties(anemone::rapidjson PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${ANEMONE_RAPIDJSON_INCLUDE_DIR}")
endif()
