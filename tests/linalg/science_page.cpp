// The table of docs/science.md is what the kernels give in the engine's arithmetic. ANEMONE_UPDATE_DOCS=1 writes it anew.

#include "systems.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

using namespace ane;
using linear::matrix;

namespace {

/// Errors of one kernel, whatever its inputs are.
struct judged_kernel {
    std::string_view name;
    dynamic_graph model;
    double (*error)(const matrix& a, const matrix& b, const std::vector<matrix>& found);
    bool has_right_side = true;
};

double of_solution(const matrix& a, const matrix& b, const std::vector<matrix>& found) {
    return linear::difference(found[0], a.colPivHouseholderQr().solve(b));
}
double of_product(const matrix& a, const matrix& /*b*/, const std::vector<matrix>& found) {
    return linear::difference(found[0] * found[1], a);
}
double of_values(const matrix& a, const matrix& /*b*/, const std::vector<matrix>& found) {
    linear::vector values = found[0].reshaped();
    std::sort(values.begin(), values.end());
    return (values - Eigen::SelfAdjointEigenSolver<matrix>(a).eigenvalues()).cwiseAbs().maxCoeff();
}

/// A graph of a kernel over a matrix and, where it has one, a right side.
template <int N, class Function> dynamic_graph of_matrix(Function f) {
    return build_graph([f](auto& g) { f(g, g.input("a"_s, f16<N, N>)); });
}
template <int N, class Function> dynamic_graph of_system(Function f) {
    return build_graph([f](auto& g) {
        auto a = g.input("a"_s, f16<N, N>);
        auto b = g.input("b"_s, f16<N, 1>);
        g.output("x"_s, f(a, b));
    });
}

std::string row(const judged_kernel& kernel) {
    std::string line;
    for (const double condition : {10.0, 100.0, 1e3, 1e4}) {
        linear::random_matrices random(1);
        const graph_view view = kernel.model.view();
        const auto n = static_cast<Eigen::Index>(view[0].shape.from_last(0));
        const matrix a = random.positive(n, condition);
        const matrix b = linear::rounded(a * random.normal(n, 1));
        std::vector<matrix> inputs{a};
        if (kernel.has_right_side) {
            inputs.push_back(b);
        }
        const double m1 = kernel.error(a, b, linear::run(view, backend::oracle{h13}, inputs));
        const double m5 = kernel.error(a, b, linear::run(view, backend::oracle{h17s}, inputs));
        line += m1 < 1 && m5 < 1 ? fmt::format(" {:.0e}, {:.0e} |", m1, m5) : std::string(" none |");
        if (condition == 10.0) {
            line = fmt::format("| {} | {} | {} |", kernel.name, n, view.size()) + line;
        }
    }
    return line + "\n";
}

std::string table() {
    std::string text = "| Kernel | n | Nodes | K = 10: M1, M5 | K = 100 | K = 1000 | K = 10,000 |\n"
                       "|---|---:|---:|---|---|---|---|\n";
    const auto factors = [](auto name, auto f) { return judged_kernel{name, of_matrix<32>(f), of_product, false}; };
    text += row(factors("`cholesky`, L L^T - A", [](auto& g, auto a) {
        const auto l = linalg::cholesky(a);
        g.output("l"_s, l);
        g.output("u"_s, linalg::transposed_of(l));
    }));
    text += row(factors("`lu`, L U - A", [](auto& g, auto a) {
        const auto f = linalg::lu(a);
        g.output("l"_s, f.l);
        g.output("u"_s, f.u);
    }));
    text += row(factors("`qr`, Q R - A", [](auto& g, auto a) {
        const auto f = linalg::qr(a);
        g.output("q"_s, f.q);
        g.output("r"_s, f.r);
    }));
    const auto solver = [](auto name, auto f) { return judged_kernel{name, of_system<32>(f), of_solution}; };
    text += row(solver("`solve_positive`, x", [](auto a, auto b) { return linalg::solve_positive(a, b); }));
    text += row(solver("`solve`, x", [](auto a, auto b) { return linalg::solve(a, b); }));
    text += row(solver("`least_squares`, x", [](auto a, auto b) { return linalg::least_squares(a, b); }));
    text +=
        row(solver("`inverse_of<24>` times b", [](auto a, auto b) { return matmul(linalg::inverse_of<24>(a), b); }));
    text +=
        row(solver("`richardson<64>`, omega 1.8, x", [](auto a, auto b) { return linalg::richardson<64>(a, b, 1.8); }));
    text += row(solver("`chebyshev<48>` on [0.0098, 1.02], x",
                       [](auto a, auto b) { return linalg::chebyshev<48>(a, b, 0.0098, 1.02); }));
    text += row(
        solver("`conjugate_gradients<64>`, x", [](auto a, auto b) { return linalg::conjugate_gradients<64>(a, b); }));
    text += row({"`conjugate_gradients<64>`, x",
                 of_system<256>([](auto a, auto b) { return linalg::conjugate_gradients<64>(a, b); }), of_solution});
    text += row({"`square_root_of<16>`, S S - A", of_matrix<32>([](auto& g, auto a) {
                     const auto s = linalg::square_root_of<16>(a).root;
                     g.output("s"_s, s);
                     g.output("t"_s, s);
                 }),
                 of_product, false});
    text += row({"`eigen_decomposition<6>`, values",
                 of_matrix<20>([](auto& g, auto a) { g.output("values"_s, linalg::eigen_decomposition<6>(a).values); }),
                 of_values, false});
    text +=
        row({"`singular_decomposition<6>`, values",
             of_matrix<20>([](auto& g, auto a) { g.output("values"_s, linalg::singular_decomposition<6>(a).values); }),
             of_values, false});
    return text;
}

} // namespace

TEST_CASE("the page of science has the errors of the kernels") {
    const std::filesystem::path page = std::filesystem::path(ANEMONE_TEST_DATA) / ".." / "docs" / "science.md";
    constexpr std::string_view begin = "<!-- written by tests/linalg/science_page.cpp -->\n";
    constexpr std::string_view end = "<!-- end of the kernels -->";
    std::ifstream file(page, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    file.close();
    const std::size_t first = text.find(begin);
    const std::size_t last = text.find(end);
    REQUIRE(first != std::string::npos);
    REQUIRE(last != std::string::npos);
    const std::size_t from = first + begin.size();
    const std::string written = table();
    if (std::getenv("ANEMONE_UPDATE_DOCS") != nullptr) {
        text.replace(from, last - from, written);
        std::ofstream(page, std::ios::binary) << text;
    } else {
        CHECK(text.substr(from, last - from) == written);
    }
}
