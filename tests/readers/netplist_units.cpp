#include "netplist_network.hpp"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

using namespace ane;
using namespace netplist_network;

namespace {

using vector = std::vector<float>;

/// One unit over inputs of these shapes.
vector one(std::string_view type, const std::vector<netplist_shape>& shapes, const plist_dict& params,
           const std::vector<vector>& values, const plist_dict& more = {}) {
    network n;
    names bottoms;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        bottoms.push_back(fmt::format("x{}", i));
        n.input(bottoms.back(), shapes[i]);
    }
    n.unit("u", type, bottoms, params, more);
    return n.run(values);
}

void near(const vector& got, const vector& want, double tolerance = 2e-3) {
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        CAPTURE(i);
        CHECK(got[i] == doctest::Approx(want[i]).epsilon(tolerance));
    }
}

vector upto(int count) {
    vector result(static_cast<std::size_t>(count));
    std::iota(result.begin(), result.end(), 0.0F);
    return result;
}

plist_dict with(plist_dict params, const plist_dict& more) {
    for (const auto& m : more.members()) {
        params[m.key] = m.content;
    }
    return params;
}

plist_dict window_of(int height, int width, int y, int x) {
    return {{"KernelHeight", height}, {"KernelWidth", width}, {"Step", plist_array{x, y}}};
}

} // namespace

TEST_CASE("Neuron") {
    const vector x{-2.5F, -0.5F, 0, 0.25F, 1.5F, 3};
    const struct {
        const char* variant;
        plist_dict params;
        std::function<double(double)> value;
    } cases[] = {
        {"ReLU", {}, [](double v) { return std::max(v, 0.0); }},
        {"Sigmoid", {}, [](double v) { return 1 / (1 + std::exp(-v)); }},
        {"SigmoidHighPrecision", {}, [](double v) { return 1 / (1 + std::exp(-v)); }},
        {"Tanh", {}, [](double v) { return std::tanh(v); }},
        {"GELU", {}, [](double v) { return v * 0.5 * (1 + std::erf(v / std::sqrt(2.0))); }},
        {"Exp2", {}, [](double v) { return std::exp2(v); }},
        {"Sin", {}, [](double v) { return std::sin(v); }},
        {"Cos", {}, [](double v) { return std::cos(v); }},
        {"Ceil", {}, [](double v) { return std::ceil(v); }},
        {"Floor", {}, [](double v) { return std::floor(v); }},
        {"RoundNearest", {}, [](double v) { return std::nearbyint(v); }},
        {"Trunc", {}, [](double v) { return std::trunc(v); }},
        {"Sign", {}, [](double v) { return double(v > 0) - double(v < 0); }},
        {"ELU", {{"EluAlpha", bits(0.5)}}, [](double v) { return v > 0 ? v : 0.5 * std::expm1(v); }},
        {"LeakyReLU", {{"ReluSlope", bits(0.125)}, {"ReluOffset", 0}}, [](double v) { return v < 0 ? v / 8 : v; }},
        {"ClampedReLU",
         {{"ReluMin", bits(-1)}, {"ReluMax", bits(1.25)}},
         [](double v) { return std::clamp(v, -1.0, 1.25); }},
        {"Erf", {}, [](double v) { return std::erf(v); }},
        {"Sqr", {}, [](double v) { return v * v; }},
        {"Swish", {}, [](double v) { return v / (1 + std::exp(-v)); }},
        {"Rsqrt", {{"Epsilon", bits(4)}}, [](double v) { return 1 / std::sqrt(v + 4); }},
        {"Inv", {{"Epsilon", bits(4)}}, [](double v) { return 1 / (v + 4); }},
        {"Log2", {{"Epsilon", bits(4)}}, [](double v) { return std::log2(v + 4); }},
    };
    for (const auto& c : cases) {
        CAPTURE(c.variant);
        vector want;
        for (const float v : x) {
            want.push_back(static_cast<float>(c.value(v)));
        }
        near(one("Neuron", {{1, 1, 3, 1, 2}}, with(c.params, {{"Type", c.variant}}), {x}), want, 4e-3);
    }
    near(one("Neuron", {{1, 1, 3, 1, 1}}, {{"Type", "Sqrt"}}, {{1, 4, 2.25F}}), {1, 2, 1.5F});
    near(one("Neuron", {{1, 1, 3, 1, 1}}, {{"Type", "Log2"}}, {{1, 4, 0.5F}}), {0, 2, -1});
}

