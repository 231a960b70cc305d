#pragma once

#include "layouts.hpp"
#include "products.hpp"
#include "whole_norms.hpp"

#include <utility>

/// Transformers in the form that the engine's vendor asks for (coreai-models, 2026: said, not measured by a source).
namespace ane::detail {

inline constexpr std::int64_t most_heads = 128; ///< that are attended apart: each is some operations of the graph

/// A graph whose channels are first, as images [batch, channels, 1, positions] and, of heads, as an image for each. What
/// is neither keeps its shape: between a matrix [batch, channels, positions] and its image lies a reshape that moves nothing.
class vendor_form {
public:
    constexpr explicit vendor_form(const graph_view& g)
        : g_(g), w_(g), known_(constant_nodes(g)), readers_(uses(g)), image_(g.nodes.size(), -1),
          beside_(g.nodes.size(), -1), heads_(g.nodes.size()), attended_(g.nodes.size(), 0) {
        find_attended();
    }

    constexpr rewritten make() {
        for (int i = 0; i < g_.size(); ++i) {
            w_.visit(i);
            if (is_known(i)) {
                w_.rename(i, w_.copy(i));
            } else if (const int made = image_of(i); made >= 0) {
                image_[static_cast<std::size_t>(i)] = made;
            } else if (sequence<int> apart = heads_of(i); !apart.empty()) {
                heads_[static_cast<std::size_t>(i)] = std::move(apart);
            } else {
                for (const int o : g_.operands(i)) {
                    static_cast<void>(plain(o));
                }
                w_.rename(i, w_.copy(i));
            }
        }
        for (const output_port& port : g_.outputs) {
            w_.add_output(plain(port.node), port);
        }
        return {prune(w_.result()), places_};
    }

private:
    constexpr bool is_known(int old) const { return known_[static_cast<std::size_t>(old)] != 0; }
    constexpr bool is_image(int old) const { return image_[static_cast<std::size_t>(old)] >= 0; }
    constexpr bool is_apart(int old) const { return !heads_[static_cast<std::size_t>(old)].empty(); }

    /// A product of two values with heads: scores, or their sum with values.
    constexpr bool attends(int i) const {
        const node& n = g_[i];
        const auto has_heads = [&](int value) {
            const extents& x = g_[value].shape;
            return x.rank == 4 && x[0] == n.shape[0] && x[1] <= most_heads && !is_known(value);
        };
        return n.kind == op::matmul && n.shape.rank == 4 && n.type == dtype::f16 && has_heads(g_.operands(i)[0]) &&
               has_heads(g_.operands(i)[1]);
    }
    /// Whether an operation can be computed head by head.
    constexpr bool goes_by_heads(int i) const {
        const node& n = g_[i];
        return n.shape.rank == 4 && n.shape[1] <= most_heads && n.type == dtype::f16 &&
               (is_unary(n.kind) || is_binary(n.kind) || mixes(n, 2) || mixes(n, 3));
    }
    /// A softmax or a norm along one axis; a norm's factors go along channels alone.
    static constexpr bool mixes(const node& n, int along) {
        const int rank = n.shape.rank;
        if (n.kind == op::softmax) {
            return normalized_axis(n.get<axis>().index, rank) == along;
        }
        const bool is_norm = n.kind == op::layer_norm || n.kind == op::rms_norm;
        return is_norm && along == rank - 2 && normalized_axis(n.get<stabilizer>().axis, rank) == along;
    }
    /// Which values are taken apart: those that an attention reads, itself or through what goes by heads.
    constexpr void find_attended() {
        for (int i = g_.size() - 1; i >= 0; --i) {
            const bool reads_heads = attends(i) || (attended_[static_cast<std::size_t>(i)] != 0 && goes_by_heads(i));
            for (const int o : g_.operands(i)) {
                if (reads_heads) {
                    attended_[static_cast<std::size_t>(o)] = 1;
                }
            }
        }
    }

    // ---- values in each form ------------------------------------------------------------------------------------------

