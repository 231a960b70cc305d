#include "diff.hpp"

#include "option_faults.hpp"
#include "run_memory.hpp"
#include "target_names.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/samples.hpp>
#include <anemone/base/error.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace app {

namespace {

/// Calls `compare` with the memory of the inputs.
template <class Compare>
auto on_inputs(const model& of, const diff_options& how, const std::vector<input_array>& arrays,
               const Compare& compare) {
    if (arrays.empty()) {
        const ane::model_samples drawn = ane::random_samples(of.graph(), 1, how.seed);
        return compare(drawn.inputs(0));
    }
    const input_memory given(of.ports().inputs, arrays);
    return compare(given.spans());
}

/// Calls `compare` with the backend of the reference.
template <class Compare> auto in_reference(const diff_options& how, const Compare& compare) {
    if (how.reference == wide_reference) {
        throw ane::error(ane::errc::argument, "f64",
                         "is what one file's arithmetic is compared with; two files run on cpu or on a chip");
    }
    return how.reference == "cpu" ? compare(ane::backend::cpu{})
                                  : compare(ane::backend::oracle(target_named(how.reference)));
}

} // namespace

ane::model_difference diff(const model& of, const diff_options& how, const std::vector<input_array>& inputs,
                           const caller& who) {
    require_limits(how, who.by);
    const ane::backend::oracle engine = ane::backend::oracle(target_named(how.target)).layers(of.layers());
    require_run_memory(of.graph(), kept_values::twice, of.max_memory(), who);
    const task shown(who, "comparing " + how.target + " with " + how.reference + ", node by node");
    return on_inputs(of, how, inputs, [&](const auto& memory) {
        return in_reference(
            how, [&](const auto& reference) { return ane::diff(of.graph(), reference, engine, of.weights(), memory); });
    });
}

ane::pair_difference diff(const model& a, const model& b, const diff_options& how,
                          const std::vector<input_array>& inputs, const caller& who) {
    require_limits(how, who.by);
    for (const model* const each : {&a, &b}) {
        require_run_memory(each->graph(), kept_values::twice, each->max_memory(), who);
    }
    const task shown(who, "comparing " + a.path() + " with " + b.path() + ", node by node");
    const auto compared = [&](const auto& memory) {
        return in_reference(how, [&](const auto& place) {
            return ane::diff(a.graph(), a.weights(), b.graph(), b.weights(), place, memory);
        });
    };
    if (inputs.empty()) {
        const std::vector<std::vector<std::byte>> drawn = ane::random_inputs(a.graph(), b.graph(), how.seed);
        return compared(std::vector<std::span<const std::byte>>(drawn.begin(), drawn.end()));
    }
    const input_memory given(a.ports().inputs, inputs);
    return compared(given.spans());
}

} // namespace app