TEST_CASE("ElementWise and ScaledElementWise") {
    const vector a{1, 2, -3, 4};
    const vector b{2, 2, 1, -4};
    const struct {
        const char* variant;
        vector want;
    } cases[] = {{"Add", {3, 4, -2, 0}},        {"Mult", {2, 4, -3, -16}},       {"Sub", {-1, 0, -4, 8}},
                 {"Min", {1, 2, -3, -4}},       {"Max", {2, 2, 1, 4}},           {"Div", {0.5F, 1, -3, -1}},
                 {"GreaterThan", {0, 0, 0, 1}}, {"LessThan", {1, 0, 1, 0}},      {"Equal", {0, 1, 0, 0}},
                 {"NotEqual", {1, 0, 1, 1}},    {"LessThanEqual", {1, 1, 1, 0}}, {"GreaterThanEqual", {0, 1, 0, 1}}};
    for (const auto& c : cases) {
        CAPTURE(c.variant);
        near(one("ElementWise", {{1, 1, 2, 1, 2}, {1, 1, 2, 1, 2}}, {{"Type", c.variant}}, {a, b}), c.want);
    }
    near(one("ElementWise", {{1, 1, 2, 1, 1}, {1, 1, 2, 1, 1}}, {{"Type", "Power"}}, {{2, 3}, {3, 2}}), {8, 9});
    const struct {
        const char* variant;
        vector want;
    } of_one[] = {{"Abs", {1, 0, 2}},
                  {"Square", {1, 0, 4}},
                  {"EqualZero", {0, 1, 0}},
                  {"NotEqualZero", {1, 0, 1}},
                  {"LessThanZero", {1, 0, 0}},
                  {"LessThanEqualZero", {1, 1, 0}},
                  {"GreaterThanZero", {0, 0, 1}},
                  {"GreaterThanEqualZero", {0, 1, 1}}};
    for (const auto& c : of_one) {
        CAPTURE(c.variant);
        near(one("ElementWise", {{1, 1, 3, 1, 1}}, {{"Type", c.variant}}, {{-1, 0, 2}}), c.want);
    }
    const auto scaled = [&](const char* variant) {
        return one("ScaledElementWise", {{1, 1, 2, 1, 2}, {1, 1, 2, 1, 2}}, {{"Type", variant}, {"Scale", bits(0.5)}},
                   {a, b});
    };
    near(scaled("Add"), {1.5F, 2, -1, 0});
    near(scaled("Max"), {1, 1, 0.5F, 2});
    near(scaled("Min"), {0.5F, 1, -1.5F, -2});
    near(scaled("Mult"), {2, 4, -3, -16}); // the engine ignores the scale
    // A depth beside none.
    near(one("ElementWise", {{1, 2, 1, 1, 2}, {1, 1, 1, 1, 2}}, {{"Type", "Add"}}, {{1, 2, 3, 4}, {10, 20}}),
         {11, 22, 13, 24});
}

TEST_CASE("GOC adds before it scales") {
    near(one("GOC", {{1, 1, 1, 1, 2}}, {{"ScaleScalar", bits(0.5)}, {"BiasScalar", bits(3)}}, {{1, -5}}), {2, -1});
    network n;
    n.input("x", {1, 1, 2, 1, 2});
    const plist_dict group{
        {"BiasCount", 2},  {"BiasIndex", n.blob({1, 2})},       {"BiasOffset", 0}, {"BiasMutable", false},
        {"ScaleCount", 2}, {"ScaleIndex", n.blob({0, 10, 20})}, {"ScaleOffset", 2}};
    n.unit("u", "GOC", {"x"}, {{"BiasScaleGroupData", group}});
    near(n.run({{1, 2, 3, 4}}), {20, 30, 100, 120});
    near(one("DynamicGOC", {{1, 1, 2, 1, 2}, {1, 1, 2, 1, 1}}, {{"BiasOnly", true}}, {{1, 2, 3, 4}, {10, 20}}),
         {11, 12, 23, 24});
}

