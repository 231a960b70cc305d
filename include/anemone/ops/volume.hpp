#pragma once

#include "volume_plan.hpp"

/// Convolutions and pools over volumes. Each becomes slices and operations over planes, which every target, backend and
/// file has; their sums are rounded to fp16 between the planes of a kernel.
namespace ane {

namespace detail {

/// Appends nodes to the graph of typed handles.
struct typed_sink {
    using value = int;

    graph_pointer graph;
    source_location where;

    constexpr extents shape(int node) const { return graph->nodes[static_cast<std::size_t>(node)].shape; }
    template <class Operands>
    constexpr int append(op kind, const Operands& operands, const attributes& values, const extents& result) const {
        node n;
        n.kind = kind;
        n.shape = result;
        n.attributes = values;
        n.where = where;
        return graph->append(n, operands);
    }
    constexpr int add(op kind, const sequence<int>& operands, const attributes& values, const extents& result) const {
        return append(kind, std::span<const int>(operands.data(), operands.size()), values, result);
    }
    constexpr int add(op kind, std::initializer_list<int> operands, const attributes& values,
                      const extents& result) const {
        return append(kind, std::span<const int>(operands.begin(), operands.size()), values, result);
    }
    constexpr int values(const extents& shape, std::span<const float> numbers) const {
        return append(op::constant, std::span<const int>(), graph->keep(numbers), shape);
    }
    constexpr int filled(const extents& shape, float number) const { return values(shape, {&number, 1}); }
};

} // namespace detail

/// y[n, o, d, i, j] = b[o] + sum over c, t, u, v of x[n, c, d s + t e - front, ...] w[o, c, t, u, v]: x is
/// [N, C, D, H, W], the weight [O, C / groups, kD, kH, kW], a bias [O]. One `conv2d` for each plane of the kernel. R040.
template <volume_conv A = volume_conv{}, class X, class W>
    requires obeys<shapes::of<A>, X, W>
constexpr auto conv3d(X x, W weight, source_location where = here()) {
    detail::volume_writer writer(detail::typed_sink{x.graph, where});
    return tensor<detail::judged_shape<shapes::of<A>, X, W>>{x.graph,
                                                             writer.convolution(A, x.node, weight.node, nullptr)};
}
template <volume_conv A = volume_conv{}, class X, class W, class Broken = breach<op::conv2d, shapes::of<A>, X, W>>
Broken conv3d(X, W, ...);

template <volume_conv A = volume_conv{}, class X, class W, class B>
    requires obeys<shapes::of<A>, X, W, B>
constexpr auto conv3d(X x, W weight, B bias, source_location where = here()) {
    detail::volume_writer writer(detail::typed_sink{x.graph, where});
    return tensor<detail::judged_shape<shapes::of<A>, X, W, B>>{x.graph,
                                                                writer.convolution(A, x.node, weight.node, &bias.node)};
}
template <volume_conv A = volume_conv{}, class X, class W, class B,
          class Broken = breach<op::conv2d, shapes::of<A>, X, W, B>>
Broken conv3d(X, W, B, ...);

/// The largest element of each window of planes, rows and columns; padding never wins.
template <volume_pool A, class X>
    requires obeys<shapes::of<A>, X>
constexpr auto max_pool3d(X x, source_location where = here()) {
    detail::volume_writer writer(detail::typed_sink{x.graph, where});
    return tensor<detail::judged_shape<shapes::of<A>, X>>{x.graph, writer.max_pool(A, x.node)};
}
template <volume_pool A, class X, class Broken = breach<op::max_pool, shapes::of<A>, X>> Broken max_pool3d(X, ...);

/// The mean of each window; padding counts as zeros unless `exclude_padding`.
template <volume_pool A, class X>
    requires obeys<shapes::of<A>, X>
constexpr auto avg_pool3d(X x, source_location where = here()) {
    detail::volume_writer writer(detail::typed_sink{x.graph, where});
    return tensor<detail::judged_shape<shapes::of<A>, X>>{x.graph, writer.avg_pool(A, x.node)};
}
template <volume_pool A, class X, class Broken = breach<op::avg_pool, shapes::of<A>, X>> Broken avg_pool3d(X, ...);

} // namespace ane
