// Products and norms against Eigen in double precision.

#include "systems.hpp"
#include <anemone/rules/conforms.hpp>

using namespace ane;
using linear::eps;
using linear::matrix;

namespace {

constexpr auto levels = graph([](auto& g) {
    auto a = g.input("a"_s, f16<8, 8>, within(-1, 1));
    auto x = g.input("x"_s, f16<8, 1>, within(-1, 1));
    auto y = g.input("y"_s, f16<8, 1>, within(-1, 1));
    g.output("dot"_s, linalg::dot(x, y));
    g.output("axpy"_s, linalg::axpy(3, x, y));
    g.output("gemv"_s, linalg::gemv(2, a, x, -1, y));
    g.output("gemm"_s, linalg::gemm(0.5, a, a, 2, a));
    g.output("ger"_s, linalg::ger(4, x, y));
    g.output("norm_1"_s, linalg::norm_1(a));
    g.output("norm_2"_s, linalg::norm_2(a));
    g.output("norm_infinity"_s, linalg::norm_infinity(a));
    g.output("norm_frobenius"_s, linalg::norm_frobenius(a));
});
static_assert(conforms<levels, macs>); // no overflow, and no divisor that may be zero, for all inputs in [-1, 1]

} // namespace

TEST_CASE("products and norms are those of double precision to a few roundings") {
    linear::random_matrices random;
    const matrix a = random.general(8, 8, 10);
    const matrix x = linear::rounded(random.normal(8, 1) / 4);
    const matrix y = linear::rounded(random.normal(8, 1) / 4);
    const std::vector<matrix> expected{
        x.transpose() * y,
        3 * x + y,
        2 * a * x - y,
        0.5 * a * a + 2 * a,
        4 * x * y.transpose(),
        matrix::Constant(1, 1, a.cwiseAbs().colwise().sum().maxCoeff()),
        a.colwise().norm(),
        matrix::Constant(1, 1, a.cwiseAbs().rowwise().sum().maxCoeff()),
        matrix::Constant(1, 1, a.norm()),
    };
    linear::on_each_backend(levels.view(), {a, x, y}, [&](const auto& found, const std::string& name) {
        CAPTURE(name);
        for (std::size_t k = 0; k < expected.size(); ++k) {
            CAPTURE(k);
            CHECK((found[k] - expected[k]).cwiseAbs().maxCoeff() <=
                  4 * eps * (0.1 + expected[k].cwiseAbs().maxCoeff()));
        }
    });
}

TEST_CASE("the Kronecker product has each product of two elements in its place") {
    linear::random_matrices random;
    const matrix a = linear::rounded(random.normal(2, 3));
    const matrix b = linear::rounded(random.normal(4, 2));
    matrix expected(8, 6);
    for (Eigen::Index i = 0; i < 8; ++i) {
        for (Eigen::Index j = 0; j < 6; ++j) {
            expected(i, j) = a(i / 4, j / 2) * b(i % 4, j % 2);
        }
    }
    const auto model = build_graph([](auto& g) {
        auto a = g.input("a"_s, f16<2, 3>);
        auto b = g.input("b"_s, f16<4, 2>);
        g.output("y"_s, linalg::kron(a, b));
    });
    linear::on_each_backend(model.view(), {a, b}, [&](const auto& found, const std::string& name) {
        CAPTURE(name);
        CHECK((found[0] - expected).cwiseAbs().maxCoeff() <= 2 * eps * expected.cwiseAbs().maxCoeff());
    });
}

TEST_CASE("a Euclidean norm neither overflows nor vanishes where its squares do") {
    const auto model = build_graph([](auto& g) { g.output("y"_s, linalg::norm_2(g.input("x"_s, f16<4, 3>))); });
    matrix x(4, 3);
    x << 20000, 0x1p-14, 0, 20000, 0x1p-14, 0, 20000, 0x1p-14, 0, 20000, 0x1p-14, 0;
    linear::on_each_backend(model.view(), {x}, [&](const auto& found, const std::string& name) {
        CAPTURE(name);
        CHECK(found[0](0, 0) == doctest::Approx(40000).epsilon(2 * eps));
        CHECK(found[0](0, 1) == doctest::Approx(0x1p-13).epsilon(2 * eps));
        CHECK(found[0](0, 2) == 0);
    });
}
