#pragma once

#include "folding.hpp"

/// Recurrent networks, their steps written out. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// One direction of RNN, GRU or LSTM: one `linear` for all gates of the input, one of the state.
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
        w_ = c.reshape(c.x(1), {gates_ * hidden_, x_.shape()[2]});
        r_ = c.reshape(c.x(2), {gates_ * hidden_, hidden_});
        const std::int64_t all = 2 * gates_ * hidden_;
        const dynamic_tensor b = c.has(3) ? c.reshape(c.x(3), {all}) : c.filled({all}, [](std::int64_t) { return 0; });
        w_bias_ = c.along(b, 0, 0, all / 2);
        r_bias_ = c.along(b, 0, all / 2, all / 2);
        h_ = start(5);
    }

    /// Runs `step` over time; outputs are all states, the last one and, where there is one, the cell.
    template <class Step> results run(const Step& step) {
        std::vector<dynamic_tensor> states;
        for (std::int64_t t = 0; t < steps_; ++t) {
            const dynamic_tensor now = c_.reshape(c_.along(x_, 0, t, 1), {batch_, x_.shape()[2]});
            h_ = step(c_.add(op::linear, {now, w_, w_bias_}), c_.add(op::linear, {h_, r_, r_bias_}), h_);
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
    ANEMONE_INLINE dynamic_tensor gate(const dynamic_tensor& values, int i) {
        return c_.along(values, values.shape().rank - 1, i * hidden_, hidden_);
    }
    /// The product of the last gate's part of the recurrent weight.
    ANEMONE_INLINE dynamic_tensor of_last_gate(const dynamic_tensor& state) {
        return c_.add(op::linear, {state, c_.along(r_, 0, (gates_ - 1) * hidden_, hidden_),
                                   c_.along(r_bias_, 0, (gates_ - 1) * hidden_, hidden_)});
    }
    std::int64_t hidden() const { return hidden_; }

    dynamic_tensor cell;

private:
    ANEMONE_INLINE dynamic_tensor last(const dynamic_tensor& state) {
        return c_.reshape(state, batchwise_ ? extents{batch_, 1, hidden_} : extents{1, batch_, hidden_});
    }

    node_call& c_;
    int gates_;
    std::int64_t hidden_;
    bool batchwise_ = false;
    std::int64_t steps_ = 0, batch_ = 0;
    dynamic_tensor x_, w_, r_, w_bias_, r_bias_, h_;
};

ANEMONE_INLINE results read_rnn(node_call& c) {
    recurrence r(c, 1);
    return r.run([&](const dynamic_tensor& i, const dynamic_tensor& s, const dynamic_tensor&) {
        return c.add(op::tanh, {c.add(op::add, {i, s})});
    });
}
/// Update, reset and hidden gates; the reset acts on the state before its product, or on the product.
ANEMONE_INLINE results read_gru(node_call& c) {
    recurrence r(c, 3);
    const bool product = c.integer("linear_before_reset", 0) != 0;
    return r.run([&](const dynamic_tensor& i, const dynamic_tensor& s, const dynamic_tensor& h) {
        const auto open = [&](int k) { return c.add(op::sigmoid, {c.add(op::add, {r.gate(i, k), r.gate(s, k)})}); };
        const dynamic_tensor z = open(0);
        const dynamic_tensor kept =
            product ? c.add(op::mul, {open(1), r.gate(s, 2)}) : r.of_last_gate(c.add(op::mul, {open(1), h}));
        const dynamic_tensor fresh = c.add(op::tanh, {c.add(op::add, {r.gate(i, 2), kept})});
        return c.add(op::add, {c.add(op::mul, {c.add(op::sub, 1.0, z), fresh}), c.add(op::mul, {z, h})});
    });
}
/// Input, output, forget and cell gates; peepholes see the cell.
ANEMONE_INLINE results read_lstm(node_call& c) {
    recurrence r(c, 4);
    r.cell = r.start(6);
    dynamic_tensor holes;
    if (c.has(7)) {
        holes = c.reshape(c.x(7), {3 * r.hidden()});
    }
    const auto seen = [&](const dynamic_tensor& g, int k) {
        return c.has(7) ? c.add(op::add, {g, c.add(op::mul, {r.gate(holes, k), r.cell})}) : g;
    };
    return r.run([&](const dynamic_tensor& i, const dynamic_tensor& s, const dynamic_tensor&) {
        const dynamic_tensor sums = c.add(op::add, {i, s});
        const dynamic_tensor in = c.add(op::sigmoid, {seen(r.gate(sums, 0), 0)});
        const dynamic_tensor forget = c.add(op::sigmoid, {seen(r.gate(sums, 2), 2)});
        const dynamic_tensor fresh = c.add(op::mul, {in, c.add(op::tanh, {r.gate(sums, 3)})});
        r.cell = c.add(op::add, {c.add(op::mul, {forget, r.cell}), fresh});
        return c.add(op::mul, {c.add(op::sigmoid, {seen(r.gate(sums, 1), 1)}), c.add(op::tanh, {r.cell})});
    });
}

ANEMONE_INLINE void add_recurrent(converter_table& t) {
    t.insert({{"RNN", read_rnn}, {"GRU", read_gru}, {"LSTM", read_lstm}});
}

} // namespace ane::onnx::inline ANEMONE_WAY
