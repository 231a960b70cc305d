#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/graph/reflection.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/passes/validate.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace ane;

namespace {

/// The text of the error that an action throws; it must be one of graphs.
template <class Action> std::string refusal(const Action& action) {
    try {
        action();
    } catch (const error& e) {
        CHECK(e.code() == errc::graph);
        return e.what();
    }
    return "nothing was refused";
}

bool contains(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos) {
        return true;
    }
    MESSAGE(text);
    return false;
}

} // namespace

TEST_CASE("a graph from data is the one that the typed functions make") {
    const dynamic_graph typed = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 3, 9, 12>, within(0, 1));
        auto w = g.weight("stem", f16<8, 3, 3, 3>, bounded(0.5));
        auto h = conv2d<conv{.stride = 2, .padding = same}>(x, w, g.weight("bias", f16<8>));
        auto p = max_pool<pool{.kernel = {2, 3}, .padding = valid}>(relu(h));
        auto u = conv_transpose2d<conv_transpose{.stride = 2, .padding = same}>(p, g.weight("up", f16<8, 4, 3, 3>));
        auto t = transpose<permutation{0, 2, 3, -3}>(u);
        auto n = layer_norm<axis{-1}>(t, g.weight("gamma", f16<4>), g.weight("beta", f16<4>), 0.5);
        auto c = concat<axis{-2}>(n, softmax(n));
        auto s = reduce_mean<axes{}>(cumsum(c * g.constant(f16<>, 0.25)));
        g.output("mean"_s, s);
        g.output("flat"_s, reshape<2, -1>(c));
        auto rows = reshape<8, 2, 8>(reshape<2, -1>(c));
        g.output("mix"_s, attention(rows, rows, rows));
        g.output("top"_s, sort<axis{0}>(rows));
    });
    dynamic_builder g;
    const auto x = g.input("x", {1, 3, 9, 12}, within(0, 1));
    const auto w = g.weight("stem", {8, 3, 3, 3}, bounded(0.5));
    const auto h = g.add(op::conv2d, {x, w, g.weight("bias", {8})}, conv{.stride = 2, .padding = same});
    const auto p = g.add(op::max_pool, {g.add(op::relu, {h})}, pool{.kernel = {2, 3}, .padding = valid});
    const auto u =
        g.add(op::conv_transpose2d, {p, g.weight("up", {8, 4, 3, 3})}, conv_transpose{.stride = 2, .padding = same});
    const auto t = g.add(op::transpose, {u}, permutation{0, 2, 3, -3});
    const auto n = g.add(op::layer_norm, {t, g.weight("gamma", {4}), g.weight("beta", {4})}, stabilizer{0.5F, -1});
    const auto c = g.add(op::concat, std::vector{n, g.add(op::softmax, {n})}, axis{-2});
    const auto s = g.add(op::reduce_mean, {g.add(op::cumsum, {g.add(op::mul, {c, g.constant(0.25)})})});
    g.output("mean", s);
    g.output("flat", g.reshape(c, {2, -1}));
    const auto rows = g.reshape(g.reshape(c, {2, -1}), {8, 2, 8});
    g.output("mix", g.add(op::attention, {rows, rows, rows}));
    g.output("top", g.add(op::sort, {rows}, selection{.k = 8, .axis = 0, .ascending = true}));
    const dynamic_graph made = g.finish();
    CHECK(print(made.view()) == print(typed.view()));
    REQUIRE(made.nodes.size() == typed.nodes.size());
    for (std::size_t i = 0; i < made.nodes.size(); ++i) {
        CAPTURE(i);
        CHECK(made.nodes[i].attributes == typed.nodes[i].attributes);
        CHECK(made.nodes[i].type == typed.nodes[i].type);
    }
    CHECK(made.nodes[0].where.line > 0);
    CHECK(std::string_view(made.nodes[0].where.file) == __FILE__);
}

