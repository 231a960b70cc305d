// Each derivative against differences of the forward model, both in double precision: random graphs around each operation of
// the catalogue. Differences of two widths are extrapolated; where they disagree there is a corner, and the element is left
// out.

#include "../analysis/sound_graphs.hpp"
#include "../backend/every_operation.hpp"
#include "../from_environment.hpp"
#include <anemone/backend/program.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/gradient/gradient.hpp>
#include <anemone/graph/copy.hpp>
#include <anemone/passes/prune.hpp>
#include <anemone/passes/validate.hpp>
#include <anemone/weights/verify.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// Eight digits, so that a step of a sixteenth and its half are exact.
half short_number(half x) {
    const auto v = static_cast<double>(x);
    if (v == 0 || !std::isfinite(v)) {
        return x;
    }
    const double unit = std::ldexp(1.0, std::max(std::ilogb(v), -12) - 7);
    return half(std::round(v / unit) * unit);
}
double step_of(half x) {
    const auto v = static_cast<double>(x);
    return v == 0 ? 0x1p-7 : std::ldexp(1.0, std::max(std::ilogb(v), -12) - 5);
}

/// The model with a loss, the sum of its first fp16 output with random factors: node numbers stay.
struct problem {
    dynamic_graph graph;
    int loss = -1;
};
problem with_loss(const graph_view& g, sound::maker& random) {
    problem p{copy_of(g)};
    detail::gradients::tape t(p.graph, g.size());
    for (const output_port& port : g.outputs) {
        const node n = g[port.node];
        if (n.type != dtype::f16 || p.loss >= 0) {
            continue;
        }
        std::vector<float> factors;
        for (std::int64_t i = 0; i < n.shape.count(); ++i) {
            factors.push_back(static_cast<float>(static_cast<double>(half(random.uniform(-1, 1)))));
        }
        const int product = t.mul(port.node, t.constant(n.shape, factors));
        const int flat = t.reshape(product, {1, n.shape.count()});
        p.loss = t.sum(flat, axes{0, 1});
    }
    p.graph.outputs = {};
    if (p.loss >= 0) {
        p.graph.add_output(p.loss, "loss");
    }
    return p;
}

/// Runs a model of which all outputs are fp16, in double precision.
struct runner {
    runner(const graph_view& model, const weight_store& weights)
        : program(compile(model, backend::wide{}, weights_for(model, weights))) {
        for (const output_port& port : model.outputs) {
            memory.emplace_back(static_cast<std::size_t>(model[port.node].shape.count()));
        }
    }
    void operator()(const std::vector<both::dense>& inputs) {
        std::vector<std::span<const std::byte>> given;
        for (const both::dense& each : inputs) {
            given.push_back(std::as_bytes(std::span<const half>(each.values)));
        }
        std::vector<std::span<std::byte>> outputs;
        for (std::vector<half>& each : memory) {
            outputs.push_back(std::as_writable_bytes(std::span<half>(each)));
        }
        program.run(given, outputs);
    }

    backend::wide_program program;
    std::vector<std::vector<half>> memory;
};

/// The sample with inputs for its weights, but for those that are stored compressed, and all inputs of a moderate size.
void make_inputs_of_weights(every_operation::sample& s, sound::maker& random) {
    std::vector<both::dense> inputs;
    std::size_t next = 0;
    for (int i = 0; i < s.graph.view().size(); ++i) {
        node& n = s.graph.nodes[static_cast<std::size_t>(i)];
        if (n.kind == op::input) {
            inputs.push_back(s.inputs[next++]);
        } else if (n.kind == op::weight) {
            bool plain = true;
            for (const node& reader : s.graph.nodes) {
                for (const int operand : s.graph.view().operands(reader)) {
                    plain = plain && !(operand == i && reader.kind == op::compressed);
                }
            }
            if (!plain) {
                continue;
            }
            n.kind = op::input;
            const std::vector<half> values = random.values(n);
            inputs.emplace_back(n.shape, values);
        } else {
            continue;
        }
        for (half& h : inputs.back().values) {
            h = short_number(std::fabs(static_cast<double>(h)) > 1000 ? half(random.uniform(-2, 2)) : h);
        }
    }
    s.inputs = std::move(inputs);
}

struct outcome {
    int compared = 0;
    int corners = 0;
    int wrong = 0;
};

