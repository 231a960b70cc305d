#pragma once

#include "constant.hpp"
#include "cost.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

/// `segment_costs_of` in several constants, since compilers bound the steps of each: for each segment its graph, what
/// it is lowered to, and its cost.
namespace ane {

/// The costs of a segmentation as a constant.
template <std::size_t Segments> struct static_segmentation_costs : run_cost {
    std::array<segment_cost, Segments> list{};

    static constexpr int size() { return static_cast<int>(Segments); }
    constexpr const segment_cost& operator[](int index) const { return list[static_cast<std::size_t>(index)]; }
    constexpr operator segmentation_costs() const { // NOLINT(google-explicit-constructor): the same as passes make it
        segmentation_costs costs;
        static_cast<run_cost&>(costs) = *this;
        costs.list.append(list);
        return costs;
    }
};

namespace detail {

template <const auto& Model, target Generation, segment_limits Limits, segment_cost_options Options, int Index>
struct priced_segment {
    static constexpr segmentation_view cuts = segments<Model, Generation, Limits>;
    static constexpr door place = cuts[Index].place;
    static constexpr dynamic_graph extract() { return graph_of_segment(Model, segment_wiring(Model, cuts), Index); }
    static constexpr graph_size size = size_of(extract());
    static constexpr static_graph<size> own{extract()};
    static constexpr lowered_graph lower_own() { return lower(own, kept_by(place, Options)); }
    static constexpr graph_size lowered_size = size_of(lower_own().graph);
    static constexpr static_graph<lowered_size> lowered{lower_own().graph};
    static constexpr std::int64_t taken = bytes_taken(Model, segment_wiring(Model, cuts), Index);
    static constexpr segment_cost value = [] {
        const target_description& chip = describe(Generation);
        segment_cost priced = price_segment(lowered, place, chip, host_rates(chip, Options));
        priced.taken_bytes = taken;
        return priced;
    }();
};

template <const auto& Model, target Generation, segment_limits Limits, segment_cost_options Options, int... Indices>
constexpr auto price_segments(std::integer_sequence<int, Indices...>) {
    static_segmentation_costs<sizeof...(Indices)> all;
    all.list = {priced_segment<Model, Generation, Limits, Options, Indices>::value...};
    const target_description& chip = describe(Generation);
    static_cast<run_cost&>(all) = sum_of(all.list, chip, host_rates(chip, Options));
    return all;
}
/// What cannot be cut has no costs: the same says so.
template <const auto& Model, target Generation, segment_limits Limits, segment_cost_options Options>
constexpr auto price_all_segments() {
    if constexpr (known_of_segments<Model, Generation, Limits>.refused.any) {
        return segments<Model, Generation, Limits>;
    } else {
        return price_segments<Model, Generation, Limits, Options>(
            std::make_integer_sequence<int, segments<Model, Generation, Limits>.size()>{});
    }
}

} // namespace detail

/// What the segments of a model that is a constant cost (`segment_costs_of`):
/// `static_assert(ane::segment_costs<model, ane::h13>.clock->at_most < 600e-6)`.
template <const auto& Model, target Generation, segment_limits Limits = segment_limits{},
          segment_cost_options Options = segment_cost_options{}>
inline constexpr auto segment_costs = detail::price_all_segments<Model, Generation, Limits, Options>();

} // namespace ane
