/// Any bytes as a graph in memory: refused by every entry point, or it runs on every backend, is emitted, reported, costed
/// and drawn.
#include "raw_graph.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    raw_graph::check({data, size});
    return 0;
}
