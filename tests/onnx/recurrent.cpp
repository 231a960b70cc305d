// RNN, GRU and LSTM: their numbers, worked out in double precision, and no gate that is cut inside the width (R090).

#include "models.hpp"
#include <anemone/onnx/onnx.hpp>
#include <anemone/rules/evaluate.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

using models::model;
using models::numbers;

namespace {

constexpr int steps = 3;
constexpr int features = 3;
constexpr int hidden = 4;

/// A recurrent node over all operands of its definition, of random numbers that fp16 holds.
struct network {
    network(const std::string& of_kind, int gates, bool has_cell) : kind(of_kind) {
        std::mt19937 random(7);
        const auto drawn = [&](int count) {
            std::vector<float> values;
            for (int i = 0; i < count; ++i) {
                values.push_back(static_cast<float>(static_cast<int>(random() % 129) - 64) / 64);
            }
            return values;
        };
        x = drawn(steps * features);
        w = drawn(gates * hidden * features);
        r = drawn(gates * hidden * hidden);
        b = drawn(2 * gates * hidden);
        h = drawn(hidden);
        onnx.input("x", {steps, 1, features}).output("y").output("last");
        onnx.floats("w", {1, gates * hidden, features}, w).floats("r", {1, gates * hidden, hidden}, r);
        onnx.floats("b", {1, 2 * gates * hidden}, b).floats("h", {1, 1, hidden}, h);
        std::vector<std::string> operands{"x", "w", "r", "b", "", "h"};
        std::vector<std::string> results{"y", "last"};
        if (has_cell) {
            c = drawn(hidden);
            holes = drawn(3 * hidden);
            onnx.floats("c", {1, 1, hidden}, c).floats("p", {1, 3 * hidden}, holes).output("cell");
            operands.insert(operands.end(), {"c", "p"});
            results.emplace_back("cell");
        }
        node = &onnx.node(kind, operands, results);
        models::set(*node, "hidden_size", hidden);
    }

    /// An element of a gate's product of the input, and of the state.
    double of_input(int step, int gate, int at) const {
        const auto row = static_cast<std::size_t>(gate * hidden + at);
        double sum = b[row];
        for (std::size_t i = 0; i < features; ++i) {
            sum += static_cast<double>(w[row * features + i]) * x[static_cast<std::size_t>(step) * features + i];
        }
        return sum;
    }
    double of_state(const numbers& state, int gate, int at) const {
        const auto row = static_cast<std::size_t>(gate * hidden + at);
        double sum = b[b.size() / 2 + row];
        for (std::size_t i = 0; i < hidden; ++i) {
            sum += static_cast<double>(r[row * hidden + i]) * state[i];
        }
        return sum;
    }
    /// The state that a run ends with, by the states before each step and the step of an element.
    template <class Step> numbers state_after(const Step& element) const {
        numbers state(h.begin(), h.end());
        for (int step = 0; step < steps; ++step) {
            const numbers before = state;
            for (int at = 0; at < hidden; ++at) {
                state[static_cast<std::size_t>(at)] = element(step, before, at);
            }
        }
        return state;
    }
    void check(const numbers& wanted) const {
        const numbers got = onnx.run({numbers(x.begin(), x.end())})[1];
        REQUIRE(got.size() == wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            CHECK(got[i] == doctest::Approx(wanted[i]).epsilon(0.01));
        }
        check_taken(onnx.read());
    }
    static void check_taken(const ane::read_model& read) {
        for (const ane::target t : ane::macs) {
            for (const ane::violation& v : ane::violations(read.graph, t)) {
                CHECK_MESSAGE(!v.is_error, std::string(name(v.rule)));
                CHECK(v.rule != ane::rule::width_slice_may_saturate);
            }
        }
    }

    std::string kind;
    model onnx{14};
    ::onnx::NodeProto* node = nullptr;
    std::vector<float> x, w, r, b, h, c, holes;
};

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

} // namespace

TEST_CASE("RNN") {
    const network n("RNN", 1, false);
    n.check(n.state_after([&](int step, const numbers& state, int at) {
        return std::tanh(n.of_input(step, 0, at) + n.of_state(state, 0, at));
    }));
}

TEST_CASE("GRU, whose reset acts on the state or on its product") {
    for (const bool product : {false, true}) {
        CAPTURE(product);
        network n("GRU", 3, false);
        models::set(*n.node, "linear_before_reset", product ? 1 : 0);
        n.check(n.state_after([&](int step, const numbers& state, int at) {
            const auto open = [&](int gate, int i) {
                return sigmoid(n.of_input(step, gate, i) + n.of_state(state, gate, i));
            };
            numbers reset = state;
            for (int i = 0; i < hidden; ++i) {
                reset[static_cast<std::size_t>(i)] *= open(1, i);
            }
            const double kept = product ? open(1, at) * n.of_state(state, 2, at) : n.of_state(reset, 2, at);
            const double z = open(0, at);
            return (1 - z) * std::tanh(n.of_input(step, 2, at) + kept) + z * state[static_cast<std::size_t>(at)];
        }));
    }
}

