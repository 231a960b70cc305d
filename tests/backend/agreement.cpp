// See agreement.hpp.

#include "agreement.hpp"

using namespace agreement;

TEST_CASE("agreement: unary operations with several attributes") {
    for (const op kind : {op::relu, op::relu6, op::sigmoid, op::tanh, op::gelu, op::silu, op::exp, op::sqrt, op::abs}) {
        alone(kind, no_attributes{}, image);
        alone(kind, no_attributes{}, {5});
    }
    for (const float slope : {0.01F, 0.1F, 0.25F, -0.5F, 1.0F, 0.0F}) {
        alone(op::leaky_relu, leakage{slope}, image);
    }
    alone(op::clamp, clip_range{-1, 1}, image);
    alone(op::clamp, clip_range{0.1F, 2.7F}, {3, 4});
    alone(op::clamp, clip_range{-65504, 65504}, image);
    for (const op kind : {op::log, op::rsqrt}) {
        for (const float epsilon : {0.0F, 1e-5F, 1e-3F, 0.7F, 1e-9F}) {
            alone(kind, stabilizer{.epsilon = epsilon}, image);
        }
    }
}

TEST_CASE("agreement: binary operations with every kind of second operand") {
    for (const op kind : {op::add, op::sub, op::mul, op::div, op::minimum, op::maximum}) {
        for (const extents& other : {extents{2, 6, 7, 9}, extents{1, 6, 1, 1}, extents{6, 1, 1}, extents{9}, extents{1},
                                     extents{2, 1, 7, 1}}) {
            alone(kind, no_attributes{}, image, {other});
            agree_everywhere([&](composer& c) { // the constant first
                const int x = c.input(image);
                c.output(c.add(kind, {c.weight(other), x}));
            });
            agree_everywhere([&](composer& c) { // both computed
                const int x = c.input(image);
                c.output(c.add(kind, {x, c.input(other)}));
            });
        }
        for (const float scalar : {0.0F, 1.0F, -1.0F, 0.1F, 1000.0F}) {
            agree_everywhere([&](composer& c) {
                const int x = c.input({3, 5});
                const int s = c.constant(scalar);
                c.output(c.add(kind, {x, s}));
                c.output(c.add(kind, {s, x}));
            });
        }
        agree_everywhere([&](composer& c) { // wider than the input, and with itself
            const int x = c.input({4, 1, 1});
            c.output(c.add(kind, {x, c.weight({2, 4, 3, 5})}));
            c.output(c.add(kind, {x, x}));
        });
    }
}

TEST_CASE("agreement: convolutions") {
    const std::vector<conv> settings = {
        {},
        {.stride = 2},
        {.stride = {2, 3}, .padding = {1, 2}},
        {.dilation = 2, .padding = 2},
        {.padding = {1, 0, 2, 3}},
        {.stride = 2, .dilation = {1, 2}, .padding = 1, .groups = 2},
        {.padding = 1, .groups = 6},
    };
    for (const conv& a : settings) {
        const std::int64_t out = a.groups == 6 ? 6 : 4;
        alone(op::conv2d, a, image, {{out, 6 / a.groups, 3, 3}});
        alone(op::conv2d, a, image, {{out, 6 / a.groups, 3, 2}, {out}});
        const conv_transpose t{a.stride, a.dilation, a.padding.top > 2 ? padding2{} : a.padding, a.groups};
        alone(op::conv_transpose2d, t, image, {{6, out / a.groups, 3, 3}});
        alone(op::conv_transpose2d, t, image, {{6, out / a.groups, 3, 4}, {out}});
    }
    agree_everywhere([](composer& c) { // a weight that is computed, batch 1
        const int x = c.input({1, 3, 6, 6});
        c.output(c.add(op::conv2d, conv{.padding = 1}, {x, c.input({4, 3, 3, 3})}));
    });
}

