// Constants beyond fp16: masks before a softmax become finite ones, in every kind of file; others are refused by name.

#include "mil_support.hpp"
#include "netplist_network.hpp"
#include <anemone/formats/mil.hpp>
#include <anemone/rules/evaluate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using reading::numbers;
using reading::program_of;

constexpr float endless = std::numeric_limits<float>::infinity();

/// e^x of a row over their sum, where `kept` says so: what a softmax with a mask is.
numbers masked_softmax(const numbers& row, const std::vector<bool>& kept) {
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
        sum += kept[i] ? std::exp(row[i]) : 0;
    }
    numbers result;
    for (std::size_t i = 0; i < row.size(); ++i) {
        result.push_back(kept[i] ? std::exp(row[i]) / sum : 0);
    }
    return result;
}

template <class Numbers> bool is_near(const Numbers& found, const numbers& wanted) {
    bool same = found.size() == wanted.size();
    for (std::size_t i = 0; same && i < wanted.size(); ++i) {
        same = std::fabs(static_cast<double>(found[i]) - wanted[i]) < 0.002; // NaN is not near
    }
    return same;
}

const std::string shares = "tensor<fp16, [2, 3]> y = softmax(x = s, axis = 1)[name = string(\"y\")];";
const std::string x_and_m = "tensor<fp16, [2, 3]> x, tensor<fp16, [1, 3]> m";

std::string told_of(const std::string& inputs, const std::string& body) {
    try {
        static_cast<void>(reading::read(program_of(inputs, body)));
    } catch (const ane::unreadable& refused) {
        return refused.what();
    }
    return {};
}

} // namespace

TEST_CASE("masks in MIL text become finite, whether they are added, chosen or multiplied") {
    const numbers x{1, 2, 0.5, -20, -30, -25}; // scores that take a mask of -65504 beyond fp16
    const std::string text[] = {
        "tensor<fp16, [2, 3]> s = add(x = x, y = tensor<fp32, [1, 3]>([0, -0x1.fffffep+127, 0]));\n" + shares,
        "tensor<fp16, [2, 3]> s = add(x = tensor<fp32, [1, 3]>([0, -1e9, 0]), y = x);\n" + shares,
        "tensor<fp16, [2, 3]> s = sub(x = x, y = tensor<fp32, [1, 3]>([0, 1e9, 0]));\n" + shares,
        "tensor<fp16, [2, 3]> s = add(x = x, y = tensor<fp16, [1, 3]>([0, -inf, 0]));\n" + shares,
        "tensor<bool, [1, 3]> c = not_equal(x = m, y = fp16(0));\n"
        "tensor<fp16, [2, 3]> s = select(cond = c, a = fp16(-inf), b = x);\n" +
            shares,
        "tensor<fp16, [1, 3]> w = mul(x = m, y = fp32(-1e9));\n"
        "tensor<fp16, [2, 3]> s = add(x = x, y = w);\n" +
            shares,
        // softmax written out, twice masked
        "tensor<fp16, [1, 3]> w = mul(x = m, y = fp32(-0x1.fffffep+127));\n"
        "tensor<fp16, [2, 3]> t = add(x = x, y = w);\n"
        "tensor<fp16, [2, 3]> s = add(x = t, y = tensor<fp32, [3]>([0, -1e9, 0]));\n"
        "tensor<fp16, [2, 1]> top = reduce_max(x = s, axes = [1], keep_dims = true);\n"
        "tensor<fp16, [2, 3]> d = sub(x = s, y = top);\n"
        "tensor<fp16, [2, 3]> e = exp(x = d);\n"
        "tensor<fp16, [2, 1]> all = reduce_sum(x = e, axes = [1], keep_dims = true);\n"
        "tensor<fp16, [2, 3]> y = real_div(x = e, y = all);",
    };
    numbers wanted = masked_softmax({1, 2, 0.5}, {true, false, true});
    const numbers second = masked_softmax({-20, -30, -25}, {true, false, true});
    wanted.insert(wanted.end(), second.begin(), second.end());
    for (const std::string& body : text) {
        CAPTURE(body);
        const bool reads_m = body.find("= m,") != std::string::npos;
        const ane::read_model model = reading::read(program_of(reads_m ? x_and_m : "tensor<fp16, [2, 3]> x", body));
        const std::vector<numbers> inputs = reads_m ? std::vector<numbers>{x, {0, 1, 0}} : std::vector<numbers>{x};
        CHECK(is_near(reading::run(model, inputs)[0], wanted));
        REQUIRE(model.changes.size() == 1);
        CHECK(model.changes[0].find("masks before a softmax that are beyond fp16") == 0);
        const bool is_infinite = body.find("inf") != std::string::npos;
        CHECK((model.changes[0].find("uniform, in the file it is NaN") != std::string::npos) == is_infinite);
        for (const float value : model.graph.payload) {
            CHECK(std::isfinite(value));
        }
    }
}

