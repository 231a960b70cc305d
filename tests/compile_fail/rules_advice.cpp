// Notes on where another device suits better, which a policy makes errors.
// expect: design_rule<ane::op::matmul, ane::rule::large_matmul_runs_faster_on_gpu, ane::target::h13, 0, 2, 2049, 2048
// expect: design_rule<ane::op::attention, ane::rule::long_attention_runs_faster_on_gpu, ane::target::h13, 0, 3, 512, 511
// expect: design_rule<ane::op::attention, ane::rule::encoder_batch_runs_faster_on_gpu, ane::target::h13, 0, 3, 23, 22
// expect: design_rule<ane::op::attention, ane::rule::decoding_runs_faster_on_gpu, ane::target::h13, 0, 3, 128, 1
// expect: design_rule<ane::op::concat, ane::rule::concat_operands_are_not_two, ane::target::h13, 0, 3, 3, 2
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph attend(const extents& query, const extents& key) {
    return make(op::attention, score_scaling{}, {in(query), in(key), in(key)}, query, true);
}

constexpr auto large = frozen([] {
    return make(op::matmul, transposed{}, {in({64, pick(2049, 2048)}), in({pick(2049, 2048), pick(2049, 2048)})});
});
static_assert(conforms<large, h13, as_error(rule::large_matmul_runs_faster_on_gpu)>);

constexpr auto sequence_length = frozen([] { return attend({1, 1, pick(512, 511), 64}, {1, 1, pick(512, 511), 64}); });
static_assert(conforms<sequence_length, h13, as_error(rule::long_attention_runs_faster_on_gpu)>);

constexpr auto batch = frozen([] { return attend({pick(23, 22), 1, 8, 8}, {pick(23, 22), 1, 8, 8}); });
static_assert(conforms<batch, h13, as_error(rule::encoder_batch_runs_faster_on_gpu)>);

constexpr auto decoding = frozen([] { return attend({1, 1, pick(1, 2), 64}, {1, 1, 128, 64}); });
static_assert(conforms<decoding, h13, as_error(rule::decoding_runs_faster_on_gpu)>);

constexpr auto joined = frozen([] {
    std::vector<one_node::source> parts(static_cast<std::size_t>(pick(3, 2)), in({1, 8, 4, 16}));
    return make(op::concat, axis{1}, parts);
});
static_assert(conforms<joined, h13, as_error(rule::concat_operands_are_not_two) | on_route(compile_route::netplist)>);
