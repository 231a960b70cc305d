// Factorizations and substitution against closed forms, and against Eigen in double precision for matrices of condition
// 1 to 10^4.

#include "systems.hpp"
#include <anemone/rules/conforms.hpp>

using namespace ane;
using linear::eps;
using linear::matrix;

namespace {

template <int N>
constexpr auto describe_factors = [](auto& g) {
    auto a = g.input("a"_s, f16<N, N>, within(-1, 1));
    g.output("cholesky"_s, linalg::cholesky(a));
    const auto doolittle = linalg::lu(a);
    g.output("l"_s, doolittle.l);
    g.output("u"_s, doolittle.u);
    const auto symmetric = linalg::ldl(a);
    g.output("unit"_s, symmetric.l);
    g.output("d"_s, symmetric.d);
};

/// A constant for the rules: all that may go wrong is a divisor that data makes zero.
constexpr auto small = graph([](auto& g) {
    auto a = g.input("a"_s, f16<3, 3>, within(-1, 1));
    g.output("l"_s, linalg::cholesky(a));
});
static_assert(!conforms<small, macs>);
static_assert(conforms<small, macs, waive(rule::divisor_may_be_zero)>);

} // namespace

TEST_CASE("factors of min(i, j) are ones, exactly") {
    linear::for_each_size([]<int N>() {
        const auto model = build_graph(describe_factors<N>);
        matrix a(N, N);
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j) {
                a(i, j) = std::min(i, j) + 1;
            }
        }
        const matrix ones = matrix::Ones(N, N).triangularView<Eigen::Lower>();
        linear::on_each_backend(model.view(), {a}, [&](const auto& found, const std::string& name) {
            CAPTURE(N);
            CAPTURE(name);
            CHECK(found[0] == ones);
            CHECK(found[1] == ones);
            CHECK(found[2] == ones.transpose());
            CHECK(found[3] == ones);
            CHECK(found[4] == matrix::Ones(N, 1));
        });
    });
}

TEST_CASE("the product of the factors is the matrix to a few roundings, whatever the condition") {
    linear::random_matrices random;
    linear::for_each_size([&]<int N>() {
        const auto model = build_graph(describe_factors<N>);
        for (const double condition : {1.0, 10.0, 100.0, 1e3, 1e4}) {
            const matrix a = random.positive(N, condition);
            linear::on_each_backend(model.view(), {a}, [&](const auto& found, const std::string& name) {
                CAPTURE(N);
                CAPTURE(condition);
                CAPTURE(name);
                if (condition <= 1e3) { // above 1 / eps, a's rounding may leave it indefinite
                    CHECK(linear::difference(found[0] * found[0].transpose(), a) <= 5 * eps);
                }
                CHECK(linear::difference(found[1] * found[2], a) <= 5 * eps);
                CHECK(linear::difference(found[3] * found[4].asDiagonal() * found[3].transpose(), a) <= 5 * eps);
                CHECK(found[0].isLowerTriangular(0));
                CHECK(found[1].isLowerTriangular(0));
                CHECK(found[2].isUpperTriangular(0));
                CHECK(found[3].isLowerTriangular(0));
            });
        }
    });
}

TEST_CASE("an indefinite matrix has factors L D L^T and L U, and none of Cholesky") {
    const auto model = build_graph(describe_factors<2>);
    matrix a(2, 2);
    a << 1, 2, 2, 1;
    linear::on_each_backend(model.view(), {a}, [&](const auto& found, const std::string& name) {
        CAPTURE(name);
        CHECK(!found[0].allFinite());
        CHECK(found[1] * found[2] == a);
        CHECK(found[4] == (matrix(2, 1) << 1, -3).finished());
    });
}

