#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/validate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

// What readers of files stand on: raw graphs whose fields are anything. (Whatever their bytes: tests/fuzz/raw_graph.cpp.)

using namespace ane;

namespace {

/// x [1, 4, 6, 6] -> operation -> y, beside a weight and a constant.
dynamic_graph around(op kind, const attributes& values) {
    dynamic_builder g;
    const auto x = g.input("x", {1, 4, 6, 6});
    const auto w = g.weight("w", {4, 1, 1});
    g.output("y", g.add(op::mul, {g.add(op::add, {g.add(kind, {x}, values), w}), g.constant({1}, 2)}));
    return g.finish();
}
node& the(dynamic_graph& g, op kind) {
    for (node& n : g.nodes) {
        if (n.kind == kind) {
            return n;
        }
    }
    return g.nodes[0];
}

/// What `validate` says of a graph after one change.
template <class Change> std::string refusal(op kind, const attributes& values, const Change& change) {
    dynamic_graph g = around(kind, values);
    validate(g);
    change(g);
    try {
        validate(g);
    } catch (const error& e) {
        CHECK(e.code() == errc::graph);
        return e.what();
    }
    return "taken";
}
template <class Change> std::string refusal(const Change& change) { return refusal(op::relu, {}, change); }

/// The attributes of a node with other bytes: what no constructor makes.
template <class Value> void overwrite(node& n, std::size_t offset, const Value& value) {
    std::memcpy(reinterpret_cast<char*>(&n.attributes) + offset, &value, sizeof value);
}
/// Where the members of the attributes begin, behind their kind.
template <class T> std::size_t offset_in(const node& n, const T& member) {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&member) -
                                    reinterpret_cast<const char*>(&n.attributes));
}

constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

} // namespace

TEST_CASE("validate refuses operations, element types and attributes that there are not") {
    CHECK(refusal([](dynamic_graph& g) { the(g, op::relu).kind = static_cast<op>(250); }) ==
          "graph: node: unknown operation number (250, not " + std::to_string(op_count - 1) + ")");
    CHECK(refusal([](dynamic_graph& g) { the(g, op::relu).type = static_cast<dtype>(77); }) ==
          "graph: relu: unknown element type number (77, not 11)");
    CHECK(refusal([](dynamic_graph& g) { overwrite(the(g, op::relu), 0, std::uint8_t{99}); }) ==
          "graph: relu: carries the attributes of another operation");
    CHECK(refusal(op::resize, sampling{.extent = 6}, [](dynamic_graph& g) {
              node& n = the(g, op::resize);
              n.attributes = sampling{.extent = 6, .border = static_cast<sampling_border>(9)};
          }) == "graph: resize: has an enumerator that there is not (9, not 2)");
    const pool halved{.kernel = 1, .stride = 1};
    CHECK(refusal(op::max_pool, halved, [](dynamic_graph& g) {
              node& n = the(g, op::max_pool);
              overwrite(n, offset_in(n, n.get<pool>().ceil_mode), std::uint8_t{2});
          }) == "graph: max_pool: has a flag that is neither true nor false (2, not 1)");
}

TEST_CASE("validate refuses sources of element types that no builder gives them") {
    for (const op kind : {op::weight, op::constant}) {
        CHECK(refusal([&](dynamic_graph& g) { the(g, kind).type = dtype::int64; }) ==
              "graph: " + std::string(name(kind)) + ": does not have elements of type int64");
    }
    CHECK(refusal([](dynamic_graph& g) { the(g, op::input).type = dtype::f32; }) ==
          "graph: relu: does not read elements of type fp32");
}

TEST_CASE("validate refuses runs that lie outside their pool, or that share parts of it") {
    for (const range_of run : {range_of{-1, 1}, range_of{1 << 30, 1}, range_of{0, 1 << 30}, range_of{0, -1}}) {
        CHECK(refusal([&](dynamic_graph& g) {
                  the(g, op::weight).name = run;
              }).starts_with("graph: weight: has a name outside the graph's text"));
        CHECK(refusal([&](dynamic_graph& g) {
                  the(g, op::relu).name = run;
              }).starts_with("graph: relu: has a name outside the graph's text"));
        CHECK(refusal([&](dynamic_graph& g) {
                  g.outputs[0].name = run;
              }).starts_with("graph: output: has a name outside the graph's text"));
    }
    CHECK(refusal([](dynamic_graph& g) {
              const node add = the(g, op::add);
              the(g, op::mul).operands.first = add.operands.first; // still two that stand before it
              g.operand_pool.pop_back();
          }).starts_with("graph: the pool of operands: nodes share parts of it"));
}