TEST_CASE("a row that is masked wholly stays finite, and is uniform") {
    const ane::read_model model =
        reading::read(program_of(x_and_m, "tensor<fp16, [1, 3]> w = mul(x = m, y = fp32(-0x1.fffffep+127));\n"
                                          "tensor<fp16, [2, 3]> s = add(x = x, y = w);\n" +
                                              shares));
    // In fp32 the scores vanish beside -3.4e38; in fp16 only what is less than half a unit of 16.
    const numbers third(6, 1.0 / 3);
    CHECK(is_near(reading::run(model, {{1, 2, 0.5, -2, -3, 0}, {1, 1, 1}})[0], third));
}

TEST_CASE("what is no mask is refused, with its place, value and limit") {
    const std::string x = "tensor<fp16, [2, 3]> x, tensor<fp16, [3, 3]> k";
    const std::string large = "y = fp32(1e7)";
    const auto refused = [&](const std::string& body) {
        CAPTURE(body);
        const std::string told = told_of(x, body);
        CHECK(told.find("model.mil:4:") != std::string::npos);
        CHECK(told.find("element 0 of a constant is 10000000; the graph holds finite fp16 values, up to 65504") !=
              std::string::npos);
    };
    refused("tensor<fp16, [2, 3]> y = mul(x = x, " + large + ")[name = string(\"y\")];");
    // also an output
    refused("tensor<fp16, [2, 3]> s = add(x = x, " + large + ");\n" +
            "tensor<fp16, [2, 3]> t = softmax(x = s, axis = 1);\ntensor<fp16, [2, 3]> y = add(x = s, y = t);");
    // scores times a number, to which something is added
    refused("tensor<fp16, [2, 3]> v = mul(" + large +
            ", x = x);\n" // 4
            "tensor<fp16, [2, 3]> p = matmul(x = v, y = k);\n"
            "tensor<fp16, [2, 3]> s = add(x = p, y = x);\n" +
            shares);
    const ane::read_model judged =
        reading::read(program_of(x, "tensor<fp16, [2, 3]> y = mul(x = x, " + large + ")[name = string(\"y\")];"), {},
                      {.approximates = true});
    REQUIRE(judged.changes.size() == 1);
    CHECK(judged.graph.payload[0] == 65504);
    REQUIRE(judged.unheld.size() == 1); // for which `check` refuses the file, with the layer and a way out
    CHECK(judged.unheld[0].reason.find("of a constant is 10000000") != std::string::npos);
    // What no rounding makes a number of fp16 is told the same way, once for a statement.
    const auto told_alone = [&](const std::string& body, const char* why) {
        CAPTURE(body);
        CHECK(told_of(x, body).find(why) != std::string::npos);
        const ane::read_model lenient = reading::read(program_of(x, body), {}, {.approximates = true});
        REQUIRE(lenient.unheld.size() == 1);
        CHECK(lenient.unheld[0].reason.find(why) != std::string::npos);
        CHECK(lenient.unheld[0].line == 4);
    };
    told_alone("tensor<fp16, [2, 3]> y = add(x = x, y = tensor<fp16, [3]>([nan, 0x1p+0, nan]));",
               "element 0 of a constant is nan");
    told_alone("tensor<int32, [2, 3]> i = cast(x = x, dtype = string(\"int32\"));"
               "tensor<int32, [2, 3]> j = add(x = i, y = tensor<int32, [3]>([1, 4099, 4101]));"
               "tensor<fp16, [2, 3]> y = cast(x = j, dtype = string(\"fp16\"));",
               "element 1 of a constant is 4099, which fp16 does not hold exactly");
}

