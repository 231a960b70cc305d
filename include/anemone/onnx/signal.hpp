#pragma once

#include "folding.hpp"

/// Fourier transforms, determinants, counts of tuples. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// [rows, columns] of a function of 2 pi row column / period.
template <class Function>
dynamic_tensor wave_matrix(node_call& c, std::int64_t rows, std::int64_t columns, std::int64_t period,
                           const Function& f) {
    constexpr double turn = 6.283185307179586;
    return c.filled({rows, columns}, [&](std::int64_t i) { // a whole number of turns changes nothing
        const std::int64_t part = (i / columns) * (i % columns) % period;
        return f(turn * static_cast<double>(part) / static_cast<double>(period));
    });
}
ANEMONE_INLINE dynamic_tensor with_last_axis(node_call& c, const dynamic_tensor& t) {
    extents shape = t.shape();
    c.require(shape.rank < extents::capacity, "gives a tensor of too many axes");
    shape.append(1);
    return c.reshape(t, shape);
}

/// Products with matrices of cosines and sines, the transformed axis last.
ANEMONE_INLINE results read_dft(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const int rank = x.shape().rank;
    c.require(!c.has(1) && c.integer("onesided", 0) == 0, "cuts its signal or its spectrum");
    const std::int64_t given = c.opset() >= 20 ? (c.has(2) ? c.integer(2) : -2) : c.integer("axis", 1);
    const int axis = c.axis(given, rank);
    c.require(rank >= 2 && axis < rank - 1 && x.shape().width() <= 2, "transforms no complex or real numbers");
    const bool inverse = c.integer("inverse", 0) != 0;
    indices order;
    indices back;
    for (int i = 0; i < rank - 1; ++i) {
        back.append(i < axis ? i : i == axis ? rank - 2 : i - 1);
        if (i != axis) {
            order.append(i);
        }
    }
    order.append(axis);
    const std::int64_t count = x.shape()[axis];
    const double scale = inverse ? 1 / static_cast<double>(count) : 1;
    const double sign = inverse ? 1 : -1;
    const dynamic_tensor cosines =
        wave_matrix(c, count, count, count, [&](double angle) { return scale * std::cos(angle); });
    const dynamic_tensor sines =
        wave_matrix(c, count, count, count, [&](double angle) { return sign * scale * std::sin(angle); });
    extents plain = x.shape();
    --plain.rank;
    const auto part = [&](std::int64_t i) { return c.transposed(c.reshape(c.along(x, rank - 1, i, 1), plain), order); };
    dynamic_tensor real = c.add(op::linear, {part(0), cosines});
    dynamic_tensor imaginary = c.add(op::linear, {part(0), sines});
    if (x.shape().width() == 2) {
        real = c.add(op::sub, {real, c.add(op::linear, {part(1), sines})});
        imaginary = c.add(op::add, {imaginary, c.add(op::linear, {part(1), cosines})});
    }
    return {c.joined({with_last_axis(c, c.transposed(real, back)), with_last_axis(c, c.transposed(imaginary, back))},
                     rank - 1)};
}
/// Frames under a window, times matrices of cosines and sines.
ANEMONE_INLINE results read_stft(node_call& c) {
    const dynamic_tensor x = c.x(0);
    c.require(x.shape().rank == 3 && x.shape()[2] == 1, "transforms complex signals");
    const std::int64_t step = c.integer(1);
    const std::int64_t length = c.has(2) ? c.shape(2).count() : c.integer(3);
    c.require(step >= 1 && length >= 1 && length <= x.shape()[1], "has frames that are longer than the signal");
    const std::int64_t bins = c.integer("onesided", 1) != 0 ? length / 2 + 1 : length;
    const dynamic_tensor signal = c.reshape(x, {x.shape()[0], x.shape()[1]});
    std::vector<dynamic_tensor> list;
    for (std::int64_t begin = 0; begin + length <= x.shape()[1]; begin += step) {
        list.push_back(c.reshape(c.along(signal, 1, begin, length), {x.shape()[0], 1, length}));
    }
    dynamic_tensor frames = c.joined(list, 1);
    frames = c.has(2) ? c.add(op::mul, {frames, c.x(2)}) : frames;
    const dynamic_tensor cosines = wave_matrix(c, bins, length, length, [](double a) { return std::cos(a); });
    const dynamic_tensor sines = wave_matrix(c, bins, length, length, [](double a) { return -std::sin(a); });
    return {c.joined({with_last_axis(c, c.add(op::linear, {frames, cosines})),
                      with_last_axis(c, c.add(op::linear, {frames, sines}))},
                     3)};
}
/// Of two rows.
ANEMONE_INLINE results read_determinant(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const extents& s = x.shape();
    c.require(s.rank >= 2 && s.width() == 2 && s.height() == 2, "is of a matrix of more than two rows");
    const auto element = [&](std::int64_t i, std::int64_t k) {
        return c.along(c.along(x, s.rank - 2, i, 1), s.rank - 1, k, 1);
    };
    extents shape = s;
    shape.rank -= 2;
    const dynamic_tensor left = c.add(op::mul, {element(0, 0), element(1, 1)});
    const dynamic_tensor right = c.add(op::mul, {element(0, 1), element(1, 0)});
    return {c.reshape(c.add(op::sub, {left, right}), shape)};
}