TEST_CASE("agreement: products") {
    alone(op::linear, no_attributes{}, {5, 40}, {{7, 40}});
    alone(op::linear, no_attributes{}, {40}, {{7, 40}, {7}});
    alone(op::linear, no_attributes{}, {2, 3, 40}, {{7, 40}, {7}});
    alone(op::linear, no_attributes{}, {1, 2, 2, 3, 40}, {{7, 40}, {7}});
    for (const bool a : {false, true}) {
        for (const bool b : {false, true}) {
            const transposed form{a, b};
            const extents x = a ? extents{40, 3} : extents{3, 40};
            const extents w = b ? extents{5, 40} : extents{40, 5};
            alone(op::matmul, form, x, {w});
            agree_everywhere([&](composer& c) {
                const int left = c.input(x);
                c.output(c.add(op::matmul, form, {left, c.input(w)}));
            });
            agree_everywhere([&](composer& c) { // batched, both ways of broadcasting
                const int left = c.input({2, 1, x[0], x[1]});
                const int right = c.input({3, w[0], w[1]});
                c.output(c.add(op::matmul, form, {left, right}));
            });
            agree_everywhere([&](composer& c) { // a constant on the left
                const int right = c.input(w);
                c.output(c.add(op::matmul, form, {c.weight(x), right}));
            });
            agree_everywhere([&](composer& c) { // ones, which make sums of it
                const int left = c.input(x);
                c.output(c.add(op::matmul, form, {left, c.constant(w, {1.0F})}));
            });
        }
    }
}

TEST_CASE("agreement: pools") {
    for (const op kind : {op::max_pool, op::avg_pool}) {
        for (const bool ceil : {false, true}) {
            for (const bool exclude : {false, true}) {
                for (const pool& base : {pool{.kernel = 2, .stride = 2}, pool{.kernel = 3, .stride = 2, .padding = 1},
                                         pool{.kernel = {3, 2}, .stride = {1, 3}, .padding = {1, 0, 0, 1}},
                                         pool{.kernel = {7, 8}, .stride = 1}, pool{.kernel = 2, .stride = 3},
                                         pool{.kernel = 3, .stride = 3, .padding = 2},
                                         pool{.kernel = {3, 2}, .stride = {3, 2}, .padding = {2, 2, 0, 0}},
                                         pool{.kernel = 1, .stride = {5, 7}}}) {
                    pool p = base;
                    p.ceil_mode = ceil;
                    p.exclude_padding = exclude;
                    alone(kind, p, image);
                }
            }
        }
    }
}

TEST_CASE("agreement: ports of every name that a builder takes, words of MIL's grammar among them") {
    const std::vector<std::string> names = {
        "tensor", "true", "false", "func", "program", "fp16", "int32", "bool",    "string", "const", "buildInfo",
        "dict",   "main", "x",     "name", "val",     "relu", "t0",    "tensor_", "_",      "ios18", "BLOBFILE"};
    dynamic_builder b;
    std::vector<dynamic_tensor> inputs;
    for (const std::string& name : names) {
        inputs.push_back(b.input(name, {3}));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        b.output(names[i] + "_out", b.add(op::sub, {inputs[i], inputs[(i + 1) % names.size()]}));
    }
    for (const char* const word : {"uint8", "nan", "uint64"}) {
        b.output(word, b.add(op::relu, {inputs.front()}));
    }
    const dynamic_graph g = b.finish();
    agree(g, h16, 3);

    const standin::host here(h16); // a port is found by the name that it has in the model
    auto program = compile(g, standin::engine(h16), weight_store{});
    CHECK(program.session().input_index("tensor") == 0);
    CHECK(program.session().output_index("nan") == names.size() + 1);
}

