#pragma once

#include "../../graph/graph.hpp"
#include "../../graph/refusal.hpp"
#include "../network_maker.hpp"
#include "../publisher.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace ane::models {

/// ESPCN (Shi et al. 2016): an image of one channel, the brightness, enlarged by convolutions at its own size; the last gives
/// the pixels of each square as channels.
struct espcn_configuration {
    static constexpr pixel_statistics pixels = from_0_to_1;

    publisher source = publisher::espcn_pytorch;
    std::int64_t scale = 3;
    std::int64_t channels = 1;
    std::int64_t size = 224; ///< of the image that goes in, both ways
    friend constexpr bool operator==(const espcn_configuration&, const espcn_configuration&) = default;
};
inline constexpr espcn_configuration espcn_x2{.scale = 2};
inline constexpr espcn_configuration espcn_x3{};
inline constexpr espcn_configuration espcn_x4{.scale = 4};

/// The sentence that says why there is no such network, empty where there is one.
constexpr std::string_view fault_of(const espcn_configuration& c) noexcept {
    return c.scale < 2 || c.scale > 8           ? "an image is enlarged 2 to 8 times"
           : c.channels < 1 || c.channels > 256 ? "the image has from 1 to 256 channels"
           : c.size < 1 || c.size > 4096        ? "the image must be from 1 to 4096 pixels wide"
                                                : "";
}

/// The graph of an ESPCN: `image` [1, channels, size, size], as the form has it, normalized from 0 to 1, to `enlarged`
/// [1, channels, scale size, scale size]. Throws `ane::error` (errc::graph) for a network that cannot be.
constexpr dynamic_graph network_graph(const espcn_configuration& c, const network_form& f = {}) {
    if (const std::string_view wrong = fault_of(c); !wrong.empty()) {
        ane::detail::refuse_graph("espcn", wrong.data());
    }
    network_maker m;
    int x = m.image(f, c.channels, c.size, within(0, 1));
    m.enter("first_part.");
    x = m.function(op::tanh, m.convolution(x, "0", "0", 64, {.size = 5, .border = 2}));
    x = m.function(op::tanh, m.convolution(x, "2", "2", 32, {.size = 3, .border = 1}));
    m.enter("last_part.");
    x = m.convolution(x, "0", "0", c.channels * c.scale * c.scale, {.size = 3, .border = 1});
    m.output(m.emit(op::pixel_shuffle, factors{static_cast<int>(c.scale)}, {x}), "enlarged");
    return std::move(m).taken();
}

} // namespace ane::models
