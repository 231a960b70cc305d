// Orthogonal columns, least squares, eigenvalues and singular values against Eigen in double precision.

#include "systems.hpp"

#include <algorithm>

using namespace ane;
using linear::eps;
using linear::matrix;

namespace {

matrix sorted(matrix values) {
    std::sort(values.reshaped().begin(), values.reshaped().end());
    return values.reshaped();
}

} // namespace

TEST_CASE("a tournament lets each pair meet once") {
    for (std::int64_t n = 1; n <= linalg::largest_decomposed; ++n) {
        CAPTURE(n);
        std::vector<int> meetings(static_cast<std::size_t>(n * n));
        for (std::int64_t round = 0; round < linalg::detail::rounds_of(n); ++round) {
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int64_t j = linalg::detail::opponent(n, round, i);
                if (j >= 0) {
                    CHECK(linalg::detail::opponent(n, round, j) == i);
                    ++meetings[static_cast<std::size_t>(i * n + j)];
                }
            }
        }
        for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
                CHECK(meetings[static_cast<std::size_t>(i * n + j)] == (i == j ? 0 : 1));
            }
        }
    }
}

TEST_CASE("Gram-Schmidt gives orthonormal columns at any condition, and least squares by them") {
    linear::random_matrices random;
    const auto judge = [&]<int M, int N>() {
        const auto model = build_graph([](auto& g) {
            auto a = g.input("a"_s, f16<M, N>);
            auto b = g.input("b"_s, f16<M, 2>);
            const auto f = linalg::qr(a);
            g.output("q"_s, f.q);
            g.output("r"_s, f.r);
            g.output("x"_s, linalg::least_squares(a, b));
        });
        for (const double condition : {1.0, 10.0, 100.0, 1e3}) { // below 1 / eps, or rounding makes columns dependent
            const matrix a = random.general(M, N, condition);
            const matrix b = linear::rounded(a * random.normal(N, 2));
            const matrix exact = a.colPivHouseholderQr().solve(b);
            linear::on_each_backend(model.view(), {a, b}, [&](const auto& found, const std::string& name) {
                CAPTURE(M);
                CAPTURE(N);
                CAPTURE(condition);
                CAPTURE(name);
                CHECK(found[1].isUpperTriangular(0));
                CHECK(linear::difference(found[0] * found[1], a) <= 6 * eps);
                CHECK(linear::difference(found[0].transpose() * found[0], matrix::Identity(N, N)) <= 10 * eps);
                if (condition <= 100) {
                    CHECK(linear::difference(found[2], exact) <= (4 + 4 * condition) * eps);
                }
            });
        }
    };
    judge.operator()<1, 1>();
    judge.operator()<3, 2>();
    judge.operator()<8, 8>();
    judge.operator()<48, 32>();
}

TEST_CASE("columns whose squares are no fp16 numbers have factors too") {
    const auto model = build_graph([](auto& g) {
        const auto f = linalg::qr(g.input("a"_s, f16<2, 2>));
        g.output("q"_s, f.q);
        g.output("r"_s, f.r);
    });
    matrix a(2, 2);
    a << 2000, 0, 0, 3000;
    linear::on_each_backend(model.view(), {a}, [&](const auto& found, const std::string& name) {
        CAPTURE(name);
        CHECK(linear::difference(found[0] * found[1], a) <= 4 * eps);
    });
}

TEST_CASE("power and subspace iterations find the largest eigenvalues") {
    linear::random_matrices random;
    const auto model = build_graph([](auto& g) {
        auto a = g.input("a"_s, f16<16, 16>);
        auto start = g.input("start"_s, f16<16, 3>);
        const auto one = linalg::power_iteration<24>(a, slice<window{{0, 0}, {16, 1}}>(start));
        g.output("value"_s, one.values);
        g.output("vector"_s, one.vectors);
        const auto several = linalg::subspace_iteration<24>(a, start);
        g.output("values"_s, several.values);
        g.output("vectors"_s, several.vectors);
    });
    linear::vector values = linear::vector::Constant(16, 0.125);
    values.head(3) << 1, -0.5, 0.25;
    const matrix q = random.orthogonal(16);
    matrix a = linear::rounded(q * values.asDiagonal() * q.transpose());
    a = (a + a.transpose()).eval() / 2;
    linear::on_each_backend(model.view(), {a, linear::rounded(random.normal(16, 3))},
                            [&](const auto& found, const std::string& name) {
                                CAPTURE(name);
                                CHECK(std::fabs(found[0](0) - 1) <= 10 * eps);
                                CHECK(linear::difference(a * found[1], found[1]) <= 4 * eps);
                                CHECK((found[2] - values.head(3)).norm() <= 6 * eps);
                                const matrix pairs = found[3] * values.head(3).asDiagonal();
                                CHECK((a * found[3] - pairs).norm() <= 12 * eps);
                            });
}