TEST_CASE("Conv: x before y in Step, groups, dilation, channel by channel") {
    const auto conv = [](const char* variant, const netplist_shape& x, const plist_dict& params, const vector& kernel,
                         int channels, int groups, const vector& values) {
        network n;
        n.input("x", x);
        n.unit("u", "Conv", {"x"},
               with(params, {{"Type", variant},
                             {"KernelMode", "Dense"},
                             {"KernelType", "Float16"},
                             {"KernelIndex", n.blob(kernel)},
                             {"KernelOffset", 0}}),
               {{"OutputChannels", channels}, {"NumGroups", groups}});
        return n.run({values});
    };
    // rows of 0..11, 3x4; the window [1 10] at every second row, every column
    near(conv("Conv", {1, 1, 1, 3, 4}, window_of(1, 2, 2, 1), {1, 10}, 1, 1, upto(12)), {10, 21, 32, 98, 109, 120});
    near(conv("Conv", {1, 1, 1, 1, 3}, with(window_of(1, 2, 1, 1), {{"PadLeft", 1}, {"PadRight", 2}}), {1, 10}, 1, 1,
              {1, 2, 3}),
         {10, 21, 32, 3, 0});
    near(conv("DilatedConv", {1, 1, 1, 1, 4}, with(window_of(1, 2, 1, 1), {{"KernelDilationX", 2}}), {1, 10}, 1, 1,
              {1, 2, 3, 4}),
         {31, 42});
    near(conv("Conv", {1, 1, 4, 1, 1}, window_of(1, 1, 1, 1), {1, 2, 3, 4}, 2, 2, {1, 10, 100, 1000}), {21, 4300});
    near(conv("ChannelWiseConv", {1, 1, 2, 1, 2}, window_of(1, 1, 1, 1), {2, 3}, 2, 2, {1, 2, 3, 4}), {2, 4, 9, 12});
    // Each depth is an image.
    near(conv("Conv", {1, 2, 1, 1, 2}, window_of(1, 2, 1, 1), {1, 10}, 1, 1, {1, 2, 3, 4}), {21, 43});
    // On 1 0 2 0 between one zero each: the kernel slides as it is stored.
    near(conv("DeConv", {1, 1, 1, 1, 2}, with(window_of(1, 2, 1, 2), {{"PadLeft", 1}, {"PadRight", 0}}), {5, 7}, 1, 1,
              {1, 2}),
         {7, 5, 14, 10});
    near(one("Conv", {{1, 1, 2, 1, 2}},
             with(window_of(2, 2, 2, 2), {{"Type", "ChannelWiseDeConv"},
                                          {"KernelMode", "Unity"},
                                          {"KernelType", "Float16"}, // which the library's writer adds
                                          {"KernelGroupReuse", true},
                                          {"PadTop", 1},
                                          {"PadLeft", 1},
                                          {"PadBot", 0},
                                          {"PadRight", 0}}),
             {{1, 2, 3, 4}}, {{"OutputChannels", 2}, {"NumGroups", 1}}),
         {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4});
}

TEST_CASE("Pooling") {
    const netplist_shape row{1, 1, 1, 1, 4};
    const vector x{1, -5, -3, -4};
    const auto pool = [&](const char* type, const plist_dict& more) {
        return one("Pooling", {row}, with(with(window_of(1, 2, 1, 2), {{"Type", type}}), more), {x});
    };
    near(pool("Max", {{"PaddingMode", "Negative"}}), {1, -3});
    near(pool("Min", {{"PaddingMode", "Positive"}}), {-5, -4});
    near(pool("Avg", {{"PaddingMode", "Zero"}}), {-2, -3.5F});
    near(pool("L2", {{"PaddingMode", "Zero"}}), {std::sqrt(26.0F), 5});
    near(pool("Max", {{"PaddingMode", "Negative"}, {"PadLeft", 1}, {"PadRight", 1}}), {1, -3, -4});
    near(pool("Avg", {{"PaddingMode", "Zero"}, {"PadLeft", 1}, {"PadRight", 1}}), {0.5F, -4, -2});
    near(pool("Avg", {{"PaddingMode", "Zero"}, {"PadLeft", 1}, {"PadRight", 1}, {"AverageCountExcludePadding", true}}),
         {1, -4, -4});
    CHECK_THROWS_AS(pool("Max", {{"PaddingMode", "Zero"}, {"PadLeft", 1}}), unreadable);
}

