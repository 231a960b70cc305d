/// Any bytes as the configuration of a language model: read, or refused with errc::file. What was read has a graph, where it
/// is small, that is valid.
#include <anemone/models/configuration.hpp>
#include <anemone/models/decoder_graph.hpp>
#include <anemone/passes/validate.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace {

std::optional<ane::models::decoder_configuration> read(std::string_view text) {
    try {
        return ane::models::read_configuration(text);
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::file) {
            std::abort();
        }
        return std::nullopt;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto c = read({reinterpret_cast<const char*>(data), size});
    if (!c) {
        return 0;
    }
    if (print(*c).empty() || !ane::models::fault_of(*c).empty()) {
        std::abort();
    }
    if (c->layers <= 8) {
        try {
            ane::validate(decoder_graph(*c, {.positions = 2, .capacity = 4}));
        } catch (const ane::error& e) {
            if (e.code() != ane::errc::graph) { // numbers that no fp16 has, such as an epsilon of 1e9
                std::abort();
            }
        }
    }
    return 0;
}
