#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../models/names.hpp"
#include "precision.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

/// Which part of a decoder the nodes of its graph are. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

struct part_place {
    std::int64_t layer = -1;
    decoder_part part = decoder_part::positions;

    friend bool operator==(const part_place&, const part_place&) = default;
};

class part_finder {
public:
    ANEMONE_INLINE part_finder(const graph_view& g, const models::decoder_configuration& c)
        : g_(g), names_(models::names_of(c.kind)) {}

    /// By node, of inputs too. The names of nodes are those that `decoder_graph` gives: "layers.3.attention".
    ANEMONE_INLINE std::vector<part_place> places() {
        std::vector<part_place> all(g_.nodes.size());
        std::string_view now;
        int last = -1; // node of `now`
        decoder_part phase = decoder_part::rotation;
        for (int i = 0; i < g_.size(); ++i) {
            part_place& place = all[static_cast<std::size_t>(i)];
            if (g_[i].kind == op::input) {
                place.part = g_.name(i) == "x" ? decoder_part::embedding : decoder_part::positions;
                continue;
            }
            if (is_source(g_[i].kind)) {
                continue;
            }
            const std::string_view name = g_.name(i);
            if (name != now) {
                close(all, now, last);
                now = name;
                phase = decoder_part::rotation;
            }
            last = i;
            place = {layer_of(name), part_of(i, name, phase)};
        }
        close(all, now, last);
        return all;
    }

private:
    /// The last node of a half of a layer is the sum of the residual stream.
    static void close(std::vector<part_place>& all, std::string_view name, int last) {
        if (last >= 0 && layer_of(name) >= 0) {
            all[static_cast<std::size_t>(last)].part = decoder_part::residual;
        }
    }
    static std::int64_t layer_of(std::string_view name) {
        if (!name.starts_with("layers.")) {
            return -1;
        }
        std::int64_t layer = 0;
        for (std::size_t k = 7; k < name.size() && name[k] != '.'; ++k) {
            layer = 10 * layer + (name[k] - '0');
        }
        return layer;
    }

    /// `phase` is where attention has come to.
    ANEMONE_INLINE decoder_part part_of(int i, std::string_view name, decoder_part& phase) const {
        if (name == "head" || name == "ports") {
            return name == "head" ? decoder_part::head : decoder_part::positions;
        }
        const node& n = g_[i];
        if (n.kind == op::rms_norm || n.kind == op::layer_norm) {
            return decoder_part::norms;
        }
        if (n.kind == op::linear || n.kind == op::conv2d) {
            return projection(g_.name(g_.operands(i)[1]));
        }
        if (name.ends_with(".mlp")) {
            return decoder_part::gating;
        }
        if (n.kind == op::matmul && phase == decoder_part::rotation) {
            phase = decoder_part::scores;
        }
        const decoder_part found = phase;
        if (n.kind == op::softmax) {
            phase = decoder_part::mix;
        }
        return found;
    }

    ANEMONE_INLINE decoder_part projection(std::string_view weight) const {
        const auto is = [&](std::string_view published) {
            const sequence<char> part = models::weight_name(published);
            return !published.empty() &&
                   weight.find(std::string_view(part.data(), part.size())) != std::string_view::npos;
        };
        return is(names_.query)    ? decoder_part::query
               : is(names_.key)    ? decoder_part::key
               : is(names_.value)  ? decoder_part::value
               : is(names_.output) ? decoder_part::output
               : is(names_.down)   ? decoder_part::down
                                   : decoder_part::gate;
    }

    graph_view g_;
    models::published_names names_;
};

} // namespace ane::detail::inline ANEMONE_WAY
