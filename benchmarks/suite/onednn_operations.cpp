/// One function for each kind of operation: the primitive, its arguments, and where its result stands.

#include "onednn_layout.hpp"
#include "onednn_program.hpp"

#include <utility>

namespace suite {

using ane::op;
using dnnl::memory;
using namespace layout; // NOLINT(google-build-using-namespace): one header

void onednn_session::add(int node) {
    const op kind = problem_.graph.view()[node].kind;
    if (problem_.write_of(node) != nullptr) {
        store(node);
        return;
    }
    switch (kind) { // NOLINT(clang-diagnostic-switch-enum): those of the workloads
    case op::input:
    case op::weight:
    case op::constant:
    case op::cast:
    case op::not_equal: return; // the mask of a cache, which `store` does not need
    case op::linear: linear(node); return;
    case op::conv2d: convolution(node); return;
    case op::max_pool: pool(node); return;
    case op::reduce_mean: mean(node); return;
    case op::layer_norm:
    case op::softmax: row_wise(node); return;
    case op::relu:
    case op::relu6:
    case op::gelu: elementwise(node); return;
    case op::add: sum(node); return;
    case op::attention: attention(node); return;
    case op::reshape:
    case op::transpose: view(node); return;
    default: refuse("oneDNN", kind);
    }
}

void onednn_session::linear(int node) {
    const ane::graph_view g = problem_.graph;
    const auto read = g.operands(node);
    const epilogue after = find_epilogue(node, true);
    const memory::dims x = rows_of(g[read[0]].shape);
    const memory::dims w = dims_of(g[read[1]].shape);
    const memory::dims y{x[0], w[0]};
    const bool bias = read.size() > 2;
    const memory::desc bias_layout = bias ? dense_of({w[0]}) : memory::desc();
    const dnnl::inner_product_forward::desc what(dnnl::prop_kind::forward_inference, dense_of(x), any_of(w),
                                                 bias_layout, dense_of(y));
    const dnnl::inner_product_forward::primitive_desc how(what, after.attributes, engine_);
    memory source = dense(read[0]);
    source = memory(dense_of(x), engine_, source.get_data_handle());
    const memory result = target_of(after, plain(after.last));
    std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, source},
                                              {DNNL_ARG_WEIGHTS, constant(read[1], how.weights_desc(), dense_of(w))},
                                              {DNNL_ARG_DST, memory(dense_of(y), engine_, result.get_data_handle())}};
    if (bias) {
        arguments.insert({DNNL_ARG_BIAS, constant(read[2], bias_layout, bias_layout)});
    }
    push(dnnl::inner_product_forward(how), std::move(arguments));
}

void onednn_session::convolution(int node) {
    const ane::graph_view g = problem_.graph;
    const ane::conv& c = g[node].get<ane::conv>();
    const auto read = g.operands(node);
    const epilogue after = find_epilogue(node, true);
    const memory::dims given = dims_of(g[read[1]].shape);
    memory::dims w = given;
    if (c.groups > 1) {
        w = {c.groups, given[0] / c.groups, given[1], given[2], given[3]};
    }
    const memory::dims bias{given[0]};
    const auto plan = [&](dnnl::algorithm algorithm) {
        const dnnl::convolution_forward::desc what(
            dnnl::prop_kind::forward_inference, algorithm, any_of(dims_of(g[read[0]].shape)), any_of(w), dense_of(bias),
            any_of(dims_of(g[node].shape)), {c.stride.height, c.stride.width},
            {c.dilation.height - 1, c.dilation.width - 1}, {c.padding.top, c.padding.left},
            {c.padding.bottom, c.padding.right});
        return dnnl::convolution_forward::primitive_desc(what, after.attributes, engine_);
    };
    dnnl::convolution_forward::primitive_desc how;
    try {
        how = plan(algorithm_);
        winograd_used_ = winograd_used_ || algorithm_ == dnnl::algorithm::convolution_winograd;
    } catch (const dnnl::error&) { // no Winograd for this shape
        how = plan(dnnl::algorithm::convolution_direct);
    }
    const memory source = in_layout(read[0], how.src_desc());
    const memory result = target_of(after, how.dst_desc());
    push(dnnl::convolution_forward(how), {{DNNL_ARG_SRC, source},
                                          {DNNL_ARG_WEIGHTS, constant(read[1], how.weights_desc(), dense_of(w))},
                                          {DNNL_ARG_BIAS, constant(read[2], dense_of(bias), dense_of(bias))},
                                          {DNNL_ARG_DST, result}});
}

