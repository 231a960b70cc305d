#include "netplist_parts.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace ane;
using namespace netplist_parts;

TEST_CASE("netplist: x sigmoid(x), as the facts draw it") {
    const netplist program = netplist_models::emit(build_graph([](auto& g) {
                                                       auto x = g.input("x"_s, f16<1, 2, 3, 4>);
                                                       g.output("y"_s, silu(x));
                                                   }),
                                                   "s");
    const auto entry = [](const char* unit) {
        return plist_dict{{"InputName", "x"}, {"Name", unit},        {"OperationName", "op0"}, {"InputType", "Float16"},
                          {"BatchSize", 1},   {"InputDepth", 1},     {"InputChannels", 2},     {"InputHeight", 3},
                          {"InputWidth", 4},  {"InputInterleave", 1}};
    };
    const plist_dict expected{
        {"Version", "1.0.10"},
        {"Networks", plist_array{"network_s"}},
        {"ProcedureList",
         plist_array{plist_dict{
             {"Name", "procedure_s"},
             {"OperationList", plist_array{plist_dict{{"OperationName", "op0"}, {"NetworkName", "network_s"}}}},
             {"InputList", plist_array{entry("silu_1"), entry("silu_1_1")}},
             {"OutputList", plist_array{plist_dict{{"OutputName", "y"},
                                                   {"Name", "silu_1_1"},
                                                   {"OperationName", "op0"},
                                                   {"OutputType", "Float16"},
                                                   {"OutputInterleave", 1}}}}}}},
        {"network_s", plist_dict{{"Units", plist_array{"silu_1", "silu_1_1"}},
                                 {"Weights", plist_array{"weights.0"}},
                                 {"silu_1", plist_dict{{"Name", "silu_1"},
                                                       {"Type", "Neuron"},
                                                       {"Bottom", plist_array{"x"}},
                                                       {"InputType", plist_array{"Float16"}},
                                                       {"OutputType", "Float16"},
                                                       {"OutputChannels", 2},
                                                       {"Params", plist_dict{{"Type", "SigmoidHighPrecision"}}}}},
                                 {"silu_1_1", plist_dict{{"Name", "silu_1_1"},
                                                         {"Type", "ElementWise"},
                                                         {"Bottom", plist_array{"x", "silu_1"}},
                                                         {"InputType", plist_array{"Float16", "Float16"}},
                                                         {"OutputType", "Float16"},
                                                         {"OutputChannels", 2},
                                                         {"Params", plist_dict{{"Type", "Mult"}}}}},
                                 {"y", plist_dict{{"OutputName", "y"},
                                                  {"Bottom", "silu_1_1"},
                                                  {"OutputType", "Float16"},
                                                  {"OutputInterleave", 1}}}}}};
    CHECK(text(program.document) == text(expected));
    REQUIRE(program.weights.size() == 1);
    CHECK(program.weights[0].bytes == std::vector<std::byte>(1024));
}

TEST_CASE("netplist: scalars are fp16 bit patterns") {
    const auto only = [](const auto& operation) {
        const parts p = parts_of([&](auto& g) { g.output("y"_s, operation(g.input("x"_s, f16<1, 1, 2, 2>))); });
        return p.params(0);
    };
    CHECK(text(only([](auto x) { return x * 2.5; })) == text(plist_dict{{"ScaleScalar", 16640}}));
    CHECK(text(only([](auto x) { return x + 0.01; })) == text(plist_dict{{"BiasScalar", 8479}}));
    CHECK(text(only([](auto x) { return x - 6.0; })) == text(plist_dict{{"BiasScalar", 17920 + 32768}}));
    CHECK(text(only([](auto x) { return leaky_relu(x); })) ==
          text(plist_dict{{"Type", "LeakyReLU"}, {"ReluSlope", 8479}, {"ReluOffset", 0}}));
    CHECK(text(only([](auto x) { return relu6(x); })) ==
          text(plist_dict{{"Type", "ClampedReLU"}, {"ReluMin", 0}, {"ReluMax", 17920}}));
    CHECK(text(only([](auto x) { return clamp(x, -0.5, 1.0); })) ==
          text(plist_dict{{"Type", "ClampedReLU"}, {"ReluMin", 47104}, {"ReluMax", 15360}}));
    CHECK(text(only([](auto x) { return exp(x); })) == text(plist_dict{{"ScaleScalar", 15813}}));
    CHECK(text(only([](auto x) { return rsqrt(x, 1e-3); })) == text(plist_dict{{"Type", "Rsqrt"}, {"Epsilon", 5145}}));
    CHECK(text(only([](auto x) { return rsqrt(x); })) == text(plist_dict{{"Type", "Rsqrt"}}));
    CHECK(text(only([](auto x) { return log2(x); })) == text(plist_dict{{"Type", "Log2"}}));
}

