/// The CPU backend beside Eigen, and the oracle beside the CPU backend. Every line is a ratio of medians of runs that
/// took turns in one process; the milliseconds are of this machine and this moment.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

template <std::int64_t N>
constexpr auto product = graph([](auto& g) {
    auto x = g.input("x"_s, f16<N, N>);
    g.output("y"_s, matmul(x, g.weight("w", f16<N, N>)));
});

constexpr auto convolution = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 64, 56, 56>);
    g.output("y"_s, conv2d<conv{.padding = same}>(x, g.weight("w", f16<64, 64, 3, 3>)));
});

double milliseconds(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Medians of eleven runs each, in turns, after one that does not count.
void compare_times(std::string_view title, std::string_view name_a, const auto& a, std::string_view name_b,
                   const auto& b) {
    std::vector<double> times_a;
    std::vector<double> times_b;
    for (int i = 0; i < 12; ++i) {
        const double one = milliseconds(a);
        const double other = milliseconds(b);
        if (i > 0) {
            times_a.push_back(one);
            times_b.push_back(other);
        }
    }
    const auto median = [](std::vector<double>& t) {
        std::nth_element(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(t.size() / 2), t.end());
        return t[t.size() / 2];
    };
    const double time_a = median(times_a);
    const double time_b = median(times_b);
    fmt::print("{:<24} {:<12} {:9.3f} ms   {:<12} {:9.3f} ms   ratio {:7.2f}\n", title, name_a, time_a, name_b, time_b,
               time_a / time_b);
}

weight_store weights_of(const graph_view& g) {
    weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            std::vector<float> values(static_cast<std::size_t>(g[i].shape.count()));
            for (std::size_t k = 0; k < values.size(); ++k) {
                values[k] = static_cast<float>(k % 13) / 64.0F - 0.1F;
            }
            store.add(std::string(g.name(i)), g[i].shape, std::span<const float>(values));
        }
    }
    return store;
}

template <std::int64_t N> void compare_product() {
    auto ours = compile<product<N>>(backend::cpu{}, weights_of(product<N>));
    ndarray<shape<N, N>> x;
    x.fill(half(0.25));
    results<product<N>> y;
    const Eigen::MatrixXf a = Eigen::MatrixXf::Constant(N, N, 0.25F);
    const Eigen::MatrixXf b = Eigen::MatrixXf::Random(N, N);
    Eigen::MatrixXf c(N, N);
    compare_times(
        fmt::format("matmul {0} x {0} x {0}", N), "cpu fp16", [&] { ours.run({"x"_s = x}, y); }, "Eigen fp32",
        [&] { c.noalias() = a * b; });
}

} // namespace

int main() {
    fmt::print("one thread; {}; Eigen {}.{}.{}, {}\n", backend::cpu{}.name(), EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
               EIGEN_MINOR_VERSION, Eigen::SimdInstructionSetsInUse());
    compare_product<128>();
    compare_product<512>();
    auto cpu = compile<convolution>(backend::cpu{}, weights_of(convolution));
    auto oracle = compile<convolution>(backend::oracle{h13}, weights_of(convolution));
    ndarray<shape<1, 64, 56, 56>> x;
    x.fill(half(0.25));
    results<convolution> y;
    compare_times(
        "conv 3x3 64 -> 64, 56x56", "oracle", [&] { oracle.run({"x"_s = x}, y); }, "cpu fp16",
        [&] { cpu.run({"x"_s = x}, y); });
}