TEST_CASE("a graph from data runs") {
    // Layer sizes as a file would give them.
    const std::vector<int> widths{3, 5, 2};
    dynamic_builder g;
    dynamic_tensor x = g.input("x", to_extents(std::vector{2, widths[0]}));
    weight_store weights;
    std::vector<double> expected{1, 2, 3, -1, 0, 1}; // x, row-major
    for (std::size_t layer = 1; layer < widths.size(); ++layer) {
        const std::string name = "layer" + std::to_string(layer);
        const auto in = static_cast<std::size_t>(widths[layer - 1]);
        const auto out = static_cast<std::size_t>(widths[layer]);
        std::vector<float> values(in * out);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = 0.25F * static_cast<float>(i % 7) - 0.5F;
        }
        std::vector<double> next(2 * out, 0.0);
        for (std::size_t row = 0; row < 2; ++row) {
            for (std::size_t o = 0; o < out; ++o) {
                for (std::size_t i = 0; i < in; ++i) {
                    next[row * out + o] += expected[row * in + i] * static_cast<double>(values[o * in + i]);
                }
                next[row * out + o] = std::max(next[row * out + o], 0.0);
            }
        }
        expected = next;
        weights.add(name, {widths[layer], widths[layer - 1]}, values);
        x = g.add(op::relu, {g.add(op::linear, {x, g.weight(name, {widths[layer], widths[layer - 1]})})});
    }
    g.output("y", x);
    const dynamic_graph model = g.finish();
    auto program = compile(model, backend::cpu{}, weights);
    const ndarray<shape<2, 3>> in{1, 2, 3, -1, 0, 1};
    ndarray<shape<2, 2>> out;
    const std::array inputs{std::as_bytes(in.elements())};
    const std::array outputs{std::as_writable_bytes(out.elements())};
    program.run(inputs, outputs);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(static_cast<double>(out[i]) == expected[i]); // multiples of 1/16 below 2048: exact
    }
}

TEST_CASE("a mistake is told with the operation, the numbers, the operands and the line, and changes nothing") {
    dynamic_builder g;
    const auto x = g.input("x", {1, 4});
    const auto image = g.input("image", {1, 3, 8, 8}, {}, dtype::uint8);
    const auto before = print(g.graph().view());
    const std::string wrong = refusal([&] { g.add(op::add, {x, g.constant({5}, 1)}); });
    CHECK(wrong.starts_with("graph: add: "));
    CHECK(contains(wrong, "it reads fp16 [1, 4], fp16 [5]"));
    CHECK(contains(wrong, "dynamic_builder.cpp:" + std::to_string(__LINE__ - 3)));
    const std::string after = print(g.graph().view());
    CHECK(after.substr(0, before.size()) == before); // and the constant, which was fine
    CHECK(after.find("add") == std::string::npos);
    CHECK(contains(refusal([&] { g.add(op::linear, {x}); }), "wrong number of operands"));
    CHECK(contains(refusal([&] { g.add(op::weight, {}); }), "function of the builder"));
    CHECK(contains(refusal([&] { g.add(op::clamp, {x}); }), "takes the attributes clip_range, not no_attributes"));
    CHECK(contains(refusal([&] { g.add(op::relu, {x}, conv{}); }), "takes the attributes no_attributes, not conv"));
    CHECK(contains(refusal([&] { g.add(op::relu, {x}, {}, {4, 1}); }), "gives [1, 4], not the requested shape [4, 1]"));
    CHECK(contains(refusal([&] { g.add(op::relu, {image}); }), "uint8"));
    CHECK(contains(refusal([&] { g.add(op::clamp, {x}, clip_range{2, 1}); }), "low end"));
    CHECK(contains(refusal([&] { g.add(op::elu, {x}, saturation{1e6F}); }), "does not fit into fp16"));
    CHECK(contains(refusal([&] { g.reshape(x, {3, -1}); }), "number of elements"));
    CHECK(contains(refusal([&] { g.reshape(x, {-1, -1}); }), "at least 1"));
    CHECK(contains(refusal([&] { g.add(static_cast<op>(250), {x}); }), "no operation has this number"));
    CHECK(print(g.graph().view()) == after);
    CHECK(contains(refusal([&] { static_cast<void>(g.finish()); }), "needs at least one output"));
}