TEST_CASE("netplist: ln x is log2 x, scaled by ln 2; e^x is 2^(x log2 e)") {
    const parts l = parts_of([](auto& g) { g.output("y"_s, log(g.input("x"_s, f16<4>))); });
    REQUIRE(l.units.size() == 2);
    CHECK(text(l.params(0)) == text(plist_dict{{"Type", "Log2"}}));
    CHECK(text(l.params(1)) == text(plist_dict{{"ScaleScalar", 14732}}));
    const parts e = parts_of([](auto& g) { g.output("y"_s, exp(g.input("x"_s, f16<4>))); });
    REQUIRE(e.units.size() == 2);
    CHECK(e.type(0) == "GOC");
    CHECK(text(e.params(1)) == text(plist_dict{{"Type", "Exp2"}}));
}

TEST_CASE("netplist: bias, gain and offset of a convolution are GOC units, one for each") {
    const parts p = parts_of([](auto& g) {
        auto x = g.input("x"_s, f16<1, 1, 4, 4>);
        auto y = conv2d(x, g.weight("w", f16<2, 1, 2, 3>), g.weight("b", f16<2>));
        g.output("y"_s, y * g.weight("gain", f16<2, 1, 1>) + g.weight("offset", f16<2, 1, 1>));
    });
    REQUIRE(p.units.size() == 4);
    CHECK(p.type(0) == "Conv");
    const plist_dict conv = p.params(0);
    CHECK(text(conv) == text(plist_dict{{"Type", "Conv"},
                                        {"KernelWidth", 3},
                                        {"KernelHeight", 2},
                                        {"Step", plist_array{1, 1}},
                                        {"PadTop", 0},
                                        {"PadBot", 0},
                                        {"PadLeft", 0},
                                        {"PadRight", 0},
                                        {"PaddingMode", "Zero"},
                                        {"KernelMode", "Dense"},
                                        {"KernelType", "Float16"},
                                        {"KernelIndex", 1},
                                        {"KernelOffset", 0}}));
    const auto group = [](const char* kind, int index) {
        plist_dict g{
            {std::string(kind) + "Count", 2}, {std::string(kind) + "Index", index}, {std::string(kind) + "Offset", 0}};
        if (std::string_view(kind) == "Bias") {
            g["BiasMutable"] = false;
        }
        return text(plist_dict{{"BiasScaleGroupData", g}});
    };
    CHECK(text(p.params(1)) == group("Bias", 2));
    CHECK(text(p.params(2)) == group("Scale", 3));
    CHECK(text(p.params(3)) == group("Bias", 4));
    const char* const names[] = {"w", "b", "gain", "offset"};
    for (int i = 0; i < 4; ++i) {
        const std::vector<half> stored = p.blob(i + 1);
        const std::vector<float> given = netplist_models::sample(names[i], i == 0 ? 12 : 2);
        REQUIRE(stored.size() == given.size());
        for (std::size_t k = 0; k < given.size(); ++k) {
            CHECK(static_cast<float>(stored[k]) == given[k]);
        }
    }
}

TEST_CASE("netplist: x stands before y") {
    const parts p = parts_of([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4, 9, 9>);
        auto y = conv2d<conv{.stride = {2, 1}, .dilation = {1, 3}, .padding = {1, 2, 3, 4}, .groups = 4}>(
            x, g.weight("w", f16<4, 1, 3, 2>));
        g.output("y"_s, y);
    });
    const plist_dict c = p.params(0);
    CHECK(parts::get<std::string>(c, "Type") == "ChannelWiseDilatedConv");
    CHECK(text(*c.find("Step")) == text(plist_array{1, 2}));
    const std::pair<const char*, int> expected[] = {{"KernelWidth", 2},     {"KernelHeight", 3}, {"KernelDilationX", 3},
                                                    {"KernelDilationY", 1}, {"PadTop", 1},       {"PadBot", 2},
                                                    {"PadLeft", 3},         {"PadRight", 4}};
    for (const auto& e : expected) {
        CAPTURE(e.first);
        CHECK(parts::get<std::int64_t>(c, e.first) == e.second);
    }
    CHECK(parts::get<std::int64_t>(p.units[0], "NumGroups") == 4);
}

