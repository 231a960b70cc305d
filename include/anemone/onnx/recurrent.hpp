#pragma once

#include "../readers/recurrence.hpp"
#include "folding.hpp"

/// RNN, GRU and LSTM, forward, backwards or both. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// The operands of a recurrent node, whose directions run one after the other and are joined.
class recurrent_node {
public:
    using runner = readers::recurrence<node_call>;

    ANEMONE_INLINE recurrent_node(node_call& c, int gates) : c_(c), gates_(gates) {
        for (int i = 0; i < 3; ++i) {
            c.require(c.rank(i) == 3, formatted("takes tensors of rank 3, its input {} is {}", i, print(c.shape(i))));
        }
        const std::string direction = c.word("direction", "forward");
        c.require(direction == "forward" || direction == "reverse" || direction == "bidirectional",
                  formatted("runs in the direction \"{}\"", shown(direction)));
        directions_ = direction == "bidirectional" ? 2 : 1;
        backwards_ = direction == "reverse";
        for (int i = 1; i < 3; ++i) {
            c.require(c.shape(i)[0] == directions_,
                      formatted("runs in {}, its weights are for {}",
                                directions_ == 1 ? "one direction" : "two directions", c.shape(i)[0]));
        }
        c.require(!c.has_attribute("clip"), "clips its sums, which is not read");
        c.require(c.integer("input_forget", 0) == 0, "couples its input and forget gates, which is not read");
        batchwise_ = c.integer("layout", 0) != 0;
        x_ = batchwise_ ? c.transposed(c.x(0), {1, 0, 2}) : c.x(0);
        batch_ = x_.shape()[1];
        hidden_ = c.shape(2).width();
        if (c.has(4)) {
            for (const std::int64_t length : c.integers(4)) {
                c.require(length == x_.shape()[0], "runs over sequences of several lengths");
            }
        }
    }

    int directions() const { return directions_; }
    /// The functions of the gates, where they are named, must be these of each direction; names are of any case.
    ANEMONE_INLINE void require_functions(std::string_view usual) const {
        std::string found;
        for (std::string word : c_.words("activations")) {
            std::transform(word.begin(), word.end(), word.begin(),
                           [](char ch) { return static_cast<char>(ch >= 'A' && ch <= 'Z' ? ch - 'A' + 'a' : ch); });
            found += (found.empty() ? "" : " ") + word;
        }
        const std::string twice = std::string(usual) + " " + std::string(usual);
        c_.require(found.empty() || found == (directions_ == 2 ? twice : usual),
                   formatted(R"(has the functions "{}"; read are "{}")", shown(found), usual));
    }

    ANEMONE_INLINE runner direction(int d) {
        const std::int64_t rows = gates_ * hidden_;
        readers::recurrent_weights w;
        w.of_input = c_.reshape(c_.along(c_.x(1), 0, d, 1), {rows, x_.shape()[2]});
        w.of_state = c_.reshape(c_.along(c_.x(2), 0, d, 1), {rows, hidden_});
        if (c_.has(3)) {
            const dynamic_tensor both = c_.reshape(c_.along(c_.x(3), 0, d, 1), {2 * gates_, hidden_});
            w.input_bias = c_.along(both, 0, 0, gates_);
            w.state_bias = c_.along(both, 0, gates_, gates_);
        }
        return {c_, gates_, w, x_, start(5, d), backwards_ || d == 1};
    }
    /// What a state is before the first step: an operand, else zeros.
    ANEMONE_INLINE dynamic_tensor start(int i, int d) {
        const extents shape{batch_, hidden_};
        return c_.has(i) ? c_.reshape(c_.along(c_.x(i), batchwise_ ? 1 : 0, d, 1), shape)
                         : c_.filled(shape, [](std::int64_t) { return 0; });
    }
    /// A line of a table of the peepholes.
    ANEMONE_INLINE dynamic_tensor peephole(int line, int d) {
        const dynamic_tensor table = c_.reshape(c_.along(c_.x(7), 0, d, 1), {3, hidden_});
        return c_.reshape(c_.along(table, 0, line, 1), {hidden_});
    }

