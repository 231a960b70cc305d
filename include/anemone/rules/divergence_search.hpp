#pragma once

#include "../catalogue/engine_path.hpp"
#include "../numerics/integer_products.hpp"
#include "../numerics/products_with_ones.hpp"
#include "../numerics/width_offset.hpp"
#include "../passes/fusion.hpp"
#include "../passes/lowering.hpp"
#include "datapath_evidence.hpp"
#include "divergent_node.hpp"
#include "evaluate.hpp"
#include "rounding_sites.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ane {

namespace detail {

/// A lowered graph with what the passes know of it: storage is the caller's, so that it serves constants too.
struct lowered_facts {
    graph_view graph;
    std::span<const int> origins;
    std::span<const interval> ranges;
    std::span<const fusion> stages;
    std::span<const char> constant; ///< of `constant_nodes`
};

/// Two machines side by side on the nodes of one lowered graph.
class divergence_search {
public:
    constexpr divergence_search(const graph_view& model, const lowered_facts& lowered, const machine& a,
                                const machine& b)
        : model_(model), facts_(lowered), lowered_(lowered.graph), a_(a), b_(b) {}

    /// The errors of the model on either machine, by node, are known before.
    constexpr std::vector<divergent_node> run(std::span<const violation> on_a, std::span<const violation> on_b) {
        refusals(on_a, on_b);
        int told = 0; // refusals are listed before the entries of the same model node's lowered nodes
        for (int i = 0; i < lowered_.size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const int origin = facts_.origins[at];
            for (; told <= origin; ++told) {
                support(told);
            }
            // Nothing more is reported about an operation that one of them refuses.
            if (is_source(lowered_[i].kind) || facts_.constant[at] != 0 ||
                refused_[static_cast<std::size_t>(origin)].state != refusal_state::none) {
                continue;
            }
            node_ = i;
            origin_ = origin;
            arithmetic(facts_.stages[at].role);
            route();
        }
        for (; told < model_.size(); ++told) {
            support(told);
        }
        return found_;
    }

private:
    using parameter = datapath_parameter;

    template <class Field> constexpr bool differs(Field numerics::datapath::*field) const {
        return a_.arithmetic.*field != b_.arithmetic.*field;
    }
    constexpr const node& self() const { return lowered_[node_]; }
    constexpr const interval& range(int position) const {
        return facts_.ranges[static_cast<std::size_t>(lowered_.operands(node_)[static_cast<std::size_t>(position)])];
    }

    constexpr void add(divergence kind, mark evidence, const char* reason, const char* source, op where) {
        for (std::size_t i = found_.size(); i > 0 && found_[i - 1].node == origin_; --i) {
            if (found_[i - 1].kind == kind && std::string_view(found_[i - 1].reason) == reason) {
                return; // several parts of one node
            }
        }
        found_.push_back({origin_, where, kind, evidence, reason, source, {}});
    }
    constexpr void add(divergence kind, parameter p, const char* reason, const char* source) {
        add(kind, weaker(evidence_of(p, a_.device.tier, a_.arithmetic), evidence_of(p, b_.device.tier, b_.arithmetic)),
            reason, source, self().kind);
    }

    enum class refusal_state : std::uint8_t { none, by_one, by_both };
    struct refusal {
        refusal_state state = refusal_state::none;
        const violation* why = nullptr;
    };

    /// Whether a machine refuses a node. What our files cannot say is no matter of machines.
    static constexpr bool refuses(const violation& v) {
        return v.severity == severity::reject && v.rule != rule::operation_is_not_written;
    }

    /// The first reject of every node, on one machine or on both.
    constexpr void refusals(std::span<const violation> on_a, std::span<const violation> on_b) {
        refused_.resize(model_.nodes.size());
        for (const violation& v : on_a) {
            refusal& r = refused_[static_cast<std::size_t>(v.node)];
            if (refuses(v) && r.state == refusal_state::none) {
                r = {refusal_state::by_one, &v};
            }
        }
        int last = -1;
        for (const violation& v : on_b) {
            refusal& r = refused_[static_cast<std::size_t>(v.node)];
            if (refuses(v) && v.node != last) {
                r = r.state == refusal_state::none ? refusal{refusal_state::by_one, &v}
                                                   : refusal{refusal_state::by_both, nullptr};
                last = v.node;
            }
        }
    }
    constexpr void support(int index) {
        const refusal& r = refused_[static_cast<std::size_t>(index)];
        if (r.state == refusal_state::by_one) {
            const rule_record& record = record_of(r.why->rule);
            found_.push_back({index, r.why->operation, divergence::support, record.evidence, "one of them refuses it",
                              record.fact, *r.why});
        }
    }