TEST_CASE("validate refuses numbers that shape rules, passes or files cannot take") {
    CHECK(refusal(op::log, stabilizer{.epsilon = 0}, [](dynamic_graph& g) {
              the(g, op::log).attributes = stabilizer{.epsilon = infinite};
          }) == "graph: log: the number inf among its attributes does not fit into fp16");
    CHECK(refusal(op::leaky_relu, leakage{1}, [](dynamic_graph& g) {
              the(g, op::leaky_relu).attributes = leakage{not_a_number};
          }).starts_with("graph: leaky_relu: the number "));
    CHECK(refusal(op::clamp, clip_range{-1, 1}, [](dynamic_graph& g) {
              the(g, op::clamp).attributes = clip_range{-1, not_a_number};
          }) == "graph: clamp: its low end is above its high end");
    const axes all{0, 1, 2, 3};
    CHECK(refusal(op::reduce_sum, all, [](dynamic_graph& g) {
              axes wrong{0};
              wrong.list.rank = 9;
              the(g, op::reduce_sum).attributes = wrong;
          }) == "graph: reduce_sum: has a list of indices of no possible length (9, not 8)");
    CHECK(refusal(op::tile, repeats{1, 1, 1, 1}, [](dynamic_graph& g) {
              the(g, op::tile).attributes = repeats{far, 1, 1, 1};
          }).starts_with("graph: tile: has a number that no tensor has room for"));
    for (const pool wrong : {pool{.kernel = 1, .stride = 0, .padding = same}, pool{.kernel = 1, .stride = {0, 3}},
                             pool{.kernel = 1, .stride = {0, 3}, .padding = same}, pool{.kernel = 1, .stride = 0}}) {
        CHECK(refusal(op::max_pool, pool{.kernel = 1, .stride = 1},
                      [&](dynamic_graph& g) { the(g, op::max_pool).attributes = wrong; }) != "taken");
    }
    CHECK(refusal(op::max_pool, pool{.kernel = 1, .stride = 1}, [](dynamic_graph& g) {
              the(g, op::max_pool).attributes =
                  pool{.kernel = 1, .stride = 1, .padding = {std::numeric_limits<int>::max(), 0}};
          }).starts_with("graph: max_pool: has a padding out of all range"));
    CHECK(refusal([](dynamic_graph& g) { g.payload[0] = not_a_number; }) ==
          "graph: constant: does not fit into fp16, whose largest value is 65504 (a mask takes -30000 or so)");
    CHECK(refusal([](dynamic_graph& g) { g.payload[0] = 65536; }) ==
          "graph: constant: does not fit into fp16, whose largest value is 65504 (a mask takes -30000 or so)");
    CHECK(refusal([](dynamic_graph& g) {
              the(g, op::input).shape[0] = std::int64_t{1} << 40;
          }).starts_with("graph: input: has more elements than memory holds"));
    CHECK(refusal(op::top_k, selection{.k = 6, .axis = 3}, [](dynamic_graph& g) {
              the(g, op::top_k).attributes = selection{.k = 6, .axis = -1};
          }) == "graph: top_k: counts an axis from the last: give it from the front (-1, not 3)");
}

TEST_CASE("validate refuses a dilation that overflows, and 256 bits") {
    dynamic_builder g;
    const auto w = g.weight("w", {2, 4, 3, 3});
    const auto stored = g.add(op::compressed, {w}, compression{});
    g.output("y", g.add(op::conv2d, {g.input("x", {1, 4, 6, 6}), stored}, conv{.padding = 1}));
    const dynamic_graph sound = g.finish();
    const auto refused = [&](op kind, const attributes& values) {
        dynamic_graph wrong = sound;
        the(wrong, kind).attributes = values;
        CHECK_THROWS_AS(validate(wrong), error);
    };
    refused(op::conv2d, conv{.dilation = std::numeric_limits<int>::max(), .padding = 1});
    refused(op::conv2d, conv{.dilation = 1 << 30, .padding = 1});
    refused(op::conv2d, conv{.padding = same});
    refused(op::compressed, compression{.bits = 256});
    refused(op::compressed, compression{.form = weight_form::sparse, .bits = 256});
    refused(op::compressed, compression{.zeros = not_a_number});
}

