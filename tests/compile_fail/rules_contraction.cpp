// Matrix products, windows and attention.
// expect: design_rule<ane::op::matmul, ane::rule::matmul_rank_exceeds_four, ane::target::h13, 0, 2, 5, 4
// expect: design_rule<ane::op::matmul, ane::rule::matmul_depth_exceeds_one, ane::target::h13, 0, 2, 2, 1
// expect: design_rule<ane::op::matmul, ane::rule::matmul_reads_a_transpose_of_rank_five, ane::target::h17s, 0, 4, 4, 3
// expect: design_rule<ane::op::linear, ane::rule::linear_rank_exceeds_four, ane::target::h13, 0, 2, 5, 4
// expect: design_rule<ane::op::matmul, ane::rule::contraction_length_exceeds, ane::target::h16g, 0, 2, 40000, 32768
// expect: design_rule<ane::op::matmul, ane::rule::matmul_exceeds_kernel_memory, ane::target::h13, 0, 2, 67584, 65536
// expect: design_rule<ane::op::matmul, ane::rule::right_operand_is_not_resident, ane::target::h13, 0, 2, 2097152, 2097151
// expect: design_rule<ane::op::max_pool, ane::rule::pool_window_exceeds_input, ane::target::h13, 0, 1, 9, 8
// expect: design_rule<ane::op::max_pool, ane::rule::max_pool_width_exceeds, ane::target::h18, 0, 1, 9, 8
// expect: design_rule<ane::op::max_pool, ane::rule::pool_stride_is_three, ane::target::h13, 0, 1, 3, 2
// expect: design_rule<ane::op::avg_pool, ane::rule::pool_extent_is_not_a_multiple_of_its_stride, ane::target::h13, 0, 1, 13, 2
// expect: design_rule<ane::op::avg_pool, ane::rule::excluded_padding_reaches_the_window, ane::target::h13, 0, 1, 3, 3
// expect: design_rule<ane::op::avg_pool, ane::rule::pool_window_is_not_native, ane::target::h13, 0, 1, 30, 29
// expect: design_rule<ane::op::attention, ane::rule::attention_rank_exceeds_four, ane::target::h13, 0, 3, 5, 4
// expect: design_rule<ane::op::attention, ane::rule::attention_value_shape_differs, ane::target::h13, 0, 3, 0, 0
// expect: design_rule<ane::op::attention, ane::rule::attention_mask_type_differs, ane::target::h13, 0, 4, 11, 3
// expect: design_rule<ane::op::attention, ane::rule::attention_sequence_exceeds, ane::target::h13, 0, 3, 2049, 2048
// expect: design_rule<ane::op::attention, ane::rule::attention_is_too_square, ane::target::h13, 0, 3, 512, 511
// expect: design_rule<ane::op::attention, ane::rule::attention_mask_is_not_shared, ane::target::h13, 0, 4, 1, 4
// expect: design_rule<ane::op::attention, ane::rule::attention_has_few_queries, ane::target::h17s, 0, 3, 2, 4
// expect: design_rule<ane::op::softmax, ane::rule::mask_hides_nothing, ane::target::h13, 0, 3, 1, 0
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph product(const extents& a, const extents& b) {
    return make(op::matmul, transposed{}, {in(a), in(b)});
}
constexpr dynamic_graph regrouped(const permutation& order) {
    dynamic_graph g = then(sources_of({in({2, 3, 4, 5, 8}), in({8, 1})}), op::transpose, order, {0});
    g = then(g, op::reshape, no_attributes{}, {2}, {120, 8}, true);
    return then(g, op::matmul, transposed{}, {3, 1});
}
constexpr dynamic_graph pooled(op kind, const pool& a, const extents& x) { return make(kind, resolve(a, x), {in(x)}); }
constexpr dynamic_graph attended(const extents& query, const extents& key, const extents& value) {
    return make(op::attention, score_scaling{1}, {in(query), in(key), in(value)}, query, true);
}
constexpr dynamic_graph masked(const extents& mask, dtype type) {
    return make(op::attention, score_scaling{1},
                {in({1, 2, 8, 64}), in({1, 2, 16, 64}), in({1, 2, 16, 64}), in(mask, {}, type)}, {1, 2, 8, 64}, true);
}

constexpr auto batched = frozen([] {
    if (keeps) {
        return product({2, 3, 4, 5}, {2, 3, 5, 6});
    }
    return product({1, 1, 3, 4, 5}, {1, 1, 3, 5, 6});
});
static_assert(conforms<batched, h13>);

constexpr auto deep = frozen([] { return product({1, pick(2, 1), 3, 4, 5}, {1, pick(2, 1), 3, 5, 6}); });
static_assert(conforms<deep, h13, waive(rule::matmul_rank_exceeds_four)>);

