#pragma once

#include "../analysis/nan_and_gain.hpp"
#include "../differential/closeness.hpp"
#include "recipe.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/drawing/drawing.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/passes/validate.hpp>
#include <anemone/report/cost_report.hpp>
#include <anemone/report/error_report.hpp>
#include <anemone/report/residency_report.hpp>
#include <anemone/report/rule_report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

/// One accepted node on data, held against what the catalogue says of it.
namespace catalogue {

/// What inputs and weights promise, and whether they hold whole numbers.
struct data_style {
    contract promise;
    bool whole = false;
};
inline constexpr data_style data_styles[] = {{within(-4, 4)},
                                             {within(0.25, 2)},
                                             {within(0, 1), true}, // indices too
                                             {within(-3, 3), true},
                                             {within(-65504, 65504)}};
/// The last is for the ranges only: the two arithmetics overflow at different sizes.
inline constexpr std::size_t comparable_styles = std::size(data_styles) - 1;

class trial {
public:
    trial(const recipe& r, std::size_t style, unsigned seed)
        : recipe_(r), style_(style), random_(seed), graph_(graph_of(r, data_styles[style].promise)) {
        for (const node& n : graph_.nodes) {
            if (n.kind == op::weight) {
                const std::vector<half> values = halves(n.shape.count());
                weights_.add(std::string(graph_view(graph_).name(static_cast<int>(&n - graph_.nodes.data()))), n.shape,
                             std::span<const half>(values));
            } else if (n.kind == op::input) {
                inputs_.push_back(bytes_of(n));
            }
        }
        for (const auto& input : inputs_) {
            buffers_.emplace_back(input);
        }
    }

    /// Whether it is small enough to be run: a kernel or a padding of millions gives the right values, and slowly.
    bool is_small() const {
        bool ordinary = true;
        recipe_.values.visit([&](const auto& a) {
            for_each_member(a, [&](std::string_view, const auto& value) {
                using member = std::remove_cvref_t<decltype(value)>;
                if constexpr (std::is_same_v<member, size2>) {
                    ordinary = ordinary && std::max(value.height, value.width) <= 256;
                } else if constexpr (std::is_same_v<member, padding2>) {
                    ordinary = ordinary && std::max({value.top, value.bottom, value.left, value.right}) <= 256;
                }
            });
        });
        const auto small = [](const auto& g) {
            return std::all_of(g.nodes.begin(), g.nodes.end(), [](const node& n) { return n.shape.count() <= 4096; });
        };
        return ordinary && small(graph_) && small(lower(graph_).graph);
    }

    /// Empty, or what does not hold. Throws `error` where a backend refuses the values.
    std::string fault(const backend::oracle& engine) {
        const lowered_graph lowered = lower(graph_);
        validate(lowered.graph);
        const std::vector<half> plain = run(backend::cpu{}.rounding(rounding::each_operation), graph_);
        std::string found = outside("the CPU", plain);
        if (found.empty()) {
            found = outside(engine.name(), run(engine, graph_));
        }
        if (found.empty() && style_ < comparable_styles && has_moderate_numbers()) {
            differential::closeness near(graph_, weights_, engine, buffers_);
            found = near.fault();
            compared += near.compared[static_cast<std::size_t>(recipe_.kind)];
            if (found.empty()) {
                found = changed(plain, lowered.graph);
            }
        }
        return found;
    }

    /// All that reads a graph without data, however large its tensors: throws what they throw.
    void report(target t) const {
        (void)print(graph_);
        (void)ane::report(graph_, t).str();
        (void)cost_report(graph_, t);
        (void)residency_report(graph_, t).str();
        (void)report_errors(graph_, t).str();
        (void)envelope(graph_, t);
        (void)affine_ranges(graph_);
        (void)draw_svg(graph_);
    }
    /// Both formats, each of which may have no form of it (errc::lowering); throws any other error.
    void write() const {
        const lowered_graph lowered = lower(graph_);
        const folded_constants constants = fold_constants(lowered.view(), weights_);
        for (const bool mil : {true, false}) {
            try {
                mil ? void(emit_mil(lowered.view(), constants)) : void(emit_netplist(lowered.view(), constants));
            } catch (const error& e) {
                if (e.code() != errc::lowering) {
                    throw;
                }
            }
        }
    }

