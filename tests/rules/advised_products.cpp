// Advice on products of matrices, attention and memory.

#include "advised.hpp"

namespace advised {

namespace {

dynamic_graph product(const extents& a, const extents& b, const contract& promise = {}) {
    return built([&](dynamic_builder& m) {
        return m.add(op::matmul, {m.input("x", a, promise), m.input("z", b, promise)}, transposed{});
    });
}
/// The same, with both operands and the result in other shapes.
dynamic_graph reshaped_product(const extents& a, const extents& b, const extents& a_as, const extents& b_as,
                               const extents& result) {
    return built([&](dynamic_builder& m) {
        const tensor x = m.reshape(m.input("x", a), a_as);
        return m.reshape(m.add(op::matmul, {x, m.reshape(m.input("z", b), b_as)}, transposed{}), result);
    });
}
/// The contraction in two parts.
dynamic_graph split_product(const extents& a, const extents& b, std::int64_t at, const contract& promise = {}) {
    return built([&](dynamic_builder& m) {
        const tensor x = m.input("x", a, promise);
        const tensor z = m.input("z", b, promise);
        const auto part = [&](std::int64_t begin, std::int64_t size) {
            return m.add(op::matmul, {cut(m, x, 1, begin, size), cut(m, z, 0, begin, size)}, transposed{});
        };
        return m.add(op::add, {part(0, at), part(at, b[0] - at)});
    });
}

dynamic_graph of_a_transpose(bool regroups) {
    return built([&](dynamic_builder& b) {
        tensor x = b.input("x", {2, 3, 4, 5, 8});
        if (regroups) { // each step moves two axes
            x = turned(b, b.reshape(x, {2, 3, 4, 40}), 0, 2, 1, 3);
            x = turned(b, b.reshape(x, {24, 5, 8}), 0, 2, 1);
        } else {
            x = turned(b, x, 0, 2, 1, 4, 3);
        }
        return b.add(op::matmul, {b.reshape(x, {192, 5}), b.input("z", {5, 1})}, transposed{});
    });
}

dynamic_graph attended(const extents& query, const extents& key, bool folds) {
    return built([&](dynamic_builder& b) {
        std::vector<tensor> ports{b.input("q", query), b.input("k", key), b.input("v", key)};
        for (tensor& port : ports) {
            const extents& s = port.shape();
            port = folds ? b.reshape(port, {s[0] * s[1], s[2], s[3], s[4]}) : port;
        }
        const tensor y = b.add(op::attention, ports, score_scaling{0.125F});
        return folds ? b.reshape(y, query) : y;
    });
}

dynamic_graph of_few_queries(bool pads_them) {
    return built([&](dynamic_builder& b) {
        tensor q = b.input("q", {1, 2, 2, 64});
        q = pads_them ? joined(b, {q, zeros(b, {1, 2, 2, 64})}, 2) : q;
        const tensor y = b.add(op::attention, {q, b.input("k", {1, 2, 64, 64}), b.input("v", {1, 2, 64, 64})},
                               score_scaling{0.125F});
        return pads_them ? cut(b, y, 2, 0, 2) : y;
    });
}

/// Attention with an input of 0 and 1 for a mask.
enum class mask_form { added, selected, shifted };
dynamic_graph masked(mask_form form) {
    return built([form](dynamic_builder& b) {
        const extents heads{1, 2, 8, 64};
        tensor mask = b.input("mask", {1, 1, 8, 8}, within(0, 1));
        if (form == mask_form::selected) {
            const tensor counts = b.add(op::greater, {mask, b.constant(0.5)});
            mask = b.add(op::select, {counts, zeros(b, {1, 1, 8, 8}), b.constant({1, 1, 8, 8}, -30000)});
        } else if (form == mask_form::shifted) {
            mask = times(b, b.add(op::sub, {mask, b.constant(1)}), 30000);
        }
        return b.add(op::attention, {b.input("q", heads), b.input("k", heads), b.input("v", heads), mask},
                     score_scaling{0.125F});
    });
}

/// Exponentials of one input, added up.
dynamic_graph branches(int count, bool as_tree) {
    return built([&](dynamic_builder& b) {
        const tensor x = b.input("x", {1, 8}, bounded(1));
        std::vector<tensor> open;
        for (int i = 0; i < count; ++i) {
            open.push_back(b.add(op::exp, {times(b, x, 0.05 * (i + 1))}));
        }
        while (open.size() > 1) {
            const tensor sum = b.add(op::add, {open[0], open[1]});
            open.erase(open.begin(), open.begin() + 2);
            open.insert(as_tree ? open.end() : open.begin(), sum);
        }
        return open[0];
    });
}

/// The sum of five functions of one value of half a megabyte, added up when all are known or one after another.
dynamic_graph long_lived(bool reads_sooner) {
    dynamic_graph g = one_node::sources_of({one_node::in({1, 1, 512, 512})});
    std::vector<int> terms;
    const auto add_two = [&] {
        g = one_node::then(g, op::add, no_attributes{}, {terms[0], terms[1]});
        terms.erase(terms.begin(), terms.begin() + 2);
        terms.insert(terms.begin(), static_cast<int>(g.nodes.size()) - 1);
    };
    for (const op kind : {op::relu, op::sigmoid, op::tanh, op::abs, op::relu6}) {
        g = one_node::then(g, kind, no_attributes{}, {0});
        terms.push_back(static_cast<int>(g.nodes.size()) - 1);
        if (reads_sooner && terms.size() == 2) {
            add_two();
        }
    }
    while (terms.size() > 1) {
        add_two();
    }
    return g;
}

} // namespace

std::vector<pair_of_models> advised_products() {
    const auto linear = [](bool folds) {
        return built([&](dynamic_builder& b) {
            const tensor x = b.input("x", {1, 1, 2, 3, 8});
            const tensor w = b.weight("w", {4, 8});
            return folds ? b.reshape(b.add(op::linear, {b.reshape(x, {1, 2, 3, 8}), w}), {1, 1, 2, 3, 4})
                         : b.add(op::linear, {x, w});
        });
    };
    const auto tall = [](bool tiles) {
        return built([&](dynamic_builder& b) {
            const tensor x = b.input("x", {33, 1024});
            const tensor z = b.input("z", {1024, 8});
            const auto rows = [&](int at, int size) { return b.add(op::matmul, {cut(b, x, 0, at, size), z}); };
            return tiles ? joined(b, {rows(0, 17), rows(17, 16)}, 0) : b.add(op::matmul, {x, z});
        });
    };
    const auto streamed = [](int bits) {
        return built([&](dynamic_builder& b) {
            const tensor w = b.weight("w", {4, 8448});
            const tensor stored = bits == 16 ? w : b.add(op::compressed, {w}, compression{.bits = bits});
            return b.add(op::linear, {b.input("x", {1, 8448}), stored});
        });
    };
    return {
        {rule::matmul_rank_exceeds_four, "fold the batch", h13, product({2, 1, 3, 4, 5}, {2, 1, 3, 5, 6}),
         reshaped_product({2, 1, 3, 4, 5}, {2, 1, 3, 5, 6}, {2, 3, 4, 5}, {2, 3, 5, 6}, {2, 1, 3, 4, 6})},
        {rule::matmul_depth_exceeds_one, "fold the depth", h13, product({1, 2, 3, 4, 5}, {1, 2, 3, 5, 6}),
         reshaped_product({1, 2, 3, 4, 5}, {1, 2, 3, 5, 6}, {2, 3, 4, 5}, {2, 3, 5, 6}, {1, 2, 3, 4, 6})},
        {rule::matmul_reads_a_transpose_of_rank_five, "regroup", h17s, of_a_transpose(false), of_a_transpose(true)},
        {rule::contraction_length_exceeds, "split it", h16g, product({4, 32769}, {32769, 8}),
         split_product({4, 32769}, {32769, 8}, 16384), 0.05},
        {rule::linear_rank_exceeds_four, "reshape", h13, linear(false), linear(true)},
        {rule::matmul_exceeds_kernel_memory, "tile the rows", h13, tall(false), tall(true)},
        {rule::right_operand_is_not_resident, "split it along its rows", h13,
         product({8, 1024}, {1024, 1024}, bounded(1)), split_product({8, 1024}, {1024, 1024}, 512, bounded(1))},
        {rule::attention_rank_exceeds_four, "fold the leading", h13,
         attended({1, 2, 2, 8, 64}, {1, 2, 2, 8, 64}, false), attended({1, 2, 2, 8, 64}, {1, 2, 2, 8, 64}, true)},
        {rule::attention_has_few_queries, "pad the queries", h17s, of_few_queries(false), of_few_queries(true)},
        {rule::mask_hides_nothing, "select 0", h13, masked(mask_form::added), masked(mask_form::selected),
         another_model},
        {rule::mask_hides_nothing, "add (mask - 1)", h13, masked(mask_form::added), masked(mask_form::shifted),
         another_model},
        {rule::fan_in_exceeds, "join them as a tree", h13, branches(12, false), branches(12, true)},
        {rule::weights_exceed_kernel_memory, "stream them", h13, streamed(16), streamed(4), another_model},
        {rule::live_set_exceeds, "read long-lived", h13, long_lived(false), long_lived(true), another_model},
    };
}

} // namespace advised
