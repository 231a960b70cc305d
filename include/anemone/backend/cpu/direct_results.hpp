#pragma once

#include "../../base/way.hpp"
#include "../../graph/graph.hpp"
#include "../ports.hpp"
#include "state_update.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// The results of a program that are computed where they are wanted: in the caller's buffers, or in the buffer that a state
/// is written into.
class direct_results {
public:
    direct_results() = default;
    /// `computed`: the nodes that stages compute.
    ANEMONE_INLINE direct_results(const graph_view& model, const sequence<std::size_t>& computed) {
        sequence<std::size_t> positions(model.nodes.size(), none); // of nodes that are computed and have no result yet
        for (std::size_t i = computed.size(); i-- > 0;) {
            positions[computed[i]] = i;
        }
        for (int rank = 0; rank < 3; ++rank) { // a state of which a part is replaced, other states, the caller's
            for (std::size_t i = 0; i < model.outputs.size(); ++i) {
                const output_port& port = model.outputs[i];
                const bool updates = updates_state(model, port);
                if (rank == (updates ? 0 : port.is_state() ? 1 : 2)) {
                    add(positions[static_cast<std::size_t>(port.node)], i, port.is_state());
                }
            }
        }
    }

    /// place(position in `computed`, buffer) for each; null where the caller's buffer shares memory with another one of this
    /// run.
    template <class Place> void place(const ane::detail::bound_ports& ports, const Place& place) const {
        for (const result& each : results_) {
            const bool alone = each.becomes_state || !overlaps(ports, each.output);
            place(each.position, alone ? ports.outputs()[each.output].data() : nullptr);
        }
    }

private:
    static constexpr auto none = static_cast<std::size_t>(-1);

    struct result {
        std::size_t position;
        std::size_t output;
        bool becomes_state;
    };

    /// The first result of a node takes its position.
    ANEMONE_INLINE void add(std::size_t& position, std::size_t output, bool becomes_state) {
        if (position != none) {
            results_.push_back({position, output, becomes_state});
            position = none;
        }
    }

    ANEMONE_INLINE static bool overlaps(const ane::detail::bound_ports& ports, std::size_t output) {
        constexpr std::size_t most_compared = 64;
        if (ports.inputs().size() + ports.outputs().size() > most_compared) {
            return true; // not known, that is
        }
        const std::span<std::byte> own = ports.outputs()[output];
        const auto meets = [&](std::span<const std::byte> other) {
            const std::less<> before;
            return before(own.data(), other.data() + other.size()) && before(other.data(), own.data() + own.size());
        };
        for (std::size_t i = 0; i < ports.outputs().size(); ++i) {
            if (i != output && meets(ports.outputs()[i])) {
                return true;
            }
        }
        return std::any_of(ports.inputs().begin(), ports.inputs().end(), meets);
    }

    sequence<result> results_;
};

} // namespace ane::cpu::inline ANEMONE_WAY
