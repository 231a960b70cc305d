#pragma once

#include "port.hpp"
#include <anemone/graph/graph.hpp>
#include <anemone/values/contract.hpp>

#include <string>
#include <vector>

namespace app {

/// What is promised of an input's values: that they stay from `values.low` to `values.high`, and their root mean square
/// where it is known.
struct input_range {
    std::string input;
    ane::contract values;
    bool is_measured = false; ///< on data, of which its ends need not meet
};

/// Promises the inputs of a model what `ranges` say. Throws `ane::error`: errc::port for a name that is no input,
/// errc::argument for a range that does not rise, or that leaves what fp16 holds.
void promise(ane::dynamic_graph& graph, const std::vector<input_range>& ranges);

} // namespace app
