#pragma once

#include "../error.hpp"
#include "../formatted.hpp"
#include "../graph/sequence.hpp"
#include "../passes/constants.hpp"
#include "../passes/validate.hpp"
#include "../print.hpp"
#include "../strided.hpp"
#include "encode.hpp"
#include "materialize.hpp"
#include "verify.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace ane::detail::inline ANEMONE_WAY {

/// Constant operations are computed in double precision from the stored fp16 values; only the result that the device
/// reads is rounded to fp16, so a folded batch norm costs one rounding.
using wide_tensor = std::vector<double>;

ANEMONE_INLINE double folded_binary(op kind, double a, double b) {
    switch (kind) {
    case op::add: return a + b;
    case op::sub: return a - b;
    case op::mul: return a * b;
    case op::div: return a / b;
    case op::pow: return std::pow(a, b);
    case op::floor_div: return std::floor(a / b);
    case op::minimum: return std::isnan(a) || a < b ? a : b; // NaN if either is, as in the kernels
    default: return std::isnan(a) || a > b ? a : b;
    }
}

ANEMONE_INLINE double folded_unary(const node& n, double x) {
    switch (n.kind) {
    case op::sqrt: return std::sqrt(x);
    case op::rsqrt: return 1.0 / std::sqrt(x + static_cast<double>(n.get<stabilizer>().epsilon));
    case op::exp: return std::exp(x);
    default: return std::fabs(x);
    }
}

ANEMONE_INLINE wide_tensor folded(const graph_view& g, int index, const std::vector<wide_tensor>& wide) {
    const node& n = g[index];
    const auto operand = [&](int i) -> const wide_tensor& {
        return wide[static_cast<std::size_t>(g.operands(index)[static_cast<std::size_t>(i)])];
    };
    const auto count = static_cast<std::size_t>(n.shape.count());
    if (n.kind == op::reshape) {
        return operand(0);
    }
    wide_tensor result(count);
    if (n.kind == op::transpose) {
        for_each_transposed(g.operand(n, 0).shape, n.get<permutation>(), [&](std::int64_t to, std::int64_t from) {
            result[static_cast<std::size_t>(to)] = operand(0)[static_cast<std::size_t>(from)];
        });
    } else if (is_binary(n.kind)) {
        for_each_pair(n.shape, g.operand(n, 0).shape, g.operand(n, 1).shape,
                      [&](std::int64_t to, std::int64_t a, std::int64_t b) {
                          result[static_cast<std::size_t>(to)] = folded_binary(
                              n.kind, operand(0)[static_cast<std::size_t>(a)], operand(1)[static_cast<std::size_t>(b)]);
                      });
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            result[i] = folded_unary(n, operand(0)[i]);
        }
    }
    return result;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY bool materialized::known(int index) const { return !values[static_cast<std::size_t>(index)].empty(); }

ANEMONE_BODY const half* materialized::data(int index) const { return values[static_cast<std::size_t>(index)].data(); }

ANEMONE_BODY void require_constants_of(const graph_view& g, const materialized& constants) {
    if (constants.values.size() != g.nodes.size()) {
        throw error(
            errc::argument, "constants",
            formatted("are those of another graph: of {} nodes, not {}", constants.values.size(), g.nodes.size()));
    }
    for (int i = 0; i < g.size(); ++i) {
        const auto found = static_cast<std::int64_t>(constants.values[static_cast<std::size_t>(i)].size());
        if (found != 0 && found != g[i].shape.count()) {
            throw error(errc::argument, print(g, i),
                        formatted("has {} values and {} elements: the constants are those of another graph", found,
                                  g[i].shape.count()));
        }
    }
}

ANEMONE_BODY materialized materialize(const graph_view& g, const weight_store& store) {
    return materialize(validated(g), store, stored_values);
}

ANEMONE_BODY materialized materialize(const graph_view& g, const weight_store& store, weight_expansion expand) {
    const sequence<char> constant = constant_nodes(g);
    sequence<char> read_by_device(g.nodes.size(), 0); // what stays between constants may be as large as it likes
    sequence<char> folded_from(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::compressed && constant[static_cast<std::size_t>(i)] != 0) {
            continue; // reads the fp16 values
        }
        auto& readers = constant[static_cast<std::size_t>(i)] == 0 ? read_by_device : folded_from;
        for (const int operand : g.operands(i)) {
            readers[static_cast<std::size_t>(operand)] = 1;
        }
    }
    std::vector<detail::wide_tensor> wide(g.nodes.size());
    materialized result;
    result.values.resize(g.nodes.size());
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (constant[at] == 0) {
            continue;
        }
        const node& n = g[i];
        const auto count = static_cast<std::size_t>(n.shape.count());
        if (n.kind == op::weight) {
            result.values[at] = verified_weight(g, i, store);
        } else if (n.kind == op::compressed) {
            if (expand == nullptr) {
                throw error(errc::weights, print(g, i), "this program was made without the forms of stored weights");
            }
            const auto stored = static_cast<std::size_t>(g.operands(i)[0]);
            result.values[at] = expand(result.values[stored], n.shape, n.get<compression>());
        } else if (n.kind == op::constant) {
            result.values[at].reserve(count); // what no memory holds is refused at once
            for (std::size_t k = 0; k < count; ++k) {
                result.values[at].push_back(half(g.value(n, static_cast<std::int64_t>(k))));
            }
        } else {
            wide[at] = detail::folded(g, i, wide);
            for (std::size_t k = 0; k < count; ++k) {
                const half rounded(wide[at][k]);
                if (!is_finite(rounded) && read_by_device[at] != 0) {
                    throw error(errc::weights, print(g, i),
                                formatted("folded element {} is {}, outside fp16 ({}:{})", k, wide[at][k], n.where.file,
                                          n.where.line));
                }
                result.values[at].push_back(rounded);
            }
            continue;
        }
        if (folded_from[at] == 0) {
            continue;
        }
        wide[at].reserve(count);
        for (const half h : result.values[at]) {
            wide[at].push_back(static_cast<double>(h));
        }
    }
    return result;
}

} // namespace ane::inline ANEMONE_WAY
