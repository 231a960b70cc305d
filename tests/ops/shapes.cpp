#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/print.hpp>

#include <doctest/doctest.h>

using namespace ane;

TEST_CASE("shapes follow from shape rules, for every operation") {
    const dynamic_graph built = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 4, 9, 10>);
        auto vector = [&](const char* name) { return g.weight(name, f16<4>); };
        auto c = conv2d<conv{.stride = {2, 1}, .dilation = 2, .padding = {1, 2, 3, 4}, .groups = 2}>(
            x, g.weight("c", f16<6, 2, 3, 3>), g.weight("cb", f16<6>));
        static_assert(decltype(c)::extent == extents{2, 6, 4, 13});
        auto d = conv_transpose2d<conv_transpose{.stride = 2, .padding = 1}>(x, g.weight("d", f16<4, 5, 3, 3>));
        static_assert(decltype(d)::extent == extents{2, 5, 17, 19});
        auto p = avg_pool<pool{.kernel = 3, .stride = 2, .padding = 1, .ceil_mode = true}>(x);
        static_assert(decltype(p)::extent == extents{2, 4, 5, 6});
        auto n = batch_norm(x, vector("m"), vector("v"), vector("g"), vector("b"));
        auto l = layer_norm<axis{1}>(n, vector("lg"), vector("lb"));
        auto r = reduce_mean<axes{2, -1}>(l);
        static_assert(decltype(r)::extent == extents{2, 4, 1, 1});
        auto f = reduce_sum<axes{1}, false>(l);
        static_assert(decltype(f)::extent == extents{2, 9, 10});
        auto t = transpose<permutation{0, 2, 3, 1}>(x);
        static_assert(decltype(t)::extent == extents{2, 9, 10, 4});
        auto s = slice<window{.begin = {0, 1, 2, 3}, .size = {1, 2, 3, 4}}>(x);
        auto q = pad<pads{.before = {0, 0, 1, 0}, .after = {0, 0, 0, 2}}>(s, 0.5);
        static_assert(decltype(q)::extent == extents{1, 2, 4, 6});
        auto k = concat<axis{-1}>(q, q);
        static_assert(decltype(k)::extent == extents{1, 2, 4, 12});
        auto m = matmul<transposed{.a = true}>(reshape<8, 9, 10>(x), g.weight("mm", f16<9, 7>));
        static_assert(decltype(m)::extent == extents{8, 10, 7});
        auto a = attention(reshape<2, 4, 9, 10>(x), x, x, g.weight("mask", f16<9, 9>));
        auto i = arg_max<axis{1}>(x);
        static_assert(decltype(i)::extent == extents{2, 1, 9, 10});
        auto b = minimum(maximum(x, 0), leaky_relu(x)) / (clamp(x, 1, 2) * 2 - 1);
        auto u = to_f16(g.input("pixels"_s, u8<1, 3, 2, 2>));
        g.output("c"_s, c), g.output("d"_s, d), g.output("p"_s, p), g.output("r"_s, r), g.output("f"_s, f);
        g.output("t"_s, t), g.output("k"_s, k), g.output("m"_s, m), g.output("a"_s, a), g.output("i"_s, i);
        g.output("b"_s, b), g.output("u"_s, u), g.output("flat"_s, flatten(x));
    });
    const graph_view g = built;
    for (int i = 0; i < g.size(); ++i) {
        INFO(print(g, i));
        const inferred r = infer(g, g[i]);
        CHECK(r.ok());
        CHECK(r.shape == g[i].shape);
    }
}
