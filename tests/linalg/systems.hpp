#pragma once

#include "../from_environment.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/linalg/linalg.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <Eigen/Dense>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Matrices of known condition, and runs of graphs on them; Eigen in double precision is the referee.
namespace linear {

using matrix = Eigen::MatrixXd;
using vector = Eigen::VectorXd;

inline constexpr double eps = 0x1p-11; ///< of fp16: half the distance from 1 to the next number

/// The matrix of the nearest fp16 numbers: what a program really gets.
inline matrix rounded(matrix a) {
    for (double& x : a.reshaped()) {
        x = static_cast<double>(ane::half(x));
    }
    return a;
}

class random_matrices {
public:
    explicit random_matrices(unsigned seed = from_environment::seed()) : engine_(seed) {}

    matrix normal(Eigen::Index rows, Eigen::Index columns) {
        matrix a(rows, columns);
        for (double& x : a.reshaped()) {
            x = normal();
        }
        return a;
    }
    matrix orthogonal(Eigen::Index n) { return Eigen::HouseholderQR<matrix>(normal(n, n)).householderQ(); }
    /// Symmetric positive definite; its eigenvalues fall geometrically from 1 to 1 / condition.
    matrix positive(Eigen::Index n, double condition) {
        const matrix q = orthogonal(n);
        const matrix a = rounded(q * falling(n, condition).asDiagonal() * q.transpose());
        return (a + a.transpose()) / 2;
    }
    /// Its singular values fall geometrically from 1 to 1 / condition.
    matrix general(Eigen::Index rows, Eigen::Index columns, double condition) {
        const matrix u = orthogonal(rows).leftCols(columns);
        return rounded(u * falling(columns, condition).asDiagonal() * orthogonal(columns).transpose());
    }
    static vector falling(Eigen::Index n, double condition) {
        vector values(n);
        for (Eigen::Index i = 0; i < n; ++i) {
            values[i] = n == 1 ? 1 : std::pow(condition, -static_cast<double>(i) / static_cast<double>(n - 1));
        }
        return values;
    }

private:
    /// About normal, and the same numbers with every standard library: the sum of twelve uniform ones less its mean.
    double normal() {
        double sum = -6;
        for (int i = 0; i < 12; ++i) {
            sum += static_cast<double>(engine_()) / static_cast<double>(std::mt19937::max());
        }
        return sum;
    }

    std::mt19937 engine_;
};

/// The outputs of a graph; of a batch, the problems below each other.
template <class Backend>
std::vector<matrix> run(const ane::graph_view& model, const Backend& backend, const std::vector<matrix>& inputs) {
    std::vector<std::vector<ane::half>> given;
    std::vector<std::span<const std::byte>> given_bytes;
    for (const matrix& a : inputs) {
        std::vector<ane::half>& values = given.emplace_back();
        for (const double x : a.reshaped<Eigen::RowMajor>()) {
            values.emplace_back(x);
        }
    }
    given_bytes.reserve(given.size());
    for (const auto& values : given) {
        given_bytes.push_back(std::as_bytes(std::span(values)));
    }
    std::vector<std::vector<ane::half>> results;
    for (const ane::output_port& port : model.outputs) {
        results.emplace_back(static_cast<std::size_t>(model[port.node].shape.count()));
    }
    std::vector<std::span<std::byte>> result_bytes;
    result_bytes.reserve(results.size());
    for (auto& values : results) {
        result_bytes.push_back(std::as_writable_bytes(std::span(values)));
    }
    ane::compile(model, backend).run(given_bytes, result_bytes);
    std::vector<matrix> read;
    for (std::size_t k = 0; k < results.size(); ++k) {
        const Eigen::Index columns = model[model.outputs[k].node].shape.from_last(0);
        matrix& a = read.emplace_back(static_cast<Eigen::Index>(results[k].size()) / columns, columns);
        for (Eigen::Index i = 0; i < a.size(); ++i) {
            a(i / columns, i % columns) = static_cast<double>(results[k][static_cast<std::size_t>(i)]);
        }
    }
    return read;
}

/// Calls judge(results, name of the backend) for the outputs on the CPU and in the arithmetic of M1 and M5.
template <class Judge>
void on_each_backend(const ane::graph_view& model, const std::vector<matrix>& inputs, const Judge& judge) {
    judge(run(model, ane::backend::cpu{}, inputs), std::string("cpu"));
    judge(run(model, ane::backend::oracle{ane::h13}, inputs), std::string("h13"));
    judge(run(model, ane::backend::oracle{ane::h17s}, inputs), std::string("h17s"));
}

/// |a - b| / |b| by Frobenius.
inline double difference(const matrix& a, const matrix& b) { return (a - b).norm() / b.norm(); }

/// Calls f.operator()<n>() for each number of rows that the tests take.
template <class Function> void for_each_size(const Function& f) {
    [&]<int... N>(std::integer_sequence<int, N...>) { (f.template operator()<N>(), ...); }
    (std::integer_sequence<int, 1, 2, 3, 8, 16, 32>());
}

} // namespace linear