TEST_CASE("rotations of Jacobi give all eigenvalues and singular values") {
    linear::random_matrices random;
    const auto judge = [&]<int N>() {
        const auto model = build_graph([](auto& g) {
            auto a = g.input("a"_s, f16<N, N>);
            auto b = g.input("b"_s, f16<N + 1, N>);
            const auto e = linalg::eigen_decomposition<6>(a);
            g.output("values"_s, e.values);
            g.output("vectors"_s, e.vectors);
            const auto s = linalg::singular_decomposition<6>(b);
            g.output("u"_s, s.u);
            g.output("sigma"_s, s.values);
            g.output("v"_s, s.v);
        });
        const matrix one = matrix::Identity(N, N);
        for (const double condition : {1.0, 10.0, 100.0}) {
            const matrix a = random.positive(N, condition) - one / 4; // indefinite
            const matrix b = random.general(N + 1, N, condition);
            const matrix eigenvalues = Eigen::SelfAdjointEigenSolver<matrix>(a).eigenvalues();
            const matrix singular = Eigen::JacobiSVD<matrix>(b).singularValues();
            linear::on_each_backend(
                model.view(), {linear::rounded(a), b}, [&](const auto& found, const std::string& name) {
                    CAPTURE(N);
                    CAPTURE(condition);
                    CAPTURE(name);
                    const matrix v = found[1];
                    CHECK((sorted(found[0]) - eigenvalues).cwiseAbs().maxCoeff() <= 4 * eps);
                    CHECK(linear::difference(v * found[0].asDiagonal() * v.transpose(), a) <= 6 * eps);
                    CHECK(linear::difference(v.transpose() * v, one) <= 4 * eps);
                    CHECK((sorted(found[3]) - sorted(singular)).cwiseAbs().maxCoeff() <= 8 * eps);
                    CHECK(linear::difference(found[2] * found[3].row(0).asDiagonal() * found[4].transpose(), b) <=
                          6 * eps);
                    CHECK(linear::difference(found[4].transpose() * found[4], one) <= 4 * eps);
                    if (condition <= 10) {
                        CHECK(linear::difference(found[2].transpose() * found[2], one) <= 10 * eps);
                    }
                });
        }
    };
    judge.operator()<1>();
    judge.operator()<3>();
    judge.operator()<8>();
    judge.operator()<20>();
}

TEST_CASE("a batch of decompositions is its matrices one by one") {
    linear::random_matrices random;
    const auto describe = []<std::int64_t... Leading>(std::integer_sequence<std::int64_t, Leading...>) {
        return build_graph([](auto& g) {
            auto a = g.input("a"_s, f16<Leading..., 3, 3>);
            auto b = g.input("b"_s, f16<Leading..., 3, 1>);
            g.output("values"_s, linalg::eigen_decomposition<4>(a).values);
            g.output("sigma"_s, linalg::singular_decomposition<4>(a).values);
            g.output("r"_s, linalg::qr(a).r);
            g.output("x"_s, linalg::conjugate_gradients<4>(a, b));
            g.output("inverse"_s, linalg::inverse_of<6>(a));
        });
    };
    const auto single = describe(std::integer_sequence<std::int64_t>());
    const auto batch = describe(std::integer_sequence<std::int64_t, 4>());
    matrix all_a(12, 3);
    matrix all_b(12, 1);
    for (int i = 0; i < 4; ++i) {
        all_a.middleRows(3 * i, 3) = random.positive(3, 10);
        all_b.middleRows(3 * i, 3) = linear::rounded(random.normal(3, 1));
    }
    const auto judge = [&](const auto& backend) {
        const auto found = linear::run(batch.view(), backend, {all_a, all_b});
        for (int i = 0; i < 4; ++i) {
            const auto one =
                linear::run(single.view(), backend, {all_a.middleRows(3 * i, 3), all_b.middleRows(3 * i, 3)});
            for (std::size_t k = 0; k < one.size(); ++k) {
                // A sum over rows may be taken in another order.
                CHECK(linear::difference(found[k].middleRows(one[k].rows() * i, one[k].rows()), one[k]) <= 4 * eps);
            }
        }
    };
    judge(backend::cpu{});
    judge(backend::oracle{h13});
}