TEST_CASE("LSTM with peepholes") {
    const network n("LSTM", 4, true);
    numbers cell(n.c.begin(), n.c.end());
    n.check(n.state_after([&](int step, const numbers& state, int at) {
        const auto i = static_cast<std::size_t>(at);
        const auto open = [&](int gate) {
            const double seen = cell[i] * n.holes[static_cast<std::size_t>(gate) * hidden + i];
            return sigmoid(n.of_input(step, gate, at) + n.of_state(state, gate, at) + seen);
        };
        const double fresh = open(0) * std::tanh(n.of_input(step, 3, at) + n.of_state(state, 3, at));
        cell[i] = open(2) * cell[i] + fresh;
        return open(1) * std::tanh(cell[i]);
    }));
}

TEST_CASE("both directions are the two of them, joined; backwards is forwards of the reversed sequence") {
    const auto made = [](const std::string& kind, int gates, const std::string& direction) {
        // Weights of one direction repeated: direction 1 of a bidirectional layer is the reverse of the same layer.
        network n(kind, gates, false);
        const int directions = direction == "bidirectional" ? 2 : 1;
        for (::onnx::TensorProto& t : *n.onnx.graph().mutable_initializer()) {
            t.set_dims(0, directions);
            const std::vector<float> values(t.float_data().begin(), t.float_data().end());
            for (int d = 1; d < directions; ++d) {
                for (const float v : values) {
                    t.add_float_data(v);
                }
            }
        }
        models::attribute(*n.node, "direction", ::onnx::AttributeProto::STRING).set_s(direction);
        return n;
    };
    for (const auto& each : {std::pair<std::string, int>{"RNN", 1}, {"GRU", 3}, {"LSTM", 4}}) {
        const auto& [kind, gates] = each;
        CAPTURE(each.first);
        const network forward = made(kind, gates, "forward");
        const numbers x(forward.x.begin(), forward.x.end());
        numbers turned;
        for (int t = steps - 1; t >= 0; --t) {
            turned.insert(turned.end(), x.begin() + t * features, x.begin() + (t + 1) * features);
        }
        const auto f = forward.onnx.run({x});
        const auto of_turned = forward.onnx.run({turned});
        const auto r = made(kind, gates, "reverse").onnx.run({x});
        const auto both = made(kind, gates, "bidirectional").onnx.run({x});
        CHECK(r[1] == of_turned[1]);
        REQUIRE(both[0].size() == 2 * f[0].size());
        for (int t = 0; t < steps; ++t) {
            for (int i = 0; i < hidden; ++i) {
                const auto at = static_cast<std::size_t>(t * hidden + i);
                const auto mirrored = static_cast<std::size_t>((steps - 1 - t) * hidden + i);
                CHECK(r[0][at] == of_turned[0][mirrored]);
                CHECK(both[0][static_cast<std::size_t>(2 * t * hidden + i)] == f[0][at]);
                CHECK(both[0][static_cast<std::size_t>((2 * t + 1) * hidden + i)] == r[0][at]);
            }
        }
    }
}

TEST_CASE("each condition of a recurrent node has its own message") {
    const auto refusal = [](const auto& change) {
        network n("GRU", 3, false);
        change(n);
        return n.onnx.refusal();
    };
    const auto direction = [](const std::string& word) {
        return
            [word](network& n) { models::attribute(*n.node, "direction", ::onnx::AttributeProto::STRING).set_s(word); };
    };
    CHECK(models::has(refusal(direction("sideways")), "runs in the direction \"sideways\""));
    CHECK(models::has(refusal(direction("bidirectional")), "runs in two directions, its weights are for 1"));
    CHECK(
        models::has(refusal([](network& n) { n.onnx.graph().mutable_initializer(0)->set_dims(0, 3); }), "instead of"));
    CHECK(models::has(
        refusal([](network& n) { models::attribute(*n.node, "clip", ::onnx::AttributeProto::FLOAT).set_f(1); }),
        "clips its sums"));
    CHECK(models::has(refusal([](network& n) {
                          auto& a = models::attribute(*n.node, "activations", ::onnx::AttributeProto::STRINGS);
                          a.add_strings("HardSigmoid");
                          a.add_strings("Tanh");
                      }),
                      "has the functions \"hardsigmoid tanh\"; read are \"sigmoid tanh\""));
    CHECK(refusal([](network& n) {
              auto& a = models::attribute(*n.node, "activations", ::onnx::AttributeProto::STRINGS);
              a.add_strings("Sigmoid");
              a.add_strings("Tanh");
          }).empty());
}

TEST_CASE("an LSTM as exporters write it has no slice that may saturate") {
    network::check_taken(ane::read_onnx_file(ANEMONE_TEST_DATA "/onnx/cases/lstm_nodir.onnx"));
}