TEST_CASE("a factor inside a logarithm is a power of two smaller, and the logarithm of that is added") {
    const auto read_log = [](const std::string& body) {
        return reading::read(program_of("tensor<fp16, [2, 3]> x", body));
    };
    const std::string product = "tensor<fp16, [2, 3]> p = mul(x = x, y = fp32(0x1p+20));\n";
    const std::string sums[] = {"tensor<fp16, [2, 3]> s = add(x = p, y = fp16(1));\n",
                                "tensor<fp16, [2, 3]> s = add(x = fp16(1), y = p);\n"};
    const numbers x{0, 0x1p-20, 0x1p-16, 0.01, 1, 500}; // 500 * 2^20 is far beyond fp16
    numbers wanted;
    for (const double value : x) {
        wanted.push_back(std::log(1 + 0x1p+20 * value));
    }
    for (const std::string& sum : sums) {
        const ane::read_model model =
            read_log(product + sum + "tensor<fp16, [2, 3]> y = log(x = s, epsilon = fp16(0));");
        const auto found = reading::run(model, {x})[0];
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            CAPTURE(i);
            CHECK(std::fabs(static_cast<double>(found[i]) - wanted[i]) < 0.012); // a unit of numbers above 16
        }
        REQUIRE(model.changes.size() == 1);
        CHECK(model.changes[0].find("factors beyond fp16 inside a logarithm") == 0);
    }
    const ane::read_model alone = read_log(product + "tensor<fp16, [2, 3]> y = log(x = p, epsilon = fp16(0));");
    CHECK(std::fabs(static_cast<double>(reading::run(alone, {{1, 1, 1, 1, 1, 1}})[0][0]) - 13.8629436) < 0.008);
    // Something else reads the product, or the sum: both would be another number.
    for (const std::string& other : {std::string("p"), std::string("s")}) {
        CHECK(told_of("tensor<fp16, [2, 3]> x", product + sums[0] +
                                                    "tensor<fp16, [2, 3]> l = log(x = s, epsilon = fp16(0));\n"
                                                    "tensor<fp16, [2, 3]> y = add(x = l, y = " +
                                                    other + ");")
                  .find("1048576") != std::string::npos);
    }
}

TEST_CASE("a batch norm whose parameters fp16 does not hold is a factor and an offset for each channel") {
    const auto model_of = [](const std::string& parameters) {
        return reading::read(program_of("tensor<fp16, [1, 2, 1]> x", "tensor<fp16, [1, 2, 1]> y = batch_norm(x = x, " +
                                                                         parameters + ")[name = string(\"y\")];"));
    };
    const std::string mean = "mean = tensor<fp32, [2]>([0x1p+17, 0x1p+0]), ";
    const ane::read_model large = model_of(
        mean + "variance = tensor<fp32, [2]>([0x1p+34, 0x1p+0]), gamma = tensor<fp32, [2]>([0x1p+10, 0x1p+1]), "
               "beta = tensor<fp32, [2]>([0x1p+0, 0x1p+0]), epsilon = fp32(0x1p-20)");
    // 2^10 (x - 2^17) / 2^17 + 1 and 2 (x - 1) + 1
    CHECK(is_near(reading::run(large, {{256, 3}})[0], {3 - 1024, 5}));
    CHECK(large.notes.size() == 1);
    // A variance that fp16 makes 0: 1 / sqrt(2^-25 + 2^-25) is 4096
    const ane::read_model small =
        model_of("mean = tensor<fp32, [2]>([0, 0]), variance = tensor<fp32, [2]>([0x1p-25, 0x1p-25]), "
                 "epsilon = fp32(0x1p-25)");
    CHECK(is_near(reading::run(small, {{0x1p-12, 0x1p-11}})[0], {1, 2}));
    const ane::read_model usual =
        model_of("mean = tensor<fp32, [2]>([0.3, 2]), variance = tensor<fp32, [2]>([1.1, 3])");
    CHECK(usual.notes.empty());
    CHECK(std::any_of(usual.graph.nodes.begin(), usual.graph.nodes.end(),
                      [](const ane::node& n) { return n.kind == ane::op::batch_norm; }));
}

