#pragma once

#include "../numerics/probes.hpp"

#include <span>
#include <string_view>

namespace kit {

/// Records whose tests here do more than an engine can be asked (every parameter, every chip, deeper references), as
/// single graphs.
std::span<const probing::probe> more_probes();

/// A record that a graph on the engine says nothing about, and why.
struct beyond_a_graph {
    std::string_view id, reason;
};
std::span<const beyond_a_graph> records_beyond_a_graph();

} // namespace kit
