// The text that the engine's compiler reads, against files kept in the repository and against the argument lists of the
// published facts, written down here once more.

#include "../backend/composer.hpp"
#include "mil_files.hpp"
#include "mil_statements.hpp"
#include "written_operations.hpp"
#include <anemone/build.hpp>
#include <anemone/catalogue/engine_path.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/forms/mil_vocabulary.hpp>
#include <anemone/forms/netplist_vocabulary.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

using namespace composing;
using namespace mil_files;
using namespace mil_statements;

namespace {

constexpr auto digits_like = graph([](auto& g) {
    auto x = g.input("image"_s, f16<1, 1, 12, 12>, within(0, 1));
    auto w = g.weight("conv.weight"_s, f16<4, 1, 3, 3>);
    auto bias = g.weight("conv.bias"_s, f16<4>);
    auto a = relu(conv2d<conv{.padding = same}>(x, w, bias));
    auto b = max_pool<pool{.kernel = 2, .stride = 2}>(a);
    auto v = g.weight("fc.weight"_s, f16<10, 144>);
    auto c = g.weight("fc.bias"_s, f16<10>);
    g.output("probabilities"_s, softmax(linear(flatten(b), v, c)));
});

constexpr auto residual = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4, 6, 6>);
    auto s = g.scope("block", 0);
    auto w = s.weight("conv", f16<4, 4, 3, 3>);
    auto y = conv2d<conv{.padding = same}>(x, w);
    auto mean = s.weight("mean", f16<4>);
    auto variance = s.weight("variance", f16<4>);
    auto gamma = s.weight("gamma", f16<4>);
    auto beta = s.weight("beta", f16<4>);
    auto n = batch_norm(y, mean, variance, gamma, beta);
    auto z = relu(n + x);
    g.output("y"_s, z);
    g.output("pooled"_s, avg_pool<pool{.kernel = 3, .stride = 2, .ceil_mode = true, .exclude_padding = true}>(z));
});

constexpr auto encoder = graph([](auto& g) {
    auto x = g.input("tokens"_s, f16<1, 6, 16>);
    auto wq = g.weight("q"_s, f16<16, 16>);
    auto q = linear(x, wq);
    auto wk = g.weight("k"_s, f16<16, 16>);
    auto k = linear(x, wk);
    auto wv = g.weight("v"_s, f16<16, 16>);
    auto v = linear(x, wv);
    auto mask = g.constant(f16<6, 6>, -0.5);
    auto a = attention(q, k, v, mask) + x;
    auto gamma = g.weight("gamma"_s, f16<16>);
    auto beta = g.weight("beta"_s, f16<16>);
    auto n = layer_norm(a, gamma, beta);
    auto up = g.weight("up"_s, f16<32, 16>);
    auto bias = g.weight("up_bias"_s, f16<32>);
    auto h = gelu(linear(n, up, bias));
    auto down = g.weight("down"_s, f16<16, 32>);
    g.output("out"_s, linear(h, down));
});

constexpr auto moved = graph([](auto& g) {
    auto image = g.input("image"_s, u8<1, 3, 4, 4>);
    auto x = to_f16(image) * (1.0 / 255.0);
    auto t = transpose<permutation{0, 2, 3, 1}>(x);
    auto s = slice<window{.begin = {0, 1, 0, 0}, .size = {1, 2, 4, 3}}>(t);
    auto p = pad<pads{.before = {0, 0, 1, 0}, .after = {0, 0, 0, 2}}>(s, 0.5);
    auto l = leaky_relu(p, 0.1);
    g.output("joined"_s, concat<axis{-1}>(p, p, l));
    g.output("flat"_s, reshape<2, -1>(p));
    g.output("t3"_s, reduce_max<axes{1, 2}>(clamp(p, -1, 2)));
});

constexpr auto arithmetic = graph([](auto& g) {
    auto a = g.input("a"_s, f16<2, 3, 4, 4>);
    auto b = g.input("b"_s, f16<3, 1, 1>);
    auto w = g.weight("w"_s, f16<3, 2, 4, 4>);
    auto u = conv_transpose2d<conv_transpose{.stride = 2, .padding = 1, .groups = 3}>(a, w);
    auto magnitude = abs(a);
    auto root = sqrt(magnitude);
    auto logarithm = log(exp(a) + 1.0, 1e-3);
    auto sum = root + logarithm;
    auto inverse = rsqrt(magnitude, 1e-2);
    auto s = sum - inverse;
    auto low = minimum(s / 3.0, b);
    auto six = relu6(a);
    auto high = maximum(low, six);
    auto bent = tanh(a);
    auto product = high * bent;
    auto gate = silu(sigmoid(a));
    g.output("up"_s, u);
    g.output("mixed"_s, product + gate);
    g.output("mean"_s, reduce_mean<axes{-1}, false>(a) * 0.0);
    g.output("same"_s, a);
});