    /// All states of a direction, and the last one.
    ANEMONE_INLINE void ran(const runner& r, const std::vector<dynamic_tensor>& states) {
        std::vector<dynamic_tensor> lines;
        lines.reserve(states.size());
        for (const dynamic_tensor& h : states) {
            lines.push_back(c_.reshape(h, {1, 1, batch_, hidden_}));
        }
        all_.push_back(c_.joined(lines, 0));
        last_.push_back(r.state());
    }
    ANEMONE_INLINE results outputs(const std::vector<dynamic_tensor>& cells = {}) {
        dynamic_tensor y = c_.joined(all_, 1);
        y = batchwise_ ? c_.transposed(y, {2, 0, 1, 3}) : y;
        results made{y, joined(last_)};
        if (!cells.empty()) {
            made.emplace_back(joined(cells));
        }
        return made;
    }

private:
    /// The last states of all directions.
    ANEMONE_INLINE dynamic_tensor joined(const std::vector<dynamic_tensor>& of) {
        std::vector<dynamic_tensor> parts;
        parts.reserve(of.size());
        for (const dynamic_tensor& h : of) {
            parts.push_back(c_.reshape(h, batchwise_ ? extents{batch_, 1, hidden_} : extents{1, batch_, hidden_}));
        }
        return c_.joined(parts, batchwise_ ? 1 : 0);
    }

    node_call& c_;
    int gates_;
    int directions_ = 1;
    bool backwards_ = false, batchwise_ = false;
    std::int64_t batch_ = 0, hidden_ = 0;
    dynamic_tensor x_;
    std::vector<dynamic_tensor> all_, last_;
};

ANEMONE_INLINE results read_rnn(node_call& c) {
    recurrent_node n(c, 1);
    const std::vector<std::string> functions = c.words("activations");
    const std::string_view word =
        !functions.empty() && (functions[0] == "Relu" || functions[0] == "relu") ? "relu" : "tanh";
    n.require_functions(word);
    for (int d = 0; d < n.directions(); ++d) {
        recurrent_node::runner r = n.direction(d);
        n.ran(r, readers::run_rnn(r, find_op(word).value_or(op::tanh)));
    }
    return n.outputs();
}
ANEMONE_INLINE results read_gru(node_call& c) {
    recurrent_node n(c, 3);
    n.require_functions("sigmoid tanh");
    const dynamic_tensor one = c.number_tensor(1);
    for (int d = 0; d < n.directions(); ++d) {
        recurrent_node::runner r = n.direction(d);
        n.ran(r, readers::run_gru(r, {.update = 0, .reset = 1, .hidden = 2}, c.integer("linear_before_reset", 0) != 0,
                                  one));
    }
    return n.outputs();
}
/// Gates in the order input, output, forget, cell, of which the first three have peepholes.
ANEMONE_INLINE results read_lstm(node_call& c) {
    recurrent_node n(c, 4);
    n.require_functions("sigmoid tanh tanh");
    std::vector<dynamic_tensor> cells;
    for (int d = 0; d < n.directions(); ++d) {
        recurrent_node::runner r = n.direction(d);
        dynamic_tensor cell = n.start(6, d);
        std::vector<dynamic_tensor> holes;
        for (int line = 0; c.has(7) && line < 3; ++line) {
            holes.push_back(n.peephole(line, d));
        }
        n.ran(r, readers::run_lstm(r, {.input = 0, .forget = 2, .output = 1, .cell = 3}, cell, holes));
        cells.push_back(cell);
    }
    return n.outputs(cells);
}

ANEMONE_INLINE void add_recurrent(converter_table& t) {
    t.insert({{"RNN", read_rnn}, {"GRU", read_gru}, {"LSTM", read_lstm}});
}

} // namespace ane::onnx::inline ANEMONE_WAY