/// Compares the gradient by one input; false where the loss does not depend on it.
bool compare(const problem& p, int input, std::size_t position, std::vector<both::dense> data,
             const weight_store& weights, sound::maker& random, outcome& result) {
    dynamic_graph extended = copy_of(p.graph);
    const int wrt[] = {input};
    int found[1]{};
    try {
        append_gradient(extended, p.loss, wrt, found);
    } catch (const error& e) {
        const std::string text = e.what();
        if (text.find("does not depend") != std::string::npos) {
            return false;
        }
        throw;
    }
    REQUIRE(graph_view(extended)[found[0]].shape == p.graph.view()[input].shape);
    extended.add_output(found[0], "gradient");
    validate(extended);
    const dynamic_graph backward = prune(extended);
    const dynamic_graph forward = prune(p.graph);
    const int out = backward.outputs.back().node;
    const int loss = forward.outputs.back().node;
    runner whole(backward, weights);
    // Pruning may drop inputs that only the one or the other reads.
    const auto kept = [&](const graph_view& g) {
        std::vector<both::dense> some;
        std::size_t k = 0;
        for (int i = 0; i < p.graph.view().size(); ++i) {
            if (p.graph.view()[i].kind == op::input) {
                if (g.find(op::input, p.graph.view().name(i)) >= 0) {
                    some.push_back(data[k]);
                }
                ++k;
            }
        }
        return some;
    };
    whole(kept(backward));
    const auto values = whole.program.value(out);
    const std::vector<double> gradient(values.begin(), values.end());
    double scale = 1e-6;
    for (const double g : gradient) {
        scale = std::isfinite(g) ? std::max(scale, std::fabs(g)) : scale;
    }
    runner plain(forward, weights);
    const std::size_t count = gradient.size();
    for (int tries = 0; tries < 8; ++tries) {
        const auto at = static_cast<std::size_t>(random.below(static_cast<int>(count)));
        half& element = data[position].values[at];
        const half before = element;
        const double h = step_of(before);
        const auto loss_at = [&](double offset) {
            element = half(static_cast<double>(before) + offset);
            plain(kept(forward));
            element = before;
            return plain.program.value(loss)[0];
        };
        const double wide = (loss_at(h) - loss_at(-h)) / (2 * h);
        const double narrow = (loss_at(h / 2) - loss_at(-h / 2)) / h;
        const double slope = (4 * narrow - wide) / 3;
        const double left = (loss_at(0) - loss_at(-h / 2)) / (h / 2);
        const double right = (loss_at(h / 2) - loss_at(0)) / (h / 2);
        if (!std::isfinite(slope) || !std::isfinite(gradient[at]) ||
            std::fabs(wide - narrow) > 0.02 * std::fabs(narrow) + 1e-3 * scale ||
            std::fabs(left - right) > 0.1 * std::fabs(narrow) + 5e-3 * scale) {
            ++result.corners;
            continue;
        }
        ++result.compared;
        result.wrong += std::fabs(gradient[at] - slope) > 1e-2 * (std::fabs(slope) + 0.1 * scale) ? 1 : 0;
    }
    return true;
}

} // namespace

TEST_CASE("each derivative agrees with differences") {
    const unsigned seed = from_environment::seed();
    const unsigned graphs = from_environment::number("ANEMONE_TEST_GRAPHS", 12);
    for (const op kind : every_operation::all()) {
        CAPTURE(name(kind));
        outcome result;
        const bool refused = derivative_refusal(kind).any();
        bool was_refused = false;
        for (unsigned round = 0; round < graphs; ++round) {
            every_operation::sample s = every_operation::draw(kind, seed * 7919 + round);
            if (s.graph.outputs.empty()) {
                continue;
            }
            sound::maker random(seed + round, {kind});
            make_inputs_of_weights(s, random);
            const problem p = with_loss(s.graph, random);
            if (p.loss < 0) {
                continue;
            }
            std::size_t position = 0;
            for (int i = 0; i < s.graph.view().size(); ++i) {
                const node& n = s.graph.view()[i];
                if (n.kind != op::input) {
                    continue;
                }
                CAPTURE(round);
                CAPTURE(i);
                try {
                    if (n.type == dtype::f16) {
                        compare(p, i, position, s.inputs, s.weights, random, result);
                    }
                } catch (const error& e) {
                    const std::string text = e.what();
                    was_refused = text.find("has no derivative") != std::string::npos;
                    if (!was_refused) {
                        FAIL_CHECK(text);
                    }
                }
                ++position;
            }
        }
        CAPTURE(result.corners);
        CHECK(result.wrong * 20 <=
              result.compared); // corners that two widths did not show: equal elements, a variance of 0
        if (!refused && !detail::gradients::is_flat(kind)) {
            CHECK(result.compared > 0);
        }
    }
}
