// The text that the engine's compiler reads, against files kept in the repository and against the argument lists of the
// published facts, written down here once more.

#include "../backend/composer.hpp"
#include "mil_files.hpp"
#include "written_operations.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/build.hpp>
#include <anemone/catalogue/engine_path.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/forms/mil_vocabulary.hpp>
#include <anemone/forms/netplist_vocabulary.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/readers/mil.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace composing;
using namespace mil_files;

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

/// One statement: `TYPE name = operation(arguments)[attributes];`
struct statement {
    std::string name;
    std::string operation;
    std::map<std::string, std::string> arguments;
    std::map<std::string, std::string> attributes;
};

/// `key = value, key = value`, where values may contain brackets of all kinds.
std::map<std::string, std::string> pairs(const std::string& text) {
    std::map<std::string, std::string> found;
    int depth = 0;
    std::string part;
    const auto finish = [&] {
        const auto equal = part.find(" = ");
        if (equal != std::string::npos) {
            found[part.substr(0, equal)] = part.substr(equal + 3);
        }
        part.clear();
    };
    for (const char c : text) {
        depth += c == '(' || c == '[' || c == '<' ? 1 : c == ')' || c == ']' || c == '>' ? -1 : 0;
        if (c == ',' && depth == 0) {
            finish();
        } else if (!(part.empty() && c == ' ')) {
            part += c;
        }
    }
    finish();
    return found;
}

std::vector<statement> statements_of(const std::string& text) {
    static const std::regex form(R"(^        (\S+|tensor<\w+, \[[0-9, ]*\]>) (\w+) = (\w+)\((.*)\)\[(.*)\];$)");
    std::vector<statement> all;
    const auto lines = lines_of(text);
    for (std::size_t i = 4; i + 2 < lines.size(); ++i) {
        // The arguments end where the attribute brackets with the name begin.
        const auto split = lines[i].find(")[name = ");
        std::smatch match;
        REQUIRE_MESSAGE(std::regex_match(lines[i], match, form), lines[i]);
        REQUIRE(split != std::string::npos);
        const auto open = lines[i].find('(', lines[i].find(" = "));
        all.push_back({match[2], match[3], pairs(lines[i].substr(open + 1, split - open - 1)),
                       pairs(lines[i].substr(split + 2, lines[i].size() - split - 4))});
    }
    return all;
}

/// What each operation must be given (facts: mil-ops, section 6).
std::set<std::string> wanted_arguments(const std::string& operation) {
    static const std::map<std::string, std::set<std::string>> table = {
        {"relu", {"x"}},
        {"relu6", {"x"}},
        {"silu", {"x"}},
        {"sigmoid", {"x"}},
        {"tanh", {"x"}},
        {"exp", {"x"}},
        {"sqrt", {"x"}},
        {"abs", {"x"}},
        {"log", {"x", "epsilon"}},
        {"rsqrt", {"x", "epsilon"}},
        {"leaky_relu", {"x", "alpha"}},
        {"clip", {"x", "alpha", "beta"}},
        {"gelu", {"x", "mode"}},
        {"add", {"x", "y"}},
        {"sub", {"x", "y"}},
        {"mul", {"x", "y"}},
        {"real_div", {"x", "y"}},
        {"maximum", {"x", "y"}},
        {"minimum", {"x", "y"}},
        {"matmul", {"x", "y", "transpose_x", "transpose_y"}},
        {"conv", {"x", "weight", "strides", "dilations", "pad", "pad_type", "groups"}},
        {"conv_transpose", {"x", "weight", "strides", "dilations", "pad", "pad_type", "groups"}},
        {"max_pool", {"x", "kernel_sizes", "strides", "pad", "pad_type", "ceil_mode"}},
        {"avg_pool", {"x", "kernel_sizes", "strides", "pad", "pad_type", "ceil_mode", "exclude_padding_from_average"}},
        {"concat", {"values", "axis", "interleave"}},
        {"reduce_sum", {"x", "axes", "keep_dims"}},
        {"reduce_mean", {"x", "axes", "keep_dims"}},
        {"reduce_max", {"x", "axes", "keep_dims"}},
        {"reduce_min", {"x", "axes", "keep_dims"}},
        {"reshape", {"x", "shape"}},
        {"transpose", {"x", "perm"}},
        {"slice_by_size", {"x", "begin", "size"}},
        {"softmax", {"x", "axis"}},
        {"pad", {"x", "pad", "mode", "constant_val"}},
        {"cast", {"x", "dtype"}},
    };
    const auto found = table.find(operation);
    REQUIRE_MESSAGE(found != table.end(), operation);
    return found->second;
}

