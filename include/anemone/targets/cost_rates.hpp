#pragma once

#include "cost_anchor.hpp"

#include <cstdint>
#include <string_view>

/// The constants of the cost model: rates of the array, bandwidths by what is moved, and fixed times (docs/cost.md).
namespace ane {

/// The rates of one chip, of programs on the device as the host sees them.
struct cost_rates {
    double convolution = 0; ///< FLOP/s of convolutions that Winograd's transform fits, as if it were not taken; a
                            ///< multiply-add is 2
    double direct = 0;      ///< FLOP/s of other convolutions
    double product = 0;     ///< FLOP/s of products of matrices and of all else

    double ports = 0; ///< bytes/s of a program's inputs and outputs that the host copies into the engine's layout
    double shared_ports = 0;        ///< bytes/s of those that both read in place (`port_transfer::shared`)
    double convolution_weights = 0; ///< bytes/s
    double product_weights = 0;     ///< bytes/s
    double resident = 0;            ///< bytes/s of values that stay on the chip between layers
    double spilled = 0;             ///< bytes/s of values between layers that do not fit there
    double permuted = 0;            ///< bytes/s, read and written, of what changes the order of its axes

    double floor = 0;       ///< s, a dispatch with one input and one output that computes nothing; median by the clock
    double least_floor = 0; ///< s, the shortest of many
    double port = 0;        ///< s, for each input and each output after the first

    double index = 0;            ///< s, a layer that gives indices or an order
    double selected = 0;         ///< elements/s through top_k and sort
    double row_scales = 0;       ///< elements/s of rows that a factor for each row scales, outside of a norm
    double attention_values = 0; ///< bytes/s of the operands and the result of the attention unit
    double attention_scores = 0; ///< scores/s of the attention unit

    double static_power = 0;       ///< W of the engine while a program is dispatched and runs
    double flop_energy = 0;        ///< J for each FLOP
    double transformed_energy = 0; ///< J for each FLOP of convolutions that Winograd's transform fits: fewer are done
    double byte_energy = 0;        ///< J of the engine for each byte of weights, inputs and outputs
    double memory_energy = 0;      ///< J of the memory for each of these bytes, beside the engine's
    double host_energy = 0;        ///< J of the host for a dispatch

    /// Share of the array's time for a zero weight that it saves, in direct convolutions and products.
    double zero_skip = 0;

    double tile = 0; ///< bytes of the rows of a product for which weights that do not fit on the chip are read once

    /// Nine of ten points lie within these factors of the estimate: of the fixed times, and of the work above them.
    double floor_spread = 1;
    double work_spread = 1;
    mark known_by = mark::predicted; ///< measured: fitted to latencies of this chip
};

/// How a constant is known.
enum class cost_origin : std::uint8_t {
    fitted,    ///< to the points of this chip
    published, ///< a figure of the source, as it stands
    derived,   ///< from measured figures of this chip, as its source says
    carried    ///< from another chip or from other figures, as its source says
};

/// One figure of `cost_rates` at an anchor. A fitted one with a published figure is drawn towards that, in logarithms,
/// with the weight of one point (tests/cost/fit.hpp, which finds these values again).
struct cost_constant {
    target anchor;
    double cost_rates::*member;
    std::string_view name;
    std::string_view unit;
    double value;
    double published; ///< 0: none
    cost_origin origin;
    std::string_view source;

