/// Any bytes as a netplist whose weight files are all alike: read into a graph that is valid, or refused with errc::file.
#include "plist_mutation.hpp"
#include "shown_text.hpp"
#include "structured.hpp"
#include <anemone/passes/validate.hpp>
#include <anemone/readers/netplist.hpp>
#include <anemone/readers/plist.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    static const std::vector<std::string> words{
        "Conv",      "Pooling", "Neuron",    "ElementWise", "GOC",
        "Softmax",   "Reshape", "Transpose", "Concat",      "MatrixMultiplication",
        "Resample",  "Pad",     "Slice",     "Reduction",   "Gather",
        "Unflatten", "Flatten", "InputView", "ReLU",        "Float16",
        "Float32",   "UInt8",   "Channel",   "Width",       "Height",
        "Batch",     "Depth",   "Add",       "Mult",        "x",
        "",          "1.0.9",   "1.0.10"};
    if (is_for_bytes(seed)) {
        return bytes_mutation(data, size, most);
    }
    return plist_mutation::mutate(data, size, most, seed, words);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto document = ane::readers::parse_plist(std::as_bytes(std::span(data, size)));
        const auto file = [](const std::string&) { return std::vector<std::byte>(4096); };
        const ane::read_model read = ane::read_netplist(document, file);
        ane::validate(read.graph);
        const ane::graph_view g = read.graph;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == ane::op::weight && read.weights.at(g.name(i)).shape != g[i].shape) {
                std::abort();
            }
        }
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::file) {
            std::abort();
        }
        require_shown_lines(e.what());
    }
    return 0;
}