    int compared = 0; ///< how often the two arithmetics were held against each other

private:
    double number() {
        const data_style& style = data_styles[style_];
        const double low = style.promise.low;
        const double high = style.promise.high;
        const double u = static_cast<double>(random_()) / 4294967295.0;
        const double value = random_() % 8 == 0 ? (u < 0.5 ? low : high) : low + (high - low) * u;
        return style.whole ? std::round(value) : value;
    }
    std::vector<half> halves(std::int64_t count) {
        std::vector<half> all(static_cast<std::size_t>(count));
        for (half& h : all) {
            h = half(number());
        }
        return all;
    }
    std::vector<std::byte> bytes_of(const node& n) {
        if (n.type == dtype::f16) {
            const std::vector<half> all = halves(n.shape.count());
            const auto bytes = std::as_bytes(std::span(all));
            return {bytes.begin(), bytes.end()};
        }
        std::vector<std::byte> all;
        for (std::int64_t i = 0; i < n.shape.count(); ++i) {
            const contract& promise = data_styles[style_].promise;
            const double least = std::max(std::ceil(promise.low), n.type == dtype::int8 ? -128.0 : 0.0);
            const double most = std::min(promise.high, n.type == dtype::int8 ? 127.0 : 255.0);
            const double value = std::clamp(std::round(number()), least, most);
            all.push_back(static_cast<std::byte>(static_cast<int>(value)));
        }
        return all;
    }

    template <class Backend> std::vector<half> run(const Backend& where, const dynamic_graph& g) {
        std::vector<half> result(
            static_cast<std::size_t>(g.nodes[static_cast<std::size_t>(g.outputs[0].node)].shape.count()));
        std::span<std::byte> written[] = {std::as_writable_bytes(std::span(result))};
        where.compile(g, weights_).run(buffers_, written);
        return result;
    }

    std::string outside(const std::string& where, const std::vector<half>& values) const {
        const std::vector<interval> known = ranges(graph_);
        const auto at = static_cast<std::size_t>(graph_.outputs[0].node);
        const interval& r = known[at];
        if (sound::may_saturate(graph_, known)[at]) {
            return {};
        }
        for (const half h : values) {
            const auto v = static_cast<double>(h);
            const bool inside = is_nan(h)        ? static_cast<bool>(sound::may_be_nan(graph_, known)[at])
                                : is_infinite(h) ? (v > 0 ? r.high >= unbounded : r.low <= -unbounded)
                                                 : r.contains(v);
            if (!inside) {
                return fmt::format("{} computes {}, the range is {} to {}", where, v, r.low, r.high);
            }
        }
        return {};
    }

    /// Whether the numbers among the attributes leave both arithmetics their digits: an epsilon that is zero in fp16, one
    /// that takes a variance away, or a power of 65504 does not.
    bool has_moderate_numbers() const {
        bool all = true;
        recipe_.values.visit([&](const auto& a) {
            for_each_member(a, [&](std::string_view, const auto& value) {
                using member = std::remove_cvref_t<decltype(value)>;
                if constexpr (std::is_floating_point_v<member>) {
                    const double size = std::fabs(static_cast<double>(value));
                    const bool subtracts = value < 0 && signature(recipe_.kind).group == op_group::normalization;
                    all = all && !subtracts && (size == 0 || (size >= 1e-4 && size <= 16));
                } else if constexpr (std::is_same_v<member, int>) {
                    all = all && value <= 4096;
                }
            });
        });
        return all;
    }

    /// Whether lowering changes the values by more than the roundings of its parts, each in fp16; none is compared where
    /// such a part may overflow.
    std::string changed(const std::vector<half>& before, const dynamic_graph& lowered) {
        const std::vector<interval> parts = ranges(lowered);
        if (std::any_of(parts.begin(), parts.end(), [](const interval& r) { return !r.bounded(); })) {
            return {};
        }
        const std::vector<half> after = run(backend::cpu{}.rounding(rounding::each_operation), lowered);
        const auto found = std::find_if(graph_.nodes.begin(), graph_.nodes.end(),
                                        [this](const node& n) { return n.kind == recipe_.kind; });
        const differential::bound b = differential::bound_of(*found);
        for (std::size_t i = 0; i < before.size(); ++i) {
            const double was = static_cast<double>(before[i]);
            const double is = static_cast<double>(after[i]);
            const double allowed = (b.relative + 0x1p-9) * std::fabs(was) + b.of_terms * 16 + b.absolute;
            if (std::fabs(was) <= differential::range && !(std::fabs(was - is) <= allowed)) {
                return fmt::format("lowering makes {} of {}, allowed {}", is, was, allowed);
            }
        }
        return {};
    }

    recipe recipe_;
    std::size_t style_;
    std::mt19937 random_;
    dynamic_graph graph_;
    weight_store weights_;
    std::vector<std::vector<std::byte>> inputs_;
    std::vector<std::span<const std::byte>> buffers_;
};

} // namespace catalogue
