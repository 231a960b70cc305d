// Which models can be padded: each reason to refuse one, and forms that are harmless.

#include <anemone/analysis/padding.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>

using namespace ane;
using namespace ane::literals;

namespace {

template <int Value> using fixed = std::integral_constant<int, Value>;

/// What is found of a function of x [2, L, 8], in [-1, 1], of a port of bytes m [L, 1] and of the builder.
template <class Function> padding_verdict found(Function f) {
    const auto made = [&](auto length) {
        return build_graph([&](auto& b) {
            auto x = b.input("x"_s, f16<2, length, 8>, within(-1, 1));
            auto m = b.input("m"_s, u8<length, 1>);
            b.output("y"_s, f(b, x, not_equal(to_f16(m), 0), length));
        });
    };
    const dynamic_graph one = made(fixed<1>{});
    const dynamic_graph four = made(fixed<4>{});
    const dynamic_graph six = made(fixed<6>{});
    const padding_verdict verdict = find_padding_leak(six, 6, four, 4);
    CHECK(find_padding_leak(four, 4, six, 6).broken == verdict.broken);
    CHECK(find_padding_leak(one, 1, six, 6).ok() == verdict.ok());
    return verdict;
}

} // namespace

TEST_CASE("padding: elements that stay apart are harmless") {
    CHECK(found([](auto&, auto x, auto, auto) { return gelu(x + 1) * sigmoid(x); }).ok());
    CHECK(found([](auto& b, auto x, auto, auto) { return linear(x, b.weight("w", f16<3, 8>)); }).ok());
    CHECK(found([](auto&, auto x, auto, auto) { return softmax<axis{-1}>(x); }).ok());
    CHECK(found([](auto&, auto x, auto, auto) { return reduce_max<axes{0, 2}>(x); }).ok());
    CHECK(found([](auto&, auto x, auto, auto length) { return reshape<2, length, 2, 4>(x); }).ok());
    CHECK(found([](auto&, auto x, auto, auto) { return transpose<permutation{1, 2, 0}>(x); }).ok());
    CHECK(found([](auto&, auto x, auto, auto) { return concat<axis{0}>(x, x * 2); }).ok());
    CHECK(found([](auto&, auto x, auto, auto) { return cumsum<cumulation{.axis = 1}>(x); }).ok());
    CHECK(found([](auto& b, auto x, auto, auto length) { return x + b.constant(f16<length, 1>, 0.5); }).ok());
    CHECK(found([](auto& b, auto x, auto, auto) { return matmul(x, b.constant(f16<8, 3>, 0.5)); }).ok());
}

TEST_CASE("padding: sums need zeros") {
    const auto rule = padding_rule::padding_is_summed_and_is_not_zero;
    CHECK(found([](auto&, auto x, auto, auto) { return reduce_sum<axes{1}>(x); }).ok());
    CHECK(found([](auto&, auto x, auto m, auto) { return reduce_sum<axes{1}>(select(m, exp(x), 0)); }).ok());
    CHECK(found([](auto&, auto x, auto m, auto) { return reduce_sum<axes{1}>(exp(x) * to_f16(m)); }).ok());
    CHECK(found([](auto&, auto x, auto, auto) { return matmul(transpose<permutation{0, 2, 1}>(x), x); }).ok());
    const padding_verdict sum = found([](auto&, auto x, auto, auto) { return reduce_sum<axes{1}>(exp(x)); });
    CHECK(sum.broken == rule);
    CHECK(sum.axis == 1);
    CHECK(found([](auto&, auto x, auto m, auto) { return reduce_sum<axes{1}>(select(m, 0, exp(x))); }).broken == rule);
    CHECK(found([](auto&, auto x, auto m, auto) { return reduce_sum<axes{1}>(select(m, exp(x), 1)); }).broken == rule);
    CHECK(found([](auto&, auto x, auto, auto) {
              return matmul(transpose<permutation{0, 2, 1}>(exp(x)), cos(x));
          }).broken == rule);
    // 0 times what may be infinite is no zero
    CHECK(found([](auto&, auto x, auto, auto) { return reduce_sum<axes{1}>(x * exp(x * 100)); }).broken == rule);
    CHECK(found([](auto&, auto x, auto, auto) {
              return matmul(transpose<permutation{0, 2, 1}>(x), exp(x * 100));
          }).broken == rule);
}