struct sample {
    const char* name;
    graph_view model;
};
const sample samples[] = {{"digits_like", digits_like},
                          {"residual", residual},
                          {"encoder", encoder},
                          {"moved", moved},
                          {"arithmetic", arithmetic}};

} // namespace

TEST_CASE("mil: the text of five models is the kept text") {
    for (const sample& s : samples) {
        CAPTURE(s.name);
        check_golden(s.name, emitted(s.model).text);
    }
}

TEST_CASE("mil: two emissions are equal to the byte") {
    for (const sample& s : samples) {
        const mil_program first = emitted(s.model);
        const mil_program second = emitted(s.model);
        CHECK(first.text == second.text);
        CHECK(std::equal(first.weights.bytes().begin(), first.weights.bytes().end(), second.weights.bytes().begin(),
                         second.weights.bytes().end()));
    }
}

TEST_CASE("mil: every argument is written, every name is defined once and before its use") {
    std::set<std::string> seen;
    for (const sample& s : samples) {
        CAPTURE(s.name);
        seen.merge(check_text(emitted(s.model)));
    }
    composer c;
    const int x = c.input({2, 3, 4, 4});
    for (const op kind : {op::reduce_sum, op::reduce_min}) {
        c.output(c.add(kind, axes(1), {x}));
    }
    c.output(c.add(op::max_pool, pool{.kernel = 2, .stride = 2}, {x}));
    const dynamic_graph g = c.finish();
    seen.merge(check_text(emitted(g)));
    // Each operation of the table above has been written once at least.
    for (const char* const name : {"relu",       "relu6",          "silu",       "sigmoid",    "tanh",
                                   "exp",        "sqrt",           "abs",        "log",        "rsqrt",
                                   "leaky_relu", "clip",           "gelu",       "add",        "sub",
                                   "mul",        "real_div",       "maximum",    "minimum",    "matmul",
                                   "conv",       "conv_transpose", "max_pool",   "avg_pool",   "concat",
                                   "reduce_sum", "reduce_mean",    "reduce_max", "reduce_min", "reshape",
                                   "transpose",  "slice_by_size",  "softmax",    "pad",        "cast"}) {
        CHECK_MESSAGE(seen.count(name) == 1, name);
    }
}

TEST_CASE("mil: numbers are typed, fp16 ones hexadecimal and rounded to fp16") {
    composer c;
    const int x = c.input({4});
    c.output(c.add(op::add, {x, c.constant(0.1F)}));
    c.output(c.add(op::leaky_relu, leakage{0.1F}, {x}));
    c.output(c.add(op::mul, {x, c.constant(-0.0F)}));
    const std::string text = emitted(c.finish()).text;
    const std::string tenth = fmt::format("fp16({:a})", static_cast<double>(half(0.1F))); // 0x1.998p-4
    CHECK(tenth == "fp16(0x1.998p-4)");
    CHECK(text.find("y = fp16(0x1.998p-4)") != std::string::npos);
    CHECK(text.find("alpha = fp16(0x1.998p-4)") != std::string::npos);
    CHECK(text.find("y = fp16(-0x0p+0)") != std::string::npos);
}

TEST_CASE("mil: a number outside fp16 is refused with the operation and its line") {
    for (const float value : {1e6F, -1e6F}) {
        composer c;
        const int x = c.input({4});
        c.output(c.add(op::clamp, clip_range{std::min(value, 0.0F), std::max(value, 0.0F)}, {x}));
        const dynamic_graph g = c.finish();
        try {
            emitted(g);
            FAIL("must be refused");
        } catch (const error& e) {
            CHECK(e.code() == errc::lowering);
            CHECK(e.subject().find("clamp") != std::string::npos);
            CHECK(std::string(e.what()).find("composed:1") != std::string::npos);
            CHECK(std::string(e.what()).find("65504") != std::string::npos);
        }
    }
    composer c;
    const int x = c.input({4});
    c.output(c.add(op::add, {x, c.constant(1)}));
    dynamic_graph g = c.finish();
    g.payload[0] = 1e6F; // no builder takes it
    CHECK_THROWS_AS(emitted(g), error);
}

TEST_CASE("mil: windows that ceil_mode adds become padding, which a mean counts as they do") {
    const auto text_of = [](op kind, bool exclude, const extents& image) {
        composer c;
        const int x = c.input(image);
        c.output(c.add(kind, pool{.kernel = 3, .stride = 2, .ceil_mode = true, .exclude_padding = exclude}, {x}));
        const dynamic_graph g = c.finish();
        return emitted(g).text;
    };
    const std::string padded = "val = tensor<int32, [4]>([0, 1, 0, 1])";
    const extents even{1, 1, 6, 6}; // a third window in each direction, which has two of its three rows
    for (const bool exclude : {false, true}) {
        CHECK(text_of(op::avg_pool, exclude, even).find(padded) != std::string::npos);
    }
    CHECK(text_of(op::max_pool, false, even).find(padded) != std::string::npos);
    CHECK(text_of(op::avg_pool, false, {1, 1, 7, 7}).find(padded) == std::string::npos); // it adds none here
}