TEST_CASE("masks in the blobs of MIL text become finite") {
    for (const bool is_wide : {false, true}) {
        ane::blob_writer b;
        const std::vector<float> wide{0, -3e38F, -endless};
        const std::vector<ane::half> narrow{ane::half(0), ane::half(-endless), ane::half(-endless)};
        const std::uint64_t at = is_wide ? b.add(static_cast<ane::blob_type>(2), std::as_bytes(std::span(wide)), 0)
                                         : b.add(ane::blob_type::fp16, std::as_bytes(std::span(narrow)), 0);
        const std::string type = is_wide ? "tensor<fp32, [3]>" : "tensor<fp16, [3]>";
        const ane::read_model model = reading::read(
            program_of("tensor<fp16, [2, 3]> x",
                       type + " w = const()[val = " + type + "(BLOBFILE(path = string(\"w\"), offset = uint64(" +
                           std::to_string(at) + ")))];\n" + "tensor<fp16, [2, 3]> s = add(x = x, y = w);\n" + shares),
            b.bytes());
        CHECK(is_near(reading::run(model, {{1, 2, 3, 4, 5, 6}})[0], {1, 0, 0, 1, 0, 0}));
        CHECK(model.changes.size() == 1);
    }
}

TEST_CASE("masks in netplists become finite") {
    for (const bool is_wide : {false, true}) {
        netplist_network::network n;
        n.input("x", {1, 1, 3, 1, 1});
        n.constant("mask", {1, 1, 3, 1, 1}, n.blob({0, is_wide ? -3e38F : -endless, 0}, is_wide),
                   is_wide ? "Float32" : "Float16");
        n.unit("masked", "ElementWise", {"x", "mask"}, {{"Type", "Add"}});
        n.unit("shares", "Softmax", {"masked"}, {{"Dimension", "Channel"}});
        const ane::read_model model = ane::read_netplist(n.program());
        CHECK(is_near(netplist_network::results_of(model, {{1, 2, 1}}), {0.5, 0, 0.5}));
        CHECK(model.changes.size() == 1);
        CHECK(model.notes == model.changes);
    }
}

TEST_CASE("a constant that fp16 makes 0 keeps its value in the graph, so that the check names it; it computes as 0") {
    const auto model = [](const std::string& epsilon) {
        return reading::read(
            program_of("tensor<fp32, [2]> x", "tensor<fp32, [2]> y = add(x = x, y = " + epsilon + ");"));
    };
    const auto warns = [](const ane::read_model& read) {
        const std::vector<ane::violation> found = ane::violations(read.graph, ane::h13);
        return std::any_of(found.begin(), found.end(),
                           [](const ane::violation& v) { return v.rule == ane::rule::number_becomes_zero; });
    };
    CHECK(warns(model("fp32(0x1.19799812dea11p-40)")));  // 1e-12
    CHECK(warns(model("fp32(-0x1.5798ee2308c3ap-27)"))); // -1e-8
    CHECK_FALSE(warns(model("fp32(0x1p-24)")));
    CHECK_FALSE(warns(model("fp32(0x0p+0)")));
    CHECK(reading::run(model("fp32(0x1.19799812dea11p-40)"), {{0, 1}}) == std::vector<numbers>{{0, 1}});
}