TEST_CASE("MatrixMultiplication: rows on Channel, columns on Width, Height the batch") {
    near(one("MatrixMultiplication", {{1, 1, 2, 1, 3}, {1, 1, 3, 1, 2}}, {}, {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}}),
         {22, 28, 49, 64});
    // [C = 1, H = 2, W = 2] times [C = 2, H = 2, W = 1]
    near(one("MatrixMultiplication", {{1, 1, 1, 2, 2}, {1, 1, 2, 2, 1}}, {}, {{1, 2, 3, 4}, {5, 6, 7, 8}}), {19, 50});
    near(one("MatrixMultiplication", {{1, 1, 1, 2, 2}, {1, 1, 2, 1, 1}}, {}, {{1, 2, 3, 4}, {5, 7}}), {19, 43});
}

TEST_CASE("Softmax, normalizations, reductions") {
    near(one("Softmax", {{1, 1, 2, 1, 1}}, {{"Dimension", "Channel"}}, {{0, std::log(3.0F)}}), {0.25F, 0.75F});
    const netplist_shape s{1, 1, 2, 2, 2};
    const vector x = upto(8);
    const auto reduce = [&](const char* type, const names& along) {
        return one("Reduction", {s}, {{"Type", type}, {"Dimension", list(along)}}, {x});
    };
    near(reduce("Sum", {"Width"}), {1, 5, 9, 13});
    near(reduce("Avg", {"Height", "Width"}), {1.5F, 5.5F});
    near(reduce("Max", {"Channel"}), {4, 5, 6, 7});
    near(reduce("Min", {"Channel", "Height", "Width", "Depth"}), {0});
    near(one("MinMaxNormalization", {{1, 1, 1, 1, 3}}, {{"Dimension", "Width"}, {"Epsilon", bits(1)}}, {{1, 2, 4}}),
         {0, 0.25F, 0.75F});
    near(one("LocalResponseNormalization", {{1, 1, 2, 1, 1}},
             {{"Type", "Channel"},
              {"KernelWidth", 1},
              {"KernelHeight", 1},
              {"KernelChannel", 2},
              {"Alpha", bits(2)},
              {"Beta", 1.0},
              {"K", 1.0}},
             {{1, 2}}),
         {1 / 6.0F, 2 / 5.0F}); // of channel 0 the window is both, of channel 1 itself
    near(one("InstanceNormalization", {{1, 1, 2, 1, 2}},
             {{"Dimension", list({"Height", "Width"})}, {"Epsilon", bits(0)}}, {{1, 3, 10, 30}}),
         {-1, 1, -1, 1});
}