void onednn_session::pool(int node) {
    const ane::graph_view g = problem_.graph;
    const ane::pool& p = g[node].get<ane::pool>();
    const memory source = values_[static_cast<std::size_t>(g.operands(node)[0])];
    const dnnl::pooling_forward::desc what(dnnl::prop_kind::forward_inference, dnnl::algorithm::pooling_max,
                                           source.get_desc(), any_of(dims_of(g[node].shape)),
                                           {p.stride.height, p.stride.width}, {p.kernel.height, p.kernel.width},
                                           {p.padding.top, p.padding.left}, {p.padding.bottom, p.padding.right});
    const dnnl::pooling_forward::primitive_desc how(what, engine_);
    push(dnnl::pooling_forward(how), {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, made(node, how.dst_desc())}});
}

/// A mean over height and width is a pool over all of them.
void onednn_session::mean(int node) {
    const ane::graph_view g = problem_.graph;
    const int read = g.operands(node)[0];
    const memory source = values_[static_cast<std::size_t>(read)];
    const memory::dims window{g[read].shape[2], g[read].shape[3]};
    const dnnl::pooling_forward::desc what(dnnl::prop_kind::forward_inference,
                                           dnnl::algorithm::pooling_avg_exclude_padding, source.get_desc(),
                                           any_of(dims_of(g[node].shape)), window, window, {0, 0}, {0, 0});
    const dnnl::pooling_forward::primitive_desc how(what, engine_);
    push(dnnl::pooling_forward(how), {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, made(node, how.dst_desc())}});
}

void onednn_session::row_wise(int node) {
    const ane::graph_view g = problem_.graph;
    const auto read = g.operands(node);
    const memory source = dense(read[0]);
    const memory result = made(node, plain(node));
    if (g[node].kind == op::softmax) {
        const dnnl::softmax_forward::desc what(dnnl::prop_kind::forward_inference, source.get_desc(),
                                               g[node].shape.rank - 1);
        push(dnnl::softmax_forward({what, engine_}), {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, result}});
        return;
    }
    using flag = dnnl::normalization_flags;
    const dnnl::layer_normalization_forward::desc what(dnnl::prop_kind::forward_inference, source.get_desc(),
                                                       g[node].get<ane::stabilizer>().epsilon,
                                                       flag::use_scale | flag::use_shift);
    const memory::desc parameters = dense_of({g[node].shape.width()});
    push(dnnl::layer_normalization_forward({what, engine_}),
         {{DNNL_ARG_SRC, source},
          {DNNL_ARG_DST, result},
          {DNNL_ARG_SCALE, constant(read[1], parameters, parameters)},
          {DNNL_ARG_SHIFT, constant(read[2], parameters, parameters)}});
}

void onednn_session::elementwise(int node) {
    const ane::graph_view g = problem_.graph;
    const op kind = g[node].kind;
    const memory source = values_[static_cast<std::size_t>(g.operands(node)[0])];
    const auto algorithm = kind == op::relu    ? dnnl::algorithm::eltwise_relu
                           : kind == op::relu6 ? dnnl::algorithm::eltwise_clip
                                               : dnnl::algorithm::eltwise_gelu_erf;
    const dnnl::eltwise_forward::desc what(dnnl::prop_kind::forward_inference, algorithm, source.get_desc(), 0,
                                           kind == op::relu6 ? 6.0F : 0.0F);
    push(dnnl::eltwise_forward({what, engine_}),
         {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, made(node, source.get_desc())}});
}

void onednn_session::sum(int node) {
    const auto read = problem_.graph.view().operands(node);
    const memory a = values_[static_cast<std::size_t>(read[0])];
    const memory b = in_layout(read[1], a.get_desc());
    const dnnl::binary::desc what(dnnl::algorithm::binary_add, a.get_desc(), b.get_desc(), a.get_desc());
    push(dnnl::binary({what, engine_}),
         {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, made(node, a.get_desc())}});
}

