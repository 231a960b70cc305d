#pragma once

#include "../base/cancellation.hpp"
#include "moments.hpp"

namespace ane::compress::inline ANEMONE_WAY {

ANEMONE_BODY weight_matrix matrix_of(const graph_view& g, int reader) {
    const node& n = g[reader];
    if (n.operands.count < 2) {
        return {};
    }
    const extents& w = g.operand(n, 1).shape;
    if (n.kind == op::linear && w.rank == 2) {
        return {.rows = w[0], .columns = w[1], .row_step = w[1], .step = 1};
    }
    if (n.kind == op::matmul && w.rank == 2 && !n.get<transposed>().a) {
        return n.get<transposed>().b ? weight_matrix{.rows = w[0], .columns = w[1], .row_step = w[1], .step = 1}
                                     : weight_matrix{.rows = w[1], .columns = w[0], .row_step = 1, .step = w[1]};
    }
    if (n.kind == op::conv2d) {
        const std::int64_t columns = w[1] * w[2] * w[3];
        return {.rows = w[0], .columns = columns, .row_step = columns, .step = 1, .groups = n.get<conv>().groups};
    }
    return {};
}

ANEMONE_BODY moments no_moments(const weight_matrix& layout) {
    moments m;
    m.columns = layout.columns;
    m.sums.resize(static_cast<std::size_t>(layout.groups));
    for (std::vector<double>& group : m.sums) {
        group.assign(static_cast<std::size_t>(layout.columns * layout.columns), 0.0);
    }
    return m;
}

ANEMONE_INLINE void add_row(std::vector<double>& sums, std::span<const float> x) {
    ane::detail::stop_if_cancelled();
    const std::size_t columns = x.size();
    for (std::size_t i = 0; i < columns; ++i) {
        const auto xi = static_cast<double>(x[i]);
        if (xi == 0) {
            continue;
        }
        double* const row = sums.data() + i * columns;
        for (std::size_t j = i; j < columns; ++j) {
            row[j] += xi * static_cast<double>(x[j]); // exact products
        }
    }
}

ANEMONE_BODY void add_moments(moments& to, const graph_view& g, int reader, std::span<const half> values) {
    const node& n = g[reader];
    std::vector<float> row(static_cast<std::size_t>(to.columns));
    if (n.kind != op::conv2d) {
        for (std::size_t begin = 0; begin + row.size() <= values.size(); begin += row.size()) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                row[i] = static_cast<float>(values[begin + i]);
            }
            add_row(to.sums[0], row);
        }
        return;
    }
    const conv& c = n.get<conv>();
    const extents& x = g.operand(n, 0).shape;
    const extents& w = g.operand(n, 1).shape;
    const std::int64_t planes = w[1];
    for (std::int64_t image = 0; image < x[0]; ++image) {
        for (std::int64_t group = 0; group < c.groups; ++group) {
            for (std::int64_t top = 0; top < n.shape[2]; ++top) {
                for (std::int64_t left = 0; left < n.shape[3]; ++left) {
                    std::size_t at = 0;
                    for (std::int64_t plane = 0; plane < planes; ++plane) {
                        for (std::int64_t i = 0; i < w[2]; ++i) {
                            for (std::int64_t j = 0; j < w[3]; ++j) {
                                const std::int64_t y = top * c.stride.height + i * c.dilation.height - c.padding.top;
                                const std::int64_t z = left * c.stride.width + j * c.dilation.width - c.padding.left;
                                const bool inside = y >= 0 && y < x[2] && z >= 0 && z < x[3];
                                const std::int64_t channel = image * x[1] + group * planes + plane;
                                const auto from = static_cast<std::size_t>((channel * x[2] + y) * x[3] + z);
                                row[at++] = inside ? static_cast<float>(values[from]) : 0.0F;
                            }
                        }
                    }
                    add_row(to.sums[static_cast<std::size_t>(group)], row);
                }
            }
        }
    }
}

ANEMONE_BODY void complete(moments& m) {
    const auto columns = static_cast<std::size_t>(m.columns);
    for (std::vector<double>& sums : m.sums) {
        for (std::size_t i = 0; i < columns; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                sums[i * columns + j] = sums[j * columns + i];
            }
        }
    }
}

ANEMONE_BODY double output_energy(const moments& m, const weight_matrix& layout, std::span<const double> weights,
                                  std::int64_t stride) {
    const auto columns = static_cast<std::size_t>(layout.columns);
    double total = 0;
    std::vector<double> d(columns);
    for (std::int64_t row = 0; row < layout.rows; row += stride) {
        for (std::size_t i = 0; i < columns; ++i) {
            d[i] = weights[layout.at(row, static_cast<std::int64_t>(i))];
        }
        const double* const sums = m.sums[static_cast<std::size_t>(layout.group_of(row))].data();
        for (std::size_t i = 0; i < columns; ++i) {
            if (d[i] == 0) {
                continue;
            }
            double along = 0;
            for (std::size_t j = 0; j < columns; ++j) {
                along += sums[i * columns + j] * d[j];
            }
            total += d[i] * along;
        }
    }
    return total > 0 ? total : 0;
}

} // namespace ane::compress::inline ANEMONE_WAY