TEST_CASE("indices and order") {
    const netplist_shape s{1, 1, 2, 2, 2};
    const vector x{1, 5, 3, 2, 9, 0, 4, 8};
    const auto arg = [&](const char* mode) {
        return one("ArgMinMax", {s},
                   {{"Mode", mode},
                    {"KernelWidth", 2},
                    {"KernelHeight", 2},
                    {"PadLeft", 0},
                    {"PadRight", 0},
                    {"PadTop", 0},
                    {"PadBot", 0}},
                   {x});
    };
    near(arg("SpatialArgMax"), {1, 0});
    near(arg("SpatialArgMin"), {0, 1});
    near(arg("ChannelArgMax"), {1, 0, 1, 1});
    near(arg("ChannelArgMin"), {0, 1, 0, 0});
    near(one("GlobalArgMinMax", {s}, {{"Type", "Max"}, {"Dimension", "Width"}}, {x}), {1, 0, 0, 1});
    near(one("GlobalArgMinMax", {s}, {{"Type", "Min"}, {"Dimension", "Height"}}, {x}), {0, 1, 1, 0});
    near(one("GlobalArgMinMax", {s}, {{"Type", "Max"}, {"Dimension", "Channel"}}, {x}), {1, 0, 1, 1});
    for (const char* const outer : {"Batch", "Depth"}) { // which the unit does not take
        network n;
        n.input("x", s);
        n.unit("u", "GlobalArgMinMax", {"x"}, {{"Type", "Max"}, {"Dimension", outer}});
        const auto faults = n.faults();
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].reason == "works along " + std::string(outer) + "; Width, Height and Channel are read");
    }

    const netplist_shape points{1, 1, 2, 1, 4};
    const vector p{3, 1, 4, 2, 30, 10, 40, 20};
    const plist_dict keys{{"SortDimension", "Width"}, {"VectorDimension", "Channel"}, {"SortIndices", plist_array{1}}};
    near(one("Sort", {points}, with(keys, {{"Direction", "Ascending"}}), {p}), {1, 2, 3, 4, 10, 20, 30, 40});
    near(one("Sort", {points}, with(keys, {{"Direction", "Descending"}, {"Indices", true}}), {p}), {2, 0, 3, 1});
    near(one("TopK", {points}, with(keys, {{"Type", "Max"}, {"K", 2}}), {p}), {4, 3, 40, 30});
    near(one("TopK", {points}, with(keys, {{"Type", "Min"}, {"K", 1}, {"Indices", true}}), {p}), {1});
    near(one("Sort", {{1, 1, 1, 1, 3}}, with(keys, {{"Direction", "Descending"}, {"SortIndices", plist_array{0}}}),
             {{1, 3, 2}}),
         {3, 2, 1});
}

TEST_CASE("Transpose: every order of the axes, with extents of 1 in every place") {
    constexpr const char* axes[] = {"Batch", "Depth", "Channel", "Height", "Width"};
    const vector x = upto(6);
    const vector turned{0, 2, 4, 1, 3, 5}; // of three by two
    std::array<int, 5> sources{0, 1, 2, 3, 4};
    do {
        plist_array moves;
        for (std::size_t to = 0; to < 5; ++to) {
            const char* const from = axes[sources[to]];
            moves.push_back(
                plist_dict{{"TransposeSourceDimension", from}, {"TransposeDestinationDimension", axes[to]}});
        }
        const auto place = [&](int axis) { return std::find(sources.begin(), sources.end(), axis) - sources.begin(); };
        for (int first = 0; first < 5; ++first) {
            for (int second = first + 1; second < 5; ++second) {
                netplist_shape shape{1, 1, 1, 1, 1};
                shape[netplist_axes[first]] = 3;
                shape[netplist_axes[second]] = 2;
                CAPTURE(first);
                CAPTURE(second);
                CAPTURE(fmt::format("{}", fmt::join(sources, " ")));
                const vector got = one("Transpose", {shape}, {{"TransposeDimensions", moves}}, {x});
                CHECK(got == (place(first) < place(second) ? x : turned));
            }
        }
    } while (std::next_permutation(sources.begin(), sources.end()));
}

