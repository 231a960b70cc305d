#pragma once

#include <anemone/analysis/operation_error.hpp>
#include <anemone/backend/wide/step.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stated_values {

using namespace ane;

/// The magnitudes that a sum adds up: the same operation on the magnitudes of its operands.
inline std::vector<double> sums_of_magnitudes(wide_reference::evaluation& values, int node) {
    const std::span<const double> exact = values.numbers(node);
    const std::vector<double> result(exact.begin(), exact.end());
    std::vector<std::pair<int, std::vector<double>>> operands;
    for (const int operand : values.graph.operands(node)) {
        const std::span<const double> numbers = values.numbers(operand);
        operands.emplace_back(operand, std::vector<double>(numbers.begin(), numbers.end()));
        std::vector<double> magnitudes = operands.back().second;
        for (double& x : magnitudes) {
            x = std::fabs(x);
        }
        values.set(operand, std::move(magnitudes));
    }
    values.compute(node);
    const std::span<const double> sums = values.numbers(node);
    std::vector<double> magnitudes(sums.begin(), sums.end());
    for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) { // one may be both
        values.set(operand->first, std::move(operand->second));
    }
    values.set(node, result);
    return magnitudes;
}

/// Moves the values of a node of a lowered graph off the exact ones by what is stated of its operation
/// (analysis/operation_error.hpp), by chance: those of products independently, those of narrow sums and tables by any share
/// of the worst, to one side for all elements of the node, since both lose to one side over many. `draw()` is on [0, 1).
/// Throws `error` (errc::argument) for an operation of which nothing is stated.
template <class Draw>
std::vector<double> drawn(wide_reference::evaluation& values, int node, const numerics::datapath& path, Draw draw) {
    const graph_view g = values.graph;
    const ane::node& n = g[node];
    const std::span<const double> exact = values.numbers(node);
    std::vector<double> numbers(exact.begin(), exact.end());
    const double side = draw() < 0.5 ? -1 : 1;
    const bool is_odd = draw() < 0.5; // the side changes with the sign of the value
    const auto share = [&](double y) { return side * (is_odd && y < 0 ? -1 : 1) * draw(); };
    switch (error_form_of(g, n, path)) {
    case error_form::rounding: break;
    case error_form::products: {
        const double error =
            error_of_products(g, n, values.numbers(g.operands(n)[0]), values.numbers(g.operands(n)[1]), path);
        for (double& y : numbers) {
            y += error * std::sqrt(12.0) * (draw() - 0.5);
        }
        break;
    }
    case error_form::sum: {
        const std::vector<double> magnitudes = sums_of_magnitudes(values, node);
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            numbers[k] += error_of_narrow_sum(magnitudes[k], path) * share(numbers[k]);
        }
        break;
    }
    case error_form::function: {
        const std::span<const double> x = values.numbers(g.operands(n)[0]);
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            const double operand = x.size() == numbers.size() ? x[k] : 0; // a quotient's broadcasts; none reads it
            numbers[k] += error_of_function(n, operand, numbers[k], path) * share(numbers[k]);
        }
        break;
    }
    case error_form::nothing: throw error(errc::argument, std::string(name(n.kind)), "has no stated error");
    }
    return numbers;
}

} // namespace stated_values
