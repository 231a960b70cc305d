#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "netplist_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// GOC units: a gain and an offset for each channel.
namespace ane::formats::inline ANEMONE_WAY {

/// What a GOC unit applies, scale (x + bias): each none, one number, or one for each channel.
struct netplist_gain {
    std::vector<half> scale;
    std::vector<half> bias;
};

/// The biases of scale (x + bias) = scale x + offset; nothing where a quotient is no fp16 number that gives the offset
/// back.
ANEMONE_INLINE std::optional<std::vector<half>> divided(std::span<const half> offset, std::span<const half> scale) {
    std::vector<half> result(std::max(offset.size(), scale.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto b = static_cast<double>(static_cast<float>(offset[offset.size() == 1 ? 0 : i]));
        const auto s = static_cast<double>(static_cast<float>(scale[scale.size() == 1 ? 0 : i]));
        const half quotient(b / s);
        const auto q = static_cast<double>(static_cast<float>(quotient));
        if (!std::isfinite(q) || q * s != b) {
            return std::nullopt;
        }
        result[i] = quotient;
    }
    return result;
}

/// The parameters of a GOC unit. Where either is one for each channel, so are both: no file mixes the two.
ANEMONE_INLINE plist_dict gain_params(netplist_network& network, const netplist_gain& gain) {
    const std::size_t count = std::max(gain.scale.size(), gain.bias.size());
    plist_dict params;
    plist_dict group;
    const auto write = [&](const std::string& part, std::vector<half> values) {
        if (values.empty()) {
            return;
        }
        if (count == 1) {
            params[part + "Scalar"] = fp16_pattern(values.front());
            return;
        }
        values.resize(count, values.front());
        group[part + "Count"] = count;
        group[part + "Index"] = network.blob(values);
        group[part + "Offset"] = 0;
    };
    write("Bias", gain.bias);
    write("Scale", gain.scale);
    if (count > 1) {
        if (!gain.bias.empty()) {
            group["BiasMutable"] = false;
        }
        params["BiasScaleGroupData"] = std::move(group);
    }
    return params;
}

} // namespace ane::formats::inline ANEMONE_WAY
