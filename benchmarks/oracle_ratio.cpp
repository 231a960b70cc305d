/// The oracle beside the CPU backend on the contractions of a ResNet-18 (224 x 224, one image), in turns in one
/// process. Each line is one layer; the last one is the stack, every layer as often as the network has it. One thread
/// each.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

struct times {
    double oracle = 0;
    double cpu = 0;
    double macs = 0;
};

std::vector<half> gaussian(std::int64_t count, double deviation, bool rectified, std::mt19937& engine) {
    std::normal_distribution<double> normal(0.0, deviation);
    std::vector<half> values(static_cast<std::size_t>(count));
    for (half& v : values) {
        const double x = normal(engine);
        v = half(rectified ? std::max(x, 0.0) : x);
    }
    return values;
}

/// Processor time: what other programs take meanwhile does not count.
double milliseconds(const auto& work) {
    const std::clock_t begin = std::clock();
    work();
    return static_cast<double>(std::clock() - begin) * 1e3 / CLOCKS_PER_SEC;
}

/// The shortest of nine runs of each backend, in turns: the one that other programs disturbed least. `fan_in` products
/// make one output.
times measure(std::string_view title, int repeated, const dynamic_graph& g, std::int64_t fan_in) {
    std::mt19937 engine(18);
    weight_store weights;
    for (int i = 0; i < graph_view(g).size(); ++i) {
        const node& n = graph_view(g)[i];
        if (n.kind == op::weight) {
            const double deviation = std::sqrt(2.0 / static_cast<double>(fan_in));
            const std::vector<half> values = gaussian(n.shape.count(), deviation, false, engine);
            std::vector<float> floats;
            for (const half v : values) {
                floats.push_back(static_cast<float>(v));
            }
            weights.add(std::string(graph_view(g).name(i)), n.shape, std::span<const float>(floats));
        }
    }
    auto oracle = compile(g, backend::oracle{h16}, weights);
    auto cpu = compile(g, backend::cpu{}, weights);
    const graph_view view = g;
    const std::vector<half> x = gaussian(view[0].shape.count(), 1.0, true, engine);
    const extents& shape = view[view.outputs[0].node].shape;
    std::vector<half> y(static_cast<std::size_t>(shape.count()));
    const std::span<const std::byte> in[] = {std::as_bytes(std::span(x))};
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
    double by_oracle = std::numeric_limits<double>::infinity();
    double by_cpu = by_oracle;
    for (int i = 0; i < 9; ++i) {
        by_oracle = std::min(by_oracle, milliseconds([&] { oracle.run(in, out); }));
        by_cpu = std::min(by_cpu, milliseconds([&] { cpu.run(in, out); }));
    }
    const double macs = static_cast<double>(shape.count() * fan_in);
    const times t{by_oracle, by_cpu, macs};
    fmt::print("{:>2} x {:<26} oracle {:8.2f} ms {:6.2f} GMAC/s   cpu {:8.2f} ms {:6.2f} GMAC/s   ratio {:6.2f}\n",
               repeated, title, t.oracle, macs / t.oracle * 1e-6, t.cpu, macs / t.cpu * 1e-6, t.oracle / t.cpu);
    return {t.oracle * repeated, t.cpu * repeated, macs * repeated};
}

template <int In, int Size, int Out, int Kernel, int Stride> times layer(int repeated) {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, In, Size, Size>);
        b.output("y"_s,
                 conv2d<conv{.stride = Stride, .padding = Kernel / 2}>(x, b.weight("w", f16<Out, In, Kernel, Kernel>)));
    });
    return measure(fmt::format("conv {0}x{0}/{1} {2} -> {3}, {4}", Kernel, Stride, In, Out, Size), repeated, g,
                   In * Kernel * Kernel);
}

times classifier() {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 512>);
        b.output("y"_s, linear(x, b.weight("w", f16<1000, 512>)));
    });
    return measure("linear 512 -> 1000", 1, g, 512);
}

} // namespace

int main() {
    fmt::print("{}\n", backend::cpu{}.name());
    times all;
    for (const times& t : {layer<3, 224, 64, 7, 2>(1), layer<64, 56, 64, 3, 1>(4), layer<64, 56, 128, 3, 2>(1),
                           layer<64, 56, 128, 1, 2>(1), layer<128, 28, 128, 3, 1>(3), layer<128, 28, 256, 3, 2>(1),
                           layer<128, 28, 256, 1, 2>(1), layer<256, 14, 256, 3, 1>(3), layer<256, 14, 512, 3, 2>(1),
                           layer<256, 14, 512, 1, 2>(1), layer<512, 7, 512, 3, 1>(3), classifier()}) {
        all.oracle += t.oracle;
        all.cpu += t.cpu;
        all.macs += t.macs;
    }
    fmt::print("stack of {:.2f} GMAC: oracle {:.1f} ms, cpu {:.1f} ms, ratio {:.2f}\n", all.macs * 1e-9, all.oracle,
               all.cpu, all.oracle / all.cpu);
}