    constexpr void arithmetic(fused_as role) {
        const op kind = self().kind;
        const op_group group = signature(kind).group;
        // A bias starts the accumulator and an offset is rounded with its gain: neither rounds by itself.
        if (role == fused_as::bias || role == fused_as::offset) {
            return;
        }
        using numerics::arithmetic_path;
        // For an operation whose arithmetic is not modelled, any step may differ.
        const arithmetic_path path = has_engine_path(kind) ? engine_path_of(kind).path : arithmetic_path::composed;
        if (group == op_group::contraction || path == arithmetic_path::multiply_accumulate) {
            contraction();
        } else if (exact_ops.contains(kind)) {
            // nothing is rounded
        } else if (path == arithmetic_path::reduction) {
            const bool plain = kind == op::reduce_sum || kind == op::reduce_mean || kind == op::avg_pool;
            reduction(!plain, kind != op::reduce_sum);
        } else if (path == arithmetic_path::table || kind == op::div) {
            tables();
        } else if (path == arithmetic_path::composed) {
            composed();
        } else if (path == arithmetic_path::elementwise && rounds_once() &&
                   differs(&numerics::datapath::elementwise_ties)) {
            add(divergence::one_ulp, parameter::elementwise_ties, "ties of elementwise results round differently",
                "N033; study M6");
        }
        if ((kind == op::div || kind == op::floor_div) && differs(&numerics::datapath::division)) {
            add(divergence::rounding, parameter::tables, "divides by another reciprocal", "N123");
        }
        movement();
    }

    /// Whether an elementwise operation rounds at all: a multiplication may be exact.
    constexpr bool rounds_once() const {
        const node& n = self();
        const auto is_exact = [&](int position) { return is_exact_factor(lowered_, lowered_.operand(n, position)); };
        if (n.kind == op::add || n.kind == op::sub) {
            return lowered_.operands(n)[0] != lowered_.operands(n)[1]; // x + x and x - x are exact
        }
        if (n.kind == op::mul) {
            return !is_exact(0) && !is_exact(1);
        }
        if (n.kind == op::thresholded_relu) {
            return is_tie(n.get<relu_threshold>().alpha);
        }
        return n.kind != op::clamp || is_tie(n.get<clip_range>().min) || is_tie(n.get<clip_range>().max);
    }

    constexpr void tables() {
        if (differs(&numerics::datapath::elementwise_ties)) {
            add(divergence::rounding, parameter::elementwise_ties,
                "the steps between the knots of its table round ties "
                "differently",
                "N033; study M6");
        }
        const op kind = self().kind;
        const bool of_m1 = a_.arithmetic.tables == numerics::table_variant::m1;
        const bool other = of_m1 != (b_.arithmetic.tables == numerics::table_variant::m1); // M5 and M6 share the others
        if ((kind == op::gelu && differs(&numerics::datapath::tables)) ||
            ((kind == op::gelu_sigmoid || kind == op::silu) && other)) {
            add(divergence::rounding, parameter::tables, "the knots of its table differ", "N113, N114; study M6");
        }
    }

    constexpr void reduction(bool part, bool is_mean) {
        using d = numerics::datapath;
        if (differs(&d::reduction_tile) || differs(&d::reduction_significand_bits) ||
            differs(&d::reduction_alignment) || (is_mean && differs(&d::mean))) {
            add(divergence::rounding, parameter::reduction_register, "sums are added in another order or width", "N01");
        } else if (differs(&d::reduction_ties)) {
            add(part ? divergence::rounding : divergence::one_ulp, parameter::reduction_ties,
                "ties of sums round differently", "N030-N032");
        }
    }

    /// Several steps one after another; for an operation whose arithmetic is not modelled, any of them may differ.
    constexpr void composed() {
        if (differs(&numerics::datapath::elementwise_ties)) {
            add(divergence::rounding, parameter::elementwise_ties, "its steps round ties differently",
                "N033; study M6");
        }
        reduction(true, true);
    }