TEST_CASE("validate refuses names that are none, and names that are given twice") {
    const auto renamed = [](dynamic_graph& g, op kind, std::string_view name) { the(g, kind).name = g.intern(name); };
    CHECK(refusal([&](dynamic_graph& g) { renamed(g, op::input, "y"); }) ==
          "graph: y: two ports of the graph have this name");
    CHECK(refusal([&](dynamic_graph& g) { renamed(g, op::input, "a b"); }) ==
          "graph: a b: the name of a port is made of letters, digits and underscores");
    CHECK(refusal([&](dynamic_graph& g) { g.outputs[0].name = g.intern("a b; }"); }) ==
          "graph: a b; }: the name of a port is made of letters, digits and underscores");
    CHECK(refusal([&](dynamic_graph& g) {
              g.outputs.push_back({0, g.intern("y")});
          }) == "graph: y: two ports of the graph have this name");
    CHECK(refusal([&](dynamic_graph& g) {
              node second = the(g, op::input);
              second.name = g.intern("x");
              g.append(second, {});
          }) == "graph: x: two ports of the graph have this name");
    CHECK(refusal([&](dynamic_graph& g) {
              node second = the(g, op::weight);
              second.name = g.intern("w");
              g.append(second, {});
          }) == "graph: w: two weights of the graph have this name");
    CHECK(refusal([&](dynamic_graph& g) { the(g, op::relu).where.file = nullptr; }) ==
          "graph: relu: has no text for the file that it stands in: an empty one is \"\"");
}

TEST_CASE("a bias has one value for each output, also where the graph comes from data") {
    dynamic_builder g;
    const auto image = g.input("image", {1, 4, 6, 6});
    const auto rows = g.input("rows", {3, 4});
    const auto kernel = g.weight("kernel", {4, 4, 1, 1});
    const auto matrix = g.weight("matrix", {4, 4});
    for (const extents& shape : {extents{}, extents{3}, extents{1, 4}}) {
        const auto bias = g.input("b" + std::to_string(shape.rank) + std::to_string(shape.count()), shape);
        CHECK_THROWS_AS(g.add(op::conv2d, {image, kernel, bias}, conv{}), error);
        CHECK_THROWS_AS(g.add(op::conv_transpose2d, {image, kernel, bias}, conv_transpose{}), error);
        CHECK_THROWS_AS(g.add(op::linear, {rows, matrix, bias}), error);
    }
    const auto bias = g.input("bias", {4});
    CHECK_NOTHROW(g.add(op::conv2d, {image, kernel, bias}, conv{}));
    CHECK_NOTHROW(g.add(op::conv_transpose2d, {image, kernel, bias}, conv_transpose{}));
    CHECK_NOTHROW(g.add(op::linear, {rows, matrix, bias}));
}

TEST_CASE("names are told apart in any number and order") {
    dynamic_graph g;
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) {
        names.push_back("n" + std::to_string(i * 7919 % 1000));
    }
    for (const std::string& name : names) {
        node n;
        n.attributes = contract{};
        n.shape = {1};
        n.name = g.intern(name);
        g.append(n, {});
    }
    g.add_output(0, "y");
    CHECK_NOTHROW(validate(g));
    g.nodes[999].name = g.intern(names[500]);
    CHECK_THROWS_WITH(validate(g), ("graph: " + names[500] + ": two ports of the graph have this name").c_str());
}

TEST_CASE("validate refuses graphs that no builder makes") {
    const auto sound = [] {
        return build_graph([](auto& g) { g.output("y"_s, relu(g.input("x"_s, f16<2, 3>) + g.weight("w", f16<3>))); });
    };
    CHECK_NOTHROW(validate(sound()));
    const auto refused = [&](auto change) {
        dynamic_graph g = sound();
        change(g);
        CHECK_THROWS_AS(validate(g), error);
    };
    refused([](dynamic_graph& g) { g.nodes[3].shape = {400}; });
    refused([](dynamic_graph& g) { g.operand_pool[0] = 3; });
    refused([](dynamic_graph& g) { g.operand_pool[0] = -1; });
    refused([](dynamic_graph& g) { g.nodes[3].operands.count = 2; });
    refused([](dynamic_graph& g) { g.nodes[2].operands.first = 90; });
    refused([](dynamic_graph& g) { g.nodes[3].attributes = conv{}; });
    refused([](dynamic_graph& g) { g.nodes[0].type = dtype::uint8, g.nodes[2].kind = op::matmul; });
    refused([](dynamic_graph& g) { g.outputs[0].node = 9; });
    refused([](dynamic_graph& g) { g.outputs.clear(); });
    refused([](dynamic_graph& g) { g.nodes[0].attributes = within(1, -1); });
    for (const extents& shape :
         {extents{0, 3}, extents{2, -1}, extents{std::int64_t{1} << 40, std::int64_t{1} << 40}}) {
        refused([&](dynamic_graph& g) { g.nodes[0].shape = g.nodes[2].shape = g.nodes[3].shape = shape; });
    }
    refused([](dynamic_graph& g) { g.nodes[0].shape.rank = 9; });
}

