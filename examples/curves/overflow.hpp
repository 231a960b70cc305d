#pragma once

#include "curve.hpp"
#include "engine.hpp"
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <fmt/format.h>

#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>

/// Where finite values become infinite: the sticky ceiling of sums, the width slice, and the gradient of a
/// convolution's weights that goes through both.
namespace curves {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Runs a graph of one output on the oracle.
inline std::vector<double> run_on(ane::target generation, const ane::dynamic_graph& graph,
                                  const std::vector<std::vector<ane::half>>& values, std::size_t results) {
    auto program = ane::compile(graph, ane::backend::oracle{generation}, ane::weight_store{});
    std::vector<std::span<const std::byte>> inputs;
    inputs.reserve(values.size());
    for (const std::vector<ane::half>& v : values) {
        inputs.push_back(std::as_bytes(std::span(v)));
    }
    std::vector<ane::half> out(results);
    const std::array<std::span<std::byte>, 1> outputs{std::as_writable_bytes(std::span(out))};
    program.run(inputs, outputs);
    return to_doubles(out);
}

/// The product of [peak / 2, peak / 2, (end - peak) / 2, (end - peak) / 2] with ones: the sum rises to `peak` and comes
/// back to `end`. Four terms, or with `alternating` the same in an order that never leaves [0, end].
inline double sum_over(ane::target generation, double peak, double end, bool alternating = false) {
    const ane::dynamic_graph graph = ane::build_graph([](auto& g) {
        using namespace ane::literals;
        auto a = g.input("a"_s, ane::f16<1, 4>);
        g.output("y"_s, matmul(a, g.input("b"_s, ane::f16<4, 1>)));
    });
    std::vector<ane::half> terms = to_halves({peak / 2, peak / 2, (end - peak) / 2, (end - peak) / 2});
    if (alternating) {
        std::swap(terms[1], terms[2]);
    }
    return run_on(generation, graph, {terms, std::vector<ane::half>(4, ane::half(1.0))}, 1)[0];
}

inline result sticky_curve(effort) {
    result r;
    ane::plot_series interior{
        "model: 10000 as the result of a sum whose interior reaches x", ane::plot_style::line, {}};
    ane::plot_series reordered{"model: the same terms, another order", ane::plot_style::dashed, {}};
    ane::plot_series plain{"model: a sum of x", ane::plot_style::line, {}};
    for (double x = 30000; x <= 36000; x += 32) {
        interior.points.emplace_back(x, sum_over(ane::h13, x, 10016));
        reordered.points.emplace_back(x, sum_over(ane::h13, x, 10016, true));
        plain.points.emplace_back(x, sum_over(ane::h13, x, x));
    }
    r.rows = {{"sum of 32752", 32752, sum_over(ane::h13, 32752, 32752), 1, "N040 M1", "measured"},
              {"sum of 32768", infinity, sum_over(ane::h13, 32768, 32768), 1, "N041, N047 M1", "measured"},
              {"the same on M6", infinity, sum_over(ane::h18, 32768, 32768), 1, "N042 M1 to M6", "measured"},
              {"35008, then back to 10016", infinity, sum_over(ane::h13, 35008, 10016), 1, "N043 M1", "measured"}};
    r.notes = {
        "No freedom: the accumulator has 15 integer bits. A sweep that interpolates puts the cliff at 32758.8 (N042); "
        "the model's lies where the accumulator reaches 32768, and sums from 32760 on come out as a finite 32768.",
        "The order of the terms decides whether an interior partial passes the ceiling; the engine's order is not "
        "published, the model's is that of K."};
    r.figure = {.title = "The ceiling of sums is sticky",
                .note = "Products of four terms with ones, M1's arithmetic",
                .x = {.label = "the largest partial sum", .logarithmic = false, .ticks = {30000, 32768, 34000, 36000}},
                .y = {.label = "result", .logarithmic = false, .ticks = {10000, 20000, 30000}},
                .series = {interior,
                           reordered,
                           plain,
                           {"published: M1 (N040, N041, N043)",
                            ane::plot_style::rings,
                            {{32752, 32752}, {32768, infinity}, {35008, infinity}}}}};
    return r;
}

enum class cut : std::uint8_t { width, height, width_from_zero };

template <cut Cut>
inline constexpr ane::window window_of = Cut == cut::width    ? ane::window{{0, 0, 0, 1}, {1, 1, 4, 2}}
                                         : Cut == cut::height ? ane::window{{0, 0, 1, 0}, {1, 1, 2, 4}}
                                                              : ane::window{{0, 0, 0, 0}, {1, 1, 4, 2}};

/// A value through a slice of an image that begins at 1 on the width or on the height, or at 0.
template <cut Cut> double sliced(ane::target generation, double value) {
    const ane::dynamic_graph graph = ane::build_graph([](auto& g) {
        using namespace ane::literals;
        g.output("y"_s, ane::slice<window_of<Cut>>(g.input("x"_s, ane::f16<1, 1, 4, 4>)));
    });
    return run_on(generation, graph, {std::vector<ane::half>(16, ane::half(value))}, 8)[0];
}

inline result slice_curve(effort) {
    result r;
    ane::plot_series early{"model: M1, M2", ane::plot_style::line, {}};
    ane::plot_series late{"model: M3 (predicted) to M6, other axes, a begin of 0", ane::plot_style::dashed, {}};
    for (double x = 2; x <= 65504; x *= 1.05) {
        const double value = static_cast<double>(ane::half(x));
        early.points.emplace_back(value, sliced<cut::width>(ane::h13, value));
        late.points.emplace_back(value, sliced<cut::width>(ane::h17s, value));
    }
    ane::plot_series published{"published: M1, M2, M5 (N060-N068)", ane::plot_style::rings, {}};
    const auto add = [&](std::string what, double x, double expected, double got, const char* source) {
        r.rows.push_back({std::move(what), expected, got, 1, source, "measured"});
        published.points.emplace_back(x, expected);
    };
    add("width slice of 4094", 4094, 4094, sliced<cut::width>(ane::h13, 4094), "N060 M1");
    add("width slice of 4095", 4095, infinity, sliced<cut::width>(ane::h13, 4095), "N061 M1");
    add("width slice of 4096", 4096, infinity, sliced<cut::width>(ane::h13, 4096), "N062 M1");
    add("width slice of 4096", 4096, infinity, sliced<cut::width>(ane::h14g, 4096), "N067 M2");
    add("width slice of 4100", 4100, infinity, sliced<cut::width>(ane::h13, 4100), "N063 M1");
    add("width slice from 0", 60000, 60000, sliced<cut::width_from_zero>(ane::h13, 60000), "N065 M1");
    add("width slice of 60000", 60000, 60000, sliced<cut::width>(ane::h17s, 60000), "N068 M5");
    r.rows.push_back(
        {"width slice of -4096", -infinity, sliced<cut::width>(ane::h13, -4096), 1, "N064 M1", "measured"});
    r.rows.push_back({"height slice of 60000", 60000, sliced<cut::height>(ane::h13, 60000), 1, "N066 M1", "measured"});
    r.notes = {"No freedom: a gain of 16 against fp16's limit of 65504, taken back after the store."};
    r.figure = {.title = "A slice that begins inside the width axis",
                .note = "Values above 4094 do not survive on M1 and M2",
                .x = {.label = "value", .ticks = {1, 10, 100, 1000, 4094, 60000}},
                .y = {.label = "value after the slice", .ticks = {1, 10, 100, 1000, 10000}},
                .series = {early, late, published}};
    return r;
}

/// Infinite elements of the gradient of a 3 x 3 convolution's weights, 1 channel to `filters`, on 16 images of 8 x 8.
/// Images are normal with deviation `input_scale`, weights normal, the loss half the sum of the squared outputs times
/// `loss_scale` and `unit`. The gradient is the product of the outputs' gradient [8, 576] with the patches [576, 9];
/// its columns of a kernel are then taken apart by slices of the width.
struct weight_gradient {
    static constexpr int filters = 8, taps = 9, images = 16, side = 8, out = side - 2;
    static constexpr int places = images * out * out;
    static constexpr int sliced = filters * taps * 2 / 3; ///< elements behind a slice that begins at 1 or 2

