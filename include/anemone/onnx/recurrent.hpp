#pragma once

#include "folding.hpp"

/// Recurrent networks, their steps written out. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// One direction of RNN, GRU or LSTM: for each gate one `linear` of the input and one of the state. Gates are cut from the
/// weights: cut from the sums of all gates, they would be slices that begin inside the width, which may saturate (R090).
class recurrence {
public:
    ANEMONE_INLINE recurrence(node_call& c, int gates) : c_(c), gates_(gates), hidden_(c.shape(2).width()) {
        c.require(c.rank(0) == 3 && c.rank(1) == 3 && c.rank(2) == 3 && c.shape(1)[0] == 1 && c.shape(2)[0] == 1 &&
                      c.word("direction", "forward") == "forward",
                  "runs in two directions or backwards");
        c.require(!c.has_attribute("activations") && !c.has_attribute("clip") && c.integer("input_forget", 0) == 0,
                  "has other gates than those of its definition");
        batchwise_ = c.integer("layout", 0) != 0;
        x_ = batchwise_ ? c.transposed(c.x(0), {1, 0, 2}) : c.x(0);
        steps_ = x_.shape()[0];
        batch_ = x_.shape()[1];
        if (c.has(4)) {
            for (const std::int64_t length : c.integers(4)) {
                c.require(length == steps_, "runs over sequences of several lengths");
            }
        }
        const extents rows{2 * gates_, hidden_};
        const dynamic_tensor b = c.has(3) ? c.reshape(c.x(3), rows) : c.filled(rows, [](std::int64_t) { return 0; });
        const dynamic_tensor w = c.reshape(c.x(1), {gates_ * hidden_, x_.shape()[2]});
        const dynamic_tensor r = c.reshape(c.x(2), {gates_ * hidden_, hidden_});
        for (int i = 0; i < gates_; ++i) {
            of_input_.push_back(layer_of(w, b, i, i));
            of_state_.push_back(layer_of(r, b, i, gates_ + i));
        }
        h_ = start(5);
    }

    /// Runs `step` over time, with the input and the state before it; outputs are all states, the last one and, where
    /// there is one, the cell.
    template <class Step> results run(const Step& step) {
        std::vector<dynamic_tensor> states;
        for (std::int64_t t = 0; t < steps_; ++t) {
            const dynamic_tensor now = c_.reshape(c_.along(x_, 0, t, 1), {batch_, x_.shape()[2]});
            h_ = step(now, h_);
            states.push_back(c_.reshape(h_, {1, 1, batch_, hidden_}));
        }
        dynamic_tensor y = c_.joined(states, 0);
        y = batchwise_ ? c_.transposed(y, {2, 0, 1, 3}) : y;
        results all{y, last(h_)};
        if (cell.node() >= 0) {
            all.emplace_back(last(cell));
        }
        return all;
    }
    ANEMONE_INLINE dynamic_tensor start(int i) {
        const extents shape{batch_, hidden_};
        return c_.has(i) ? c_.reshape(c_.x(i), shape) : c_.filled(shape, [](std::int64_t) { return 0; });
    }
    /// A gate's product of the input, of the state, and their sum.
    ANEMONE_INLINE dynamic_tensor of_input(const dynamic_tensor& x, int gate) { return product(x, of_input_, gate); }
    ANEMONE_INLINE dynamic_tensor of_state(const dynamic_tensor& h, int gate) { return product(h, of_state_, gate); }
    ANEMONE_INLINE dynamic_tensor sum(const dynamic_tensor& x, const dynamic_tensor& h, int gate) {
        return c_.add(op::add, {of_input(x, gate), of_state(h, gate)});
    }
    /// A line of a table with one for each gate.
    ANEMONE_INLINE dynamic_tensor line(const dynamic_tensor& table, int i) {
        return c_.reshape(c_.along(table, 0, i, 1), {hidden_});
    }
    std::int64_t hidden() const { return hidden_; }

    dynamic_tensor cell;

private:
    struct gate_layer {
        dynamic_tensor weight, bias;
    };
    ANEMONE_INLINE gate_layer layer_of(const dynamic_tensor& all, const dynamic_tensor& biases, int gate, int row) {
        return {c_.along(all, 0, gate * hidden_, hidden_), line(biases, row)};
    }
    ANEMONE_INLINE dynamic_tensor product(const dynamic_tensor& x, const std::vector<gate_layer>& layers, int gate) {
        const gate_layer& layer = layers[static_cast<std::size_t>(gate)];
        return c_.add(op::linear, {x, layer.weight, layer.bias});
    }
    ANEMONE_INLINE dynamic_tensor last(const dynamic_tensor& state) {
        return c_.reshape(state, batchwise_ ? extents{batch_, 1, hidden_} : extents{1, batch_, hidden_});
    }

    node_call& c_;
    int gates_;
    std::int64_t hidden_;
    bool batchwise_ = false;
    std::int64_t steps_ = 0, batch_ = 0;
    std::vector<gate_layer> of_input_, of_state_; ///< for each gate
    dynamic_tensor x_, h_;
};

ANEMONE_INLINE results read_rnn(node_call& c) {
    recurrence r(c, 1);
    return r.run([&](const dynamic_tensor& x, const dynamic_tensor& h) { return c.add(op::tanh, {r.sum(x, h, 0)}); });
}
/// Update, reset and hidden gates; the reset acts on the state before its product, or on the product.
ANEMONE_INLINE results read_gru(node_call& c) {
    recurrence r(c, 3);
    const bool product = c.integer("linear_before_reset", 0) != 0;
    return r.run([&](const dynamic_tensor& x, const dynamic_tensor& h) {
        const auto open = [&](int k) { return c.add(op::sigmoid, {r.sum(x, h, k)}); };
        const dynamic_tensor z = open(0);
        const dynamic_tensor kept =
            product ? c.add(op::mul, {open(1), r.of_state(h, 2)}) : r.of_state(c.add(op::mul, {open(1), h}), 2);
        const dynamic_tensor fresh = c.add(op::tanh, {c.add(op::add, {r.of_input(x, 2), kept})});
        return c.add(op::add, {c.add(op::mul, {c.add(op::sub, 1.0, z), fresh}), c.add(op::mul, {z, h})});
    });
}
/// Input, output, forget and cell gates; peepholes see the cell.
ANEMONE_INLINE results read_lstm(node_call& c) {
    recurrence r(c, 4);
    r.cell = r.start(6);
    dynamic_tensor holes;
    if (c.has(7)) {
        holes = c.reshape(c.x(7), {3, r.hidden()});
    }
    const auto open = [&](const dynamic_tensor& sum, int k) {
        return c.add(op::sigmoid, {c.has(7) ? c.add(op::add, {sum, c.add(op::mul, {r.line(holes, k), r.cell})}) : sum});
    };
    return r.run([&](const dynamic_tensor& x, const dynamic_tensor& h) {
        const dynamic_tensor fresh = c.add(op::mul, {open(r.sum(x, h, 0), 0), c.add(op::tanh, {r.sum(x, h, 3)})});
        const dynamic_tensor kept = c.add(op::mul, {open(r.sum(x, h, 2), 2), r.cell});
        const dynamic_tensor result = r.sum(x, h, 1);
        r.cell = c.add(op::add, {kept, fresh});
        return c.add(op::mul, {open(result, 1), c.add(op::tanh, {r.cell})});
    });
}

ANEMONE_INLINE void add_recurrent(converter_table& t) {
    t.insert({{"RNN", read_rnn}, {"GRU", read_gru}, {"LSTM", read_lstm}});
}

} // namespace ane::onnx::inline ANEMONE_WAY