TEST_CASE("agreement: norms, softmax and reductions") {
    for (int along = 0; along < 4; ++along) {
        alone(op::softmax, axis{along}, image);
        alone(op::layer_norm, stabilizer{1e-5F, along}, image, {{image[along]}, {image[along]}});
    }
    alone(op::softmax, axis{0}, {300});
    alone(op::layer_norm, stabilizer{1e-3F, 1}, {4, 300}, {{300}, {300}});
    for (const float epsilon : {1e-5F, 0.1F}) {
        agree_everywhere([&](composer& c) {
            const int x = c.input(image);
            const int y = c.add(op::batch_norm, stabilizer{epsilon, 1},
                                {x, c.weight({6}), c.positive({6}), c.weight({6}), c.weight({6})});
            c.output(c.add(op::relu, {y}));
        });
    }
    for (const op kind : {op::reduce_sum, op::reduce_mean, op::reduce_max, op::reduce_min}) {
        for (const axes& over :
             {axes(0), axes(1), axes(2), axes(3), axes(2, 3), axes(0, 2), axes(1, 3), axes(0, 1, 2, 3)}) {
            alone(kind, over, image);
        }
        alone(kind, axes(1), {3, 400});
        agree_everywhere([&](composer& c) { // a mean that is multiplied by zero does not compile: it is rewritten
            const int x = c.input({2, 5});
            const int r = c.add(kind, axes(1), {x});
            c.output(c.add(op::mul, {r, c.constant(0)}));
            c.output(c.add(op::mul, {c.constant(0), r}));
        });
    }
}

TEST_CASE("agreement: movement") {
    agree_everywhere([](composer& c) {
        const int x = c.input({2, 3, 4});
        c.output(c.reshape(x, {4, 6}));
        c.output(c.reshape(x, {24}));
        c.output(c.reshape(x, {1, 2, 1, 12, 1}));
    });
    for (const permutation& order : {permutation(0, 1, 2, 3), permutation(3, 2, 1, 0), permutation(0, 2, 3, 1),
                                     permutation(1, 0, 3, 2), permutation(2, 3, 0, 1)}) {
        alone(op::transpose, order, image);
    }
    alone(op::transpose, permutation(4, 0, 3, 1, 2), {2, 1, 3, 2, 4});
    for (int along = 0; along < 4; ++along) {
        agree_everywhere([&](composer& c) {
            const int x = c.input({2, 3, 2, 4});
            extents other{2, 3, 2, 4};
            other[along] = 5;
            const int y = c.input(other);
            const int w = c.weight(other);
            c.output(c.add(op::concat, axis{along}, {x, y}));
            c.output(c.add(op::concat, axis{along}, {y, x, x, w}));
        });
        window w{.begin = {0, 0, 0, 0}, .size = image};
        w.begin[along] = 1;
        w.size[along] = image[along] - 1;
        alone(op::slice, w, image);
    }
    alone(op::slice, window{{0, 2, 3, 4}, {1, 2, 1, 3}}, image);
    for (const float value : {0.0F, -1.5F, 0.1F}) {
        for (const pads& p :
             {pads{{0, 0, 1, 2}, {0, 0, 3, 0}}, pads{{0, 0, 0, 0}, {0, 0, 0, 1}}, pads{{1, 2, 0, 0}, {0, 1, 0, 0}}}) {
            agree_everywhere([&](composer& c) {
                const int x = c.input(image);
                c.output(c.add(op::pad, p, {x, c.constant(value)}));
            });
        }
    }
    agree_everywhere([](composer& c) { // rank 5, and a rank below 4
        const int x = c.input({1, 2, 2, 3, 4});
        c.output(c.add(op::pad, pads{{0, 0, 0, 1, 1}, {0, 0, 0, 0, 2}}, {x, c.constant(1)}));
        const int y = c.input({3, 4});
        c.output(c.add(op::pad, pads{{1, 0}, {0, 2}}, {y, c.constant(1)}));
    });
    agree_everywhere([](composer& c) { // an image of bytes
        const int x = c.input({1, 3, 4, 5}, dtype::uint8);
        const int y = c.add(op::cast, {x});
        c.output(c.add(op::mul, {y, c.constant(1.0F / 255.0F)}));
        c.output(y);
    });
}