/// Checks the whole text of a program; returns its operations.
std::set<std::string> check_text(const mil_program& program) {
    const auto lines = lines_of(program.text);
    REQUIRE(lines.size() > 6);
    CHECK(lines[0] == "program(1.3)");
    CHECK(lines[1] == "[buildInfo = dict<string, string>({{\"coremlc-component-MIL\", \"3520.4.1\"}, "
                      "{\"coremlc-version\", \"3520.5.1\"}})]");
    CHECK(lines[2] == "{");
    CHECK(lines[3].rfind("    func main<ios18>(", 0) == 0);
    CHECK(lines[lines.size() - 2].rfind("    } -> (", 0) == 0);
    CHECK(lines.back() == "}");

    std::set<std::string> defined;
    static const std::regex parameter(R"(> (\w+)[,)])");
    for (std::sregex_iterator i(lines[3].begin(), lines[3].end(), parameter), end; i != end; ++i) {
        CHECK(defined.insert((*i)[1]).second);
    }
    std::set<std::string> operations;
    static const std::regex identifier(R"([A-Za-z_]\w*)");
    for (const statement& s : statements_of(program.text)) {
        CAPTURE(s.name);
        CHECK(s.attributes.at("name") == "string(\"" + s.name + "\")");
        if (s.operation == "const") {
            CHECK(s.arguments.empty());
            CHECK(s.attributes.size() == 2);
            CHECK(s.attributes.count("val") == 1);
        } else {
            operations.insert(s.operation);
            std::set<std::string> given;
            for (const auto& argument : s.arguments) {
                const std::string& value = argument.second;
                given.insert(argument.first);
                CAPTURE(value);
                const std::string inner = value.front() == '(' ? value.substr(1, value.size() - 2) : value;
                std::istringstream parts(inner);
                for (std::string part; std::getline(parts, part, ',');) {
                    part.erase(0, part.find_first_not_of(' '));
                    if (std::regex_match(part, identifier)) {
                        CHECK_MESSAGE(defined.count(part) == 1, part, " is used before it is defined");
                    } else { // a literal with its type
                        CHECK(std::regex_match(part, std::regex(R"((fp16|bool|int32)\([^()]*\))")));
                    }
                }
            }
            CHECK(given == wanted_arguments(s.operation));
            CHECK(s.attributes.size() == 1);
        }
        CHECK_MESSAGE(defined.insert(s.name).second, "defined twice");
    }
    return operations;
}

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

TEST_CASE("mil: ports keep their names, whatever they are called") {
    // Variables are t0, t1, ..., their helpers t0_pad and so on; ports with such names move them aside.
    constexpr auto model = graph([](auto& g) {
        auto x = g.input("t3"_s, f16<1, 2, 4, 4>);
        auto y = g.input("t_"_s, f16<1, 2, 4, 4>);
        auto z = max_pool<pool{.kernel = 2, .stride = 2}>(relu(x + y));
        g.output("t1"_s, z);
        g.output("t__7_pad"_s, conv2d<conv{.padding = same}>(z, g.weight("t5"_s, f16<2, 2, 3, 3>)));
        g.output("t1_pad"_s, exp(z)); // the name that a helper of t1 would have
        g.output("T"_s, x);
    });
    const mil_program program = emitted(model);
    check_text(program);
    CHECK(program.text.find("tensor<fp16, [1, 2, 4, 4]> t3, tensor<fp16, [1, 2, 4, 4]> t_)") != std::string::npos);
    CHECK(program.text.find("-> (t1, t__7_pad, t1_pad, T);") != std::string::npos);
}