TEST_CASE("movement") {
    const netplist_shape s{1, 1, 2, 2, 3};
    const vector x = upto(12);
    near(one("InputView", {s}, {{"Dimension", "Width"}, {"Offset", 1}, {"Size", 2}}, {x}), {1, 2, 4, 5, 7, 8, 10, 11});
    near(one("InputView", {{1, 1, 1, 1, 3}}, {{"Dimension", "Width"}, {"Offset", 0}, {"Size", 3}, {"Step", -1}},
             {{1, 2, 3}}),
         {3, 2, 1});
    near(one("Concat", {{1, 1, 1, 1, 2}, {1, 1, 1, 1, 1}}, {{"Dimension", "Width"}}, {{1, 2}, {3}}), {1, 2, 3});
    near(one("Concat", {{2, 1, 1, 1, 1}, {2, 1, 1, 1, 1}}, {{"Dimension", "Depth"}}, {{1, 2}, {3, 4}}), {1, 3, 2, 4});
    const auto move = [](const char* from, const char* to) {
        return plist_dict{{"TransposeSourceDimension", from}, {"TransposeDestinationDimension", to}};
    };
    near(one("Transpose", {{1, 1, 2, 1, 3}},
             {{"TransposeDimensions", plist_array{move("Channel", "Width"), move("Width", "Channel")}}}, {upto(6)}),
         {0, 3, 1, 4, 2, 5});
    // A cycle of three: y[c, h, w] = x[w, c, h]
    near(one("Transpose", {s},
             {{"TransposeDimensions",
               plist_array{move("Width", "Height"), move("Height", "Channel"), move("Channel", "Width")}}},
             {x}),
         {0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
    near(one("Reshape", {s},
             {{"ReshapedBatch", 1}, {"ReshapedChannel", 3}, {"ReshapedHeight", 4}, {"ReshapedWidth", 1}}, {x}),
         x);
    // A depth that a unit takes away leaves rank 4.
    network flat;
    flat.input("x", {1, 2, 1, 1, 2});
    flat.unit("view", "InputView", {"x"}, {{"Dimension", "Depth"}, {"Offset", 1}, {"Size", 1}});
    flat.unit("sum", "Reduction", {"x"}, {{"Type", "Sum"}, {"Dimension", list({"Depth"})}});
    flat.unit("u", "Concat", {"view", "sum"}, {{"Dimension", "Width"}});
    near(flat.run({{1, 2, 3, 4}}), {3, 4, 4, 6});
    // Channels count outside depth in the unit, depth outside channels in the port.
    near(one("Reshape", {{1, 1, 4, 1, 1}},
             {{"ReshapedBatch", 1},
              {"ReshapedChannel", 2},
              {"ReshapedDepth", 2},
              {"ReshapedHeight", 1},
              {"ReshapedWidth", 1}},
             {upto(4)}),
         {0, 2, 1, 3});
    near(one("Flatten", {{1, 1, 2, 1, 2}}, {{"FlattenType", "NHWC"}, {"Mode", "NHWC"}}, {upto(4)}), {0, 2, 1, 3});
    near(one("Flatten", {{1, 1, 2, 1, 2}}, {{"FlattenType", "NCHW"}, {"Mode", "NCHW"}}, {upto(4)}), upto(4));
    const auto copies = [](const char* along, int size) { return plist_dict{{"Dimension", along}, {"Size", size}}; };
    near(one("Broadcast", {{1, 1, 2, 1, 1}}, {{"BroadcastInfo", plist_array{copies("Width", 2), copies("Height", 1)}}},
             {{1, 2}}),
         {1, 1, 2, 2});
    near(one("Broadcast", {{1, 1, 1, 1, 2}}, {{"BroadcastInfo", plist_array{copies("Depth", 2)}}}, {{1, 2}}),
         {1, 2, 1, 2});
    network deep; // copies along a depth of a tensor that had none, which a unit needs in full
    deep.input("x", {1, 1, 2, 1, 1});
    deep.unit("b", "Broadcast", {"x"}, {{"BroadcastInfo", plist_array{copies("Depth", 2)}}});
    deep.unit("u", "Concat", {"b", "b"}, {{"Dimension", "Batch"}});
    near(deep.run({{1, 2}}), {1, 2, 1, 2, 1, 2, 1, 2});

    network gathered;
    gathered.input("x", {1, 1, 1, 2, 3});
    const std::int64_t file = gathered.blob({});
    for (const int index : {2, 0, 2, 1}) {
        gathered.blobs[static_cast<std::size_t>(file)].bytes.push_back(static_cast<std::byte>(index));
        gathered.blobs[static_cast<std::size_t>(file)].bytes.push_back(std::byte{0});
    }
    gathered.constant("indices", {1, 1, 1, 1, 4}, file, "UInt16");
    gathered.unit("u", "Gather", {"x", "indices"}, {{"GatherNDAxes", list({"Width"})}});
    near(gathered.run({upto(6)}), {2, 0, 2, 1, 5, 3, 5, 4});

    const plist_dict at{{"Coordinate", "Width"}};
    const plist_dict slice{{"DynamicSliceAxisOrder", list({"Width"})},
                           {"DynamicSliceInfo", plist_array{with(at, {{"SliceSize", 2}})}},
                           {"CoordinateInfo", plist_array{with(at, {{"CoordinateMode", "NonNormalized"}})}},
                           {"CoordinateMode", "NonNormalized"},
                           {"PaddingInfo", plist_array{with(at, {{"PaddingMode", "Background"}})}},
                           {"BackgroundValue", 0.0}};
    near(one("DynamicSlice", {{1, 1, 1, 1, 4}, {1, 1, 1, 1, 1}}, slice, {upto(4), {2}}), {2, 3});

    const auto blocks = [](const char* type, const netplist_shape& shape, int fx, int fy, int count) {
        return one(type, {shape}, {{"FactorX", fx}, {"FactorY", fy}, {"FactorZ", 1}}, {upto(count)});
    };
    // one pixel of two channels, 2x2 blocks: PixelShuffle reads [c, i, j], ChannelToSpace [i, j, c]
    near(blocks("PixelShuffle", {1, 1, 8, 1, 1}, 2, 2, 8), upto(8));
    near(blocks("ChannelToSpace", {1, 1, 8, 1, 1}, 2, 2, 8), {0, 2, 4, 6, 1, 3, 5, 7});
    near(blocks("PixelUnshuffle", {1, 1, 2, 2, 2}, 2, 2, 8), upto(8));
    near(blocks("SpaceToChannel", {1, 1, 2, 2, 2}, 2, 2, 8), {0, 4, 1, 5, 2, 6, 3, 7});
    near(blocks("SpaceToBatch", {1, 1, 1, 2, 4}, 2, 1, 8), {0, 2, 4, 6, 1, 3, 5, 7});
    near(blocks("BatchToSpace", {2, 1, 1, 1, 2}, 2, 1, 4), {0, 2, 1, 3});
}

TEST_CASE("SDPA: sequence on Channel, heads on Height") {
    network n;
    n.input("q", {1, 1, 1, 2, 1}).input("k", {1, 1, 2, 2, 1}).input("v", {1, 1, 2, 2, 1});
    n.constant("scale", {1, 1, 1, 1, 1}, n.blob({0.5F}));
    n.unit("u", "SDPA", {"q", "k", "v", "scale"}, {{"SubtractMax", true}});
    // head 0: scores 0.5 * 2 * (0, ln 3), values 4, 8; head 1: equal scores, values 1, 3
    near(n.run({{2, 0}, {0, 1, std::log(3.0F), 1}, {4, 1, 8, 3}}), {7, 2});
}

TEST_CASE("layers that only netplists have") {
    near(one("CrossCorrelation", {{1, 1, 1, 1, 3}, {1, 1, 1, 1, 2}},
             {{"NumGroups", 1},
              {"PadTop", 0},
              {"PadBot", 0},
              {"PadLeft", 1},
              {"PadRight", 0},
              {"TemplateHeight", 1},
              {"TemplateWidth", 2}},
             {{1, 2, 3}, {10, 1}}),
         {1, 12, 23});
    near(one("CrossProduct", {{1, 1, 3, 1, 1}, {1, 1, 3, 1, 1}}, {}, {{1, 0, 0}, {0, 1, 0}}), {0, 0, 1});
    near(one("CostVolume", {{1, 1, 1, 1, 2}, {1, 1, 1, 1, 3}}, {{"DisparityDirection", 0}, {"DisparityRange", 1}},
             {{1, 2}, {1, 5, 9}}),
         {0, 3, 4, 7});
    near(one("FurthestPointSampling", {{1, 1, 3, 1, 3}}, {{"CentroidCount", 2}, {"DistanceMetric", "L2"}},
             {{0, 1, 5, 0, 0, 0, 0, 0, 0}}),
         {0, 5, 0, 0, 0, 0});
    near(one("RadiusSearch", {{1, 1, 3, 1, 1}, {1, 1, 3, 1, 2}}, {{"Radius", 2.0}}, {{0, 0, 0}, {1, 5, 0, 0, 0, 0}}),
         {1, 0});
    near(one("Dropout", {{1, 1, 1, 1, 2}}, {{"DropoutRate", 0}, {"Seed", 0}}, {{1, 2}}), {1, 2});
}
