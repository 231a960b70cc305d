#pragma once

#include "../backend/cpu/constants.hpp"
#include "../backend/oracle/contraction_steps.hpp"
#include "../backend/oracle/evaluate.hpp"
#include "../base/way.hpp"
#include "../numerics/quantized_products.hpp"
#include "../passes/lowering.hpp"
#include "holders.hpp"
#include "trace.hpp"

#include <algorithm>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// Runs the nodes of a model one at a time in the engine's arithmetic, each on operands that are taken from a trace:
/// what one operation costs alone, whatever came before it.
class replay {
public:
    /// `values` must outlive it.
    ANEMONE_INLINE replay(const graph_view& model, const weight_store& weights, const backend::oracle& engine,
                          const trace& values, input_buffers inputs)
        : replay(model, weights, engine) {
        use(values);
        const sequence<char> bound = detail::bound_nodes(lowered_.graph);
        std::size_t given = 0;
        for (std::size_t i = 0; i < bound.size() && given < inputs.size(); ++i) {
            if (bound[i] != 0) {
                values_.bind(static_cast<int>(i), inputs[given++]);
            }
        }
        for (const output_port& port : lowered_.graph.outputs) {
            if (port.is_state()) { // as before the first run
                const node& n = lowered_.graph.nodes[static_cast<std::size_t>(port.state)];
                states_.emplace_back(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
                values_.bind(port.state, states_.back());
            }
        }
    }
    /// Without values so far: `use` gives them, those of inputs too.
    ANEMONE_INLINE replay(const graph_view& model, const weight_store& weights, const backend::oracle& engine)
        : model_(model), lowered_(lower(model, {}, engine.layers())),
          constants_(fold_constants(lowered_.graph, weights)),
          values_(lowered_.graph, constants_, engine.arithmetic(), oracle::every_step()),
          holders_(detail::holders(model, lowered_, values_.plan)), pieces_(model.nodes.size()) {
        values_.codes_as_given = engine.layers() == layer_forms::own;
        for (int i = 0; i < lowered_.view().size(); ++i) {
            if (!is_source(lowered_.view()[i].kind) && !values_.known(i)) {
                pieces_[static_cast<std::size_t>(lowered_.origins[static_cast<std::size_t>(i)])].push_back(i);
            }
        }
    }

    /// Takes operands from another trace from here on, which must outlive its use.
    ANEMONE_INLINE void use(const trace& values) { given_ = &values; }

    /// Whether the engine rounds a value for this node of the model on its own.
    ANEMONE_INLINE bool has_value(int node) const {
        return holders_[static_cast<std::size_t>(node)] >= 0 && !pieces_[static_cast<std::size_t>(node)].empty();
    }
    ANEMONE_INLINE op kind(int lowered_node) const { return lowered_.view()[lowered_node].kind; }

    ANEMONE_INLINE const numerics::datapath& arithmetic() const { return values_.arithmetic; }

    /// The value of a node that has one, on the trace's operands, under the given arithmetic, as it would leave the
    /// engine. Valid until the next call.
    ANEMONE_INLINE std::span<const std::byte> run(int node, const numerics::datapath& path) {
        const numerics::datapath kept = values_.arithmetic;
        values_.arithmetic = path;
        for (const int step : steps_) {
            values_.drop(step);
        }
        steps_.clear();
        compute(node);
        values_.arithmetic = kept;
        const std::span<const std::byte> value = held(node);
        result_.assign(value.begin(), value.end());
        if (model_[node].type == dtype::f16) {
            const std::span halves(reinterpret_cast<half*>(result_.data()), result_.size() / sizeof(half));
            std::transform(halves.begin(), halves.end(), halves.begin(), numerics::detail::left);
        }
        return result_;
    }

    /// The same of the last run, as it is inside the engine, where a NaN that was only moved is still one.
    ANEMONE_INLINE std::span<const std::byte> held(int node) const {
        return {values_.bytes(holders_[static_cast<std::size_t>(node)]),
                static_cast<std::size_t>(bytes(model_[node].type, model_[node].shape.count()))};
    }

    /// What the last run computed, in the lowered graph: the operations that the node became, and before them those of
    /// nodes that are rounded only together with it.
    const std::vector<int>& steps() const { return steps_; }
    /// Whether a product is a sum to this arithmetic (datapath::products_with_ones).
    ANEMONE_INLINE bool sums(int lowered_node) const { return oracle::ones_operand(values_, lowered_node) >= 0; }
    /// Whether a step of the last run had finite operands and an infinite value.
    ANEMONE_INLINE bool overflowed() const {
        return std::any_of(steps_.begin(), steps_.end(), [this](int step) {
            const auto operands = lowered_.view().operands(step);
            return !all_finite(step) &&
                   std::all_of(operands.begin(), operands.end(), [this](int operand) { return all_finite(operand); });
        });
    }

private:
    ANEMONE_INLINE int origin(int lowered_node) const {
        return lowered_.origins[static_cast<std::size_t>(lowered_node)];
    }

    ANEMONE_INLINE void compute(int node) {
        for (const int piece : pieces_[static_cast<std::size_t>(node)]) {
            for (const int operand : lowered_.view().operands(piece)) {
                if (origin(operand) != node) {
                    take(operand);
                }
            }
            const integer_operands integers = integer_operands_of(lowered_.graph, piece);
            if (integers.dequantized >= 0) { // a product of integers reads them beside their fp16 values
                for (const int operand : lowered_.view().operands(integers.dequantized)) {
                    take(operand);
                }
            }
            take_codes_of_product(piece);
            oracle::evaluate(values_, piece);
            steps_.push_back(piece);
        }
    }

    /// A product whose codes take another scale reads them, and that scale, beside its operands.
    ANEMONE_INLINE void take_codes_of_product(int piece) {
        if (values_.arithmetic.quantized_product_scale == numerics::product_scale_rule::own) {
            return;
        }
        const quantized_product p = quantized_product_of(lowered_.graph, piece, values_.plan.read);
        for (int k = 0; k < 2; ++k) {
            const int d = p.exchanged(lowered_.graph, k);
            if (d >= 0) {
                for (const int operand : lowered_.view().operands(d)) {
                    take(operand);
                }
                take(lowered_.view().operands(p.scaled_by)[1]);
            }
        }
    }

    /// The value of another node: the trace's, or computed here where it has none of its own.
    ANEMONE_INLINE void take(int operand) {
        const int from = origin(operand);
        const bool is_port = is_source(kind(operand));
        if (values_.known(operand)) {
            return;
        }
        if (given_->known(from) && (is_port || holders_[static_cast<std::size_t>(from)] == operand)) {
            values_.bind(operand, given_->bytes(from));
        } else if (!is_port) {
            compute(from);
        }
    }

    ANEMONE_INLINE bool all_finite(int node) const {
        if (lowered_.view()[node].type != dtype::f16) {
            return true;
        }
        const half* const x = values_.data(node);
        return std::all_of(x, x + values_.count(node), [](half h) { return is_finite(h); });
    }

    graph_view model_;
    lowered_graph lowered_;
    folded_constants constants_;
    const trace* given_ = nullptr;
    oracle::evaluation values_;
    std::vector<std::vector<std::byte>> states_; ///< zeros
    std::vector<int> holders_;
    std::vector<std::vector<int>> pieces_;
    std::vector<int> steps_;
    std::vector<std::byte> result_;
};

} // namespace ane::inline ANEMONE_WAY
