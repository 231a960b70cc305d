#pragma once

#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/print.hpp>

#include <doctest/doctest.h>

#include <string>

/// What tests of typed builders share: a graph around one builder, and the two sides of a shape rule.
namespace built {

using namespace ane;

/// The handle of one builder call, and the graph that it is the output of.
struct one_output {
    dynamic_graph graph;

    graph_view view() const { return graph; }
    const node& last() const { return view()[graph.outputs[0].node]; }
    /// The k-th operand of the node that makes the output.
    const node& operand(int k) const { return view().operand(last(), k); }
};

/// An input of 12 channels, for windows and movement.
inline constexpr auto image = [](builder& g) { return g.input("x", f16<2, 12, 6, 8>); };

/// Builds `describe`, whose handle becomes the output. build_graph has checked the shapes again by `infer`.
template <class Describe> one_output build(const Describe& describe) {
    return {build_graph([&](builder& g) { g.output("y", describe(g)); })};
}

/// A builder makes a node of this kind, shape, type and attributes, and `infer` agrees with it.
template <class Describe>
void check(op kind, const extents& shape, const attributes& values, const Describe& describe, dtype type = dtype::f16) {
    const one_output b = build(describe);
    const node& n = b.last();
    CAPTURE(std::string(name(n.kind)));
    CHECK(n.kind == kind);
    CHECK(n.type == type);
    CHECK(n.shape == shape);
    CHECK(n.attributes == values);
    CHECK(n.where.line > 0);
    const inferred r = infer(b.view(), n);
    CHECK(r.ok());
    CHECK(r.shape == shape);
}

/// A rule holds and gives this shape.
inline void keeps(const inferred& r, const extents& shape) {
    CAPTURE(std::string(sentence(r.broken)));
    CHECK(r.ok());
    CHECK(r.shape == shape);
}
/// A rule is broken, and says by what.
inline void breaks(const inferred& r, fault broken, std::int64_t got, std::int64_t want) {
    CAPTURE(std::string(sentence(r.broken)));
    CHECK(r.broken == broken);
    CHECK(r.got == got);
    CHECK(r.want == want);
}

/// `infer` refuses a node whose attributes were changed after it was built.
template <class Describe> void infer_breaks(const attributes& changed, fault broken, const Describe& describe) {
    one_output b = build(describe);
    node n = b.last();
    n.attributes = changed;
    CHECK(infer(b.view(), n).broken == broken);
}

} // namespace built