TEST_CASE("ports, weights and constants are held to what the typed builder holds them to") {
    dynamic_builder g;
    const auto x = g.input("x", {2});
    CHECK(contains(refusal([&] { g.input("x", {2}); }), "two ports"));
    CHECK(contains(refusal([&] { g.input("a b", {2}); }), "letters, digits"));
    CHECK(contains(refusal([&] { g.input("", {2}); }), "letters, digits"));
    CHECK(contains(refusal([&] { g.input("b", {2}, {}, dtype::boolean); }), "fp16, uint8 or int8"));
    CHECK(contains(refusal([&] { g.input("b", {2, 0}); }), "extent 0 of axis 1 in [2, 0]"));
    CHECK(contains(refusal([&] { g.input("b", {-2}); }), "extent -2"));
    CHECK(contains(refusal([&] { g.input("b", {1 << 30, 1 << 30}); }), "more elements than memory holds"));
    CHECK(contains(refusal([&] { g.input("b", {std::numeric_limits<std::int64_t>::max()}); }), "memory"));
    CHECK(contains(refusal([&] { g.input("b", {2}, within(1, -1)); }), "no tensor can keep"));
    CHECK(contains(refusal([&] { g.input("b", {2}, within(0, 65505)); }), "fp16, which ends at 65504"));
    CHECK(contains(refusal([&] { g.input("b", {2}, within(-1e300, 0)); }), "not -65504"));
    CHECK(g.input("whole", {2}, within(-65504, 65504)).node() > x.node());
    CHECK(g.weight("rows", {2}, row_l1(1e6)).node() > x.node()); // a sum, not an element
    extents long_one;
    long_one.rank = 9;
    CHECK(contains(refusal([&] { g.input("b", long_one); }), "no possible rank"));
    long_one.rank = -1;
    CHECK(contains(refusal([&] { g.weight("b", long_one); }), "no possible rank"));
    CHECK(contains(refusal([&] { static_cast<void>(to_extents(std::vector<int>(9, 1))); }), "too many axes"));

    const auto w = g.weight("w", {2}, bounded(1));
    CHECK(g.weight("w", {2}).node() == w.node());
    CHECK(g.weight("w", {2}, deviating(0.5)).node() == w.node());
    CHECK(g.graph().nodes[static_cast<std::size_t>(w.node())].get<contract>() == (bounded(1) & deviating(0.5)));
    CHECK(contains(refusal([&] { g.weight("w", {3}); }), "different shapes, [2] and [3]"));
    CHECK(contains(refusal([&] { g.weight("w", {2}, bounded(2)); }), "different contracts"));
    CHECK(g.weight("x", {2}).node() != x.node()); // weights and ports are named apart

    CHECK(contains(refusal([&] { g.constant({3}, std::vector<float>{1, 2}); }), "as many values as elements"));
    CHECK(contains(refusal([&] { g.constant({3}, std::vector<float>{}); }), "as many values as elements"));
    CHECK(contains(refusal([&] { g.constant({2}, std::vector<float>{1, 7e4F}); }), "value 1 is 70000"));
    CHECK(contains(refusal([&] { g.constant(std::numeric_limits<double>::quiet_NaN()); }), "nan"));
    CHECK(contains(refusal([&] { g.constant(1e300); }), "fp16"));

    g.output("y", x);
    CHECK(contains(refusal([&] { g.output("y", x); }), "another port"));
    CHECK(contains(refusal([&] { g.output("x", x); }), "another port"));
    CHECK(contains(refusal([&] { g.output("1", x); }), "letters, digits"));
    CHECK(contains(refusal([&] { g.input("y", {2}); }), "two ports"));
}

