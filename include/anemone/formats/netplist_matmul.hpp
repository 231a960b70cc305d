#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/strided.hpp"
#include "netplist_writer.hpp"

/// Matrix products as netplist units.
namespace ane::formats::inline ANEMONE_WAY {

/// The leading axes of a matrix operand. One of rank 5 has depth 1 here, so that Batch and Channel say everything.
ANEMONE_INLINE extents leading_axes(const netplist_shape& shape) {
    return {shape[netplist_axis::batch], shape[netplist_axis::channel]};
}

/// The elements of a constant operand as the unit reads them: [rows, batch, columns], repeated over the batch where the
/// operand has fewer matrices.
ANEMONE_INLINE std::vector<half> matrix_elements(netplist_writer& w, int operand, bool flipped,
                                                 const extents& leading) {
    const extents& shape = w.at(operand).shape;
    const std::vector<half>& values = w.values(operand);
    const extents own = leading_axes(netplist_shape_of(shape));
    const std::int64_t area = shape.height() * shape.width();
    const std::int64_t rows = flipped ? shape.width() : shape.height();
    const std::int64_t columns = flipped ? shape.height() : shape.width();
    std::vector<std::int64_t> matrices;
    ane::detail::for_each_pair(
        leading, own, own, [&](std::int64_t, std::int64_t matrix, std::int64_t) { matrices.push_back(matrix * area); });
    std::vector<half> result;
    result.reserve(static_cast<std::size_t>(leading.count() * area));
    for (std::int64_t r = 0; r < rows; ++r) {
        for (const std::int64_t matrix : matrices) {
            for (std::int64_t c = 0; c < columns; ++c) {
                const std::int64_t within = flipped ? c * rows + r : r * columns + c;
                result.push_back(values[static_cast<std::size_t>(matrix + within)]);
            }
        }
    }
    return result;
}

/// Channel and Height exchanged: [batch, rows, columns] and [rows, batch, columns].
inline constexpr netplist_order exchange_channel_height{
    netplist_axis::batch, netplist_axis::depth, netplist_axis::height, netplist_axis::channel, netplist_axis::width};
/// [batch, columns, rows] as [rows, batch, columns].
inline constexpr netplist_order flip_and_exchange{netplist_axis::batch, netplist_axis::depth, netplist_axis::width,
                                                  netplist_axis::channel, netplist_axis::height};

/// One operand with its rows on Channel, the batch on Height and its columns on Width. An operand without a batch is
/// repeated along Height, a constant one before it is stored.
ANEMONE_INLINE netplist_value matrix_operand(netplist_writer& w, int operand, bool flipped, const extents& leading) {
    const extents& shape = w.at(operand).shape;
    const std::int64_t batch = leading.count();
    const std::int64_t own = leading_axes(netplist_shape_of(shape)).count();
    if (w.known(operand)) {
        const netplist_shape stored{1, 1, flipped ? shape.width() : shape.height(), batch,
                                    flipped ? shape.height() : shape.width()};
        return w.constant(stored, matrix_elements(w, operand, flipped, leading));
    }
    netplist_value x = w.value(operand);
    if (own != 1 && own != batch) {
        netplist_shape wanted = x.shape;
        wanted[netplist_axis::batch] = leading[0];
        wanted[netplist_axis::channel] = leading[1];
        x = w.broadcast(x, wanted);
    }
    x = w.reshape(x, {1, 1, x.shape[netplist_axis::batch] * x.shape[netplist_axis::channel],
                      x.shape[netplist_axis::height], x.shape[netplist_axis::width]});
    x = w.transpose(x, flipped ? flip_and_exchange : exchange_channel_height);
    netplist_shape repeated = x.shape;
    repeated[netplist_axis::height] = batch;
    return w.broadcast(x, repeated);
}

/// The unit multiplies [C = M, W = K] by [C = K, W = N]; Height serves as the batch, which is inferred. A batched left
/// operand against a right one without a batch is one product of batch x M rows.
ANEMONE_INLINE netplist_value write_matmul(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    const transposed& flags = n.get<transposed>();
    const int a = w.operand(index, 0);
    const int b = w.operand(index, 1);
    const netplist_shape result = netplist_shape_of(n.shape);
    const std::int64_t batch = result[netplist_axis::batch] * result[netplist_axis::channel];
    const std::int64_t rows = result[netplist_axis::height];
    const std::int64_t columns = result[netplist_axis::width];
    const bool alone = w.at(b).shape.count() == w.at(b).shape.height() * w.at(b).shape.width();
    if (batch > 1 && alone && !flags.a && !w.known(a)) {
        const netplist_value left = w.reshape(w.value(a), {1, 1, batch * rows, 1, w.at(a).shape.width()});
        const netplist_value right = matrix_operand(w, b, flags.b, extents{});
        return w.reshape(w.unit({form.unit, std::nullopt}, {left, right}, {1, 1, batch * rows, 1, columns}), result);
    }
    const extents leading = leading_axes(result);
    const netplist_value left = matrix_operand(w, a, flags.a, leading);
    const netplist_value right = matrix_operand(w, b, flags.b, leading);
    const netplist_value product = w.unit({form.unit, std::nullopt}, {left, right}, {1, 1, rows, batch, columns});
    return w.reshape(w.transpose(product, exchange_channel_height), result);
}

} // namespace ane::formats::inline ANEMONE_WAY
