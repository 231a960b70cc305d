/// Any bytes as a model of Core ML, or as the manifest of a package: read and written again, or refused with its faults.
#include "shown_text.hpp"
#include "structured.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/formats/blob.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/mlpackage/manifest.hpp>
#include <anemone/mlpackage/mlpackage.hpp>
#include <anemone/passes/lowering.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace {

/// What the models of the corpus ask for: halves at 64, bytes at 256, which tell the reader of another type nothing.
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

/// No bytes of the file reach a terminal.
void read_manifest(const std::string& text) {
    try {
        if (ane::mlpackage::root_model_in(text, "Manifest.json").empty()) {
            std::abort();
        }
    } catch (const ane::error& e) {
        require_shown_lines(e.what());
    }
}

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    static const std::vector<std::string> words{
        "x",         "y",     "axis",      "axes",        "perm",
        "shape",     "begin", "end",       "begin_mask",  "stride",
        "weight",    "bias",  "pad_type",  "strides",     "groups",
        "dilations", "pad",   "keep_dims", "transpose_x", "values",
        "epsilon",   "mode",  "valid",     "same",        "@model_path/weights/weight.bin",
        ""};
    return structured_mutation(data, size, most, seed, words);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<std::byte> blob = weights();
    const auto files = [](const std::string&) { return std::span<const std::byte>(blob); };
    if (size > 0 && data[0] == '{') {
        read_manifest({reinterpret_cast<const char*>(data), size});
    }
    ane::read_model model;
    try {
        model = ane::read_mlmodel(std::as_bytes(std::span(data, size)), files, {.memory = 1 << 26});
    } catch (const ane::unreadable& e) {
        if (e.faults().empty() || e.faults()[0].reason.empty()) {
            std::abort();
        }
        for (const ane::read_fault& fault : e.faults()) {
            require_shown(fault.operation + fault.reason);
        }
        return 0;
    }
    for (const std::string& note : model.notes) {
        require_shown(note);
    }
    if (elements(model.graph) > 4096) {
        return 0;
    }
    try { // what can be written can be read again
        const ane::lowered_graph lowered = ane::lower(model.graph);
        const ane::mil_program again = ane::emit_mil(lowered.graph, ane::fold_constants(lowered.graph, model.weights),
                                                     {.every_stored_form = true, .core_ml_states = true});
        std::vector<std::byte> bytes;
        try {
            bytes = ane::mlmodel_bytes(again);
        } catch (const ane::unreadable&) { // a port that Core ML has not
            return 0;
        }
        ane::read_mlmodel(bytes, [&](const std::string&) { return again.weights.bytes(); });
    } catch (const ane::unreadable&) {
        std::abort();
    } catch (const ane::error&) { // MIL text has no word for something, or a weight is not finite
    }
    return 0;
}
