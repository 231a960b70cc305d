#include "ranges.hpp"

#include "../app/by_name.hpp"
#include "numpy_file.hpp"
#include <anemone/base/error.hpp>
#include <anemone/values/half.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

namespace command {

namespace {

/// "-1,1"; nothing where the text is no pair of numbers.
std::optional<ane::contract> pair_in(const std::string& text) {
    const char* const begin = text.c_str();
    char* comma = nullptr;
    char* end = nullptr;
    const double low = std::strtod(begin, &comma); // libc++ has no from_chars for it
    if (comma == begin || *comma != ',') {
        return std::nullopt;
    }
    const double high = std::strtod(comma + 1, &end);
    return end != comma + 1 && *end == '\0' ? std::optional(ane::within(low, high)) : std::nullopt;
}

/// The extremes and the mean square of arrays of one name.
struct measured {
    double low = INFINITY;
    double high = -INFINITY;
    double squares = 0;
    std::size_t count = 0;
    bool is_whole = true; ///< no element was left out

    void add(const tensor& array, const std::string& file, std::vector<ane::aside>& observed) {
        for (std::size_t i = 0; i < array.values.size(); ++i) {
            const double v = array.values[i];
            const double stored = static_cast<double>(ane::half(v));
            if (!std::isfinite(stored)) {
                if (is_whole) {
                    observed.push_back({ane::data_not_finite, ane::severity::warn,
                                        fmt::format("element {} of '{}' in {} is {}, {}; nothing is promised of this "
                                                    "input",
                                                    i, array.name, file, v,
                                                    std::isnan(v)   ? "and a NaN enters as infinity (R155)"
                                                    : std::isinf(v) ? "and not finite"
                                                                    : "beyond fp16's 65504"),
                                        file, 0});
                }
                is_whole = false;
                continue;
            }
            low = std::min(low, stored);
            high = std::max(high, stored);
            squares += stored * stored;
            ++count;
        }
    }
    ane::contract promise() const {
        ane::contract c = ane::within(low, high);
        c.deviation = std::sqrt(squares / static_cast<double>(count));
        return c;
    }
};

} // namespace

input_ranges ranges_in(const std::vector<std::string>& arguments, const app::model& of) {
    input_ranges found;
    if (arguments.empty()) {
        return found;
    }
    const std::vector<app::port> inputs = of.ports().inputs;
    const app::by_name<app::port> known(inputs);
    std::map<std::string, measured> seen;
    for (const std::string& each : arguments) {
        const std::size_t equals = each.find('=');
        const std::string name = equals == std::string::npos ? "" : each.substr(0, equals);
        const std::string rest = equals == std::string::npos ? each : each.substr(equals + 1);
        if (!name.empty()) {
            app::named(inputs, name, "input");
        }
        if (const auto declared = name.empty() ? std::nullopt : pair_in(rest)) {
            found.ranges.push_back({name, *declared});
            continue;
        }
        std::vector<tensor> arrays = read_arrays(rest, of.max_memory());
        if (!name.empty() && arrays.size() == 1) {
            arrays.front().name = name;
        }
        bool any = false;
        for (const tensor& array : arrays) {
            if (known.contains(array.name)) {
                seen[array.name].add(array, rest, found.observed);
                any = true;
            }
        }
        if (!any) {
            throw ane::error(ane::errc::argument, "--ranges " + each,
                             "has no array of an input's name; inputs are: " + app::names_of(inputs));
        }
    }
    for (const auto& [name, extremes] : seen) {
        if (extremes.is_whole && extremes.count > 0) {
            found.ranges.push_back({name, extremes.promise(), true});
        }
    }
    return found;
}

} // namespace command
