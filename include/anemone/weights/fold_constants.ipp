#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../folding/functions.hpp"
#include "../graph/constants.hpp"
#include "../graph/sequence.hpp"
#include "../graph/strided.hpp"
#include "../passes/print.hpp"
#include "fold_constants.hpp"
#include "verify.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// The graph while its constants are computed, node by node.
class constant_folding {
public:
    ANEMONE_INLINE constant_folding(const graph_view& g, const weight_store& store, const constant_arithmetic& with)
        : graph_(g), store_(store), with_(with), wide_(g.nodes.size()), read_by_device_(g.nodes.size(), 0),
          read_rounded_(g.nodes.size(), 0), read_unrounded_(g.nodes.size(), 0) {
        result_.values.resize(g.nodes.size());
        result_.bytes.resize(g.nodes.size());
    }

    ANEMONE_INLINE folded_constants run() && {
        const sequence<char> constant = constant_nodes(graph_);
        for (int i = 0; i < graph_.size(); ++i) {
            if (graph_[i].kind == op::compressed && constant[at(i)] != 0) {
                continue; // reads the fp16 values
            }
            auto& readers = constant[at(i)] == 0 ? read_by_device_ : is_unrounded(i) ? read_unrounded_ : read_rounded_;
            for (const int operand : graph_.operands(i)) {
                readers[at(operand)] = 1;
            }
        }
        for (int i = 0; i < graph_.size(); ++i) {
            if (constant[at(i)] != 0) {
                compute(i);
            }
        }
        return std::move(result_);
    }

private:
    static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

    bool is_unrounded(int i) const { return folds_unrounded(graph_[i].kind) && graph_[i].type == dtype::f16; }

    ANEMONE_INLINE void compute(int i) {
        const node& n = graph_[i];
        std::vector<half>& values = result_.values[at(i)];
        if (n.kind == op::weight) {
            values = verified_weight(graph_, i, store_);
        } else if (n.kind == op::compressed) {
            if (with_.expand == nullptr) {
                throw error(errc::weights, print(graph_, i),
                            "this program was made without the forms of stored weights");
            }
            values = with_.expand(result_.values[at(graph_.operands(i)[0])], n.shape, n.get<compression>());
        } else if (n.kind == op::constant) {
            values.resize(static_cast<std::size_t>(n.shape.count())); // what no memory holds is refused at once
            for (std::int64_t k = 0; k < n.shape.count(); ++k) {
                values[at(k)] = half(graph_.value(n, k));
            }
        } else if (is_unrounded(i)) {
            if (with_.fold == nullptr) {
                refuse_arithmetic(i);
            }
            wide_[at(i)] = with_.fold(graph_, i, wide_);
            values.resize(wide_[at(i)].size());
            for (std::size_t k = 0; k < values.size(); ++k) {
                values[k] = half(wide_[at(i)][k]);
                if (!is_finite(values[k])) {
                    require_finite(i, k, wide_[at(i)][k]);
                }
            }
            return;
        } else {
            evaluate(i);
        }
        if (read_unrounded_[at(i)] != 0) {
            wide_[at(i)].reserve(values.size());
            for (const half h : values) {
                wide_[at(i)].push_back(static_cast<double>(h));
            }
        }
    }

    ANEMONE_INLINE void refuse_arithmetic [[noreturn]] (int i) const {
        throw error(errc::weights, print(graph_, i), "this program was made without arithmetic for constants");
    }

    ANEMONE_INLINE void evaluate(int i) {
        if (with_.evaluate == nullptr) {
            refuse_arithmetic(i);
        }
        const node& n = graph_[i];
        std::vector<std::byte> memory(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
        with_.evaluate(graph_, result_, i, memory.data());
        if (n.type != dtype::f16) {
            result_.bytes[at(i)] = std::move(memory);
            return;
        }
        std::vector<half>& values = result_.values[at(i)];
        values.resize(memory.size() / sizeof(half));
        if (!values.empty()) { // nothing may lie at null
            std::memcpy(static_cast<void*>(values.data()), memory.data(), memory.size());
        }
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (!is_finite(values[k])) {
                require_finite(i, k, static_cast<double>(values[k]));
            }
        }
    }

