#pragma once

namespace ane {

/// What the author of a model promises about the values of an input or a weight: every element lies in [low, high].
/// Checks at build time rely on it; the loader verifies it against the data and an error names the first element that
/// breaks it.
struct contract {
    bool declared = false;
    double low = -65504.0;
    double high = 65504.0;

    friend constexpr bool operator==(const contract&, const contract&) = default;
};

/// Every element lies in [low, high]: for inputs, such as `within(0, 1)` for an image.
constexpr contract within(double low, double high) { return {true, low, high}; }

/// Every element lies in [-magnitude, magnitude]: for weights.
constexpr contract bounded(double magnitude) { return {true, -magnitude, magnitude}; }

} // namespace ane
