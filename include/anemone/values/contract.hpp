#pragma once

#include "../base/members.hpp"

namespace ane {

/// What the author of a model promises about the values of an input or a weight. Checks at build time rely on it; the
/// loader verifies it against the data of a weight, and an error names the first element or row that breaks it.
struct contract {
    /// Marks a sum of magnitudes about which nothing is promised.
    static constexpr double any = 1e30;

    bool declared = false; ///< whether [low, high] is a promise
    double low = -65504.0;
    double high = 65504.0;
    double row_l1 = any;    ///< largest sum of |w| over everything that belongs to one index of the first axis
    double column_l1 = any; ///< the same for one index of the second axis
    double deviation = 0;   ///< root mean square of the values, for expected errors; 0: as if uniform on [low, high]
    double zeros = 0;       ///< share of elements that are exactly 0, for estimated times; nothing is proved by it

    ANEMONE_MEMBERS(declared, low, high, row_l1, column_l1, deviation, zeros)
    friend constexpr bool operator==(const contract&, const contract&) = default;

    /// Both promises: `bounded(0.5) & row_l1(3)`.
    friend constexpr contract operator&(contract a, const contract& b) {
        a.declared = a.declared || b.declared;
        a.low = a.low > b.low ? a.low : b.low;
        a.high = a.high < b.high ? a.high : b.high;
        a.row_l1 = a.row_l1 < b.row_l1 ? a.row_l1 : b.row_l1;
        a.column_l1 = a.column_l1 < b.column_l1 ? a.column_l1 : b.column_l1;
        const bool replaces = b.deviation > 0 && (!(a.deviation > 0) || b.deviation < a.deviation);
        a.deviation = replaces ? b.deviation : a.deviation;
        a.zeros = a.zeros > b.zeros ? a.zeros : b.zeros;
        return a;
    }

    /// Whether any tensor could keep it: low is at most high, and no magnitude is negative.
    constexpr bool possible() const {
        return low <= high && row_l1 >= 0 && column_l1 >= 0 && deviation >= 0 && zeros >= 0 && zeros <= 1;
    }

    /// Whether two places of a model may promise these of one tensor: whatever both bound, they bound equally.
    friend constexpr bool agree(const contract& a, const contract& b) {
        const bool bounds = !a.declared || !b.declared ||
                            (a.low == b.low && a.high == b.high && a.row_l1 == b.row_l1 && a.column_l1 == b.column_l1);
        const bool spreads = !(a.deviation > 0) || !(b.deviation > 0) || a.deviation == b.deviation;
        return bounds && spreads;
    }
};

/// Every element lies in [low, high]: for inputs, such as `within(0, 1)` for an image.
constexpr contract within(double low, double high) { return {.declared = true, .low = low, .high = high}; }

/// Every element lies in [-magnitude, magnitude]: for weights.
constexpr contract bounded(double magnitude) { return within(-magnitude, magnitude); }

/// The magnitudes of each row add up to at most `most`: for the weight of a convolution or a linear layer, whose rows
/// (first axis) are the output channels. No element is larger than its row's sum.
constexpr contract row_l1(double most) {
    return {.declared = true, .low = -most, .high = most, .row_l1 = most, .column_l1 = contract::any};
}

/// The same for each column (second axis): for the right operand [K, N] of a matrix product, and for the weight
/// [I, O, kH, kW] of a transposed convolution.
constexpr contract column_l1(double most) {
    return {.declared = true, .low = -most, .high = most, .row_l1 = contract::any, .column_l1 = most};
}

/// The values have this standard deviation about zero (root mean square): the basis of the expected error of a product.
/// An estimate, which the loader enforces to within 1 %; it implies no bound.
constexpr contract deviating(double sigma) { return {.deviation = sigma}; }

/// What the elements of a stored tensor are, as `anemone_weight_statistics` writes it into a header.
struct tensor_statistics {
    double low = 0;
    double high = 0;
    double row_l1 = 0;
    double column_l1 = 0;
    double deviation = 0;
    double zeros = 0; ///< share of elements that are 0
};

/// The promise that a tensor has these statistics.
constexpr contract bounded_by(const tensor_statistics& s) {
    return {.declared = true,
            .low = s.low,
            .high = s.high,
            .row_l1 = s.row_l1,
            .column_l1 = s.column_l1,
            .deviation = s.deviation,
            .zeros = s.zeros};
}

} // namespace ane