    /// A value that only operations in double precision read may be of any size; between fp16 operations an infinity
    /// may pass, but may not arise from a finite number. `wide` is element k of node i, which fp16 does not hold.
    ANEMONE_INLINE void require_finite(int i, std::size_t k, double wide) const {
        const bool cut = std::isfinite(wide) && read_rounded_[at(i)] != 0;
        if (read_by_device_[at(i)] != 0 || cut) {
            const source_location& where = graph_[i].where;
            throw error(errc::weights, print(graph_, i),
                        formatted("folded element {} is {}, outside fp16 ({}:{})", k, wide, where.file, where.line));
        }
    }

    const graph_view& graph_;
    const weight_store& store_;
    const constant_arithmetic& with_;
    folded_constants result_;
    std::vector<unrounded_values> wide_;
    sequence<char> read_by_device_;
    sequence<char> read_rounded_; ///< by an operation that computes from fp16
    sequence<char> read_unrounded_;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY bool folded_constants::known(int index) const { return memory(index) != nullptr; }

ANEMONE_BODY const half* folded_constants::data(int index) const {
    return values[static_cast<std::size_t>(index)].data();
}

ANEMONE_BODY const std::byte* folded_constants::memory(int index) const {
    const auto at = static_cast<std::size_t>(index);
    if (!values[at].empty()) {
        return reinterpret_cast<const std::byte*>(values[at].data());
    }
    return bytes[at].empty() ? nullptr : bytes[at].data();
}

ANEMONE_BODY void require_constants_of(const graph_view& g, const folded_constants& constants) {
    for (const std::size_t entries : {constants.values.size(), constants.bytes.size()}) {
        if (entries != g.nodes.size()) {
            throw error(errc::argument, "constants",
                        formatted("are those of another graph: of {} nodes, not {}", entries, g.nodes.size()));
        }
    }
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        const auto at = static_cast<std::size_t>(i);
        const auto found =
            static_cast<std::int64_t>(constants.values[at].size() * sizeof(half) + constants.bytes[at].size());
        const std::int64_t wanted = ane::bytes(n.type, n.shape.count());
        if (found != 0 && found != wanted) {
            throw error(errc::argument, print(g, i),
                        formatted("has {} bytes of values instead of {}: the constants are those of another graph",
                                  found, wanted));
        }
    }
}

ANEMONE_BODY unrounded_values fold_unrounded(const graph_view& g, int index, std::span<const unrounded_values> known) {
    const node& n = g[index];
    const auto operand = [&](int i) -> const unrounded_values& {
        return known[static_cast<std::size_t>(g.operands(index)[static_cast<std::size_t>(i)])];
    };
    const auto count = static_cast<std::size_t>(n.shape.count());
    if (n.kind == op::reshape) {
        return operand(0);
    }
    unrounded_values result(count);
    if (n.kind == op::transpose) {
        detail::for_each_transposed(
            g.operand(n, 0).shape, n.get<permutation>(), [&](std::int64_t to, std::int64_t from) {
                result[static_cast<std::size_t>(to)] = operand(0)[static_cast<std::size_t>(from)];
            });
    } else if (is_binary(n.kind)) {
        const folding::of_two<double> function = folding::arithmetic<double>()[n.kind];
        detail::for_each_pair(n.shape, g.operand(n, 0).shape, g.operand(n, 1).shape,
                              [&](std::int64_t to, std::int64_t a, std::int64_t b) {
                                  result[static_cast<std::size_t>(to)] = function(
                                      operand(0)[static_cast<std::size_t>(a)], operand(1)[static_cast<std::size_t>(b)]);
                              });
    } else {
        const folding::of_one<double> function = folding::functions<double>()[n.kind];
        const bool shifts = signature(n.kind).attributes == attribute_kind::stabilizer;
        const double shift = shifts ? static_cast<double>(n.get<stabilizer>().epsilon) : 0;
        for (std::size_t i = 0; i < count; ++i) {
            result[i] = function(shifts ? operand(0)[i] + shift : operand(0)[i]);
        }
    }
    return result;
}

ANEMONE_BODY folded_constants fold_constants(const graph_view& g, const weight_store& store,
                                             const constant_arithmetic& with) {
    return detail::constant_folding(g, store, with).run();
}

} // namespace ane::inline ANEMONE_WAY
