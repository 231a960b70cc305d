#pragma once

#include "../../graph/graph.hpp"
#include "../../numerics/kernels.hpp"
#include "../../strided.hpp"
#include "../../weights/materialize.hpp"
#include "../node_shapes.hpp"
#include "layer_plan.hpp"

#include <cstddef>
#include <vector>

namespace ane::detail {

/// Runs the nodes of a lowered graph in the engine's arithmetic, one generation at a time. Values live one buffer a node.
class interpreter {
public:
    interpreter(const graph_view& g, const materialized& constants, const numerics::datapath& arithmetic)
        : graph_(g), constants_(constants), arithmetic_(arithmetic), plan_(plan_layers(g)), values_(g.nodes.size()),
          bytes_(g.nodes.size()) {
        for (int i = 0; i < g.size(); ++i) {
            const node& n = g[i];
            if (n.kind != op::input && !constants.known(i)) {
                values_[at(i)].resize(static_cast<std::size_t>(n.shape.count()));
            }
        }
    }

    /// The memory of an input for the next run.
    void bind(int index, std::span<const std::byte> memory) { bytes_[at(index)] = memory; }

    void run() {
        for (int i = 0; i < graph_.size(); ++i) {
            if (graph_[i].kind != op::input && !constants_.known(i)) {
                evaluate(i);
            }
        }
    }

    /// The value of a node after a run.
    std::span<const half> value(int index) const {
        return {data(index), static_cast<std::size_t>(graph_[index].shape.count())};
    }

private:
    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    const half* data(int index) const {
        if (constants_.known(index)) {
            return constants_.data(index);
        }
        if (graph_[index].kind == op::input) {
            return reinterpret_cast<const half*>(bytes_[at(index)].data());
        }
        return values_[at(index)].data();
    }
    const half* operand(int index, int position) const { return data(graph_.operands(index)[at(position)]); }
    const extents& operand_shape(int index, int position) const {
        return graph_.operand(graph_[index], position).shape;
    }
    half* result(int index) { return values_[at(index)].data(); }

    void copy_value(int from, int to) {
        const auto source = value(from);
        std::copy(source.begin(), source.end(), result(to));
    }

    void evaluate(int i) {
        const fusion& f = plan_.roles[at(i)];
        if (f.role == fused_as::bias || f.role == fused_as::offset) {
            copy_value(f.stage, i); // computed with the stage before it, in one rounding
            return;
        }
        const node& n = graph_[i];
        if (f.role == fused_as::scale || (n.kind == op::mul && plan_.partner[at(i)] >= 0)) {
            gain_offset(i);
        } else if (is_contraction(n.kind)) {
            contraction(i);
        } else if (is_binary(n.kind)) {
            binary(i);
        } else if (is_unary(n.kind)) {
            unary(i);
        } else if (is_pool(n.kind)) {
            pooling(i);
        } else if (is_reduction(n.kind)) {
            reduction(i);
        } else if (is_arg_reduction(n.kind)) {
            arg_reduction(i);
        } else if (n.kind == op::softmax) {
            softmax(i);
        } else {
            movement(i);
        }
    }

    void contraction(int i) {
        const node& n = graph_[i];
        const int biased = plan_.partner[at(i)];
        const std::vector<half> bias = biased >= 0 ? bias_vector(i, biased) : std::vector<half>();
        const half* const start = biased >= 0 ? bias.data() : nullptr;
        if (n.kind == op::matmul) {
            const extents& a = operand_shape(i, 0);
            const extents& b = operand_shape(i, 1);
            const matmul_shape shape = matmul_shape_of(graph_, n);
            const std::int64_t step = n.shape.height() * n.shape.width();
            for_each_batch(n.shape, a, b, [&](std::int64_t index, std::int64_t from_a, std::int64_t from_b) {
                numerics::matmul(arithmetic_, shape, operand(i, 0) + from_a, operand(i, 1) + from_b, start,
                                 result(i) + index * step);
            });
        } else if (n.kind == op::conv2d) {
            numerics::convolution(arithmetic_, convolution_shape_of<conv>(graph_, n), operand(i, 0), operand(i, 1),
                                  start, result(i));
        } else {
            numerics::transposed_convolution(arithmetic_, convolution_shape_of<conv_transpose>(graph_, n),
                                             operand(i, 0), operand(i, 1), start, result(i));
        }
    }

    /// A bias with one value per output channel, from a constant that may be a single number.
    std::vector<half> bias_vector(int host, int biased) const {
        const fusion& f = plan_.roles[at(biased)];
        const extents& shape = graph_[host].shape;
        const std::int64_t channels = shape.from_last(channel_axis(graph_[host].kind));
        const std::int64_t given = graph_[f.vector].shape.count();
        std::vector<half> bias(static_cast<std::size_t>(channels));
        for (std::size_t c = 0; c < bias.size(); ++c) {
            bias[c] = data(f.vector)[given == 1 ? 0 : c];
        }
        return bias;
    }

    void binary(int i) {
        const op kind = graph_[i].kind;
        const half* const a = operand(i, 0);
        const half* const b = operand(i, 1);
        half* const y = result(i);
        for_each_pair(graph_[i].shape, operand_shape(i, 0), operand_shape(i, 1),
                      [&](std::int64_t index, std::int64_t from_a, std::int64_t from_b) {
                          y[index] = numerics::binary(arithmetic_, kind, a[from_a], b[from_b]);
                      });
    }