    constexpr mark known_by() const { return origin == cost_origin::carried ? mark::predicted : mark::measured; }
};

// clang-format off
inline constexpr cost_constant cost_constants[] = {
    {h13, &cost_rates::convolution, "convolution", "FLOP/s", 11.1e12, 12e12, cost_origin::fitted, "guide 9, compute roof; points m1_001, m1_005, ramp_001..005, cls_005"},
    {h13, &cost_rates::direct, "direct convolution", "FLOP/s", 7.38e12, 6.96e12, cost_origin::fitted, "guide 20, a saturated 1x1 convolution (core_006); points m1_002..004"},
    {h13, &cost_rates::product, "product", "FLOP/s", 14.1e12, 12e12, cost_origin::fitted, "guide 9, compute roof; points cls_002, cls_003, pow_003"},
    {h13, &cost_rates::ports, "ports", "B/s", 6.1e9, 10e9, cost_origin::fitted, "guide 9, a single relu; points ramp_001..005, m1_002, bm_008"},
    {h13, &cost_rates::convolution_weights, "convolution weights", "B/s", 10.3e9, 9e9, cost_origin::fitted, "guide 18, fitted bandwidth; points m1_001..005, cls_005"},
    {h13, &cost_rates::product_weights, "product weights", "B/s", 50e9, 51e9, cost_origin::fitted, "guide 9, saturating weight stream; points ramp_008, cls_002, cls_003, CC12"},
    {h13, &cost_rates::resident, "resident", "B/s", 200e9, 0, cost_origin::derived, "guide 9: a chain of products keeps 12 TFLOP/s at 1 MB a value, of which it then moves at least 180 GB/s"},
    {h13, &cost_rates::spilled, "spilled", "B/s", 80e9, 85e9, cost_origin::derived, "ws_008: the same chain at 2 MB a value moves 426 MB a dispatch at 4.8 TFLOP/s and 60 FLOP/byte"},
    {h13, &cost_rates::floor, "floor", "s", 211e-6, 220e-6, cost_origin::fitted, "cost facts, anchor of h13; every point of M1 by the clock"},
    {h13, &cost_rates::least_floor, "least floor", "s", 185e-6, 190e-6, cost_origin::fitted, "guide 9, a tiny model; point bud_006"},
    {h13, &cost_rates::static_power, "static power", "W", 0.755, 0.755, cost_origin::published, "guide 10, rail in a loop of single calls"},
    {h13, &cost_rates::flop_energy, "energy of a FLOP", "J", 0.54e-12, 0.37e-12, cost_origin::derived, "what is left of 5.5 W in 2.11 ms for 8 products of 1024 (guide 10); the published one is the best of an M1 Max"},
    {h13, &cost_rates::transformed_energy, "energy of a FLOP, transformed", "J", 0.34e-12, 0, cost_origin::derived, "what is left of cls_005 (19.3 GFLOP at 2063 GFLOP/s/W)"},
    {h13, &cost_rates::byte_energy, "energy of a byte", "J", 12e-12, 0, cost_origin::derived, "guide 10: 1.4 W while a large weight streams, less the static power"},
    {h13, &cost_rates::memory_energy, "energy of a byte in memory", "J", 35e-12, 0, cost_origin::derived, "what is left of cls_003 (8.59 GFLOP at 775 GFLOP/s/W)"},
    {h13, &cost_rates::host_energy, "energy of a dispatch", "J", 0.2e-3, 0, cost_origin::derived, "what is left of cls_001 and cls_002: 0.49 and 0.57 mJ of the package"},
    {h13, &cost_rates::shared_ports, "shared ports", "B/s", 10e9, 10e9, cost_origin::published, "guide 9, a single relu"},
    {h13, &cost_rates::tile, "tile", "B", 1.05e6, 0, cost_origin::derived, "half of the memory on the chip: 4096 cubed at 4.8 TFLOP/s (guide 9) and cls_003"},

    {h14, &cost_rates::convolution, "convolution", "FLOP/s", 10.8e12, 0, cost_origin::carried, "h13: chains of convolutions run at 8.5 TFLOP/s on both (m2p_005 at 3.8 W, cls_005)"},
    {h14, &cost_rates::direct, "direct convolution", "FLOP/s", 7.3e12, 7.3e12, cost_origin::published, "cost facts, peak of the anchor of h14"},
    {h14, &cost_rates::product, "product", "FLOP/s", 13.5e12, 0, cost_origin::carried, "h13: products of M2 were measured with one row, which the array does not bind"},
    {h14, &cost_rates::ports, "ports", "B/s", 11.9e9, 0, cost_origin::carried, "geometric mean of h13 and h17s"},
    {h14, &cost_rates::convolution_weights, "convolution weights", "B/s", 23.2e9, 0, cost_origin::carried, "geometric mean of h13 and h17s"},
    {h14, &cost_rates::product_weights, "product weights", "B/s", 54.5e9, 48e9, cost_origin::fitted, "cost facts, anchor of h14; points cmp_001..003, m2p_009..012"},
    {h14, &cost_rates::floor, "floor", "s", 122e-6, 100e-6, cost_origin::fitted, "cost facts, anchor of h14; points cmp_001..003, m2p_009..012"},
    {h14, &cost_rates::static_power, "static power", "W", 1.6, 0, cost_origin::derived, "m2p_009..012: energies against times and bytes"},
    {h14, &cost_rates::flop_energy, "energy of a FLOP", "J", 0.5e-12, 0, cost_origin::derived, "what is left of m2p_003 (8.59 GFLOP at 773.3 GFLOP/s/W)"},
    {h14, &cost_rates::transformed_energy, "energy of a FLOP, transformed", "J", 0.23e-12, 0, cost_origin::derived, "what is left of m2p_005 (19.3 GFLOP at 2234.6 GFLOP/s/W)"},
    {h14, &cost_rates::byte_energy, "energy of a byte", "J", 12e-12, 0, cost_origin::derived, "m2p_009..012: energies of the engine against times and bytes"},
    {h14, &cost_rates::memory_energy, "energy of a byte in memory", "J", 23e-12, 0, cost_origin::derived, "what is left of m2p_003, shared with the energy of a FLOP"},
    {h14, &cost_rates::host_energy, "energy of a dispatch", "J", 0.45e-3, 0, cost_origin::derived, "what is left of m2p_001 and m2p_002: 0.74 and 0.90 mJ of the package"},
    {h14, &cost_rates::tile, "tile", "B", 1.05e6, 0, cost_origin::carried, "h13, whose memory on the chip is as large"},

    {h17s, &cost_rates::convolution, "convolution", "FLOP/s", 30e12, 24.3e12, cost_origin::fitted, "cost facts, bm_018; points cv_001..010, bm_017, bm_018"},
    {h17s, &cost_rates::direct, "direct convolution", "FLOP/s", 18.8e12, 18.8e12, cost_origin::published, "guide 9, a saturated convolution, its kernel not told"},
    {h17s, &cost_rates::product, "product", "FLOP/s", 19.6e12, 19.6e12, cost_origin::fitted, "guide 12, matmul slope; points mm_010, mm_013, gn_003, gn_006, bm_016"},
    {h17s, &cost_rates::ports, "ports", "B/s", 22e9, 24.1e9, cost_origin::fitted, "guide 9, standalone stream; points un_*, cv_*, mm_*"},
    {h17s, &cost_rates::convolution_weights, "convolution weights", "B/s", 52e9, 57e9, cost_origin::fitted, "guide 18, fitted bandwidth; points cv_006, m5c_004, bm_018"},
    {h17s, &cost_rates::product_weights, "product weights", "B/s", 149e9, 145e9, cost_origin::fitted, "guide 12, weight stream; points mm_005, gv_001..003, bm_016"},
    {h17s, &cost_rates::resident, "resident", "B/s", 200e9, 0, cost_origin::carried, "h13; in the chains that were measured on M5 these values bind nothing"},
    {h17s, &cost_rates::spilled, "spilled", "B/s", 145e9, 145e9, cost_origin::published, "guide 12, stream from memory"},
    {h17s, &cost_rates::permuted, "permuted", "B/s", 7.89e9, 0, cost_origin::fitted, "point un_021"},
    {h17s, &cost_rates::floor, "floor", "s", 110e-6, 110e-6, cost_origin::published, "cost facts, anchor of h17s; one point alone is by the clock"},
    {h17s, &cost_rates::least_floor, "least floor", "s", 72.8e-6, 70e-6, cost_origin::fitted, "cost facts, default of the heuristic; every point of M5"},
    {h17s, &cost_rates::port, "port", "s", 11.6e-6, 0, cost_origin::fitted, "points br_001, br_003"},
    {h17s, &cost_rates::index, "index", "s", 16.5e-6, 0, cost_origin::fitted, "points br_006..013"},
    {h17s, &cost_rates::selected, "selected", "elements/s", 264e6, 0, cost_origin::fitted, "points br_010..014"},
    {h17s, &cost_rates::row_scales, "row scales", "elements/s", 550e6, 0, cost_origin::fitted, "points un_012 and, on M1, bm_009"},
    {h17s, &cost_rates::attention_values, "attention values", "B/s", 5.12e9, 0, cost_origin::fitted, "points br_001..004, ot_001"},
    {h17s, &cost_rates::attention_scores, "attention scores", "scores/s", 5.99e9, 0, cost_origin::fitted, "points br_001..004, ot_001"},
    {h17s, &cost_rates::tile, "tile", "B", 571e3, 0, cost_origin::derived, "gn_006: 225 ms of 8192 cubed are 235 reads of its weights; bm_016"},
    {h17s, &cost_rates::zero_skip, "zero skip", "", 0.636, 0, cost_origin::derived, "field-2026: 128 layers of 1x1 convolution, 512 channels, 4096 positions, with 73.6 % zeros 1.88 times as fast"},
    {h17s, &cost_rates::shared_ports, "shared ports", "B/s", 36.5e9, 0, cost_origin::derived, "field-2026: 0.3398 ms for no layer between two values of 4.2 MB, less the floor"},
    {h17s, &cost_rates::static_power, "static power", "W", 0.755, 0, cost_origin::carried, "h13"},
    {h17s, &cost_rates::flop_energy, "energy of a FLOP", "J", 0.54e-12, 0, cost_origin::carried, "h13"},
    {h17s, &cost_rates::transformed_energy, "energy of a FLOP, transformed", "J", 0.35e-12, 0, cost_origin::derived, "what is left of a chain of convolutions at 2289 GFLOP/s/W (guide 10)"},
    {h17s, &cost_rates::byte_energy, "energy of a byte", "J", 6.5e-12, 0, cost_origin::derived, "field-2026: 0.13 J of the engine for a token of Qwen3-4B"},
    {h17s, &cost_rates::memory_energy, "energy of a byte in memory", "J", 38e-12, 0, cost_origin::derived, "field-2026: 0.452 J of the package for the same token"},
    {h17s, &cost_rates::host_energy, "energy of a dispatch", "J", 0.2e-3, 0, cost_origin::carried, "h13"},

    {h18, &cost_rates::convolution, "convolution", "FLOP/s", 23.1e12, 0, cost_origin::carried, "the rate gn_011 (M6, community); its shape is not told"},
    {h18, &cost_rates::direct, "direct convolution", "FLOP/s", 14.5e12, 0, cost_origin::carried, "h17s by the ratio of convolutions"},
    {h18, &cost_rates::product, "product", "FLOP/s", 15.8e12, 0, cost_origin::carried, "h17s by the ratio of gn_009 (M6) to gn_003 (M5)"},
    {h18, &cost_rates::ports, "ports", "B/s", 17.6e9, 0, cost_origin::carried, "h17s by the ratio of gn_009 (M6) to gn_003 (M5)"},
};
// clang-format on

namespace detail {

constexpr double square_root_of(double x) {
    double root = x > 1 ? x : 1;
    for (int i = 0; i < 60; ++i) {
        root = (root + x / root) / 2;
    }
    return root;
}

constexpr cost_rates stated_rates(target anchor) {
    cost_rates r;
    for (const cost_constant& c : cost_constants) {
        if (c.anchor == anchor) {
            r.*c.member = c.value;
        }
    }
    return r;
}

} // namespace detail

/// The anchor that a generation is scaled from.
constexpr target rates_anchor(family f) noexcept {
    return at_least(f, family::a18) ? h18 : nearest_anchor(f).reference;
}

/// Fills in what was not measured at an anchor from `whole`, whose figures are complete: paths that carry values in
/// proportion to the ports, fixed times in proportion to the floor.
constexpr cost_rates completed(cost_rates r, const cost_rates& whole) {
    const double values = r.ports / whole.ports;
    for (double cost_rates::*path :
         {&cost_rates::shared_ports, &cost_rates::convolution_weights, &cost_rates::product_weights,
          &cost_rates::resident, &cost_rates::spilled, &cost_rates::permuted, &cost_rates::selected,
          &cost_rates::row_scales, &cost_rates::attention_values, &cost_rates::attention_scores}) {
        r.*path = r.*path > 0 ? r.*path : whole.*path * values;
    }
    r.floor = r.floor > 0 ? r.floor : whole.floor;
    const double fixed = r.floor / whole.floor;
    for (double cost_rates::*time : {&cost_rates::least_floor, &cost_rates::port, &cost_rates::index}) {
        r.*time = r.*time > 0 ? r.*time : whole.*time * fixed;
    }
    for (double cost_rates::*alike : {&cost_rates::zero_skip, &cost_rates::tile, &cost_rates::static_power,
                                      &cost_rates::flop_energy, &cost_rates::transformed_energy,
                                      &cost_rates::byte_energy, &cost_rates::memory_energy, &cost_rates::host_energy}) {
        r.*alike = r.*alike > 0 ? r.*alike : whole.*alike;
    }
    return r;
}

/// The rates of an anchor's own chip.
constexpr cost_rates anchor_rates(target anchor) {
    cost_rates r = completed(detail::stated_rates(anchor), detail::stated_rates(h17s));
    r.known_by = anchor == h18 ? mark::predicted : mark::measured;
    r.floor_spread = r.known_by == mark::measured ? 1.2 : 1.5;
    r.work_spread = r.known_by == mark::measured ? 1.7 : 2.5;
    return r;
}

/// The rates of another chip of a generation: rates by the clock and by the root of the ratio of cores, times by the
/// inverse of the clock. The published law takes the cores' ratio itself (guide chapter 18), and by it an M6 with its 4
/// cores would be ten times slower in convolutions than it was measured (gn_011); the interval holds both.
template <target_like T> constexpr cost_rates rates_of(const T& which) {
    const target_description& d = describe(which);
    if (!has_cost_model(d)) {
        return {};
    }
    const target anchor = rates_anchor(d.tier);
    const target_description& from = describe(anchor);
    cost_rates r = anchor_rates(anchor);
    const double clock = model_clock_mhz(d.clock) / model_clock_mhz(from.clock);
    const double cores = static_cast<double>(d.cost_cores) / from.cost_cores;
    const double root = detail::square_root_of(cores);
    for (double cost_rates::*rate :
         {&cost_rates::convolution, &cost_rates::direct, &cost_rates::product, &cost_rates::ports,
          &cost_rates::shared_ports, &cost_rates::convolution_weights, &cost_rates::product_weights,
          &cost_rates::resident, &cost_rates::spilled, &cost_rates::permuted, &cost_rates::selected,
          &cost_rates::row_scales, &cost_rates::attention_values, &cost_rates::attention_scores}) {
        r.*rate *= clock * root;
    }
    for (double cost_rates::*time :
         {&cost_rates::floor, &cost_rates::least_floor, &cost_rates::port, &cost_rates::index}) {
        r.*time /= clock;
    }
    if (d.marks.cost != mark::measured || clock != 1 || cores != 1) {
        r.known_by = mark::predicted;
        r.floor_spread = 1.5;
        r.work_spread = 2.5 * (root > 1 ? root : 1 / root);
    }
    return r;
}

} // namespace ane
