#pragma once

#include "../backend/composer.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/readers/read_model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

/// What a file says, once the library's own reader has made a graph of it.
namespace differential {

using namespace ane;

/// Operations whose results are among the numbers that they read, or are told by comparing these: no arithmetic, so
/// nothing to round.
inline constexpr op_set moves_or_compares = op_set::where([](op kind) {
    switch (signature(kind).group) {
    case op_group::source:
    case op_group::comparison:
    case op_group::logic:
    case op_group::movement:
    case op_group::rank:
    case op_group::arg_reduction: return true;
    default: break;
    }
    return op_set{op::minimum, op::maximum,  op::relu,       op::relu6,      op::clamp,    op::abs,
                  op::sign,    op::max_pool, op::reduce_max, op::reduce_min, op::gather_hw}
        .contains(kind);
});

/// Whether all that is computed of the inputs is moved or compared.
inline bool only_moves(const graph_view& lowered, const folded_constants& constants) {
    for (int i = 0; i < lowered.size(); ++i) {
        if (!constants.known(i) && !moves_or_compares.contains(lowered[i].kind)) {
            return false;
        }
    }
    return true;
}

/// The results of a model that was read from a file, run on the CPU with the inputs of the graph that was written, which
/// it has by name, and its outputs in their order. Shapes may be others (a netplist's ports have rank 4). Throws
/// `std::runtime_error` where it has other ports.
inline composing::port_memory results_of(const read_model& read, const graph_view& given,
                                         std::span<const std::span<const std::byte>> inputs) {
    std::vector<std::string_view> names;
    for (int i = 0; i < given.size(); ++i) {
        if (given[i].kind == op::input) {
            names.push_back(given.name(i));
        }
    }
    const graph_view g = read.graph;
    std::vector<std::span<const std::byte>> ports;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            const auto found = std::find(names.begin(), names.end(), g.name(i));
            if (found == names.end()) {
                throw std::runtime_error(fmt::format("the input {} is in no graph", g.name(i)));
            }
            ports.push_back(inputs[static_cast<std::size_t>(found - names.begin())]);
            if (ports.back().size() != composing::port_bytes(g[i])) {
                throw std::runtime_error(fmt::format("the input {} has another size", g.name(i)));
            }
        }
    }
    composing::port_memory memory = composing::memory_of_outputs(g);
    if (ports.size() != names.size() || g.outputs.size() != given.outputs.size()) {
        throw std::runtime_error(fmt::format("{} inputs and {} outputs instead of {} and {}", ports.size(),
                                             g.outputs.size(), names.size(), given.outputs.size()));
    }
    for (std::size_t i = 0; i < given.outputs.size(); ++i) {
        if (memory.bytes[i].size() != composing::port_bytes(given[given.outputs[i].node])) {
            throw std::runtime_error(fmt::format("the output {} has another size", given.name(given.outputs[i])));
        }
    }
    backend::cpu{}.rounding(rounding::each_operation).compile(g, read.weights).run(ports, memory.outputs());
    return memory;
}

} // namespace differential
