/// Any bytes as a netplist whose weight files are all alike: read into a graph that is valid, or refused with errc::file.
#include <anemone/passes/validate.hpp>
#include <anemone/readers/netplist.hpp>
#include <anemone/readers/plist.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

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
    }
    return 0;
}
