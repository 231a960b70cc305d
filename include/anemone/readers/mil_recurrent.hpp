#pragma once

#include "mil_movement.hpp"
#include "recurrence.hpp"

/// Recurrent layers, forward, backwards or both, their steps written out. Core ML's public definitions: the gates of lstm
/// stand in the order input, forget, output, cell, those of gru in the order reset, hidden, update. Only bodies include
/// this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The arguments of a recurrent statement, whose directions run one after the other and are joined.
class recurrent_statement {
public:
    using runner = recurrence<mil_call>;

    ANEMONE_INLINE recurrent_statement(mil_call& c, int gates)
        : c_(c), gates_(gates), direction_(c.word("direction", "forward")), x_(c.tensor("x")),
          sequence_(c.flag("output_sequence", false)) {
        const bool both = direction_ == "bidirectional" && c.operation() == "lstm";
        if (direction_ != "forward" && direction_ != "reverse" && !both) {
            c.refuse(formatted("runs in the direction \"{}\"", direction_));
        }
        directions_ = both ? 2 : 1;
        const extents& w = c.value("weight_hh").shape();
        const extents& h = c.value("initial_h").shape();
        if (x_.shape().rank != 3 || w.rank != 2 || h.rank != 2 || h[1] != directions_ * w[1]) {
            c.refuse(formatted("takes x of [steps, batch, features] and a state of [batch, {}hidden], not {} and {}",
                               both ? "2 x " : "", print(x_.shape()), print(h)));
        }
        hidden_ = w[1];
        batch_ = x_.shape()[1];
    }

    int directions() const { return directions_; }

    ANEMONE_INLINE runner direction(int d) {
        const std::string back = d == 1 ? "_back" : "";
        recurrent_weights w{c_.tensor("weight_ih" + back), c_.tensor("weight_hh" + back)};
        w.input_bias = bias("input_bias" + back);
        std::optional<dynamic_tensor> own = bias("bias" + back);
        if (w.input_bias) { // of the gates of the state, then
            w.state_bias = own;
        } else {
            w.input_bias = own;
        }
        return {c_, gates_, w, x_, start("initial_h", d), direction_ == "reverse" || d == 1};
    }
    /// A state before the first step: of both directions one behind the other.
    ANEMONE_INLINE dynamic_tensor start(std::string_view name, int d) {
        return c_.slice(c_.tensor(name), {0, d * hidden_}, {batch_, hidden_});
    }
    ANEMONE_INLINE void ran(const runner& r, const std::vector<dynamic_tensor>& states) {
        std::vector<dynamic_tensor> lines;
        lines.reserve(states.size());
        for (const dynamic_tensor& h : states) {
            lines.push_back(c_.reshape(h, {1, batch_, hidden_}));
        }
        const dynamic_tensor last = c_.reshape(r.state(), {1, batch_, hidden_});
        all_.push_back(sequence_ ? joined(lines, 0) : last);
        last_.push_back(r.state());
    }
    /// All states or the last, the last, and where there is one the cell.
    ANEMONE_INLINE std::vector<mil_value> outputs(const std::vector<dynamic_tensor>& cells = {}) {
        std::vector<mil_value> made = c_.result(joined(all_, 2));
        made.push_back(c_.result(joined(last_, 1))[0]);
        if (!cells.empty()) {
            made.push_back(c_.result(joined(cells, 1))[0]);
        }
        return made;
    }
    /// The function that an argument names, tanh or another that is read.
    ANEMONE_INLINE op function(std::string_view argument, std::string_view usual) {
        const std::string word = c_.word(argument, usual);
        if (word == "tanh" || word == "sigmoid" || word == "relu") {
            return find_op(word).value_or(op::tanh);
        }
        c_.refuse(formatted("has the {} \"{}\"; tanh, sigmoid and relu are read", argument, word));
    }
    ANEMONE_INLINE void require_functions(std::initializer_list<std::pair<std::string_view, std::string_view>> usual) {
        for (const auto& [argument, word] : usual) {
            const std::string given = c_.word(argument, word);
            if (given != word) {
                c_.refuse(formatted(R"(has the {} "{}"; read is "{}")", argument, given, word));
            }
        }
    }

private:
    ANEMONE_INLINE std::optional<dynamic_tensor> bias(const std::string& name) {
        if (!c_.has(name)) {
            return std::nullopt;
        }
        return c_.reshape(c_.tensor(name), {gates_, hidden_});
    }
    ANEMONE_INLINE dynamic_tensor joined(const std::vector<dynamic_tensor>& parts, int along) {
        return joined_along(c_, parts, along);
    }

    mil_call& c_;
    int gates_;
    int directions_ = 1;
    std::string direction_;
    dynamic_tensor x_;
    bool sequence_;
    std::int64_t hidden_ = 0, batch_ = 0;
    std::vector<dynamic_tensor> all_, last_;
};

ANEMONE_INLINE std::vector<mil_value> read_mil_rnn(mil_call& c) {
    recurrent_statement s(c, 1);
    const op function = s.function("activation", "tanh");
    recurrent_statement::runner r = s.direction(0);
    s.ran(r, run_rnn(r, function));
    return s.outputs();
}

ANEMONE_INLINE std::vector<mil_value> read_mil_gru(mil_call& c) {
    recurrent_statement s(c, 3);
    s.require_functions({{"recurrent_activation", "sigmoid"}, {"activation", "tanh"}});
    const bool product = c.flag("reset_after", false);
    if (!product && c.has("input_bias")) {
        c.refuse("has an input_bias without reset_after, which its definition does not add anywhere");
    }
    recurrent_statement::runner r = s.direction(0);
    s.ran(r, run_gru(r, {.update = 2, .reset = 0, .hidden = 1}, product, c.number(1.0)));
    return s.outputs();
}

ANEMONE_INLINE std::vector<mil_value> read_mil_lstm(mil_call& c) {
    for (const std::string_view unread : {"peephole", "peephole_back", "clip"}) {
        if (c.has(unread)) {
            c.refuse(
                formatted("has the argument {}, which is not read: gates see the input and the state alone", unread));
        }
    }
    recurrent_statement s(c, 4);
    s.require_functions({{"recurrent_activation", "sigmoid"}, {"cell_activation", "tanh"}, {"activation", "tanh"}});
    std::vector<dynamic_tensor> cells;
    for (int d = 0; d < s.directions(); ++d) {
        recurrent_statement::runner r = s.direction(d);
        dynamic_tensor cell = s.start("initial_c", d);
        s.ran(r, run_lstm(r, {.input = 0, .forget = 1, .output = 2, .cell = 3}, cell));
        cells.push_back(cell);
    }
    return s.outputs(cells);
}

ANEMONE_INLINE void add_recurrent(statement_table& t) {
    t.insert({{"rnn", read_mil_rnn}, {"gru", read_mil_gru}, {"lstm", read_mil_lstm}});
}

} // namespace ane::readers::inline ANEMONE_WAY
