#pragma once

#include "../backend/any.hpp"
#include "../backend/backend.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../values/half.hpp"
#include "../weights/store.hpp"
#include "../weights/verify.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// A port of a decoder's program: "keys_12" is `keys` of layer 12.
struct numbered_name {
    std::string name;
    std::int64_t number = -1; ///< below 0: it has none
};
ANEMONE_INLINE numbered_name numbered(std::string_view port) {
    const std::size_t end = port.find_last_not_of("0123456789");
    if (end == std::string_view::npos || end + 1 == port.size() || port[end] != '_') {
        return {std::string(port), -1};
    }
    std::int64_t number = 0;
    for (const char digit : port.substr(end + 1)) {
        number = number * 10 + (digit - '0');
        if (number > 1'000'000) {
            return {std::string(port), -1};
        }
    }
    return {std::string(port.substr(0, end)), number};
}

/// A program of some layers, or of the head, with the memory of its outputs. The host binds the memory of its inputs.
class layer_program {
public:
    struct port {
        numbered_name is;
        extents shape;
    };

    ANEMONE_INLINE layer_program(const dynamic_graph& made, const weight_store& weights, const backend::any& place)
        : weights_(weights_for(made, weights)), program_(place.compile(made, weights_)) {
        const graph_view g = made;
        const sequence<char> bound = bound_nodes(g);
        for (int i = 0; i < g.size(); ++i) {
            if (bound[static_cast<std::size_t>(i)] != 0) {
                inputs_.push_back({numbered(g.name(i)), g[i].shape});
            } else if (g[i].kind == op::input) {
                states_.emplace_back(g.name(i));
            }
        }
        input_memory_.resize(inputs_.size());
        for (const output_port& each : g.outputs) {
            if (each.is_state()) {
                continue;
            }
            outputs_.push_back({numbered(g.name(each)), g[each.node].shape});
            memory_.emplace_back(static_cast<std::size_t>(g[each.node].shape.count()));
        }
        for (std::vector<half>& each : memory_) {
            output_memory_.push_back(std::as_writable_bytes(std::span(each)));
        }
    }

    const std::vector<port>& inputs() const { return inputs_; }
    const std::vector<port>& outputs() const { return outputs_; }
    const std::vector<std::string>& states() const { return states_; }
    any_program& program() { return program_; }

    void bind(std::size_t input, std::span<const half> memory) { input_memory_[input] = std::as_bytes(memory); }
    void run() { program_.run(input_memory_, output_memory_); }
    std::span<const half> output(std::size_t position) const { return memory_[position]; }
    /// The output of a name; null where there is none.
    ANEMONE_INLINE const std::vector<half>* output(std::string_view name) const {
        for (std::size_t i = 0; i < outputs_.size(); ++i) {
            if (outputs_[i].is.number < 0 && outputs_[i].is.name == name) {
                return &memory_[i];
            }
        }
        return nullptr;
    }

private:
    weight_store weights_; // a program may read its weights
    any_program program_;
    std::vector<port> inputs_{};
    std::vector<port> outputs_{};
    std::vector<std::string> states_{};
    std::vector<std::vector<half>> memory_{};
    std::vector<std::span<const std::byte>> input_memory_{};
    std::vector<std::span<std::byte>> output_memory_{};
};

} // namespace ane::detail::inline ANEMONE_WAY
