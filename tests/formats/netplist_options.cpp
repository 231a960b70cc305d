#include "netplist_parts.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace ane;
using namespace netplist_parts;

namespace {

/// The parameters of all GOC units of x, a first operation and a second one; their blobs' values in place of the index.
std::vector<std::string> gains(op first, const std::vector<float>& a, op second, const std::vector<float>& b,
                               const netplist_options& options = {.one_goc = true}) {
    const auto shape = [](const std::vector<float>& v) {
        return v.size() == 1 ? extents{} : extents{static_cast<std::int64_t>(v.size()), 1, 1};
    };
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {1, 2, 3, 4});
    const dynamic_tensor y = g.add(first, {x, g.constant(shape(a), a)});
    g.output("y", g.add(second, {y, g.constant(shape(b), b)}));
    const parts p(netplist_models::emit(g.finish(), "anemone", options));
    std::vector<std::string> result;
    for (std::size_t i = 0; i < p.units.size(); ++i) {
        CHECK(p.type(i) == "GOC");
        std::string line;
        const plist_dict params = p.params(i);
        for (const char* part : {"Scale", "Bias"}) {
            if (const auto* scalar = params.find(std::string(part) + "Scalar")) {
                half h;
                h.bits = static_cast<std::uint16_t>(*scalar->get_if<std::int64_t>());
                line += fmt::format("{} {} ", part, static_cast<float>(h));
            }
            if (params.find("BiasScaleGroupData") != nullptr) {
                const plist_dict group = parts::get<plist_dict>(params, "BiasScaleGroupData");
                if (group.find(std::string(part) + "Count") != nullptr) {
                    line += part;
                    for (const half h : p.blob(parts::get<std::int64_t>(group, std::string(part) + "Index"))) {
                        line += fmt::format(" {}", static_cast<float>(h));
                    }
                    line += " ";
                }
            }
        }
        result.push_back(line);
    }
    return result;
}
using lines = std::vector<std::string>;

} // namespace

TEST_CASE("netplist: one GOC holds a sum that is scaled") {
    CHECK(gains(op::add, {1.5}, op::mul, {0.5}) == lines{"Scale 0.5 Bias 1.5 "});
    CHECK(gains(op::sub, {1.5}, op::mul, {0.5}) == lines{"Scale 0.5 Bias -1.5 "});
    CHECK(gains(op::add, {1, 2}, op::mul, {3, 4}) == lines{"Scale 3 4 Bias 1 2 "});
    CHECK(gains(op::add, {1}, op::mul, {3, 4}) == lines{"Scale 3 4 Bias 1 1 "});
    CHECK(gains(op::add, {1}, op::mul, {0}) == lines{"Scale 0 Bias 1 "});
}

TEST_CASE("netplist: one GOC holds a product with an offset where that can be divided by the scale") {
    CHECK(gains(op::mul, {4}, op::add, {3}) == lines{"Scale 4 Bias 0.75 "});
    CHECK(gains(op::mul, {3}, op::sub, {6}) == lines{"Scale 3 Bias -2 "});
    CHECK(gains(op::mul, {2, -4}, op::add, {3}) == lines{"Scale 2 -4 Bias 1.5 -0.75 "});
    CHECK(gains(op::mul, {3}, op::add, {1}) == lines{"Scale 3 ", "Bias 1 "});                           // a third
    CHECK(gains(op::mul, {2, 3}, op::add, {1}) == lines{"Scale 2 3 ", "Bias 1 "});                      // one of them
    CHECK(gains(op::mul, {0}, op::add, {1}) == lines{"Scale 0 ", "Bias 1 "});                           // infinite
    CHECK(gains(op::mul, {0}, op::add, {0}) == lines{"Scale 0 ", "Bias 0 "});                           // not a number
    CHECK(gains(op::mul, {0.0009765625}, op::add, {128}) == lines{"Scale 0.0009765625 ", "Bias 128 "}); // 2^17
    CHECK(gains(op::add, {1}, op::add, {2}) == lines{"Bias 1 ", "Bias 2 "});
}

TEST_CASE("netplist: without the option a scale and an offset are two GOC units") {
    CHECK(gains(op::add, {1.5}, op::mul, {0.5}, {}) == lines{"Bias 1.5 ", "Scale 0.5 "});
    CHECK(gains(op::mul, {4}, op::add, {3}, {}) == lines{"Scale 4 ", "Bias 3 "});
}