constexpr auto permuted = frozen([] {
    return regrouped(pick(permutation{0, 2, 1, 3, 4}, permutation{0, 1, 2, 4, 3}));
});
static_assert(conforms<permuted, h17s>);

constexpr auto connected = frozen([] {
    return make(op::linear, no_attributes{},
                {in(pick(extents{1, 1, 2, 3, 8}, extents{1, 2, 3, 8})), one_node::weight({4, 8})});
});
static_assert(conforms<connected, h13>);

constexpr auto long_sum = frozen([] { return product({4, pick(40000, 32768)}, {pick(40000, 32768), 8}); });
static_assert(conforms<long_sum, h16g>);

constexpr auto left = frozen([] { return product({pick(33, 32), 1024}, {1024, 8}); });
static_assert(conforms<left, h13, as_error(rule::matmul_exceeds_kernel_memory)>);

constexpr auto right = frozen([] { return product({8, 1024}, {1024, pick(1024, 1023)}); });
static_assert(conforms<right, h13, as_error(rule::right_operand_is_not_resident)>);

constexpr auto window_ = frozen([] {
    return pooled(op::max_pool, {.kernel = {2, pick(9, 8)}, .stride = 1, .padding = 1}, {1, 4, 8, 8});
});
static_assert(conforms<window_, h13>);

constexpr auto wide_maximum = frozen([] {
    return pooled(op::max_pool, {.kernel = {9, pick(9, 8)}, .stride = 1}, {1, 4, 16, 16});
});
static_assert(conforms<wide_maximum, h18>);

constexpr auto threes = frozen([] { return pooled(pick(op::max_pool, op::avg_pool), {.kernel = 3}, {1, 4, 12, 12}); });
static_assert(conforms<threes, h13>);

constexpr auto ragged = frozen([] { return pooled(op::avg_pool, {.kernel = 2}, {1, 4, 12, pick(13, 12)}); });
static_assert(conforms<ragged, h13, as_error(rule::pool_extent_is_not_a_multiple_of_its_stride)>);

constexpr auto excluded = frozen([] {
    return make(op::avg_pool, pool{.kernel = 3, .stride = 1, .padding = pick(3, 2), .exclude_padding = true},
                {in({1, 4, 8, 8})}, {1, 4, 8, 8}, true);
});
static_assert(conforms<excluded, h13>);

constexpr auto large_window = frozen([] {
    return pooled(op::avg_pool, {.kernel = pick(30, 29), .stride = 1}, {1, 4, 64, 64});
});
static_assert(conforms<large_window, h13, as_error(rule::pool_window_is_not_native)>);

constexpr auto five_axes = frozen([] {
    if (keeps) {
        return attended({1, 1, 8, 64}, {1, 1, 8, 64}, {1, 1, 8, 64});
    }
    return attended({1, 1, 1, 8, 64}, {1, 1, 1, 8, 64}, {1, 1, 1, 8, 64});
});
static_assert(conforms<five_axes, h13>);

constexpr auto values = frozen([] { return attended({1, 8, 64}, {1, 16, 64}, {1, 16, pick(32, 64)}); });
static_assert(conforms<values, h13>);

constexpr auto condition = frozen([] { return masked({1, 1, 8, 16}, pick(dtype::boolean, dtype::f16)); });
static_assert(conforms<condition, h13, waive(rule::element_type_is_not_f16)>);

constexpr auto long_sequence = frozen([] {
    return attended({1, 2, 16, 64}, {1, 2, pick(2049, 2048), 64}, {1, 2, pick(2049, 2048), 64});
});
static_assert(conforms<long_sequence, h13, as_error(rule::attention_sequence_exceeds)>);

constexpr auto square_scores = frozen([] {
    return attended({1, 2, pick(512, 511), 64}, {1, 2, 1024, 64}, {1, 2, 1024, 64});
});
static_assert(conforms<square_scores, h13, as_error(rule::attention_is_too_square)>);

constexpr auto weighed = frozen([] {
    const contract mask = within(pick(0, -30000), pick(1, 0));
    const dynamic_graph sum =
        then(sources_of({in({1, 2, 8, 16}), in({1, 1, 8, 16}, mask)}), op::add, no_attributes{}, {0, 1});
    return then(sum, op::softmax, axis{-1}, {2});
});
static_assert(conforms<weighed, h13, as_error(rule::mask_hides_nothing)>);

constexpr auto own_mask = frozen([] { return masked({1, pick(2, 1), 8, 16}, dtype::f16); });
static_assert(conforms<own_mask, h13, as_error(rule::attention_mask_is_not_shared)>);

constexpr auto few = frozen([] { return attended({1, 2, pick(2, 4), 64}, {1, 2, 16, 64}, {1, 2, 16, 64}); });
static_assert(conforms<few, h17s, as_error(rule::attention_has_few_queries)>);

int main() {}
