// Eight heads of queries for two of keys and values.
// expect: shape_fault<ane::op::attention, ane::fault::grouped_queries_are_reshaped_to_rows_of_one_head_or_key_and_value_repeated, 2, 8>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto q = g.input("query"_s, f16<1, 8, 128, 64>);
    auto k = g.input("key"_s, f16<1, 2, 128, 64>);
    auto v = g.input("value"_s, f16<1, 2, 128, 64>);
#ifdef OK
    auto y = reshape<1, 8, 128, 64>(attention(reshape<1, 2, 512, 64>(q), k, v));
#else
    auto y = attention(q, k, v);
#endif
    g.output("y"_s, y);
});

int main() {}