TEST_CASE("values belong to the builder that made them") {
    dynamic_builder g;
    const auto x = g.input("x", {2});
    dynamic_tensor stranger;
    {
        dynamic_builder other;
        stranger = other.input("x", {2});
    }
    dynamic_builder next; // may stand where the other one stood
    CHECK(contains(refusal([&] { next.add(op::relu, {stranger}); }), "different graphs"));
    CHECK(contains(refusal([&] { g.add(op::add, {x, stranger}); }), "different graphs"));
    CHECK(contains(refusal([&] { g.output("y", stranger); }), "different graphs"));
    CHECK(contains(refusal([&] { g.reshape(stranger, {2}); }), "different graphs"));
    CHECK(contains(refusal([&] { g.add(op::relu, {dynamic_tensor()}); }), "no builder made"));

    dynamic_builder taken = std::move(g);
    taken.output("y", taken.add(op::relu, {x})); // the values go along
    CHECK(taken.finish().nodes.size() == 2);
    try {
        g.input("z", {2}); // NOLINT(bugprone-use-after-move)
        FAIL("a moved-from builder builds");
    } catch (const error& e) {
        CHECK(std::string(e.what()) == "argument: dynamic_builder: was moved from");
    }
    g = dynamic_builder();
    CHECK(g.input("z", {2}).node() == 0);
}

TEST_CASE("building goes on after a graph was taken") {
    dynamic_builder g;
    auto x = g.input("x", {2});
    static_cast<void>(g.weight("unused", {3}));
    g.output("first", g.add(op::relu, {x}));
    CHECK(g.finish().nodes.size() == 2);
    g.output("second", g.add(op::tanh, {x}));
    CHECK(g.finish().nodes.size() == 3);
    CHECK(g.finish().outputs.size() == 2);
}

TEST_CASE("validate refuses padding and strides that no builder leaves open") {
    const auto with = [](const attributes& values) {
        dynamic_builder g;
        auto x = g.input("x", {1, 2, 8, 8});
        const bool convolves = values.kind() == attribute_kind::conv;
        const auto y =
            convolves ? g.add(op::conv2d, {x, g.weight("w", {2, 2, 3, 3})}, values) : g.add(op::max_pool, {x}, values);
        g.output("y", y);
        dynamic_graph graph = g.finish();
        graph.nodes[static_cast<std::size_t>(graph.outputs[0].node)].attributes = values;
        return graph;
    };
    CHECK_NOTHROW(validate(with(conv{.padding = 1})));
    CHECK_NOTHROW(validate(with(pool{.kernel = 2, .stride = 2})));
    for (const attributes& open :
         {attributes(conv{.padding = same}), attributes(conv{.padding = valid}), attributes(pool{.kernel = 2}),
          attributes(pool{.kernel = 2, .stride = 2, .padding = same})}) {
        CHECK(contains(refusal([&] { validate(with(open)); }), "leaves its padding or stride open"));
    }
}

namespace {

/// Attributes of any kind, mostly small, some absurd.
class attribute_generator {
public:
    explicit attribute_generator(std::mt19937& random) : random_(random) {}

    attributes make(attribute_kind kind) {
        return attributes::of(kind).visit<attributes>([&]<class T>(T given) {
            if constexpr (!std::is_same_v<T, contract>) { // the operations below are no sources
                for_each_member(given, [&](std::string_view, auto& member) { draw(member); });
            }
            return attributes(given);
        });
    }
    extents list() {
        extents e;
        const auto rank = static_cast<unsigned>(random_() % 6);
        for (unsigned i = 0; i < rank; ++i) {
            e.append(random_() % 20 == 0 ? huge() : number());
        }
        if (random_() % 200 == 0) {
            e.rank = random_() % 2 == 0 ? 100 : -3;
        }
        return e;
    }

private:
    void draw(int& member) { member = number(); }
    void draw(bool& member) { member = flip(); }
    void draw(float& member) { member = real(); }
    void draw(size2& member) { member = {number(), number()}; }
    void draw(padding2& member) { member = padding(); }
    void draw(indices& member) { member = list(); }
    void draw(dtype& member) { member = static_cast<dtype>(random_() % 12); }
    void draw(weight_form& member) { member = static_cast<weight_form>(random_() % 6); }
    void draw(scaled_function& member) { member = static_cast<scaled_function>(random_() % 4); }
    void draw(sampling_method& member) { member = static_cast<sampling_method>(random_() % 2); }
    void draw(sampling_grid& member) { member = static_cast<sampling_grid>(random_() % 3); }
    void draw(sampling_border& member) { member = static_cast<sampling_border>(random_() % 3); }

