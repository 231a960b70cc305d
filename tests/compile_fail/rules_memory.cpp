// Lanes, memory and what joins: warnings and notes that a policy makes errors.
// expect: design_rule<ane::op::input, ane::rule::channels_do_not_interleave, ane::target::h13, 0, 0, 5, 8
// expect: design_rule<ane::op::input, ane::rule::width_is_not_a_granule, ane::target::h13, 0, 0, 10, 16
// expect: design_rule<ane::op::input, ane::rule::width_is_one, ane::target::h13, 0, 0, 8, 16
// expect: design_rule<ane::op::input, ane::rule::rows_share_a_bank, ane::target::h13, 0, 0, 1024, 1024
// expect: design_rule<ane::op::relu, ane::rule::working_set_exceeds, ane::target::h13, 0, 1, 2282000, 2280000
// expect: design_rule<ane::op::relu, ane::rule::working_set_exceeds_nominal, ane::target::h13, 0, 1, 2099200, 2097152
// expect: design_rule<ane::op::input, ane::rule::live_set_exceeds, ane::target::h13, 0, 0, 4194304, 2097152
// expect: design_rule<ane::op::linear, ane::rule::weights_exceed_kernel_memory, ane::target::h13, 0, 2, 67584, 65536
// expect: design_rule<ane::op::concat, ane::rule::fan_in_exceeds, ane::target::h13, 0, 13, 12, 11
// expect: design_rule<ane::op::input, ane::rule::input_is_not_used, ane::target::h13, 0, 1, 0, 0
// forbid: step limit
#include "by_value.hpp"

using namespace ane;
using namespace by_value;
using namespace one_node;

constexpr dynamic_graph relu_of(const extents& shape) { return make(op::relu, no_attributes{}, {in(shape)}); }
constexpr dynamic_graph layer(std::int64_t k) {
    return make(op::linear, no_attributes{}, {in({1, k}), one_node::weight({4, k})});
}
constexpr dynamic_graph branches(int count) {
    dynamic_graph g = sources_of({in({1, 8})});
    std::vector<int> all;
    for (int i = 0; i < count; ++i) {
        g = then(g, op::exp, no_attributes{}, {0});
        all.push_back(i + 1);
    }
    return then(g, op::concat, axis{0}, all);
}

constexpr auto lanes = frozen([] { return relu_of({1, pick(5, 8), 4, 8}); });
static_assert(conforms<lanes, h13, as_error(rule::channels_do_not_interleave)>);

constexpr auto granule = frozen([] { return relu_of({1, 8, 4, pick(5, 8)}); });
static_assert(conforms<granule, h13, as_error(rule::width_is_not_a_granule)>);

constexpr auto single_column = frozen([] { return relu_of({1, 8, 4, pick(1, 8)}); });
static_assert(conforms<single_column, h13, as_error(rule::width_is_one)>);

constexpr auto bank = frozen([] { return relu_of({1, 8, 4, pick(512, 504)}); });
static_assert(conforms<bank, h13, as_error(rule::rows_share_a_bank)>);

constexpr auto knee = frozen([] { return relu_of({1, 1, pick(1141, 1140), 1000}); });
static_assert(conforms<knee, h13, as_error(rule::working_set_exceeds)>);

constexpr auto nominal = frozen([] { return relu_of({1, 1, pick(1025, 1024), 1024}); });
static_assert(conforms<nominal, h13, as_error(rule::working_set_exceeds_nominal)>);

constexpr auto alive = frozen([] { return relu_of({1, pick(8, 2), 512, 512}); });
static_assert(conforms<alive, h13, as_error(rule::live_set_exceeds)>);

constexpr auto kernels = frozen([] { return layer(pick(8448, 8192)); });
static_assert(conforms<kernels, h13, as_error(rule::weights_exceed_kernel_memory)>);

constexpr auto fan = frozen([] { return branches(pick(12, 11)); });
static_assert(conforms<fan, h13, as_error(rule::fan_in_exceeds)>);

constexpr auto unused = frozen([] {
    if (keeps) {
        return relu_of({8});
    }
    return then(sources_of({in({8}), in({8})}), op::relu, no_attributes{}, {0});
});
static_assert(conforms<unused, h13, as_error(rule::input_is_not_used)>);

int main() {}