TEST_CASE("netplist: a GOC that something else reads is not completed") {
    for (const bool returned : {false, true}) {
        dynamic_builder g;
        const dynamic_tensor sum = g.add(op::add, {g.input("x", {1, 2, 3, 4}), g.constant(1.5)});
        const dynamic_tensor alias = g.add(op::identity, {sum}); // no unit: the value of the sum
        g.output("y", g.add(op::mul, {alias, g.constant(2)}));
        g.output("z", returned ? sum : g.add(op::relu, {sum}));
        const parts p(netplist_models::emit(g.finish(), "anemone", {.one_goc = true}));
        CHECK(text(p.params(0)) == text(plist_dict{{"BiasScalar", 15872}}));
        CHECK(text(p.params(1)) == text(plist_dict{{"ScaleScalar", 16384}}));
    }
}

TEST_CASE("netplist: GlobalArgMinMax takes the place of ArgMinMax") {
    for (const bool global : {false, true}) {
        dynamic_builder g;
        g.output("y", g.add(op::arg_max, {g.input("x", {1, 5})}, axis{1}));
        const parts p(netplist_models::emit(g.finish(), "anemone", {.global_arg = global}));
        REQUIRE(p.units.size() == 1);
        CHECK(p.type(0) == (global ? "GlobalArgMinMax" : "ArgMinMax"));
        if (global) {
            CHECK(text(p.params(0)) == text(plist_dict{{"Type", "Max"}, {"Dimension", "Width"}}));
        }
    }
}

TEST_CASE("netplist: ArgMinMax along any axis is written for every chip") {
    const auto types = [](const extents& shape, int along) {
        dynamic_builder g;
        g.output("y", g.add(op::arg_min, {g.input("x", shape)}, axis{along}));
        const parts p(netplist_models::emit(g.finish(), "anemone"));
        std::string all;
        for (std::size_t i = 0; i < p.units.size(); ++i) {
            all += (i == 0 ? "" : " ") + p.type(i);
            if (p.type(i) == "ArgMinMax") {
                const plist_dict keys = p.params(i);
                CHECK(parts::get<std::string>(keys, "Mode") == "SpatialArgMin");
                CHECK(parts::get<std::int64_t>(keys, "KernelWidth") == shape[along]);
                CHECK(parts::get<std::int64_t>(keys, "KernelHeight") == 1);
            }
        }
        return all;
    };
    CHECK(types({2, 3, 4, 8}, 3) == "Reshape ArgMinMax Reshape");
    CHECK(types({2, 3, 4, 8}, 2) == "Transpose Reshape ArgMinMax Reshape");
    CHECK(types({2, 3, 4, 8}, 1) == "Transpose Reshape ArgMinMax Reshape Transpose");
    CHECK(types({2, 3, 4, 8}, 0) == "Transpose Reshape ArgMinMax Reshape Transpose");
    CHECK(types({1, 3, 1, 8}, 3) == "ArgMinMax");
    CHECK(types({1, 3, 1, 8}, 1) == "Transpose ArgMinMax Transpose");
    CHECK(types({2, 3, 1, 8}, 0) == "Transpose ArgMinMax Transpose");
    CHECK(types({2, 3, 1, 5, 8}, 1) == "Transpose Reshape ArgMinMax Reshape Transpose"); // depth
    CHECK(types({2, 3, 1, 5, 8}, 4) == "Reshape ArgMinMax Reshape");
    CHECK(types({1, 3, 4, 5, 8}, 4) == "Transpose ArgMinMax Transpose"); // the height lies along the batch
    CHECK(types({1, 3, 4, 5, 8}, 1) == "Transpose ArgMinMax Transpose");
    CHECK(types({2, 3, 4, 5, 8}, 4) == "GlobalArgMinMax"); // along four other axes
    CHECK(types({2, 3, 4, 5, 8}, 1) == "Transpose GlobalArgMinMax Transpose");
    CHECK(types({2, 3, 4, 1, 8}, 4) == "ArgMinMax");
    CHECK(types({1, 300, 300, 2}, 3) == "GlobalArgMinMax"); // of more lines than a tensor has channels
    CHECK(types({2, 300, 300, 3}, 0) == "Transpose GlobalArgMinMax Transpose");
}