    static int infinities(ane::target generation, double input_scale, double loss_scale, double unit,
                          std::uint64_t seed) {
        random_source random(seed);
        const std::vector<ane::half> x = to_halves(random.normals(images * side * side, input_scale));
        const std::vector<ane::half> w = to_halves(random.normals(filters * taps, 1.0 / 3));
        const ane::numerics::datapath path = ane::numerics::datapath_of(ane::describe(generation).tier);
        const std::vector<ane::half> scale(static_cast<std::size_t>(places * filters), ane::half(loss_scale * unit));
        const std::vector<ane::half> y = on_engine(
            path, ane::op::mul,
            on_engine(path, ane::op::conv2d, ane::conv{}, {{{images, 1, side, side}, x}, {{filters, 1, 3, 3}, w}}),
            scale);
        std::vector<ane::half> gradient(y.size()), patches(static_cast<std::size_t>(places * taps));
        for (std::int64_t p = 0; p < places; ++p) {
            const std::int64_t image = p / (out * out), row = p / out % out, column = p % out;
            for (std::int64_t f = 0; f < filters; ++f) {
                const auto from = static_cast<std::size_t>((image * filters + f) * out * out + p % (out * out));
                gradient[static_cast<std::size_t>(f * places + p)] = y[from];
            }
            for (std::int64_t t = 0; t < taps; ++t) {
                patches[static_cast<std::size_t>(p * taps + t)] =
                    x[static_cast<std::size_t>((image * side + row + t / 3) * side + column + t % 3)];
            }
        }
        const ane::dynamic_graph graph = ane::build_graph([](auto& g) {
            using namespace ane::literals;
            auto left = g.input("gradient"_s, ane::f16<filters, places>);
            auto right = g.input("patches"_s, ane::f16<places, taps>);
            auto product = matmul(left, right);
            auto kernels = ane::reshape<filters * 3, 3>(product);
            constexpr int rows = filters * 3;
            g.output("y"_s, ane::concat<ane::axis{1}>(ane::slice<ane::window{{0, 0}, {rows, 1}}>(kernels),
                                                      ane::slice<ane::window{{0, 1}, {rows, 1}}>(kernels),
                                                      ane::slice<ane::window{{0, 2}, {rows, 1}}>(kernels)));
        });
        int count = 0;
        for (const double v : run_on(generation, graph, {gradient, patches}, filters * taps)) {
            count += std::isinf(v) ? 1 : 0;
        }
        return count;
    }
};

inline result loss_scale_curve(effort e) {
    using gradient = weight_gradient;
    // The gradient is near places * weight * scales: normal as the weights are. 8 of 48 lie beyond 1.383 deviations.
    constexpr double beyond = 1.383;
    const double unit = 4094 / beyond / (1024.0 * gradient::places / 3);
    const int draws = e == effort::full ? 64 : 4;
    result r;
    ane::plot_series expected{"expected: 48 normal elements beyond 4094", ane::plot_style::line, {}};
    ane::plot_series mean{"model: mean of the draws, M1", ane::plot_style::dots, {}};
    ane::plot_series later{"model: M5, which has no gain in its slices", ane::plot_style::dots, {}};
    ane::plot_series published{"published: M1, M2 (N199); none at 256 and 384", ane::plot_style::rings, {}};
    for (double scale = 256; scale <= 4096; scale *= 1.1) {
        expected.points.emplace_back(scale, gradient::sliced * std::erfc(beyond * 1024 / scale / std::sqrt(2.0)));
    }
    struct published_count {
        double input, loss;
        int infinities;
    };
    for (const published_count& p :
         {published_count{1, 256, 0}, {1, 384, 0}, {1, 512, 1}, {1, 768, 3}, {1, 1024, 8}, {4, 256, 36}}) {
        double total = 0, total_later = 0;
        for (int draw = 1; draw <= draws; ++draw) {
            const auto seed = static_cast<std::uint64_t>(draw);
            total += gradient::infinities(ane::h13, p.input, p.loss, unit, seed);
            total_later += gradient::infinities(ane::h17s, p.input, p.loss, unit, seed);
        }
        const double scale = p.input * p.input * p.loss; // the gradient has the outputs and the inputs
        mean.points.emplace_back(scale, total / draws);
        later.points.emplace_back(scale, total_later / draws);
        published.points.emplace_back(scale, p.infinities);
        const double share = std::erfc(beyond * 1024 / scale / std::sqrt(2.0));
        r.rows.push_back({fmt::format("input scale {}, loss scale {}", p.input, p.loss),
                          static_cast<double>(p.infinities), total / draws, 1, "N199 M1, M2", "measured",
                          0.1 + 2 * std::sqrt(gradient::sliced * share * (1 - share))});
    }
    r.notes = {
        "Only the form: neither shape nor data are published. Taken: one layer, 1 channel to 8, 3 x 3, normal data, the loss a "
        "square, and the deviation of the gradient so that 8 of 48 pass 4094 at a loss scale of 1024. The other five rows follow.",
        "What the counts say by themselves: 1 and 3 mean that single elements of the gradient overflow, since an infinite value "
        "in front of the product would spoil all nine weights of a filter; 36 at four times the input and a quarter of "
        "the scale, against 8, mean that the gradient goes with the square of the input (the loss is one of the outputs).",
        "A ceiling of 32768 in the product alone, without slices, gives the same form with a larger gradient, but on every "
        "generation: it is excluded by the M5, which the guide reports free. The model's M5 has none up to a loss scale of 1024, and "
        "at input scale 4 now and then one that reaches the ceiling.",
        fmt::format(
            "The published figures are one draw; these are means of {}. They may differ by two deviations of a binomial "
            "count: 1.1, 3.5, 5.2 and 6.2 elements in the last four rows.",
            draws)};
    r.figure = {.title = "Infinite elements of a convolution's weight gradient",
                .note = "48 of its 72 elements pass a slice of the width; input scale 4 counts 16 times",
                .x = {.label = "(input scale)^2 x loss scale", .ticks = {256, 512, 1024, 2048, 4096}},
                .y = {.label = "infinite elements", .logarithmic = false},
                .series = {expected, mean, later, published}};
    return r;
}

} // namespace curves