/// Two products and a softmax over [batch, heads, rows, D]; views of rows that are split into heads need no copy.
void onednn_session::attention(int node) {
    const ane::graph_view g = problem_.graph;
    const auto read = g.operands(node);
    const memory q = values_[static_cast<std::size_t>(read[0])];
    const memory k = values_[static_cast<std::size_t>(read[1])];
    const memory v = values_[static_cast<std::size_t>(read[2])];
    const memory::desc turned = k.get_desc().permute_axes({0, 1, 3, 2});
    const ane::extents& shape = g[read[0]].shape;
    const memory::desc scores_layout = dense_of({shape[0], shape[1], shape[2], g[read[1]].shape[2]});
    const memory scores(scores_layout, engine_);

    dnnl::primitive_attr scaled;
    scaled.set_output_scales(0, {g[node].get<ane::score_scaling>().scale});
    std::unordered_map<int, memory> arguments{
        {DNNL_ARG_SRC, q}, {DNNL_ARG_WEIGHTS, memory(turned, engine_, k.get_data_handle())}, {DNNL_ARG_DST, scores}};
    if (read.size() > 3) {
        const memory mask = values_[static_cast<std::size_t>(read[3])];
        dnnl::post_ops steps;
        steps.append_binary(dnnl::algorithm::binary_add, mask.get_desc());
        scaled.set_post_ops(steps);
        arguments.insert({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, mask});
    }
    const dnnl::matmul::desc first(q.get_desc(), turned, scores_layout);
    push(dnnl::matmul({first, scaled, engine_}), std::move(arguments));

    const dnnl::softmax_forward::desc normalized(dnnl::prop_kind::forward_inference, scores_layout, 3);
    push(dnnl::softmax_forward({normalized, engine_}), {{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, scores}});

    // In a network the heads of a row lie side by side, as the transpose behind them wants.
    memory::desc layout = plain(node);
    if (problem_.whole) {
        layout = dense_of({shape[0], shape[2], shape[1], shape[3]}).permute_axes({0, 2, 1, 3});
    }
    const dnnl::matmul::desc second(scores_layout, v.get_desc(), layout);
    push(dnnl::matmul({second, engine_}),
         {{DNNL_ARG_SRC, scores}, {DNNL_ARG_WEIGHTS, v}, {DNNL_ARG_DST, made(node, layout)}});
}

void onednn_session::view(int node) {
    const ane::graph_view g = problem_.graph;
    const int read = g.operands(node)[0];
    if (g[node].kind == op::transpose) {
        const memory source = values_[static_cast<std::size_t>(read)];
        const auto& order = g[node].get<ane::permutation>().order;
        std::vector<int> places(static_cast<std::size_t>(order.rank)); // where each axis of the source goes
        for (int axis = 0; axis < order.rank; ++axis) {
            places[static_cast<std::size_t>(order[axis])] = axis;
        }
        values_[static_cast<std::size_t>(node)] =
            memory(source.get_desc().permute_axes(places), engine_, source.get_data_handle());
        return;
    }
    // A reshape of a permuted value is one only where the permutation is dense again.
    memory source = values_[static_cast<std::size_t>(read)];
    source = dense(read);
    values_[static_cast<std::size_t>(node)] = memory(plain(node), engine_, source.get_data_handle());
}

/// A row of a cache, stored in place.
void onednn_session::store(int node) {
    const cache_write& w = *problem_.write_of(node);
    const ane::graph_view g = problem_.graph;
    const memory cache = values_[static_cast<std::size_t>(w.state)];
    const memory row = values_[static_cast<std::size_t>(w.row)];
    memory::dims where(static_cast<std::size_t>(g[w.state].shape.rank), 0);
    where[static_cast<std::size_t>(w.axis)] = w.position;
    const memory::desc window = cache.get_desc().submemory_desc(dims_of(g[w.row].shape), where);
    const memory part(window, engine_, cache.get_data_handle());
    push(dnnl::reorder(row, part), {{DNNL_ARG_FROM, row}, {DNNL_ARG_TO, part}});
    values_[static_cast<std::size_t>(node)] = cache;
}

} // namespace suite
