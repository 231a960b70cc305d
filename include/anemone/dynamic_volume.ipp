#pragma once

#include "base/way.hpp"
ANEMONE_INCLUDED(anemone_dynamic_volume_hpp);

#include "base/formatted.hpp"
#include "dynamic_volume.hpp"
#include "passes/print.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// Appends nodes through a builder.
class dynamic_sink {
public:
    using value = dynamic_tensor;

    ANEMONE_INLINE dynamic_sink(dynamic_builder& g, source_location where) : graph_(&g), where_(where) {}

    ANEMONE_INLINE const extents& shape(const dynamic_tensor& x) const { return x.shape(); }
    template <class Operands>
    dynamic_tensor add(op kind, const Operands& operands, const attributes& values, const extents& result) const {
        const std::span<const dynamic_tensor> all(std::data(operands), operands.size());
        return graph_->add(kind, all, values, result, where_);
    }
    ANEMONE_INLINE dynamic_tensor add(op kind, std::initializer_list<dynamic_tensor> operands, const attributes& values,
                                      const extents& result) const {
        return graph_->add(kind, operands, values, result, where_);
    }
    ANEMONE_INLINE dynamic_tensor values(const extents& shape, std::span<const float> numbers) const {
        return graph_->constant(shape, numbers, where_);
    }
    ANEMONE_INLINE dynamic_tensor filled(const extents& shape, float number) const {
        return graph_->constant(shape, number, where_);
    }

private:
    dynamic_builder* graph_;
    source_location where_;
};

ANEMONE_INLINE void require_volume(std::string_view function, op kind, const inferred& rule, const extents& x,
                                   source_location where) {
    if (!rule.ok()) {
        throw error(errc::graph, std::string(function),
                    formatted("{} ({}, {}); it reads {} (at {}:{})", sentence(rule.broken, name(kind)), rule.got,
                              rule.want, print(x), where.file, where.line));
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF dynamic_tensor conv3d(dynamic_builder& g, const dynamic_tensor& x, const dynamic_tensor& weight,
                                      const dynamic_tensor* bias, const volume_conv& a, source_location where) {
    const inferred rule = bias == nullptr ? shape_rule(a, x.shape(), weight.shape())
                                          : shape_rule(a, x.shape(), weight.shape(), bias->shape());
    detail::require_volume("conv3d", op::conv2d, rule, x.shape(), where);
    return detail::volume_writer(detail::dynamic_sink(g, where)).convolution(a, x, weight, bias);
}
ANEMONE_BODY_OF dynamic_tensor max_pool3d(dynamic_builder& g, const dynamic_tensor& x, const volume_pool& a,
                                          source_location where) {
    detail::require_volume("max_pool3d", op::max_pool, shape_rule(a, x.shape()), x.shape(), where);
    return detail::volume_writer(detail::dynamic_sink(g, where)).max_pool(a, x);
}
ANEMONE_BODY_OF dynamic_tensor avg_pool3d(dynamic_builder& g, const dynamic_tensor& x, const volume_pool& a,
                                          source_location where) {
    detail::require_volume("avg_pool3d", op::avg_pool, shape_rule(a, x.shape()), x.shape(), where);
    return detail::volume_writer(detail::dynamic_sink(g, where)).avg_pool(a, x);
}

} // namespace ane::inline ANEMONE_WAY