TEST_CASE("padding: zero stays zero through what gives 0 for 0, and through nothing else") {
    const auto rule = padding_rule::padding_is_summed_and_is_not_zero;
    const auto sum = [](auto x) { return reduce_sum<axes{1}>(x); };
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(relu(abs(x))); }).ok());
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(minimum(floor(square(x)), x)); }).ok());
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(maximum(x, x) - x); }).ok());
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(sigmoid(x)); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(maximum(x, 0.5)); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(x - 1); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(div(x, x)); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(pow(x, x)); }).broken == rule);
    // of truth values
    CHECK(found([&](auto&, auto x, auto m, auto) { return sum(to_f16(logical_and(m, less(x, 1)))); }).ok());
    CHECK(found([&](auto&, auto x, auto m, auto) { return sum(to_f16(logical_or(m, greater(x, 0)))); }).ok());
    CHECK(found([&](auto&, auto x, auto m, auto) { return sum(to_f16(logical_xor(m, not_equal(x, 0)))); }).ok());
    CHECK(found([&](auto&, auto x, auto m, auto) { return sum(to_f16(logical_or(m, less(x, 1)))); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto m, auto) { return sum(to_f16(logical_not(m)) * (x + 1)); }).broken == rule);
    // 0 beside a number: false padding only where the comparison fails
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(to_f16(greater(x, 0))); }).ok());
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(to_f16(greater_equal(x, 0.5))); }).ok());
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(to_f16(less_equal(x, -0.5))); }).ok());
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(to_f16(equal(x, 1))); }).ok());
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(to_f16(greater_equal(x, 0))); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(to_f16(less(x, 0.5))); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto, auto) { return sum(to_f16(equal(x, 0))); }).broken == rule);
}

TEST_CASE("padding: a softmax needs a mask that hides") {
    const auto rule = padding_rule::padding_takes_part_in_a_softmax_and_is_not_masked;
    const auto over = [](auto x) { return softmax<axis{1}>(x); };
    CHECK(found([&](auto&, auto x, auto m, auto) { return over(select(m, x, -10000)); }).ok());
    CHECK(found([&](auto&, auto x, auto m, auto) { return reduce_sum<axes{1}>(over(select(m, x, -1000)) * x); }).ok());
    CHECK(found([&](auto&, auto x, auto, auto) { return over(x); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto m, auto) { return over(select(m, -10000, x)); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto m, auto) { return over(select(m, x, -50)); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto m, auto) { return over(select(m, x * 60000, -10000)); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto m, auto) { return over(select(logical_not(m), x, -10000)); }).broken == rule);
    CHECK(found([&](auto&, auto x, auto m, auto) { return over(select(m, x, -10000) * 0.001); }).broken == rule);
}

TEST_CASE("padding: what mixes elements along the length, or may, is refused") {
    const auto rule = padding_rule::padding_reaches_other_elements;
    CHECK(found([](auto&, auto x, auto, auto) { return reduce_mean<axes{1}>(x); }).broken == rule);
    CHECK(found([](auto&, auto x, auto, auto) { return reduce_max<axes{1}>(x); }).broken == rule);
    CHECK(found([](auto&, auto x, auto, auto) { return cumsum<cumulation{.axis = 1, .reverse = true}>(x); }).broken ==
          rule);
    CHECK(found([](auto&, auto x, auto, auto length) { return reshape<2, 8, length>(x); }).broken == rule);
    CHECK(found([](auto&, auto x, auto, auto) { return concat<axis{1}>(x, x); }).broken == rule);
    CHECK(found([](auto&, auto x, auto, auto) { return reverse<axes{1}>(x); }).broken == rule);
    CHECK(found([](auto&, auto x, auto, auto length) {
              return max_pool<pool{.kernel = 3, .padding = 1}>(reshape<2, 1, length, 8>(x));
          }).broken == rule);
    CHECK(found([](auto& b, auto x, auto, auto length) {
              return conv2d(reshape<2, 1, length, 8>(x), b.weight("w", f16<1, 1, 1, 1>));
          }).broken == rule); // a kernel of 1 would be harmless, but is not looked at
    CHECK(found([](auto&, auto x, auto, auto) {
              return reshape<2, 1, 8>(slice<window{{0, 0, 0}, {2, 1, 8}}>(x));
          }).broken == rule);
    CHECK(found([](auto&, auto x, auto, auto) { return attention(x, x, x); }).broken == rule);
}

TEST_CASE("padding: lengths that make other graphs, weights of a length, extents of another size, states") {
    CHECK(found([](auto&, auto x, auto, auto length) {
              auto y = x;
              for (int i = 0; i < length; ++i) {
                  y = relu(y);
              }
              return y;
          }).broken == padding_rule::the_lengths_are_different_graphs);
    CHECK(found([](auto& b, auto x, auto, auto length) { return x + b.weight("w", f16<length, 8>); }).broken ==
          padding_rule::a_weight_depends_on_the_length);
    CHECK(found([](auto& b, auto x, auto, auto length) {
              return relu(b.input("z"_s, f16<2 * length>)) + reduce_sum(x);
          }).broken == padding_rule::an_extent_is_not_the_length);
    CHECK(found([](auto& b, auto x, auto, auto length) {
              auto s = b.state("s"_s, f16<2, length, 8>);
              write(s, read(s) + x);
              return read(s);
          }).broken == padding_rule::the_model_keeps_a_state);
}

TEST_CASE("padding: every rule has a sentence") {
    for (int i = 0; i <= static_cast<int>(padding_rule::padding_reaches_other_elements); ++i) {
        CHECK(!sentence(static_cast<padding_rule>(i)).empty());
    }
}
