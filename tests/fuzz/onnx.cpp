/// Any bytes as an ONNX model: read, or refused with its faults.
#include "onnx_seeds.hpp"
#include "shown_text.hpp"
#include "structured.hpp"
#include <anemone/onnx/onnx.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace {

const std::vector<std::string>& operators() {
    static const std::vector<std::string> all = ane::onnx_operators();
    return all;
}

} // namespace

std::string structured_seed(unsigned number) {
    return onnx_seeds::model(operators()[number % operators().size()], number);
}

unsigned structured_seeds() { return static_cast<unsigned>(operators().size()) * 64; }

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return structured_mutation(data, size, most, seed, operators());
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const ane::read_model model =
            ane::read_onnx(std::as_bytes(std::span(data, size)), {.max_bytes = std::uint64_t{1} << 24U});
        if (model.graph.view().outputs.empty()) {
            std::abort();
        }
    } catch (const ane::unreadable& refused) {
        if (refused.faults().empty()) {
            std::abort();
        }
        for (const ane::read_fault& fault : refused.faults()) {
            require_shown(fault.operation + fault.reason);
        }
    }
    return 0;
}
