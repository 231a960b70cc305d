#pragma once

#include <anemone/graph/graph.hpp>
#include <anemone/targets/table.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace kit {

/// As long as it lives, calls into the runtime are not written down one by one.
class unwritten {
public:
    explicit unwritten(std::string_view what);
    unwritten(const unwritten&) = delete;
    unwritten& operator=(const unwritten&) = delete;
    ~unwritten();
};

/// Times five runs of `run`, whose calls are not written down: "time 0.213 ms, median of 5 (0.210 to 0.250); cost 0.220
/// ms". The cost is that of `model` on the chip, lowered.
std::string time_against_cost(const std::function<void()>& run, const ane::graph_view& model, ane::target chip);

} // namespace kit
