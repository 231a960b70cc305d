#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Figures that the guide and the cost facts publish of time, rate, energy and leads, beside what the product has for the same
/// workload: always from the cost model and the placement, never the published figure itself.
namespace guide_figures {

struct figure {
    std::string_view source; ///< "9": a chapter of the guide; or the name of a record of the cost facts
    std::string_view chip;   ///< "M1"
    std::string what;
    std::string_view unit;
    double published;
    double model;

    double factor() const { return published > model ? published / model : model / published; }
};

inline constexpr double close_factor = 1.3;

std::vector<figure> times();    ///< of programs on the engine, as times, rates and gains
std::vector<figure> energies(); ///< of the engine and the package, and powers
std::vector<figure> leads();    ///< of the engine over the GPU, crossovers and serving
std::vector<figure> decode();   ///< token by token, as chapter 14 places it
std::vector<figure> field();    ///< what others published in 2026

} // namespace guide_figures