    /// The gain-offset stage: one rounding of x scale + offset where both are there (N203).
    void gain_offset(int i) {
        const fusion& f = plan_.roles[at(i)];
        const int partner = plan_.partner[at(i)];
        if (partner < 0) {
            binary(i);
            return;
        }
        const auto operands = graph_.operands(i);
        const bool first_constant = constants_.known(operands[0]);
        const int gain = f.vector >= 0 ? f.vector : operands[first_constant ? 0 : 1];
        const int source = operands[first_constant ? 1 : 0];
        const int offset = plan_.roles[at(partner)].vector;
        half* const y = result(i);
        std::vector<std::int64_t> from_gain;
        for_each_pair(graph_[i].shape, graph_[source].shape, graph_[gain].shape,
                      [&](std::int64_t, std::int64_t, std::int64_t g) { from_gain.push_back(g); });
        for_each_pair(graph_[i].shape, graph_[source].shape, graph_[offset].shape,
                      [&](std::int64_t index, std::int64_t x, std::int64_t o) {
                          y[index] = numerics::scale_offset(arithmetic_, data(source)[x],
                                                            data(gain)[from_gain[static_cast<std::size_t>(index)]],
                                                            data(offset)[o]);
                      });
    }

    void unary(int i) {
        const node& n = graph_[i];
        const unary_numbers numbers = unary_numbers_of(n);
        const half* const x = operand(i, 0);
        half* const y = result(i);
        for (std::size_t k = 0; k < values_[at(i)].size(); ++k) {
            y[k] = numerics::unary(arithmetic_, n.kind, x[k], numbers.first, numbers.second);
        }
    }

    void pooling(int i) {
        numerics::pool(arithmetic_, graph_[i].kind, pool_shape_of(graph_, graph_[i]), operand(i, 0), result(i));
    }

    void reduction(int i) {
        std::vector<half> gathered;
        for_each_reduction(operand_shape(i, 0), graph_[i].get<axes>(), [&](std::int64_t out, const auto& sources) {
            gathered.clear();
            for (const std::int64_t s : sources) {
                gathered.push_back(operand(i, 0)[s]);
            }
            result(i)[out] = numerics::reduce(arithmetic_, graph_[i].kind, gathered.data(),
                                              static_cast<std::int64_t>(gathered.size()), 1);
        });
    }

    void arg_reduction(int i) {
        for_each_row(operand_shape(i, 0), graph_[i].get<axis>().index,
                     [&](std::int64_t row, std::int64_t begin, std::int64_t count, std::int64_t stride) {
                         const std::int64_t found =
                             numerics::arg_reduce(arithmetic_, graph_[i].kind, operand(i, 0) + begin, count, stride);
                         result(i)[row] = half(static_cast<double>(found));
                     });
    }

    void softmax(int i) {
        for_each_row(operand_shape(i, 0), graph_[i].get<axis>().index,
                     [&](std::int64_t, std::int64_t begin, std::int64_t count, std::int64_t stride) {
                         numerics::softmax(arithmetic_, operand(i, 0) + begin, result(i) + begin, count, stride);
                     });
    }

    void movement(int i) {
        const node& n = graph_[i];
        const half* const x = operand(i, 0);
        half* const y = result(i);
        switch (n.kind) {
        case op::reshape: copy_value(graph_.operands(i)[0], i); break;
        case op::transpose:
            for_each_transposed(operand_shape(i, 0), n.get<permutation>(),
                                [&](std::int64_t to, std::int64_t from) { y[to] = x[from]; });
            break;
        case op::concat: concat(i); break;
        case op::slice: {
            const window& w = n.get<window>();
            const bool offset = w.begin.rank > 0 && w.begin[w.begin.rank - 1] != 0;
            for_each_in_window(operand_shape(i, 0), w, [&](std::int64_t to, std::int64_t from) {
                y[to] = offset ? numerics::slice_width_offset(arithmetic_, x[from]) : x[from];
            });
            break;
        }
        case op::pad: {
            std::fill(values_[at(i)].begin(), values_[at(i)].end(), operand(i, 1)[0]);
            const pads& p = n.get<pads>();
            for_each_in_window(n.shape, {p.before, operand_shape(i, 0)},
                               [&](std::int64_t from, std::int64_t to) { y[to] = x[from]; });
            break;
        }
        case op::cast: {
            const auto source = bytes_[at(graph_.operands(i)[0])];
            for (std::size_t k = 0; k < values_[at(i)].size(); ++k) {
                y[k] = numerics::convert_uint8(static_cast<std::uint8_t>(source[k]));
            }
            break;
        }
        default: throw error(errc::lowering, print(graph_, i), "the oracle has no arithmetic for this operation");
        }
    }

    void concat(int i) {
        const int along = graph_[i].get<axis>().index;
        window w{.begin = {}, .size = {}};
        w.begin.rank = graph_[i].shape.rank;
        for (int k = 0; k < graph_[i].operands.count; ++k) {
            w.size = operand_shape(i, k);
            const half* const x = operand(i, k);
            for_each_in_window(graph_[i].shape, w,
                               [&](std::int64_t from, std::int64_t to) { result(i)[to] = x[from]; });
            w.begin[along] += operand_shape(i, k)[along];
        }
    }

    graph_view graph_;
    const materialized& constants_;
    numerics::datapath arithmetic_;
    layer_plan plan_;
    std::vector<std::vector<half>> values_;
    std::vector<std::span<const std::byte>> bytes_;
};

} // namespace ane::detail