TEST_CASE("a singular matrix gives no finite solution") {
    const auto model = build_graph([](auto& g) {
        auto a = g.input("a"_s, f16<2, 2>);
        auto b = g.input("b"_s, f16<2, 1>);
        g.output("x"_s, linalg::solve(a, b));
    });
    matrix a(2, 2);
    a << 1, 1, 1, 1;
    linear::on_each_backend(model.view(), {a, (matrix(2, 1) << 1, 2).finished()},
                            [&](const auto& found, const std::string& name) {
                                CAPTURE(name);
                                CHECK(!found[0].allFinite());
                            });
}

TEST_CASE("substitution solves a system near the given one, and each solution is as good as the condition allows") {
    linear::random_matrices random;
    linear::for_each_size([&]<int N>() {
        const auto model = build_graph([](auto& g) {
            auto a = g.input("a"_s, f16<N, N>);
            auto b = g.input("b"_s, f16<N, 2>);
            g.output("lower"_s, linalg::solve_lower(a, b));
            g.output("upper"_s, linalg::solve_upper(a, b));
            g.output("positive"_s, linalg::solve_positive(a, b));
            g.output("general"_s, linalg::solve(a, b));
        });
        for (const double condition : {1.0, 10.0, 100.0, 1e3, 1e4}) {
            const matrix a = random.positive(N, condition);
            const matrix lower = a.triangularView<Eigen::Lower>();
            const matrix upper = a.triangularView<Eigen::Upper>();
            const matrix b = linear::rounded(a * random.normal(N, 2));
            linear::on_each_backend(model.view(), {a, b}, [&](const auto& found, const std::string& name) {
                CAPTURE(N);
                CAPTURE(condition);
                CAPTURE(name);
                const auto backward = [&](const matrix& of, const matrix& x) {
                    return (of * x - b).norm() / (of.norm() * x.norm());
                };
                if (condition <= 100) { // the triangles are not of the matrix's condition
                    CHECK(backward(lower, found[0]) <= 4 * eps);
                    CHECK(backward(upper, found[1]) <= 4 * eps);
                }
                if (condition <= 1e3) {
                    CHECK(backward(a, found[2]) <= 8 * eps);
                    CHECK(backward(a, found[3]) <= 8 * eps);
                    const matrix exact = a.ldlt().solve(b);
                    CHECK(linear::difference(found[2], exact) <= (4 + 3 * condition) * eps);
                    CHECK(linear::difference(found[3], exact) <= (4 + 3 * condition) * eps);
                }
            });
        }
    });
}

TEST_CASE("a batch is its systems one by one, to the bit") {
    linear::random_matrices random;
    const auto describe = []<std::int64_t... Leading>(std::integer_sequence<std::int64_t, Leading...>) {
        return build_graph([](auto& g) {
            auto a = g.input("a"_s, f16<Leading..., 3, 3>);
            auto b = g.input("b"_s, f16<Leading..., 3, 1>);
            g.output("x"_s, linalg::solve_positive(a, b));
            g.output("u"_s, linalg::lu(a).u);
            g.output("k"_s, linalg::kron(a, b));
            g.output("n"_s, linalg::norm_2(b));
        });
    };
    const auto single = describe(std::integer_sequence<std::int64_t>());
    const auto batch = describe(std::integer_sequence<std::int64_t, 2, 4>());
    matrix all_a(24, 3);
    matrix all_b(24, 1);
    for (int i = 0; i < 8; ++i) {
        all_a.middleRows(3 * i, 3) = random.positive(3, 10);
        all_b.middleRows(3 * i, 3) = linear::rounded(random.normal(3, 1));
    }
    const auto judge = [&](const auto& backend) {
        const auto found = linear::run(batch.view(), backend, {all_a, all_b});
        for (int i = 0; i < 8; ++i) {
            const auto one =
                linear::run(single.view(), backend, {all_a.middleRows(3 * i, 3), all_b.middleRows(3 * i, 3)});
            for (std::size_t k = 0; k < one.size(); ++k) {
                CHECK(found[k].middleRows(one[k].rows() * i, one[k].rows()) == one[k]);
            }
        }
    };
    judge(backend::cpu{});
    judge(backend::oracle{h13});
    judge(backend::oracle{h17s});
}
