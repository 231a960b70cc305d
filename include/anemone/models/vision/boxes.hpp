#pragma once

#include "../../base/way.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

/// What the host makes of the output of a detector.
namespace ane::models::inline ANEMONE_WAY {

/// A box in pixels of the image, and what it shows.
struct detection {
    float x = 0; ///< of the centre
    float y = 0;
    float width = 0;
    float height = 0;
    float score = 0;        ///< from 0 to 1
    std::int64_t label = 0; ///< the class, from 0 on
    friend constexpr bool operator==(const detection&, const detection&) = default;
};

/// How much of two boxes is the same: the area of both over that of either, from 0 to 1; 0 for boxes without an area.
constexpr float overlap_of(const detection& a, const detection& b) {
    const auto shared = [](double one, double one_size, double other, double other_size) {
        const double behind = std::min(one + one_size / 2, other + other_size / 2);
        const double before = std::max(one - one_size / 2, other - other_size / 2);
        return std::max(behind - before, 0.0);
    };
    const double both = shared(a.x, a.width, b.x, b.width) * shared(a.y, a.height, b.y, b.height);
    const double either = static_cast<double>(a.width) * a.height + static_cast<double>(b.width) * b.height - both;
    return either > 0 ? static_cast<float>(both / either) : 0.0F;
}

struct detection_limits {
    float score = 0.25F;  ///< what has less is nothing
    float overlap = 0.7F; ///< a box of the same class that shares more than this with a better one is left out
    std::int64_t most = 300;
    bool across_classes = false; ///< boxes of different classes suppress each other, too
};

/// The best boxes of `detections` [4 + classes, places], the output of a detector (yolo.hpp): of each place its best class, the
/// first of equal ones; best scores first, those of equal score as their places. A place whose numbers are not finite has no box.
/// Throws `ane::error` (errc::argument) for limits that are not from 0 to 1, for `most` or `classes` below 1, and for another
/// number of values than places of 4 + classes. Its work grows with the boxes times those that are kept.
ANEMONE_API
std::vector<detection> non_maximum_suppression(std::span<const float> detections, std::int64_t classes,
                                               const detection_limits& limits = {});

} // namespace ane::models::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "boxes.ipp"
#endif