    /// [channels, positions] and [batch, channels, positions] as an image.
    static constexpr extents image_shape(const extents& x) {
        return {x.rank > 2 ? x[0] : 1, x.rank > 1 ? x.height() : 1, 1, x.width()};
    }
    /// A value in the shape that it has in the graph.
    constexpr int plain(int old) {
        if (w_.renamed(old) >= 0) {
            return w_.renamed(old);
        }
        int made = is_image(old) ? image_[static_cast<std::size_t>(old)] : joined(old);
        made = w_.reshape(made, g_[old].shape);
        w_.rename(old, made);
        return made;
    }
    /// A value as an image, or what broadcasts against one.
    constexpr int image(int old) {
        const extents& x = g_[old].shape;
        if (is_image(old)) {
            return image_[static_cast<std::size_t>(old)];
        }
        if (x.rank < 2) {
            return plain(old);
        }
        int& made = beside_[static_cast<std::size_t>(old)];
        if (made < 0) {
            made = w_.reshape(plain(old), image_shape(x));
        }
        return made;
    }
    /// One head of a value as an image, or what broadcasts against one.
    constexpr int head(int old, std::int64_t which) {
        const extents& x = g_[old].shape;
        if (x.rank < 2) {
            return plain(old);
        }
        const std::int64_t heads = x.rank > 2 ? x.from_last(2) : 1;
        const std::int64_t at = heads == 1 ? 0 : which;
        if (is_apart(old)) {
            return heads_[static_cast<std::size_t>(old)][static_cast<std::size_t>(at)];
        }
        const extents shape{x.rank == 4 ? x[0] : 1, x.height(), 1, x.width()};
        if (const int split = split_of(old); split >= 0) {
            return heads == 1 ? image(split) : w_.slice(image(split), 1, at * x.height(), x.height());
        }
        const int all = plain(old);
        return w_.reshape(heads == 1 ? all : w_.slice(all, x.rank - 3, at, 1), shape);
    }
    /// The image whose channels a reshape splits into heads; or -1.
    constexpr int split_of(int old) const {
        const node& n = g_[old];
        if (n.kind != op::reshape || n.shape.rank != 4) {
            return -1;
        }
        const int x = g_.operands(old)[0];
        const extents channels{n.shape[0], n.shape[1] * n.shape[2], 1, n.shape[3]};
        return is_image(x) && image_shape(g_[x].shape) == channels ? x : -1;
    }
    /// [batch, heads, channels, positions] as [batch, heads channels, 1, positions].
    constexpr int joined(int old) {
        const sequence<int>& apart = heads_[static_cast<std::size_t>(old)];
        return apart.size() == 1 ? apart[0]
                                 : w_.emit(op::concat, axis{1}, std::span<const int>(apart.data(), apart.size()));
    }

    // ---- operations ---------------------------------------------------------------------------------------------------

    /// Emits the same operation over other operands, along channels or along positions.
    constexpr int emit_along(const node& n, std::span<const int> operands) {
        const bool over_channels = mixes(n, n.shape.rank - 2);
        if (n.kind == op::softmax) {
            return w_.emit(op::softmax, axis{over_channels ? 1 : 3}, operands);
        }
        if (n.kind == op::layer_norm || n.kind == op::rms_norm) {
            stabilizer how = n.get<stabilizer>();
            how.axis = 1;
            return w_.emit(n.kind, how, operands);
        }
        return w_.emit(n.kind, n.attributes, operands);
    }

    constexpr int image_of(int i) {
        const node& n = g_[i];
        const int rank = n.shape.rank;
        if (rank < 2 || rank > 3 || n.type != dtype::f16) {
            return -1;
        }
        if (const int with_bias = convolution_and_bias(i); with_bias >= 0) {
            return with_bias;
        }
        if (n.kind == op::matmul) {
            return convolution(i, -1);
        }
        if (n.kind == op::reshape) {
            return reshaped_image(i);
        }
        const bool is_norm = n.kind != op::softmax && mixes(n, rank - 2); // what reads it is an image, or will be
        const bool fits = is_unary(n.kind) || is_binary(n.kind) || mixes(n, rank - 2) || mixes(n, rank - 1);
        if (!is_norm && (!fits || !reads_image(i))) {
            return -1;
        }
        sequence<int> operands;
        for (int k = 0; k < n.operands.count; ++k) {
            const int o = g_.operands(i)[static_cast<std::size_t>(k)];
            operands.push_back(k == 0 || is_binary(n.kind) ? image(o) : plain(o));
        }
        return emit_along(n, std::span<const int>(operands.data(), operands.size()));
    }
    constexpr bool reads_image(int i) const {
        for (const int o : g_.operands(i)) {
            if (is_image(o)) {
                return true;
            }
        }
        return false;
    }
    /// A reshape of one image into another of the same shape, or of heads into the channels that they are.
    constexpr int reshaped_image(int i) {
        const int x = g_.operands(i)[0];
        const extents wanted = image_shape(g_[i].shape);
        if (is_image(x) && image_shape(g_[x].shape) == wanted) {
            return image_[static_cast<std::size_t>(x)];
        }
        const extents& from = g_[x].shape;
        const bool joins = is_apart(x) && wanted == extents{from[0], from[1] * from[2], 1, from[3]};
        return joins ? joined(x) : -1;
    }