/// How often each tuple of numbers stands in a row: sums of products of comparisons.
ANEMONE_INLINE results read_tf_idf(node_call& c) {
    using list = std::vector<std::int64_t>;
    const list pool = c.integers("pool_int64s").value_or(list());
    const list starts = c.integers("ngram_counts").value_or(list());
    const list columns = c.integers("ngram_indexes").value_or(list());
    const std::int64_t most = c.needed_integer("max_gram_length");
    const std::int64_t least = c.needed_integer("min_gram_length");
    const std::int64_t skips = c.needed_integer("max_skip_count");
    c.require(c.word("mode", "") == "TF", "weighs its counts");
    c.require(!pool.empty() && columns.size() <= 4096, "counts strings, or more than 4096 tuples");
    const dynamic_tensor given = c.x(0);
    const extents s = given.shape();
    c.require(s.rank == 1 || s.rank == 2, "reads neither a row nor rows");
    const dynamic_tensor x = s.rank == 1 ? c.reshape(given, {1, s[0]}) : given;
    const std::int64_t width = x.shape()[1];
    std::vector<dynamic_tensor> found(columns.size());
    std::size_t tuple = 0;
    for (std::size_t k = 0; k < starts.size(); ++k) {
        const auto length = static_cast<std::int64_t>(k) + 1;
        const std::int64_t end = k + 1 < starts.size() ? starts[k + 1] : static_cast<std::int64_t>(pool.size());
        c.require(starts[k] >= 0 && end <= static_cast<std::int64_t>(pool.size()), "has counts beyond its pool");
        for (std::int64_t i = starts[k]; i + length <= end; i += length, ++tuple) {
            c.require(tuple < columns.size(), "has more tuples than columns");
            dynamic_tensor count = c.add(op::mul, c.along(x, 1, 0, 1), 0.0);
            const std::int64_t distances = length < least || length > most ? 0 : length == 1 ? 1 : skips + 1;
            for (std::int64_t step = 1; step <= distances; ++step) {
                const std::int64_t places = width - (length - 1) * step;
                if (places <= 0) {
                    break;
                }
                dynamic_tensor hit;
                for (std::int64_t e = 0; e < length; ++e) {
                    const auto number = static_cast<double>(pool[static_cast<std::size_t>(i + e)]);
                    const dynamic_tensor own = c.real(c.add(op::equal, c.along(x, 1, e * step, places), number));
                    hit = e == 0 ? own : c.add(op::minimum, {hit, own});
                }
                count = c.add(op::add, {count, c.reduced(op::reduce_sum, hit, {1})});
            }
            const std::int64_t column = columns[tuple];
            c.require(column >= 0 && column < static_cast<std::int64_t>(found.size()), "has columns out of range");
            found[static_cast<std::size_t>(column)] = count;
        }
    }
    for (const dynamic_tensor& t : found) {
        c.require(t.node() >= 0, "has columns without a tuple");
    }
    const auto total = static_cast<std::int64_t>(found.size());
    const dynamic_tensor y = c.joined(found, 1);
    return {{s.rank == 1 ? c.reshape(y, {total}) : y, element_type::f32}};
}

ANEMONE_INLINE void add_signal(converter_table& t) {
    t.insert({
        {"DFT", read_dft},
        {"STFT", read_stft},
        {"Det", read_determinant},
        {"TfIdfVectorizer", read_tf_idf},
    });
}

} // namespace ane::onnx::inline ANEMONE_WAY
