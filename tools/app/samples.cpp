#include "samples.hpp"

#include "by_name.hpp"
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace app {

namespace {

/// How often an array holds an input, one after the other along a first axis: as many runs.
std::size_t runs_in(const input_array& a, const port& p, const std::string& source) {
    const std::vector<std::int64_t> given = without_ones(*a.shape);
    const std::vector<std::int64_t> wanted = without_ones(p.shape);
    const bool fits = !a.bytes.empty() && given.size() >= wanted.size() && given.size() <= wanted.size() + 1 &&
                      std::equal(wanted.rbegin(), wanted.rend(), given.rbegin());
    if (!fits) {
        throw ane::error(ane::errc::argument, source,
                         fmt::format("'{}' is {}, the input [{}]: give one run, or several along a first axis", a.name,
                                     shape_text(*a.shape), fmt::join(p.shape, ", ")));
    }
    return given.size() == wanted.size() ? 1 : static_cast<std::size_t>(given.front());
}

} // namespace

void add_runs(ane::model_samples& samples, const std::vector<port>& inputs, const std::vector<input_array>& arrays,
              const std::string& source) {
    std::size_t runs = 0;
    const by_name<port> known(inputs);
    for (const input_array& each : arrays) {
        const port* const p = known.find(each.name);
        const std::size_t here = runs_in(each, p != nullptr ? *p : named(inputs, each.name, "input"), source);
        if (runs != 0 && runs != here) {
            throw ane::error(ane::errc::argument, source,
                             fmt::format("'{}' has {} runs and the array before it {}", each.name, here, runs));
        }
        runs = here;
    }
    for (std::size_t run = 0; run < runs; ++run) {
        std::vector<input_array> one;
        for (const input_array& each : arrays) {
            const std::size_t bytes = each.bytes.size() / runs;
            one.push_back({each.name, each.type, each.bytes.subspan(run * bytes, bytes), std::nullopt});
        }
        samples.add(input_memory(inputs, one).spans());
    }
}

} // namespace app