TEST_CASE("mil: a pad of the first of five axes is refused, of the other four written") {
    const auto text_of = [](const pads& amounts) {
        composer c;
        const int x = c.input({1, 2, 2, 2, 2});
        c.output(c.add(op::pad, amounts, {x, c.constant(0.0F)}));
        const dynamic_graph g = c.finish();
        return emitted(g).text;
    };
    CHECK_THROWS_WITH_AS(text_of({{1, 0, 0, 0, 0}, {2, 0, 0, 0, 1}}), doctest::Contains("first of five axes by 3"),
                         error);
    CHECK(text_of({{0, 1, 0, 0, 0}, {0, 0, 0, 0, 3}}).find("[1, 0, 0, 0, 0, 0, 0, 3]") != std::string::npos);
}

TEST_CASE("mil: the offsets in the text are those of the blob's records, in order") {
    for (const sample& s : samples) {
        CAPTURE(s.name);
        const mil_program program = emitted(s.model);
        const auto bytes = program.weights.bytes();
        const auto number = [&](std::size_t at, int width) {
            std::uint64_t value = 0;
            for (int i = width - 1; i >= 0; --i) {
                value = value << 8U | std::to_integer<std::uint64_t>(bytes[at + static_cast<std::size_t>(i)]);
            }
            return value;
        };
        std::vector<std::uint64_t> records;
        std::vector<std::uint64_t> sizes;
        for (std::uint64_t at = 64; at < bytes.size();) {
            REQUIRE(number(at, 4) == 0xDEADBEEF);
            records.push_back(at);
            sizes.push_back(number(at + 8, 8));
            at = (number(at + 16, 8) + sizes.back() + 63) / 64 * 64;
        }
        CHECK(number(0, 4) == records.size());
        std::vector<std::uint64_t> named;
        std::vector<std::uint64_t> declared;
        static const std::regex form(
            R"(val = tensor<fp16, \[([0-9, ]*)\]>\(BLOBFILE\(path = string\("@model_path/weights\.bin"\), offset = uint64\(([0-9]+)\)\)\))");
        for (std::sregex_iterator i(program.text.begin(), program.text.end(), form), end; i != end; ++i) {
            named.push_back(std::stoull((*i)[2]));
            std::uint64_t count = 1;
            std::istringstream shape((*i)[1]);
            for (std::string extent; std::getline(shape, extent, ',');) {
                count *= std::stoull(extent);
            }
            declared.push_back(2 * count);
        }
        CHECK(named == records);
        CHECK(declared == sizes);
    }
}

TEST_CASE("mil: operations without a form are refused with their name and line") {
    for (const op kind : {op::arg_max, op::arg_min}) {
        composer c;
        const int x = c.input({2, 5});
        c.output(c.add(kind, axis{1}, {x}));
        const dynamic_graph g = c.finish();
        try {
            emitted(g);
            FAIL("must be refused");
        } catch (const error& e) {
            CHECK(e.code() == errc::lowering);
            CHECK(e.subject().find(name(kind)) != std::string::npos);
            CHECK(std::string(e.what()).find("composed:1") != std::string::npos);
        }
    }
}

TEST_CASE("mil: bytes can be cast and nothing else") {
    composer c;
    const int x = c.input({2, 3}, dtype::uint8);
    c.output(c.add(op::cast, {x}));
    CHECK(emitted(c.finish()).text.find("main<ios18>(tensor<uint8, [2, 3]> x0)") != std::string::npos);
}

TEST_CASE("mil and netplist: the operations of each route, all of which the oracle has") {
    // The others are refused by name until they have a form.
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        if (!both_formats.contains(kind)) {
            continue;
        }
        CAPTURE(name(kind));
        CHECK(find_mil_form(kind) != nullptr);
        CHECK(find_netplist_form(kind) != nullptr);
    }
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        CAPTURE(name(kind));
        const bool whole = kind == op::attention || kind == op::minmax_norm; // where lowering keeps them
        CHECK((find_netplist_form(kind) != nullptr) ==
              (both_formats.contains(kind) || netplist_besides.contains(kind) || whole));
    }
    for (const op kind : {op::arg_max, op::arg_min, op::log2}) { // MIL's compiler does not implement them
        CHECK(find_mil_form(kind) == nullptr);
        CHECK(find_netplist_form(kind) != nullptr);
    }
    for (const mil_form& form : mil_vocabulary) { // nothing is written that the oracle cannot repeat
        CAPTURE(form.name);
        CHECK((has_engine_path(form.kind) || is_composed(form.kind)));
    }
    for (const netplist_form& form : netplist_vocabulary) {
        CAPTURE(name(form.kind));
        CHECK((has_engine_path(form.kind) || is_composed(form.kind)));
    }
}
