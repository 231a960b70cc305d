// Iterations against the closed forms of their errors, and against Eigen in double precision.

#include "systems.hpp"
#include <anemone/rules/conforms.hpp>

using namespace ane;
using linear::eps;
using linear::matrix;

namespace {

constexpr auto few = graph([](auto& g) {
    auto a = g.input("a"_s, f16<8, 8>, within(-1, 1));
    auto b = g.input("b"_s, f16<8, 1>, within(-1, 1));
    g.output("richardson"_s, linalg::richardson<3>(a, b, 0.5));
    g.output("chebyshev"_s, linalg::chebyshev<3>(a, b, 0.1, 1));
});
static_assert(conforms<few, macs>);

/// Eigenvalues 1, 1/2 and 1/4.
matrix three_eigenvalues(int n) {
    matrix a = matrix::Zero(n, n);
    for (int i = 0; i < n; ++i) {
        a(i, i) = std::pow(0.5, i % 3);
    }
    return a;
}
double chebyshev_polynomial(int k, double x) {
    double before = 1;
    double value = x;
    for (int i = 1; i < k; ++i) {
        before = std::exchange(value, 2 * x * value - before);
    }
    return value;
}

} // namespace

TEST_CASE("each step shrinks the errors by what theory says") {
    constexpr int steps = 4;
    const auto model = build_graph([](auto& g) {
        auto a = g.input("a"_s, f16<3, 3>);
        auto b = g.input("b"_s, f16<3, 1>);
        g.output("richardson"_s, linalg::richardson<steps>(a, b, 1.5));
        g.output("chebyshev"_s, linalg::chebyshev<steps>(a, b, 0.25, 1));
        g.output("two"_s, linalg::conjugate_gradients<2>(a, b));
        g.output("three"_s, linalg::conjugate_gradients<3>(a, b));
        g.output("preconditioned"_s, linalg::jacobi_conjugate_gradients<1>(a, b));
        g.output("jacobi"_s, linalg::jacobi<steps>(a, b, 0.75));
        g.output("more"_s, linalg::conjugate_gradients<20>(a, b));
    });
    const matrix a = three_eigenvalues(3);
    const matrix ones = matrix::Ones(3, 1);
    linear::on_each_backend(model.view(), {a, a * ones}, [&](const auto& found, const std::string& name) {
        CAPTURE(name);
        for (int i = 0; i < 3; ++i) {
            CAPTURE(i);
            const double value = a(i, i);
            CHECK(std::fabs(1 - found[0](i) - std::pow(1 - 1.5 * value, steps)) <= 4 * eps);
            const double left =
                chebyshev_polynomial(steps, (0.625 - value) / 0.375) / chebyshev_polynomial(steps, 0.625 / 0.375);
            CHECK(std::fabs(1 - found[1](i) - left) <= 4 * eps);
            CHECK(std::fabs(1 - found[5](i) - std::pow(0.25, steps)) <= 4 * eps);
        }
        CHECK(linear::difference(found[2], ones) > 0.01); // as many steps as eigenvalues, not one less
        CHECK(linear::difference(found[3], ones) <= 4 * eps);
        CHECK(linear::difference(found[4], ones) <= 4 * eps); // preconditioned, all eigenvalues are one
        CHECK(linear::difference(found[6], ones) <= 4 * eps); // what has converged stays
    });
}

TEST_CASE("solvers end at an error of the condition times eps, on columns of any size") {
    linear::random_matrices random;
    const auto judge = [&]<int N>() {
        for (const double condition : {1.0, 10.0, 100.0, 1e3}) {
            const auto model = build_graph([condition](auto& g) {
                auto a = g.input("a"_s, f16<N, N>);
                auto b = g.input("b"_s, f16<N, 2>);
                g.output("chebyshev"_s, linalg::chebyshev<48>(a, b, 0.98 / condition, 1.02));
                g.output("conjugate"_s, linalg::conjugate_gradients<2 * N>(a, b));
                g.output("preconditioned"_s, linalg::jacobi_conjugate_gradients<2 * N>(a, b));
            });
            const matrix a = random.positive(N, condition);
            matrix b = linear::rounded(a * random.normal(N, 2));
            b.col(1) = linear::rounded(b.col(1) / 1024); // its squares alone would be subnormal
            const matrix exact = a.ldlt().solve(b);
            linear::on_each_backend(model.view(), {a, b}, [&](const auto& found, const std::string& name) {
                CAPTURE(N);
                CAPTURE(condition);
                CAPTURE(name);
                for (std::size_t k = condition <= 100 ? 0 : 1; k < 3; ++k) {
                    CAPTURE(k);
                    CHECK(linear::difference(found[k].col(0), exact.col(0)) <= (4 + condition) * eps);
                    if (k > 0) {
                        CHECK(linear::difference(found[k].col(1), exact.col(1)) <= (4 + 2 * condition) * eps);
                    }
                }
            });
        }
    };
    judge.operator()<2>();
    judge.operator()<16>();
}

TEST_CASE("Newton-Schulz gives inverses, roots and polar factors") {
    linear::random_matrices random;
    const auto judge = [&]<int N>() {
        const auto model = build_graph([](auto& g) {
            auto a = g.input("a"_s, f16<N, N>);
            auto b = g.input("b"_s, f16<N + 2, N>);
            g.output("inverse"_s, linalg::inverse_of<24>(a));
            const auto roots = linalg::square_root_of<16>(a);
            g.output("root"_s, roots.root);
            g.output("inverse_root"_s, roots.inverse_root);
            g.output("polar"_s, linalg::polar_factor<16>(b));
        });
        for (const double condition : {1.0, 10.0, 100.0}) {
            const matrix a = random.positive(N, condition);
            const matrix b = random.general(N + 2, N, condition);
            const matrix one = matrix::Identity(N, N);
            const Eigen::JacobiSVD<matrix> svd(b, Eigen::ComputeThinU | Eigen::ComputeThinV);
            linear::on_each_backend(model.view(), {a, b}, [&](const auto& found, const std::string& name) {
                CAPTURE(N);
                CAPTURE(condition);
                CAPTURE(name);
                CHECK(linear::difference(found[0], a.inverse()) <= (2 + condition) * eps);
                CHECK(linear::difference(found[1] * found[1], a) <= 20 * eps);
                CHECK(linear::difference(found[2] * a * found[2], one) <= (4 + condition) * eps);
                CHECK(linear::difference(found[3].transpose() * found[3], one) <= 10 * eps);
                CHECK(linear::difference(found[3], svd.matrixU() * svd.matrixV().transpose()) <= (4 + condition) * eps);
            });
        }
    };
    judge.operator()<1>();
    judge.operator()<3>();
    judge.operator()<16>();
}

TEST_CASE("an interval of Chebyshev's begins above 0 and ends above its beginning") {
    const auto built = [](double low, double high) {
        return build_graph([=](auto& g) {
            auto a = g.input("a"_s, f16<2, 2>);
            auto b = g.input("b"_s, f16<2, 1>);
            g.output("x"_s, linalg::chebyshev<2>(a, b, low, high));
        });
    };
    CHECK_THROWS_AS(built(0, 1), error);
    CHECK_THROWS_AS(built(1, 1), error);
    CHECK_THROWS_AS(built(-1, -2), error);
    CHECK_NOTHROW(built(0.5, 1));
}
