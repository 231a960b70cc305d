# The library: an interface target, `anemone::anemone` to its users however they got it.

find_package(Boost 1.74 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(Threads REQUIRED)

add_library(anemone INTERFACE)
add_library(anemone::anemone ALIAS anemone)
target_compile_features(anemone INTERFACE cxx_std_20)
target_include_directories(anemone INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(anemone INTERFACE Boost::headers fmt::fmt nlohmann_json::nlohmann_json Threads::Threads ${CMAKE_DL_LIBS})
