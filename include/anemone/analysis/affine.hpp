#pragma once

#include "affine_form.hpp"
#include "ranges.hpp"

#include <vector>

/// Ranges by affine forms, for graphs in which intervals are too wide because an expression uses a value more than
/// once: residual sums and their differences, centred values, x - s x. Slower than `ranges` by a small factor, and
/// usable in constant expressions for small graphs. Every result is the intersection with the interval, so it is never
/// wider.
namespace ane {

namespace detail {

/// Forms and intervals of the nodes of a graph, in order.
class affine_pass {
public:
    constexpr explicit affine_pass(const graph_view& g) : g_(g), known_(g.nodes.size()), forms_(g.nodes.size()) {
        for (int i = 0; i < g.size(); ++i) {
            visit(i);
        }
    }
    constexpr const std::vector<interval>& known() const { return known_; }

private:
    constexpr void visit(int index) {
        const node& n = g_[index];
        const auto at = static_cast<std::size_t>(index);
        const auto known = [this](int from) -> const interval& { return known_[static_cast<std::size_t>(from)]; };
        const interval plain = range_of_node(g_, n, gather_.of(g_.operands(n), known));
        known_[at] = plain;
        affine_form f = plain.bounded() ? form_of(index, n, plain) : affine_form{};
        if (!f.known) {
            forms_[at] = fresh(plain, index);
            return;
        }
        interval tight = stored(f.range());
        tight.declared = plain.declared;
        known_[at] = {tight.low > plain.low ? tight.low : plain.low, tight.high < plain.high ? tight.high : plain.high,
                      plain.declared};
        // Where the interval is much narrower (a clamp), its own symbol says more than the correlation.
        const double width = plain.high - plain.low;
        forms_[at] = tight.high - tight.low > 2 * width ? fresh(known_[at], index) : f;
    }

    constexpr std::size_t operand(const node& n, int k) const {
        return static_cast<std::size_t>(g_.operands(n)[static_cast<std::size_t>(k)]);
    }
    constexpr const affine_form& form(const node& n, int k) const { return forms_[operand(n, k)]; }
    constexpr const extents& shape(const node& n, int k) const { return g_.operand(n, k).shape; }

    /// Whether operand `k` maps to the result element by element: only then do the two share symbols.
    constexpr bool aligned(const node& n, int k) const { return shape(n, k) == n.shape; }

    /// Operand `k` as a term of the result. It keeps its symbols if it has the shape of the result, or if broadcasting
    /// repeats means over just the axes that they are over. Otherwise it is a fresh symbol with its interval.
    constexpr affine_form term(const node& n, int k, int index) const {
        const affine_form& f = form(n, k);
        if (!f.known || aligned(n, k)) {
            return f;
        }
        for (std::size_t i = 0; i < f.count; ++i) {
            if (f.terms[i].count == 0 || reduced_axes(shape(n, k), n.shape) != f.terms[i].along) {
                return fresh(known_[operand(n, k)], -2 - 2 * index - k);
            }
        }
        return f;
    }
    /// Axes that are 1 in `from` and longer in `to`, as bits; -1 where the ranks differ.
    static constexpr int reduced_axes(const extents& from, const extents& to) {
        int bits = 0;
        for (int i = 0; i < to.rank; ++i) {
            if (from.rank != to.rank) {
                return -1;
            }
            bits |= from[i] == 1 && to[i] > 1 ? 1 << i : 0;
        }
        return bits;
    }

    /// The mean over axes: own symbols become their means, means over the same axes stay, everything else goes into the
    /// remainder.
    constexpr affine_form mean_of_form(const node& n, const interval& plain) const {
        const affine_form& x = form(n, 0);
        affine_form r;
        r.known = x.known;
        r.declared = x.declared;
        r.centre = x.centre;
        r.rest = x.rest;
        const int along = reduced_axes(n.shape, shape(n, 0));
        const auto count = static_cast<int>(n.shape.count() > 0 ? shape(n, 0).count() / n.shape.count() : 0);
        for (std::size_t i = 0; i < x.count; ++i) {
            noise t = x.terms[i];
            if (t.count > 0 && t.along != along) {
                r.rest += magnitude(t.factor); // a mean of means over other axes
                continue;
            }
            t.count = count > 1 ? count : 0;
            t.along = along;
            r.add(t);
        }
        // The narrow sum and the rounded reciprocal.
        r.rest += known_[operand(n, 0)].magnitude() / 128;
        return rounded(r, plain, 2);
    }

    /// relu and leaky_relu lie between the chord over [low, high] and the parallel to it through the origin. The form
    /// runs halfway between the two lines, with half their distance as a symbol of its own.
    static constexpr affine_form bent(const affine_form& x, const interval& range, double below, int index) {
        if (range.low >= 0) {
            return x;
        }
        if (range.high <= 0) {
            return multiple_of(x, below);
        }
        const double slope = (range.high - below * range.low) / (range.high - range.low);
        const double gap = 0.5 * (slope - below) * -range.low; // half of what the chord is above the origin
        affine_form r = multiple_of(x, slope);
        r.centre += gap;
        r.add({index, 0, 0, magnitude(gap)});
        return r;
    }

    /// Whether operand `k` is one known number.
    constexpr bool is_point(const node& n, int k) const {
        const interval& x = known_[operand(n, k)];
        return x.low == x.high;
    }

    constexpr affine_form form_of(int index, const node& n, const interval& plain) const {
        if (n.kind == op::add || n.kind == op::sub) {
            const affine_form r = combined(term(n, 0, index), 1, term(n, 1, index), n.kind == op::add ? 1 : -1);
            return rounded(r, n.kind == op::add ? plain : interval{plain.low, plain.high, true});
        }
        if (n.kind == op::mul) {
            for (int k = 0; k < 2; ++k) {
                if (is_point(n, 1 - k) && aligned(n, k)) {
                    return rounded(multiple_of(form(n, k), known_[operand(n, 1 - k)].low), plain);
                }
            }
        }
        if (n.kind == op::relu) {
            return bent(form(n, 0), known_[operand(n, 0)], 0, index);
        }
        if (n.kind == op::leaky_relu) {
            return leaky_form(index, n, plain);
        }
        if (n.kind == op::identity) {
            return form(n, 0);
        }
        return n.kind == op::reduce_mean ? mean_of_form(n, plain) : affine_form{};
    }

    constexpr affine_form leaky_form(int index, const node& n, const interval& plain) const {
        const auto slope = static_cast<double>(n.get<leakage>().alpha);
        if (!(slope >= 0 && slope <= 1) || !form(n, 0).known) {
            return affine_form{};
        }
        const interval& x = known_[operand(n, 0)];
        affine_form f = rounded(bent(form(n, 0), x, slope, index), plain, 3);
        f.rest += magnitude(slope - static_cast<double>(half(slope))) * x.magnitude(); // a slope in fp16
        return f;
    }

    graph_view g_;
    catalogue::operand_gatherer gather_;
    std::vector<interval> known_;
    std::vector<affine_form> forms_;
};

} // namespace detail

/// The range of every node's value like that of `ranges`, and never wider. Used as `envelope(g, t, affine_ranges(g))`.
constexpr std::vector<interval> affine_ranges(const graph_view& g) { return detail::affine_pass(g).known(); }

} // namespace ane