TEST_CASE("mil: ports that are named like the helpers of another port") {
    constexpr auto model = graph([](auto& g) {
        auto x = g.input("out_pad"_s, f16<1, 2, 4, 4>);
        g.output("out"_s, max_pool<pool{.kernel = 2, .stride = 2}>(x));
        g.output("out_strides"_s, relu(x));
    });
    check_text(emitted(model));
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

TEST_CASE("mil: ports that are words of the grammar have another name in the text") {
    dynamic_builder g;
    const dynamic_tensor x = g.input("tensor", {4});
    const dynamic_tensor y = g.input("true", {4});
    g.output("fp16", g.add(op::add, {x, y}));
    g.output("tensor_", g.add(op::relu, {x}));
    g.output("x", g.add(op::relu, {y})); // the name of an argument is no word of the grammar
    const dynamic_graph model = g.finish();
    const mil_program program = emitted(model);
    check_text(program);
    CHECK(program.inputs == std::vector<std::string>{"tensor__", "true_"});
    CHECK(program.outputs == std::vector<std::string>{"fp16_", "tensor_", "x"});
    CHECK(program.text.find("main<ios18>(tensor<fp16, [4]> tensor__, tensor<fp16, [4]> true_)") != std::string::npos);
    CHECK(program.text.find("-> (fp16_, tensor_, x);") != std::string::npos);
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

TEST_CASE("states are two ports on the direct route, and Core ML's own in files for it") {
    static constexpr auto exchanged = graph([](auto& g) {
        auto x = g.input("x"_s, f16<2>);
        auto a = g.state("a"_s, f16<2>);
        auto b = g.state("b"_s, f16<2>);
        auto old = read(a);
        write(a, read(b) + x);
        write(b, old);
        g.output("y"_s, read(a));
    });
    const lowered_graph lowered = lower(exchanged);
    const folded_constants none = fold_constants(lowered.graph, {});
    const std::string direct = emit_mil(lowered.graph, none).text;
    CHECK(direct.find("state<") == std::string::npos);
    CHECK(direct.find("_state(") == std::string::npos);
    CHECK(direct.find("-> (a_out, b_out, y)") != std::string::npos);

    const std::string text = emit_mil(lowered.graph, none, {.core_ml_states = true}).text;
    CHECK(text.find("state<tensor<fp16, [2]>> a, state<tensor<fp16, [2]>> b") != std::string::npos);
    CHECK(text.find("-> (y)") != std::string::npos);
    const std::size_t last_read = text.rfind("= read_state(input = ");
    REQUIRE(last_read != std::string::npos);
    CHECK(last_read < text.find("write_state(data = ")); // what is written does not reach this run's reads

    const auto lookup = [](std::string_view) { return std::span<const std::byte>(); };
    const read_model back = read_mil(text, lookup);
    const graph_view g = back.graph;
    REQUIRE(g.outputs.size() == 3);
    for (const char* name : {"a", "b"}) {
        CHECK(g.next_of(g.find(op::input, name)) >= 0);
    }
    auto one = backend::cpu{}.rounding(rounding::each_operation).compile(lowered.graph, {});
    auto other = backend::cpu{}.rounding(rounding::each_operation).compile(back.graph, {});
    for (const double value : {1.0, 2.0, 4.0, 8.0}) {
        const std::vector<half> x(2, half(value));
        std::vector<half> y(2);
        std::vector<half> z(2);
        const std::span<const std::byte> in[] = {std::as_bytes(std::span(x))};
        const std::span<std::byte> out_y[] = {std::as_writable_bytes(std::span(y))};
        const std::span<std::byte> out_z[] = {std::as_writable_bytes(std::span(z))};
        one.run(in, out_y);
        other.run(in, out_z);
        CHECK(y == z);
    }
}

TEST_CASE("a file for Core ML with nothing but states is refused") {
    static constexpr auto silent = graph([](auto& g) {
        auto a = g.state("a"_s, f16<2>);
        write(a, read(a) + g.input("x"_s, f16<2>));
    });
    const lowered_graph lowered = lower(silent);
    CHECK_THROWS_WITH_AS(emit_mil(lowered.graph, fold_constants(lowered.graph, {}), {.core_ml_states = true}),
                         doctest::Contains("needs an output that is no state"), error);
}