TEST_CASE("netplist: a matrix product exchanges Channel and Height around the unit") {
    const parts p = parts_of([](auto& g) {
        auto a = g.input("a"_s, f16<2, 3, 4>);
        auto b = g.input("b"_s, f16<2, 5, 4>);
        g.output("y"_s, matmul<transposed{.b = true}>(a, b));
    });
    REQUIRE(p.units.size() == 4);
    const auto moves = [](std::initializer_list<std::pair<const char*, const char*>> list) {
        plist_array result;
        for (const auto& [from, to] : list) {
            result.emplace_back(plist_dict{{"TransposeSourceDimension", from}, {"TransposeDestinationDimension", to}});
        }
        return text(plist_dict{{"TransposeDimensions", result}});
    };
    CHECK(text(p.params(0)) == moves({{"Height", "Channel"}, {"Channel", "Height"}}));
    CHECK(text(p.params(1)) == moves({{"Width", "Channel"}, {"Channel", "Height"}, {"Height", "Width"}}));
    CHECK(p.type(2) == "MatrixMultiplication");
    CHECK(p.units[2].find("Params") == nullptr);
    CHECK(p.bottoms(2) == std::vector<std::string>{p.name(0), p.name(1)});
    CHECK(text(p.params(3)) == moves({{"Height", "Channel"}, {"Channel", "Height"}}));
}

TEST_CASE("netplist: a constant right operand is stored in the order of the unit") {
    const parts p =
        parts_of([](auto& g) { g.output("y"_s, linear(g.input("x"_s, f16<1, 3>), g.weight("w", f16<2, 3>))); });
    REQUIRE(p.units.size() == 1); // with one row there is nothing to exchange
    REQUIRE(p.bottoms(0).size() == 2);
    const plist_dict c = parts::get<plist_dict>(p.body, p.bottoms(0)[1]);
    CHECK(parts::get<std::int64_t>(c, "ConstantChannels") == 3);
    CHECK(parts::get<std::int64_t>(c, "ConstantHeight") == 1);
    CHECK(parts::get<std::int64_t>(c, "ConstantWidth") == 2);
    const std::vector<float> w = netplist_models::sample("w", 6);
    const std::vector<half> stored = p.blob(parts::get<std::int64_t>(c, "ConstantIndex"));
    REQUIRE(stored.size() == 6);
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t n = 0; n < 2; ++n) {
            CHECK(static_cast<float>(stored[k * 2 + n]) == w[n * 3 + k]);
        }
    }
}

TEST_CASE("netplist: no unit names a symbol twice, a copy stands in") {
    const parts p = parts_of([](auto& g) {
        auto x = g.input("x"_s, f16<1, 1, 2, 2>);
        g.output("y"_s, x * x);
    });
    REQUIRE(p.units.size() == 2);
    CHECK(text(p.params(0)) == text(plist_dict{{"ScaleScalar", 15360}}));
    CHECK(p.bottoms(1) == std::vector<std::string>{"x", p.name(0)});
    CHECK(parts::get<plist_array>(p.procedure, "InputList").size() == 2);
}

TEST_CASE("netplist: equal blobs share a file") {
    const parts p = parts_of([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 3, 3>);
        auto w = g.weight("w", f16<2, 2, 1, 1>);
        g.output("y"_s, conv2d(conv2d(x, w), w));
    });
    CHECK(p.weights.size() == 2);
    CHECK(p.weights[1].name == "weights.1");
}

TEST_CASE("netplist: unit names keep clear of ports, outputs of inputs") {
    const parts p = parts_of([](auto& g) {
        auto x = g.input("relu_1"_s, f16<1, 1, 2, 2>);
        g.output("relu_1_1"_s, relu(x));
        g.output("same"_s, transpose<permutation{0, 1, 2, 3}>(x));
    });
    std::set<std::string> names{"relu_1", "relu_1_1", "same"};
    for (std::size_t i = 0; i < p.units.size(); ++i) {
        CHECK(names.insert(p.name(i)).second);
    }
    const plist_dict port = parts::get<plist_dict>(p.body, "same");
    CHECK(parts::get<std::string>(port, "Bottom") == p.name(1)); // a transposition that moves nothing is a copy
    CHECK(p.type(1) == "GOC");
}

