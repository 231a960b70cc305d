#pragma once

#include "../base/way.hpp"
#include "../dynamic_builder.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

/// Recurrent layers of files, their steps written out. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The weights of one direction: rows for each gate, in the order of the file.
struct recurrent_weights {
    dynamic_tensor of_input;                    ///< [gates x hidden, features]
    dynamic_tensor of_state;                    ///< [gates x hidden, hidden]
    std::optional<dynamic_tensor> input_bias{}; ///< [gates, hidden]
    std::optional<dynamic_tensor> state_bias{};
};

/// At which place of the weights each gate stands; formats differ.
struct lstm_gates {
    int input, forget, output, cell;
};
struct gru_gates {
    int update, reset, hidden;
};

/// One direction: for each gate one `linear` of the input and one of the state. Gates are cut from the weights: cut from
/// the sums of all gates, they would be slices that begin inside the width, which may saturate (R090). `Call` is what a
/// reader has for one node: `add`, `along` and `reshape`.
template <class Call> class recurrence {
public:
    /// x is [steps, batch, features], h [batch, hidden].
    recurrence(Call& c, int gates, const recurrent_weights& weights, const dynamic_tensor& x, const dynamic_tensor& h,
               bool backwards)
        : c_(c), x_(x), h_(h), backwards_(backwards) {
        for (int gate = 0; gate < gates; ++gate) {
            of_input_.push_back(layer_of(weights.of_input, weights.input_bias, gate));
            of_state_.push_back(layer_of(weights.of_state, weights.state_bias, gate));
        }
    }

    /// Runs `step`, which makes the next state of the present one, over time. The states by their time, each
    /// [batch, hidden]; backwards the last one that was computed is the first.
    template <class Step> std::vector<dynamic_tensor> run(const Step& step) {
        const std::int64_t steps = x_.shape()[0];
        std::vector<dynamic_tensor> states(static_cast<std::size_t>(steps));
        for (std::int64_t i = 0; i < steps; ++i) {
            const std::int64_t t = backwards_ ? steps - 1 - i : i;
            now_ = c_.reshape(c_.along(x_, 0, t, 1), {x_.shape()[1], x_.shape()[2]});
            h_ = step(h_);
            states[static_cast<std::size_t>(t)] = h_;
        }
        return states;
    }
    /// The state of the last step.
    const dynamic_tensor& state() const { return h_; }

    /// A gate's product of the present input, of a state, and their sum.
    dynamic_tensor of_input(int gate) { return product(now_, of_input_[static_cast<std::size_t>(gate)]); }
    dynamic_tensor of_state(const dynamic_tensor& h, int gate) {
        return product(h, of_state_[static_cast<std::size_t>(gate)]);
    }
    dynamic_tensor sum(const dynamic_tensor& h, int gate) { return add(op::add, of_input(gate), of_state(h, gate)); }
    dynamic_tensor add(op kind, const dynamic_tensor& a, const dynamic_tensor& b) { return c_.add(kind, {a, b}); }
    dynamic_tensor add(op kind, const dynamic_tensor& a) { return c_.add(kind, {a}); }

private:
    using layer = std::vector<dynamic_tensor>; ///< a weight, and a bias

    layer layer_of(const dynamic_tensor& rows, const std::optional<dynamic_tensor>& bias, int gate) {
        const std::int64_t hidden = h_.shape()[1];
        layer made{c_.along(rows, 0, gate * hidden, hidden)};
        if (bias) {
            made.push_back(c_.reshape(c_.along(*bias, 0, gate, 1), {hidden}));
        }
        return made;
    }
    dynamic_tensor product(const dynamic_tensor& x, const layer& of) {
        std::vector<dynamic_tensor> operands{x};
        operands.insert(operands.end(), of.begin(), of.end());
        return c_.add(op::linear, operands);
    }

    Call& c_;
    std::vector<layer> of_input_, of_state_; ///< for each gate
    dynamic_tensor x_, h_, now_;
    bool backwards_;
};

/// h = function(W x + R h)
template <class Call> std::vector<dynamic_tensor> run_rnn(recurrence<Call>& r, op function) {
    return r.run([&](const dynamic_tensor& h) { return r.add(function, r.sum(h, 0)); });
}

/// h = (1 - z) n + z h, of the update gate z, the reset gate and the new state n; the reset acts on the state before its
/// product, or on the product.
template <class Call>
std::vector<dynamic_tensor> run_gru(recurrence<Call>& r, gru_gates g, bool resets_product, const dynamic_tensor& one) {
    return r.run([&](const dynamic_tensor& h) {
        const auto open = [&](int gate) { return r.add(op::sigmoid, r.sum(h, gate)); };
        const dynamic_tensor z = open(g.update);
        const dynamic_tensor kept = resets_product ? r.add(op::mul, open(g.reset), r.of_state(h, g.hidden))
                                                   : r.of_state(r.add(op::mul, open(g.reset), h), g.hidden);
        const dynamic_tensor fresh = r.add(op::tanh, r.add(op::add, r.of_input(g.hidden), kept));
        return r.add(op::add, r.add(op::mul, r.add(op::sub, one, z), fresh), r.add(op::mul, z, h));
    });
}

/// c = f c + i tanh(n), h = o tanh(c), of the gates i, f and o and the new cell n. `peepholes` are none, or a vector for each
/// place of a gate, which times the cell is added to the gate's sum.
template <class Call>
std::vector<dynamic_tensor> run_lstm(recurrence<Call>& r, lstm_gates g, dynamic_tensor& cell,
                                     const std::vector<dynamic_tensor>& peepholes = {}) {
    return r.run([&](const dynamic_tensor& h) {
        const auto open = [&](const dynamic_tensor& sum, int gate) {
            const auto at = static_cast<std::size_t>(gate);
            return r.add(op::sigmoid,
                         peepholes.empty() ? sum : r.add(op::add, sum, r.add(op::mul, peepholes[at], cell)));
        };
        const dynamic_tensor fresh =
            r.add(op::mul, open(r.sum(h, g.input), g.input), r.add(op::tanh, r.sum(h, g.cell)));
        const dynamic_tensor kept = r.add(op::mul, open(r.sum(h, g.forget), g.forget), cell);
        const dynamic_tensor result = r.sum(h, g.output);
        cell = r.add(op::add, kept, fresh);
        return r.add(op::mul, open(result, g.output), r.add(op::tanh, cell));
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
