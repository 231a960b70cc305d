/// Any text as a model of the MIL reader: read and written again, or refused with its faults.
#include "shown_text.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/formats/blob.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/readers/mil.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// What the texts of the corpus ask for: halves at 64, bytes at 256, which tell the reader of another type nothing.
std::vector<std::byte> weights() {
    ane::blob_writer blob;
    const std::vector<ane::half> halves(64, ane::half(0.5));
    blob.add(halves);
    const std::vector<std::byte> bytes(64, std::byte{0x35});
    blob.add(ane::blob_type::int8, bytes, 0);
    return {blob.bytes().begin(), blob.bytes().end()};
}

std::int64_t elements(const ane::graph_view& g) {
    std::int64_t most = 0;
    for (int i = 0; i < g.size(); ++i) {
        most = std::max(most, g[i].shape.count());
    }
    return most;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<std::byte> blob = weights();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    ane::read_model model;
    try {
        model = ane::read_mil(text, [](const std::string&) { return std::span<const std::byte>(blob); },
                              {.memory = 1 << 26});
    } catch (const ane::unreadable& e) {
        if (e.faults().empty() || e.faults()[0].reason.empty()) {
            std::abort();
        }
        for (const ane::read_fault& fault : e.faults()) {
            require_shown(fault.operation + fault.reason);
        }
        return 0;
    }
    if (elements(model.graph) > 4096) {
        return 0;
    }
    try { // what can be written can be read again
        const ane::lowered_graph lowered = ane::lower(model.graph);
        const ane::mil_program again = ane::emit_mil(lowered.graph, ane::fold_constants(lowered.graph, model.weights));
        ane::read_mil(again.text, [&](const std::string&) { return again.weights.bytes(); });
    } catch (const ane::unreadable&) {
        std::abort();
    } catch (const ane::error&) { // the format has no word for something, or a weight is not finite
    }
    return 0;
}
