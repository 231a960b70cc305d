/// Linear systems on a matrix engine: how exact conjugate gradients and Cholesky's factor are in fp16, by the number of
/// iterations and the condition of the matrix, on the CPU and in the arithmetic of M1 and M5.
///
/// The matrix is the second difference plus a multiple of the identity: its eigenvalues are s + 4 sin^2(k pi / 2 (n + 1)),
/// so that the condition is chosen by s, and the right side is made for a known solution.
#include <anemone/anemone.hpp>
#include <anemone/fmt.hpp>
#include <anemone/linalg/linalg.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace {

using namespace ane::literals;

constexpr int n = 16;

/// One program for each count of iterations; the matrix is an input here, and may as well be a weight.
template <int Iterations>
constexpr auto conjugate_gradients = [](auto& g) {
    auto a = g.input("a"_s, ane::f16<n, n>, ane::within(-1, 1));
    auto b = g.input("b"_s, ane::f16<n, 1>, ane::within(-1, 1));
    g.output("x"_s, ane::linalg::conjugate_gradients<Iterations>(a, b));
};
constexpr auto cholesky = [](auto& g) {
    auto a = g.input("a"_s, ane::f16<n, n>, ane::within(-1, 1));
    auto b = g.input("b"_s, ane::f16<n, 1>, ane::within(-1, 1));
    g.output("x"_s, ane::linalg::solve_positive(a, b));
};

using matrix = ane::ndarray<ane::shape<n, n>>;
using column = ane::ndarray<ane::shape<n, 1>>;

/// A system whose solution in double precision is known for the fp16 matrix that the program gets.
struct linear_system {
    matrix a;
    column b;
    double solution[n]{};
};

/// The second difference with a shift that gives the condition, scaled so that its largest eigenvalue is 1.
linear_system with_condition(double condition) {
    const double low = 4 * std::pow(std::sin(std::numbers::pi / (2 * (n + 1))), 2);
    const double high = 4 * std::pow(std::sin(n * std::numbers::pi / (2 * (n + 1))), 2);
    const double shift = (high - condition * low) / (condition - 1);
    linear_system s;
    double diagonal[n];
    const double beside = static_cast<double>(ane::half(-1 / (high + shift)));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            s.a(i, j) = ane::half(i == j ? (2 + shift) / (high + shift) : (std::abs(i - j) == 1 ? beside : 0));
        }
        s.b(i, 0) = ane::half(std::cos(i * i) / 4);
        diagonal[i] = static_cast<double>(s.a(i, i));
    }
    // In double precision, by elimination of a tridiagonal matrix.
    double right[n];
    for (int i = 0; i < n; ++i) {
        const double factor = i == 0 ? 0 : beside / diagonal[i - 1];
        diagonal[i] -= factor * (i == 0 ? 0 : beside);
        right[i] = static_cast<double>(s.b(i, 0)) - factor * (i == 0 ? 0 : right[i - 1]);
    }
    for (int i = n - 1; i >= 0; --i) {
        s.solution[i] = (right[i] - (i == n - 1 ? 0 : beside * s.solution[i + 1])) / diagonal[i];
    }
    return s;
}

/// |x - solution| / |solution|.
template <class Backend>
double error_of(const ane::dynamic_graph& model, const Backend& backend, const linear_system& system) {
    auto program = ane::compile(model.view(), backend);
    column x;
    const std::span<const std::byte> inputs[] = {std::as_bytes(system.a.elements()),
                                                 std::as_bytes(system.b.elements())};
    const std::span<std::byte> outputs[] = {std::as_writable_bytes(x.elements())};
    program.run(inputs, outputs);
    double difference = 0;
    double size = 0;
    for (int i = 0; i < n; ++i) {
        difference += std::pow(static_cast<double>(x(i, 0)) - system.solution[i], 2);
        size += std::pow(system.solution[i], 2);
    }
    return std::sqrt(difference / size);
}

} // namespace

int main() {
    const struct {
        const char* name;
        ane::dynamic_graph model;
    } methods[] = {
        {"CG, 2 steps", ane::build_graph(conjugate_gradients<2>)},
        {"CG, 4 steps", ane::build_graph(conjugate_gradients<4>)},
        {"CG, 8 steps", ane::build_graph(conjugate_gradients<8>)},
        {"CG, 16 steps", ane::build_graph(conjugate_gradients<16>)},
        {"CG, 32 steps", ane::build_graph(conjugate_gradients<32>)},
        {"Cholesky", ane::build_graph(cholesky)},
    };
    bool good = true;
    for (const double condition : {2.0, 10.0, 100.0}) {
        const linear_system system = with_condition(condition);
        fmt::print("condition {}: relative error of x\n  {:<14}{:>10}{:>10}{:>10}\n", condition, "", "cpu", "M1", "M5");
        for (const auto& [name, model] : methods) {
            const double cpu = error_of(model, ane::backend::cpu{}, system);
            const double m1 = error_of(model, ane::backend::oracle{ane::h13}, system);
            const double m5 = error_of(model, ane::backend::oracle{ane::h17s}, system);
            fmt::print("  {:<14}{:>10.5f}{:>10.5f}{:>10.5f}\n", name, cpu, m1, m5);
            if (&model == &methods[5].model) { // a direct method: eps times the condition
                good = good && std::max({cpu, m1, m5}) < (4 + condition) / 2048;
            }
        }
    }
    return good ? 0 : 1;
}