    /// A product with weights at the left, which a sum with one number for each row may follow, as a convolution with a
    /// 1x1 kernel. One of a single feature is left: a convolution of one channel has other arithmetic. So is one of a
    /// weight in a stored form, which has the shape that it is stored in.
    constexpr int convolution(int i, int bias) {
        const node& n = g_[i];
        const int weight = g_.operands(i)[0];
        const int x = g_.operands(i)[1];
        const transposed how = n.get<transposed>();
        const bool fits = is_known(weight) && !is_known(x) && g_[weight].shape.rank == 2 &&
                          g_[weight].kind != op::compressed && g_[x].shape.rank == n.shape.rank && !how.b;
        const std::int64_t features = how.a ? g_[weight].shape[0] : g_[weight].shape[1];
        if (!fits || features < 2) {
            return -1;
        }
        places_ += bias < 0 ? 1 : 0; // the product of one with a bias was counted
        const int matrix = how.a ? w_.emit(op::transpose, permutation{1, 0}, {plain(weight)}) : plain(weight);
        const extents shape = w_.shape(matrix);
        const int kernel = w_.reshape(matrix, {shape[0], shape[1], 1, 1});
        return bias < 0 ? w_.emit(op::conv2d, conv{}, {image(x), kernel})
                        : w_.emit(op::conv2d, conv{}, {image(x), kernel, bias});
    }
    constexpr int convolution_and_bias(int i) {
        const node& n = g_[i];
        for (int k = 0; n.kind == op::add && k < 2; ++k) {
            const int bias = g_.operands(i)[static_cast<std::size_t>(k)];
            const int product = g_.operands(i)[static_cast<std::size_t>(1 - k)];
            const extents column{n.shape.height(), 1};
            if (g_[product].kind == op::matmul && is_known(bias) && g_[bias].shape == column &&
                readers_[static_cast<std::size_t>(product)] == 1 && g_[product].shape == n.shape) {
                return convolution(product, w_.reshape(plain(bias), {column[0]}));
            }
        }
        return -1;
    }

    /// A head of each, where a node goes by heads and what it reads is apart, or what reads it has to be.
    constexpr sequence<int> heads_of(int i) {
        const node& n = g_[i];
        const bool product = attends(i);
        const bool by_heads = goes_by_heads(i) && (attended_[static_cast<std::size_t>(i)] != 0 || reads_apart(i));
        sequence<int> made;
        if (!product && !by_heads) {
            return made;
        }
        places_ += product ? 1 : 0;
        for (std::int64_t h = 0; h < n.shape[1]; ++h) {
            sequence<int> operands;
            for (int k = 0; k < n.operands.count; ++k) {
                const int o = g_.operands(i)[static_cast<std::size_t>(k)];
                operands.push_back(k == 0 || product || is_binary(n.kind) ? head(o, h) : plain(o));
            }
            made.push_back(product ? product_of_images(n, operands[0], operands[1])
                                   : emit_along(n, std::span<const int>(operands.data(), operands.size())));
        }
        return made;
    }
    constexpr bool reads_apart(int i) const {
        for (const int o : g_.operands(i)) {
            if (is_apart(o)) {
                return true;
            }
        }
        return false;
    }
    /// The product of matrices that are images: keys and queries as bchk,bchq->bkhq, values and shares as bchk,bkhq->bchq.
    constexpr int product_of_images(const node& n, int a, int b) {
        const auto matrix = [&](int x) {
            const extents s = w_.shape(x);
            return w_.reshape(x, {s[0], 1, s[1], s[3]});
        };
        const int y = w_.emit(op::matmul, n.attributes, {matrix(a), matrix(b)});
        const extents s = w_.shape(y);
        return w_.reshape(y, {s[0], s[2], 1, s[3]});
    }

    graph_view g_;
    rewriter w_;
    sequence<char> known_;
    sequence<int> readers_;
    sequence<int> image_;           // new nodes, by the old one, of what is computed as an image
    sequence<int> beside_;          // the same of what is not, and is read as one
    sequence<sequence<int>> heads_; // the same of what is computed head by head
    sequence<char> attended_;       // by the old one
    int places_ = 0;
};

/// A graph with whole norms.
constexpr rewritten in_vendor_form(const graph_view& g, const target_description& t) {
    const rewritten first = channels_first(g, t);
    if (first.places > 0) {
        return vendor_form(first.graph).make();
    }
    return vendor_form(g).make();
}

/// Projections as 1x1 convolutions of [batch, channels, 1, positions], whole norms and softmax along channels, attention
/// head by head: `whole_norms`, `channels_first`, and then each value in the vendor's layout. Ports keep theirs.
constexpr rewritten transformer_for_engine(const graph_view& g, const target_description& t) {
    const rewritten whole = whole_norms(g, t);
    if (whole.places > 0) {
        return in_vendor_form(whole.graph, t);
    }
    return in_vendor_form(g, t);
}

} // namespace ane::detail