    int number() {
        constexpr int absurd[] = {
            std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), -1, 0, 1 << 30, 65536};
        return random_() % 12 == 0 ? absurd[random_() % 6]
                                   : static_cast<int>(random_() % 5) - (random_() % 4 == 0 ? 2 : 0);
    }
    std::int64_t huge() {
        constexpr std::int64_t absurd[] = {std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 62, -7};
        return absurd[random_() % 4];
    }
    float real() {
        constexpr float absurd[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                                    -1e30F, 0, 1e-30F};
        return random_() % 8 == 0 ? absurd[random_() % 5] : static_cast<float>(random_() % 100) / 50;
    }
    bool flip() { return random_() % 2 == 0; }
    padding2 padding() {
        switch (random_() % 4) {
        case 0: return same;
        case 1: return valid;
        default: return {number(), number(), number(), number()};
        }
    }

    std::mt19937& random_;
};

} // namespace

TEST_CASE("whatever is asked for is built as the rules say, or refused without a trace") {
    constexpr std::uint32_t seed = 50417;
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    attribute_generator generator(random);
    int built = 0;
    int refused = 0;
    for (int round = 0; round < 60; ++round) {
        dynamic_builder g;
        dynamic_builder other;
        std::vector<dynamic_tensor> values{g.input("x", {1, 4, 6, 6}),  g.input("v", {4}),
                                           g.weight("w", {4, 4, 3, 3}), g.weight("m", {6, 6}),
                                           g.constant({1}, 2),          g.input("b", {2, 3}, {}, dtype::uint8)};
        for (int step = 0; step < 300; ++step) {
            const std::size_t nodes = g.graph().nodes.size();
            const std::size_t read = g.graph().operand_pool.size();
            const std::size_t payload = g.graph().payload.size();
            try {
                dynamic_tensor made;
                const auto kind = static_cast<op>(random() % (op_count + 2));
                const op_signature takes =
                    static_cast<std::size_t>(kind) < op_count ? signature(kind) : signature(op::relu);
                std::vector<dynamic_tensor> operands;
                const int count = takes.least_operands + static_cast<int>(random() % 4 == 0 ? random() % 3 : 0);
                for (int i = 0; i < count; ++i) {
                    operands.push_back(values[random() % (random() % 2 == 0 ? 6 : values.size())]);
                }
                if (random() % 100 == 0) {
                    operands.push_back(random() % 2 == 0 ? dynamic_tensor() : other.constant(1));
                }
                const attribute_kind wanted =
                    random() % 50 == 0 ? static_cast<attribute_kind>(random() % 26) : takes.attributes;
                const attributes given = random() % 20 == 0 ? attributes() : generator.make(wanted);
                switch (random() % 12) {
                case 0: made = g.add(kind, operands, given, generator.list()); break;
                case 1: made = g.reshape(values[random() % values.size()], generator.list()); break;
                case 2: made = g.weight("w" + std::to_string(random() % 5), generator.list()); break;
                case 3: made = g.constant(generator.list(), 1); break;
                default: made = g.add(kind, operands, given);
                }
                ++built;
                REQUIRE(made.shape() == g.graph().nodes[static_cast<std::size_t>(made.node())].shape);
                if (made.shape().count() < 4000) {
                    values.push_back(made);
                }
            } catch (const error& e) {
                REQUIRE(e.code() == errc::graph);
                REQUIRE(g.graph().nodes.size() == nodes);
                REQUIRE(g.graph().operand_pool.size() == read);
                REQUIRE(g.graph().payload.size() == payload);
                ++refused;
            }
        }
        for (std::size_t i = 0; i < values.size(); i += 7) {
            g.output("y" + std::to_string(i), values[i]);
        }
        REQUIRE_NOTHROW(validate(g.graph()));
        REQUIRE_NOTHROW(validate(g.finish()));
    }
    MESSAGE(built, " built, ", refused, " refused");
    CHECK(built > 2000);
    CHECK(refused > 2000);
}
