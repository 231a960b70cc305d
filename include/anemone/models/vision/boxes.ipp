#pragma once

#include "../../base/error.hpp"
#include "../../base/formatted.hpp"
#include "boxes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ane::models::inline ANEMONE_WAY {

/// The box of a place, with a score of 0 where there is none.
ANEMONE_INLINE detection box_at(std::span<const float> all, std::size_t places, std::size_t place,
                                std::int64_t classes) {
    const auto value = [&](std::int64_t row) { return all[static_cast<std::size_t>(row) * places + place]; };
    detection found{.x = value(0), .y = value(1), .width = value(2), .height = value(3)};
    for (const float number : {found.x, found.y, found.width, found.height}) {
        if (!std::isfinite(number)) {
            return {};
        }
    }
    for (std::int64_t label = 0; label < classes; ++label) {
        const float score = value(4 + label);
        if (!std::isfinite(score)) {
            return {};
        }
        if (score > found.score) {
            found.score = score;
            found.label = label;
        }
    }
    return found;
}

ANEMONE_BODY std::vector<detection> non_maximum_suppression(std::span<const float> detections, std::int64_t classes,
                                                            const detection_limits& limits) {
    const auto refuse = [](const std::string& why) { throw error(errc::argument, "detections", why); };
    for (const float limit : {limits.score, limits.overlap}) {
        if (!(limit >= 0 && limit <= 1)) {
            refuse(formatted("the limit {} must be from 0 to 1", limit));
        }
    }
    if (limits.most < 1 || classes < 1 || classes > 1 << 24) {
        refuse(formatted("{} boxes at most and {} classes: both must be 1 or more", limits.most, classes));
    }
    const auto rows = static_cast<std::size_t>(4 + classes);
    if (detections.size() % rows != 0) {
        refuse(formatted("are {} values, no multiple of 4 + {} for each place", detections.size(), classes));
    }
    const std::size_t places = detections.size() / rows;
    std::vector<detection> all;
    for (std::size_t place = 0; place < places; ++place) {
        const detection found = box_at(detections, places, place, classes);
        if (found.score > limits.score) {
            all.push_back(found);
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const detection& a, const detection& b) { return a.score > b.score; });
    std::vector<detection> kept;
    for (const detection& each : all) {
        if (static_cast<std::int64_t>(kept.size()) == limits.most) {
            break;
        }
        const bool is_known = std::any_of(kept.begin(), kept.end(), [&](const detection& better) {
            return (limits.across_classes || better.label == each.label) && overlap_of(better, each) > limits.overlap;
        });
        if (!is_known) {
            kept.push_back(each);
        }
    }
    return kept;
}

} // namespace ane::models::inline ANEMONE_WAY
