#pragma once

#include "../../graph/refusal.hpp"
#include "../network_form.hpp"

#include <cstdint>

namespace ane::models {

/// What is said of the tokens beside their rows: which are padding, by `mask`, or where the text ends, by `end`.
enum class text_mark : std::uint8_t { padding, end };

/// What the host gives a graph of texts.
struct text_ports {
    std::int64_t width = 0;          ///< of `x`
    std::int64_t positions = 0;      ///< the most tokens
    std::int64_t usual = 0;          ///< tokens of a run where the form says none
    std::int64_t first_position = 0; ///< the row of the first token's position
    text_mark mark = text_mark::padding;
    std::int64_t end_token = -1; ///< of `text_mark::end`
};

namespace detail {

/// The tokens of a run of a form. Throws `ane::error` (errc::graph) for more than there are positions.
constexpr std::int64_t tokens_in(const network_form& f, const text_ports& p, const char* of) {
    if (f.positions < 0 || f.positions > p.positions) {
        ane::detail::refuse_graph(of, "a run has from 1 to as many tokens as there are positions", f.positions,
                                  p.positions);
    }
    return f.positions == 0 ? p.usual : f.positions;
}

} // namespace detail
} // namespace ane::models