TEST_CASE("agreement: attention with and without a mask") {
    for (const extents& mask :
         {extents{}, extents{4, 5}, extents{1, 1, 1, 5}, extents{2, 1, 4, 5}, extents{2, 3, 4, 5}}) {
        for (const float scale : {1.0F, 0.3F}) {
            agree_everywhere([&](composer& c) {
                std::vector<int> operands{c.input({2, 3, 4, 8}), c.input({2, 3, 5, 8}), c.input({2, 3, 5, 8})};
                if (mask.rank > 0) {
                    operands.push_back(c.weight(mask));
                }
                c.output(c.add(op::attention, score_scaling{scale}, operands));
            });
        }
    }
}

TEST_CASE("agreement: outputs that are inputs, weights, constants, or one value twice") {
    agree_everywhere([](composer& c) {
        const int x = c.input({2, 3});
        const int y = c.add(op::exp, {x});
        c.output(x);
        c.output(x);
        c.output(y);
        c.output(y);
        c.output(c.weight({3, 2}));
        c.output(c.constant({2}, {0.1F, -7.0F}));
        const int folded = c.add(op::add, {c.weight({2, 2}), c.weight({1, 2})});
        c.output(folded);
        c.output(c.add(op::mul, {folded, folded}));
    });
}

TEST_CASE("agreement: every order of bias, gain, offset and activation behind every host") {
    // 0 add vector, 1 add number, 2 mul vector, 3 mul number, 4 relu, 5 sub, 6 add elementwise
    const auto stage = [](composer& c, int x, int which, int channel_from_last) {
        extents vector;
        for (int i = c.shape(x).rank - 1; i >= 0; --i) {
            vector.append(i == channel_from_last ? c.shape(x).from_last(i) : 1);
        }
        switch (which) {
        case 0: return c.add(op::add, {x, c.weight(vector)});
        case 1: return c.add(op::add, {c.constant(0.3F), x});
        case 2: return c.add(op::mul, {x, c.weight(vector)});
        case 3: return c.add(op::mul, {x, c.constant(1.7F)});
        case 4: return c.add(op::gelu, {x});
        case 5: return c.add(op::sub, {x, c.weight(vector)});
        default: return c.add(op::add, {x, c.weight(c.shape(x))});
        }
    };
    unsigned seed = 0;
    for (int host = 0; host < 4; ++host) {
        for (int code = 0; code < 7 * 7; ++code) {
            composer c;
            for (int last = 0; last < 7; ++last) { // seven chains in one graph
                int y = -1;
                int channel = 2;
                if (host == 0) {
                    y = c.add(op::conv2d, conv{}, {c.input({1, 3, 3, 3}), c.weight({4, 3, 2, 2})});
                } else if (host == 1) {
                    y = c.add(op::matmul, transposed{}, {c.input({3, 6}), c.weight({6, 5})});
                    channel = 0;
                } else if (host == 2) {
                    y = c.add(op::max_pool, pool{.kernel = 2, .stride = 1}, {c.input({1, 3, 3, 3})});
                } else {
                    y = c.add(op::exp, {c.input({3, 4})});
                    channel = last % 2;
                }
                for (const int which : {code / 7, code % 7, last}) {
                    y = stage(c, y, which, channel);
                }
                c.output(y);
            }
            ++seed;
            agree(c.finish(), machines[seed % 4], seed);
        }
    }
}

TEST_CASE("agreement: random graphs") {
    constexpr unsigned graphs = 240;
    int nodes = 0;
    for (unsigned seed = 1; seed <= graphs; ++seed) {
        const dynamic_graph g = graph_generator(seed).make();
        nodes += g.view().size();
        agree(g, machines[seed % 4], seed); // a failure prints its seed
    }
    CHECK(nodes / static_cast<int>(graphs) > 10);
}