namespace {

/// The types of all units, then the parameters of the last one.
template <class Function> std::pair<std::vector<std::string>, std::string> units_of(const Function& describe) {
    const parts p = parts_of(describe);
    std::vector<std::string> types;
    for (std::size_t i = 0; i < p.units.size(); ++i) {
        types.push_back(p.type(i));
    }
    return {types, text(p.params(p.units.size() - 1))};
}
using names = std::vector<std::string>;

} // namespace

TEST_CASE("netplist: the keys of the native layers are those of the facts") {
    const auto shuffle = units_of([](auto& g) {
        g.output("y"_s, pixel_shuffle<factors{3, 2}>(g.input("x"_s, f16<1, 6, 2, 2>)));
    });
    CHECK(shuffle.first == names{"PixelShuffle"});
    CHECK(shuffle.second == text(plist_dict{{"FactorX", 2}, {"FactorY", 3}, {"FactorZ", 1}}));
    const auto correlation = units_of([](auto& g) {
        g.output("y"_s, cross_correlation(g.input("x"_s, f16<1, 1, 5, 6>), g.input("t"_s, f16<1, 1, 2, 3>)));
    });
    CHECK(correlation.first == names{"Reshape", "CrossCorrelation"});
    CHECK(correlation.second == text(plist_dict{{"NumGroups", 1},
                                                {"PadTop", 0},
                                                {"PadBot", 0},
                                                {"PadLeft", 0},
                                                {"PadRight", 0},
                                                {"TemplateHeight", 2},
                                                {"TemplateWidth", 3}}));
    const auto volume = units_of([](auto& g) {
        g.output("y"_s, cost_volume<4>(g.input("x"_s, f16<1, 1, 2, 3>), g.input("r"_s, f16<1, 1, 2, 6>)));
    });
    CHECK(volume.first == names{"CostVolume"});
    CHECK(volume.second == text(plist_dict{{"DisparityDirection", 0}, {"DisparityRange", 3}}));
    const auto points =
        units_of([](auto& g) { g.output("y"_s, furthest_point_sampling<3>(g.input("x"_s, f16<1, 3, 1, 8>))); });
    CHECK(points.first == names{"FurthestPointSampling"});
    CHECK(points.second == text(plist_dict{{"CentroidCount", 3}, {"DistanceMetric", "L2"}}));
    const auto response = units_of(
        [](auto& g) { g.output("y"_s, local_response_norm<4>(g.input("x"_s, f16<1, 4, 2, 2>), 0.5, 0.75, 1.0)); });
    CHECK(response.first == names{"LocalResponseNormalization"});
    CHECK(response.second == text(plist_dict{{"Type", "Channel"},
                                             {"KernelWidth", 1},
                                             {"KernelHeight", 1},
                                             {"KernelChannel", 4},
                                             {"Alpha", 14336},
                                             {"Beta", 0.75},
                                             {"K", 1.0}}));
}

TEST_CASE("netplist: nearest upsampling is a Unity convolution without a blob, powers of two are chains of it") {
    const auto up = units_of([](auto& g) {
        g.output("y"_s, resize<sampling{.extent = {8, 12}, .method = sampling_method::nearest}>(
                            g.input("x"_s, f16<1, 2, 2, 3>)));
    });
    CHECK(up.first == names{"Conv", "Conv"});
    CHECK(up.second == text(plist_dict{{"KernelWidth", 2},
                                       {"KernelHeight", 2},
                                       {"Step", plist_array{2, 2}},
                                       {"PadTop", 1},
                                       {"PadBot", 0},
                                       {"PadLeft", 1},
                                       {"PadRight", 0},
                                       {"Type", "ChannelWiseDeConv"},
                                       {"KernelMode", "Unity"},
                                       {"KernelGroupReuse", true},
                                       {"KernelType", "Float16"}}));
}

