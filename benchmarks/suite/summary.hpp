#pragma once

#include "table.hpp"
#include <anemone/benchmark/machine_limits.hpp>

#include <optional>
#include <string>
#include <vector>

namespace suite {

/// The machine among the records, so that a results file has everything: a record for each ceiling.
std::vector<record> records_of(const ane::machine_limits& limits);
/// The higher of each ceiling in two measurements of one machine.
ane::machine_limits best_of(ane::machine_limits a, const ane::machine_limits& b);
/// The ceilings for that number of threads, where they are among the records.
std::optional<ane::machine_limits> limits_of(const std::vector<record>& records, int threads);

/// What the table says of one workload at one number of threads.
struct verdict {
    const record* ours = nullptr;
    const record* unfused = nullptr;
    const record* winograd = nullptr;
    const record* peer = nullptr;     ///< the fastest that sums products, as ours does by default
    const record* any_peer = nullptr; ///< the fastest of all, Winograd's among them
    comparison against;               ///< `peer`
    comparison winograd_against;      ///< `any_peer`
};
verdict judge(const std::vector<record>& block);

/// The tables of docs/performance.md: losing rows first, the limit that binds each row, what a second thread and fusing
/// bring, and cold starts.
std::string markdown(const std::vector<record>& records);

/// `page` with the text between its markers replaced; the text with markers alone where it has none.
std::string with_measurements(const std::string& page, const std::string& text);

/// All contenders of one number of threads under its ceilings. Throws ane::error where nothing was timed.
std::string chart(const std::vector<record>& records, int threads);

} // namespace suite
