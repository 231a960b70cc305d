/// Any bytes as the configuration of a published model, of language, of images or of texts: read, or refused with errc::file. What was read
/// has a graph, where it is small, that is valid.
#include <anemone/models/configuration.hpp>
#include <anemone/models/decoder_graph.hpp>
#include <anemone/models/networks/network_configuration.hpp>
#include <anemone/passes/validate.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace {

/// What a reader gives, or nothing where it refuses the text.
template <class Read> auto read(const Read& reader) -> std::optional<decltype(reader())> {
    try {
        return reader();
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::file) {
            std::abort();
        }
        return std::nullopt;
    }
}

template <class Graph> void validate(const Graph& graph) {
    try {
        ane::validate(graph());
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::graph) { // numbers that no fp16 has, such as an epsilon of 1e9
            std::abort();
        }
    }
}

void look_at_network(std::string_view text) {
    const auto n = read([&] { return ane::models::read_network_configuration(text); });
    const auto pixels = read([&] { return ane::models::read_pixel_statistics(text, "config.json"); });
    if (!n) {
        return;
    }
    if (print(*n).empty()) {
        std::abort();
    }
    ane::models::network_form form{.layout = ane::models::activation_layout::channels};
    for (const ane::models::network_part part : ane::models::parts_of(*n)) {
        validate([&] { return network_graph(*n, {.part = part}); });
        form.part = part;
        if (pixels && *pixels) {
            form.image = ane::models::image_input::pixels;
            form.pixels = **pixels;
        }
        validate([&] { return network_graph(*n, form); });
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    look_at_network(text);
    const auto c = read([&] { return ane::models::read_configuration(text); });
    if (!c) {
        return 0;
    }
    if (print(*c).empty() || !ane::models::fault_of(*c).empty()) {
        std::abort();
    }
    if (c->layers <= 8) {
        validate([&] { return decoder_graph(*c, {.positions = 2, .capacity = 4}); });
    }
    return 0;
}