TEST_CASE("netplist: attention and the min-max norm are one unit where lowering keeps them") {
    const dynamic_graph model = build_graph([](auto& g) {
        auto q = g.input("q"_s, f16<1, 2, 3, 4>);
        auto k = g.input("k"_s, f16<1, 2, 5, 4>);
        g.output("y"_s, attention(q, k, g.input("v"_s, f16<1, 2, 5, 4>), g.input("m"_s, f16<3, 5>)));
        g.output("z"_s, minmax_norm(q, 0.5));
    });
    const lowered_graph whole = lower(model, {op::attention, op::minmax_norm});
    const parts p(emit_netplist(whole.view(), fold_constants(whole.graph, netplist_models::sample_weights(model))));
    int seen = 0;
    for (std::size_t i = 0; i < p.units.size(); ++i) {
        if (p.type(i) == "SDPA") {
            CHECK(text(p.params(i)) == text(plist_dict{{"SubtractMax", true}}));
            CHECK(p.bottoms(i).size() == 5);
            CHECK(parts::get<std::int64_t>(p.units[i], "OutputChannels") == 3);
            ++seen;
        } else if (p.type(i) == "MinMaxNormalization") {
            CHECK(text(p.params(i)) == text(plist_dict{{"Dimension", "Width"}, {"Epsilon", 14336}}));
            ++seen;
        } else {
            CHECK(p.type(i) == "Transpose");
        }
    }
    CHECK(seen == 2);
}

TEST_CASE("netplist: several graphs in one document have a network and a procedure each, and share equal files") {
    const auto scaled = [](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 3, 3>);
        g.output("y"_s, conv2d(x, g.weight("w", f16<2, 2, 1, 1>)));
    };
    const auto other = [](auto& g) {
        auto x = g.input("x"_s, f16<1, 2, 3, 3>);
        g.output("y"_s, conv2d(conv2d(x, g.weight("v", f16<2, 2, 1, 3>)), g.weight("w", f16<2, 2, 1, 1>)));
    };
    const netplist both[] = {netplist_models::emit(build_graph(scaled), "one"),
                             netplist_models::emit(build_graph(other), "two")};
    const netplist joined = join_netplists(both);
    const plist_dict& root = *joined.document.get_if<plist_dict>();
    CHECK(text(*root.find("Networks")) == text(plist_array{"network_one", "network_two"}));
    const plist_array procedures = parts::get<plist_array>(root, "ProcedureList");
    REQUIRE(procedures.size() == 2);
    CHECK(parts::get<std::string>(*procedures[1].get_if<plist_dict>(), "Name") == "procedure_two");
    const plist_dict second = parts::get<plist_dict>(root, "network_two");
    for (std::size_t k = 0; k < both[1].weights.size(); ++k) { // what an index meant before, it means now
        const std::string file = *parts::get<plist_array>(second, "Weights")[k].get_if<std::string>();
        bool found = false;
        for (const netplist_blob& blob : joined.weights) {
            found = found || (blob.name == file && blob.bytes == both[1].weights[k].bytes);
        }
        CHECK(found);
    }
    CHECK(joined.weights.size() < both[0].weights.size() + both[1].weights.size());
    const netplist twice[] = {both[0], both[0]};
    CHECK_THROWS_AS(join_netplists(twice), error);
}

TEST_CASE("netplist: a constant mask is stored as 1 and 0, a constant of some depth is no output") {
    const parts p = parts_of([](auto& g) {
        auto x = g.input("x"_s, f16<1, 1, 1, 4>);
        auto w = g.constant(f16<1, 1, 1, 4>, {-1, 2, -3, 4});
        g.output("y"_s, select(greater(w, 0.0), x, relu(x)));
    });
    const plist_array constants = parts::get<plist_array>(p.body, "Constants");
    REQUIRE(constants.size() == 1);
    const plist_dict entry = parts::get<plist_dict>(p.body, *constants[0].get_if<std::string>());
    const std::vector<half> mask = p.blob(parts::get<std::int64_t>(entry, "ConstantIndex"));
    REQUIRE(mask.size() == 4);
    CHECK(static_cast<float>(mask[0]) == 0);
    CHECK(static_cast<float>(mask[1]) == 1);
    CHECK(static_cast<float>(mask[2]) == 0);
    CHECK(static_cast<float>(mask[3]) == 1);
    CHECK_THROWS_AS(parts_of([](auto& g) {
                        g.output("x2"_s, relu(g.input("x"_s, f16<1, 1, 1, 4>)));
                        g.output("y"_s, g.weight("w", f16<1, 2, 3, 4, 5>) * 2.0);
                    }),
                    error);
}