TEST_CASE("validate refuses element types that an operation does not read or make") {
    const auto sum_of = [](dtype left, dtype result) {
        dynamic_graph g;
        for (const dtype type : {left, dtype::f16}) {
            node n;
            n.kind = op::input;
            n.type = type;
            n.shape = {2};
            n.attributes = contract{};
            n.name = g.intern(g.nodes.empty() ? "a" : "b");
            g.append(n, {});
        }
        node sum;
        sum.kind = op::add;
        sum.type = result;
        sum.shape = {2};
        g.append(sum, std::vector<int>{0, 1});
        g.add_output(2, "y");
        return g;
    };
    CHECK_NOTHROW(validate(sum_of(dtype::f16, dtype::f16)));
    CHECK_THROWS_WITH(validate(sum_of(dtype::uint8, dtype::f16)), "graph: add: does not read elements of type uint8");
    CHECK_THROWS_WITH(validate(sum_of(dtype::f16, dtype::boolean)),
                      "graph: add: does not compute elements of type bool");
}

TEST_CASE("validate refuses attributes that passes and backends would misread") {
    const auto one = [](op kind, const attributes& values, const extents& shape, int operands = 1) {
        dynamic_graph g;
        node n;
        n.kind = op::input;
        n.shape = {2, 3};
        n.attributes = contract{};
        n.name = g.intern("x");
        const int x = g.append(n, {});
        node weight = n;
        weight.kind = op::weight;
        weight.shape = {3};
        weight.name = g.intern("w");
        const int w = g.append(weight, {});
        node result;
        result.kind = kind;
        result.attributes = values;
        result.shape = shape;
        const int all[] = {x, kind == op::layer_norm ? w : x, w};
        g.add_output(g.append(result, std::span<const int>(all).first(static_cast<std::size_t>(operands))), "y");
        return g;
    };
    CHECK_THROWS_WITH(validate(one(op::softmax, axis{-1}, {2, 3})),
                      "graph: softmax: counts an axis from the last: give it from the front (-1, not 1)");
    CHECK_NOTHROW(validate(one(op::softmax, axis{1}, {2, 3})));
    CHECK_THROWS_AS(validate(one(op::arg_max, axis{-2}, {1, 3})), error);
    CHECK_THROWS_AS(validate(one(op::concat, axis{-1}, {2, 6}, 2)), error);
    CHECK_NOTHROW(validate(one(op::concat, axis{1}, {2, 6}, 2)));
    CHECK_THROWS_AS(validate(one(op::reduce_sum, axes{0, -1}, {1, 1})), error);
    CHECK_THROWS_AS(validate(one(op::reduce_sum, axes{}, {1, 1})), error);
    CHECK_NOTHROW(validate(one(op::reduce_sum, axes{0, 1}, {1, 1})));
    CHECK_THROWS_AS(validate(one(op::transpose, permutation{-1, 0}, {3, 2})), error);
    CHECK_THROWS_AS(validate(one(op::layer_norm, stabilizer{1e-5F, -1}, {2, 3}, 3)), error);
    CHECK_NOTHROW(validate(one(op::layer_norm, stabilizer{1e-5F, 1}, {2, 3}, 3)));
    CHECK_THROWS_AS(validate(one(op::clamp, clip_range{2, 1}, {2, 3})), error);
    CHECK_NOTHROW(validate(one(op::clamp, clip_range{1, 1}, {2, 3})));
    // No values in the payload, outside it, or neither one nor one each.
    for (const literal values : {literal{0, 0}, literal{0, 1}, literal{-1, 1}, literal{1 << 30, 1 << 30}}) {
        CHECK_THROWS_AS(validate(one(op::constant, values, {2, 3}, 0)), error);
    }
    dynamic_graph filled = one(op::constant, literal{0, 3}, {2, 3}, 0);
    const float payload[] = {1, 2, 3};
    filled.keep(payload);
    CHECK_THROWS_AS(validate(filled), error);
    filled.nodes.back().attributes = literal{0, 1};
    CHECK_NOTHROW(validate(filled));
}