    constexpr void contraction() {
        using d = numerics::datapath;
        const double products = magnitude_of_sum();
        if ((differs(&d::mac_ceiling) || (differs(&d::order) && (a_.arithmetic.mac_ceiling))) &&
            products >= contraction_ceiling) {
            add(divergence::infinity, parameter::accumulator, "sums may pass 32768, where one of them ends", "R056");
        }
        if (differs(&d::products_with_ones) && is_product_with_ones(lowered_, self())) {
            add(products >= contraction_ceiling ? divergence::infinity : divergence::rounding,
                parameter::products_with_ones, "a product with ones is a sum on one of them only", "N001-N005, N01_*");
        }
        if (is_single_tap() && (differs(&d::single_tap_scales) || differs(&d::elementwise_ties))) {
            add(products >= contraction_ceiling ? divergence::infinity : divergence::rounding, parameter::accumulator,
                "a single product is a scale on one of them, or its ties round differently", "N046");
        }
        if (differs(&d::mac_exponent_floor)) {
            add(divergence::rounding, parameter::accumulator, "small products count on one of them only",
                "study M4, M6");
        }
        if (differs(&d::mac_ties)) {
            add(divergence::one_ulp, parameter::accumulator, "ties of products' sums round differently",
                "study M4, M6");
        }
        if (differs(&d::mac_keeps_subnormals) && (meets_subnormal(0, 1) || meets_subnormal(1, 0))) {
            add(divergence::denormals, parameter::subnormals, "subnormal operands are zero to one of them",
                "N107, N108");
        }
        if (differs(&d::int8_products) && integer_operands_of(lowered_, node_).dequantized >= 0) {
            add(products >= contraction_ceiling ? divergence::infinity : divergence::rounding, parameter::accumulator,
                "products of int8 by int8 add integers on one of them only", "N034; study M6");
        }
        if ((differs(&d::weight_scale) || differs(&d::code_integer_bits)) && reads_codes(lowered_, node_)) {
            add(divergence::rounding, parameter::weight_scale,
                "the scale of the weight is applied to the rounded sum of its codes on one of them", "N208");
        }
        for (const int weight : {0, 1}) {
            if (lowered_.operand(self(), weight).kind == op::compressed && differs(&d::int8_activation_gain) &&
                range(1 - weight).magnitude() * largest_gain(&d::int8_activation_gain) > half_max) {
                add(divergence::infinity, parameter::accumulator, "activations before int8 weights saturate",
                    "N076, N077");
            }
        }
    }
    /// A convolution of one tap over one channel, which one of the two may compute as a scale.
    constexpr bool is_single_tap() const {
        const bool windows = self().kind == op::conv2d || self().kind == op::cross_correlation;
        if (!windows || !(a_.arithmetic.single_tap_scales || b_.arithmetic.single_tap_scales)) {
            return false;
        }
        const extents& weight = lowered_.operand(self(), 1).shape;
        return weight[1] == 1 && weight[2] == 1 && weight[3] == 1;
    }
    constexpr double magnitude_of_sum() const {
        if (self().kind == op::cross_correlation) {
            const auto terms = static_cast<double>(lowered_.operand(self(), 1).shape.count());
            return times(product(range(0), range(1)), terms).magnitude() + terms * accumulator_rounding;
        }
        const interval r = contraction_range(lowered_, self(), facts_.ranges);
        return r.magnitude();
    }
    constexpr double largest_gain(int numerics::datapath::*gain) const {
        return a_.arithmetic.*gain > b_.arithmetic.*gain ? a_.arithmetic.*gain : b_.arithmetic.*gain;
    }
    /// Whether a product of a subnormal of one operand with the other can count: their exponents must reach the floor.
    constexpr bool meets_subnormal(int small, int other) const {
        double least = 1;
        const int floor = a_.arithmetic.mac_exponent_floor < b_.arithmetic.mac_exponent_floor
                              ? a_.arithmetic.mac_exponent_floor
                              : b_.arithmetic.mac_exponent_floor;
        for (int e = floor + 14; e < 0; ++e) {
            least /= 2;
        }
        for (int e = 0; e < floor + 14; ++e) {
            least *= 2;
        }
        return may_be_subnormal(lowered_, lowered_.operand(self(), small), range(small)) &&
               range(other).magnitude() >= least;
    }
    /// A slice that begins inside the width: stored with a gain on some generations (R090).
    constexpr void movement() {
        if (reads_inside_width(lowered_, self()) && differs(&numerics::datapath::width_slice_gain) &&
            range(0).magnitude() * largest_gain(&numerics::datapath::width_slice_gain) > half_max) {
            add(divergence::infinity, parameter::slice_gain,
                "a slice that begins inside the width saturates above 4094", "R090, N060-N069");
        }
    }

    /// Whether the sources give a figure for both: an assumed figure is no evidence.
    constexpr bool given(assumption figure) const { return !assumes(a_.device, figure) && !assumes(b_.device, figure); }

    /// Another implementation of the same operation, by the capabilities of the two.
    constexpr void route() {
        const op kind = model_[origin_].kind; // lowering may have written it in parts
        const target_capabilities& on_a = a_.device.has;
        const target_capabilities& on_b = b_.device.has;
        const mark known = weaker(a_.device.marks.capabilities, b_.device.marks.capabilities);
        if (kind == op::resize && on_a.texture_engine != on_b.texture_engine) {
            add(divergence::rounding, weaker(known, mark::decompiled),
                "resized by the texture engine on one of them only", "R179", kind);
        }
        if (kind == op::resize && !on_a.texture_engine && !on_b.texture_engine &&
            ((given(assumption::depth_broadcast) && on_a.depth_broadcast != on_b.depth_broadcast) ||
             (given(assumption::kernel_width_small) &&
              a_.device.limits.kernel_width_fp16_small != b_.device.limits.kernel_width_fp16_small))) {
            add(divergence::rounding, weaker(known, mark::decompiled), "resized by another composition", "R179", kind);
        }
        if (kind == op::reduce_sum_square && given(assumption::square_after_reduction) &&
            on_a.square_after_reduction != on_b.square_after_reduction) {
            add(divergence::rounding, known, "the square is fused with the sum on one of them only", "R071", kind);
        }
        if ((kind == op::sin || kind == op::cos) && on_a.native_sin_cos != on_b.native_sin_cos) {
            add(divergence::rounding, known, "composed of other operations on one of them", "guide chapter 35", kind);
        }
    }

    graph_view model_;
    lowered_facts facts_;
    graph_view lowered_;
    const machine& a_;
    const machine& b_;
    std::vector<refusal> refused_{};
    std::vector<divergent_node> found_{};
    int node_ = 0;
    int origin_ = 0;
};

} // namespace detail
} // namespace ane
