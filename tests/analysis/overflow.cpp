// What `conforms` promises about values: where no rule of values is broken, no number that the engine stores is infinite,
// whatever the inputs and weights are within their promises; and where one is broken by an overflow, some numbers within
// the promises do overflow, nearly always: a bound that is loose refuses models that run well.

#include "../from_environment.hpp"
#include "../sanitized.hpp"
#include "anemone/backend/calibration.hpp"
#include "anemone/passes/lowering.hpp"
#include "anemone/passes/print.hpp"
#include "anemone/rules/evaluate.hpp"
#include "sound_graphs.hpp"
#include <anemone/backend/oracle/oracle.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace ane;

namespace {

constexpr bool is_quotient(op kind) { return kind == op::div || kind == op::floor_div; }

std::vector<op> kinds() {
    std::vector<op> all;
    for (std::size_t k = 0; k < op_count; ++k) {
        const op kind = static_cast<op>(k);
        if (!is_source(kind) && kind != op::cast && kind != op::random_uniform && backend::oracle::supports(kind)) {
            all.push_back(kind);
        }
    }
    return all;
}

using numbers_by_name = std::map<std::string, std::vector<half>>;

/// Numbers for all inputs and weights of a graph. Those of the weights are shared by points that have the same.
struct point {
    std::shared_ptr<const numbers_by_name> weights;
    numbers_by_name inputs;

    const std::vector<half>* of(const graph_view& g, int source) const {
        const numbers_by_name& all = g[source].kind == op::input ? inputs : *weights;
        const auto found = all.find(std::string(g.name(source)));
        return found == all.end() ? nullptr : &found->second;
    }
};

/// Points of the promises: first their corners, as all combinations of the ends of each source, then mixtures. Inputs
/// change with each, weights more seldom: with these a graph is compiled anew.
class points {
public:
    points(const graph_view& g, unsigned seed) : g_(g), random_(seed) {}

    point next() {
        const auto draw = [this](op kind, unsigned ends) {
            numbers_by_name all;
            for (int i = 0; i < g_.size(); ++i) {
                if (g_[i].kind == kind) {
                    all[std::string(g_.name(i))] = values(g_[i].get<contract>(), g_[i].shape.count(), ends % 2);
                    ends /= 2;
                }
            }
            return all;
        };
        const auto inputs = static_cast<unsigned>(
            std::count_if(g_.nodes.begin(), g_.nodes.end(), [](const node& n) { return n.kind == op::input; }));
        const unsigned ends = turn_++;
        const bool is_corner = turn_ <= corners;
        const unsigned of_weights = inputs < 4 ? ends >> inputs : 0;
        if (weights_ == nullptr || (is_corner ? of_weights != ends_of_weights_ : turn_ % points_of_weights == 0)) {
            const bool has_weights = weights_ == nullptr || !weights_->empty();
            weights_ = has_weights ? std::make_shared<const numbers_by_name>(draw(op::weight, of_weights)) : weights_;
            ends_of_weights_ = of_weights;
        }
        return {weights_, draw(op::input, ends)};
    }

private:
    static constexpr unsigned corners = 16;
    static constexpr unsigned points_of_weights = 3;

    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

    std::vector<half> values(const contract& c, std::int64_t count, unsigned end) {
        const double nearest_zero = std::clamp(0.0, c.low, c.high);
        const unsigned style = turn_ <= corners ? 0 : below(7);
        const double small = special(below(16));
        std::vector<half> all(static_cast<std::size_t>(count));
        for (half& h : all) {
            const double ends[] = {c.high, c.low, nearest_zero};
            switch (style) {
            case 0: h = half(ends[end]); break;
            case 1: h = half(ends[below(2)]); break;
            case 2: h = half(ends[below(8) == 0 ? 2 : below(2)]); break;
            case 3: h = half(ends[below(count < 8 ? 3 : static_cast<unsigned>(count)) == 0 ? 1 - end : end]); break;
            case 4: h = half(special(below(16))); break;
            case 5: h = half(small); break;
            default: h = half(c.low + (c.high - c.low) * static_cast<double>(random_()) / 4294967296.0);
            }
            h = half(std::clamp(static_cast<double>(h), c.low, c.high));
        }
        return all;
    }

    /// Numbers around zero: the ends of fp16, what an epsilon takes to zero, what has a square near the smallest.
    static double special(unsigned k) {
        constexpr double all[] = {0, 0x1p-24, 1e-5, 1e-3, 0x1p-12, 0x1p-10, 0x1p-8, 1};
        return k % 2 == 0 ? all[k / 2] : -all[k / 2];
    }

    graph_view g_;
    std::mt19937 random_;
    unsigned turn_ = 0;
    unsigned ends_of_weights_ = 0;
    std::shared_ptr<const numbers_by_name> weights_;
};

/// A graph on the oracle of a target, compiled anew where a point has other weights than the one before.
class compiled {
public:
    compiled(const graph_view& g, target t) : g_(g), oracle_(t) {}

    /// Computes a point, of which `values` and `infinities` tell then.
    void run(const point& p) {
        if (program_ == nullptr || weights_ != p.weights) {
            weight_store store;
            for (int i = 0; i < g_.size(); ++i) {
                if (g_[i].kind == op::weight && p.of(g_, i) != nullptr) {
                    store.add(std::string(g_.name(i)), g_[i].shape, std::span<const half>(*p.of(g_, i)));
                }
            }
            program_ = std::make_unique<calibration<backend::oracle>>(oracle_, g_, store);
            weights_ = p.weights;
        }
        std::vector<std::span<const std::byte>> inputs;
        for (int i = 0; i < g_.size(); ++i) {
            if (g_[i].kind == op::input) {
                inputs.push_back(std::as_bytes(std::span(*p.of(g_, i))));
            }
        }
        program_->run(inputs);
        last_ = &p;
    }

    /// What a node has at the last point; nothing of what is neither a source nor computed in fp16.
    std::span<const half> values(int node) const {
        if (!is_source(g_[node].kind)) {
            return program_->values(node);
        }
        const std::vector<half>* const given = last_->of(g_, node);
        return given == nullptr ? std::span<const half>{} : std::span<const half>(*given);
    }
    bool is_infinite(int node) const {
        const std::span<const half> all = values(node);
        return std::any_of(all.begin(), all.end(), [](half v) { return !is_finite(v); });
    }

private:
    graph_view g_;
    backend::oracle oracle_;
    std::shared_ptr<const numbers_by_name> weights_;
    std::unique_ptr<calibration<backend::oracle>> program_;
    const point* last_ = nullptr;
};

/// Whether the reciprocal of a divisor overflows: a quotient is a product with it, in which the engine reads infinity as
/// 2^16.
bool reciprocal_overflows(std::span<const half> divisor) {
    return std::any_of(divisor.begin(), divisor.end(),
                       [](half b) { return std::fabs(static_cast<double>(b)) * 65504 < 1; });
}

/// Whether IEEE arithmetic has no number for a root of one of these.
bool root_of_negative(std::span<const half> x, float epsilon) {
    return std::any_of(x.begin(), x.end(),
                       [=](half v) { return static_cast<double>(v) + static_cast<double>(half(epsilon)) < 0; });
}

/// Of the two operations that are one step of the oracle: whether squares of numbers, or of distances in space, overflow.
bool squares_overflow(op kind, std::span<const half> x) {
    const auto at = [&](std::size_t i) { return static_cast<double>(x[i]); };
    if (kind == op::local_response_norm) {
        return std::any_of(x.begin(), x.end(), [](half v) { return std::fabs(static_cast<double>(v)) >= 255.97; });
    }
    const std::size_t count = x.size() / 3;
    for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            double sum = 0;
            for (std::size_t row = 0; row < 3; ++row) {
                sum += std::pow(at(row * count + a) - at(row * count + b), 2);
            }
            if (sum >= 65520) {
                return true;
            }
        }
    }
    return false;
}

/// A model and what becomes of it, on the oracle of a target.
struct model_on_oracle {
    graph_view model;
    const lowered_graph& low;
    compiled of_model;
    compiled of_lowered;
    sequence<char> constant; ///< nodes of the lowered graph that no device computes

    model_on_oracle(const graph_view& g, const lowered_graph& lowered, target t)
        : model(g), low(lowered), of_model(g, t), of_lowered(lowered.view(), t),
          constant(constant_nodes(lowered.view())) {}

    /// What is infinite at a point: the node of the lowered graph, or nothing.
    std::optional<std::string> infinite_at(const point& p, bool refused) {
        of_lowered.run(p);
        const graph_view g = low.view();
        for (int i = 0; i < g.size(); ++i) {
            if (constant[static_cast<std::size_t>(i)] != 0) {
                continue;
            }
            const bool squares = g[i].kind == op::local_response_norm || g[i].kind == op::furthest_point_sampling;
            if (squares && squares_overflow(g[i].kind, of_lowered.values(g.operands(i)[0]))) {
                return "a square inside " + std::string(name(g[i].kind));
            }
            // x minus the maximum: of -infinity the exponential is the 0 that is meant.
            const op origin = model[low.origins[static_cast<std::size_t>(i)]].kind;
            const bool is_shifted = origin == op::reduce_log_sum_exp && g[i].kind == op::sub;
            // In a norm the numerator is as small, and the result at most 1.
            const bool norms = origin == op::minmax_norm;
            if (refused && g[i].kind == op::rsqrt &&
                root_of_negative(of_lowered.values(g.operands(i)[0]), g[i].get<stabilizer>().epsilon)) {
                return "the root inside rsqrt is of a negative number, what it gives";
            }
            if (is_quotient(g[i].kind) && !norms && reciprocal_overflows(of_lowered.values(g.operands(i)[1]))) {
                return "the reciprocal inside " + std::string(name(g[i].kind));
            }
            if (!is_source(g[i].kind) && !is_shifted && of_lowered.is_infinite(i)) {
                return std::string(name(g[i].kind)) + " (node " + std::to_string(i) + " of the lowered graph)";
            }
        }
        return std::nullopt;
    }

    /// What a node of the model has at a point.
    std::vector<double> values_at(const point& p, int node) {
        of_model.run(p);
        const std::span<const half> all = of_model.values(node);
        return {all.begin(), all.end()};
    }
};

/// The point in the middle of two.
point middle(const point& a, const point& b) {
    const auto between = [](const numbers_by_name& one, const numbers_by_name& other) {
        numbers_by_name all;
        for (const auto& [name, first] : one) {
            const std::vector<half>& second = other.at(name);
            for (std::size_t k = 0; k < first.size(); ++k) {
                all[name].emplace_back((static_cast<double>(first[k]) + static_cast<double>(second[k])) / 2);
            }
        }
        return all;
    };
    return {a.weights == b.weights ? a.weights
                                   : std::make_shared<const numbers_by_name>(between(*a.weights, *b.weights)),
            between(a.inputs, b.inputs)};
}

/// A point at which element `element` of a divisor plus epsilon comes as near to zero as halving the way between a point
/// where it is above and one where it is below finds it.
point nearest_zero(model_on_oracle& run, int divisor, double epsilon, std::size_t element, point above, point below) {
    for (int step = 0; step < 24; ++step) {
        point between = middle(above, below);
        const double z = run.values_at(between, divisor)[element] + epsilon;
        if (z == 0) {
            return between;
        }
        (z > 0 ? above : below) = std::move(between);
    }
    return above;
}

/// The operand that a node divides by, takes the reciprocal of, or the power; -1 for other nodes.
int divisor_of(const graph_view& g, int index) {
    const node& n = g[index];
    if (n.kind == op::inverse || n.kind == op::rsqrt || n.kind == op::pow) {
        return g.operands(n)[0];
    }
    return is_quotient(n.kind) ? g.operands(n)[1] : -1;
}

/// Searches for a point that overflows, among `tries` and between those that lie on both sides of a divisor's zero.
std::optional<std::string> search(const graph_view& g, const lowered_graph& low, target t, int index, unsigned seed,
                                  int tries) {
    points from(g, seed);
    model_on_oracle run(g, low, t);
    const int divisor = index < 0 ? -1 : divisor_of(g, index);
    const double epsilon = divisor < 0 || signature(g[index].kind).attributes != attribute_kind::stabilizer
                               ? 0
                               : static_cast<double>(half(g[index].get<stabilizer>().epsilon));
    std::optional<point> first;
    std::vector<double> at_first;
    for (int k = 0; k < tries; ++k) {
        const point p = from.next();
        if (auto infinite = run.infinite_at(p, index >= 0)) {
            return infinite;
        }
        if (divisor < 0 || k > tries / 2) {
            continue;
        }
        const std::vector<double> z = run.values_at(p, divisor);
        if (!first) {
            first = p;
            at_first = z;
            continue;
        }
        for (std::size_t e = 0; e < z.size(); ++e) {
            if ((at_first[e] + epsilon > 0) != (z[e] + epsilon > 0)) {
                const bool is_above = z[e] + epsilon > 0;
                const point near = nearest_zero(run, divisor, epsilon, e, is_above ? p : *first, is_above ? *first : p);
                if (auto infinite = run.infinite_at(near, true)) {
                    return infinite;
                }
                break;
            }
        }
    }
    return std::nullopt;
}

struct value_verdict {
    bool conforms = true;
    std::optional<violation> overflow;
};
value_verdict judged(const graph_view& g, target t) {
    value_verdict v;
    for (const violation& found : violations(g, t)) {
        const bool of_values = record_of(found.rule).level == severity::hazard;
        if (of_values && v.conforms && overflow_rules.contains(found.rule) && found.rule != rule::logarithm_of_zero) {
            v.overflow = found; // the first of its hazards
        }
        v.conforms = v.conforms && !of_values;
    }
    return v;
}

std::string ranges_text(const graph_view& g) {
    std::string text;
    for (const interval& r : ranges(g)) {
        text += "[" + std::to_string(r.low) + ", " + std::to_string(r.high) + (r.declared ? "] " : "]? ");
    }
    return text;
}

constexpr std::array generations{h13, h14, h15, h16, h17s, h18};

} // namespace

TEST_CASE("where no rule of values is broken nothing overflows, and where one is something does") {
    const int graphs = static_cast<int>(from_environment::number("ANEMONE_TEST_GRAPHS", sanitized ? 300 : 2000));
    const unsigned seed = from_environment::seed() * 1'000'000;
    const std::vector<op> all = kinds();
    int conforming = 0;
    int refused = 0;
    int found = 0;
    int failures = 0;
    std::map<std::string, std::array<int, 2>> by_rule;
    std::array<int, op_count> seen{};
    for (int i = 0; i < graphs; ++i) {
        const unsigned mine = seed + static_cast<unsigned>(i);
        sound::maker m(mine, all);
        m.promise(-6, i % 3 == 0 ? 8 : 3, i % 2 == 0 ? 15.9 : 9);
        const dynamic_graph g = m.make(all[static_cast<std::size_t>(i) % all.size()], 1 + i % 4);
        if (g.outputs.empty()) {
            continue;
        }
        const target t = generations[static_cast<std::size_t>(i / 7) % generations.size()];
        const value_verdict v = judged(g, t);
        if (!v.conforms && !v.overflow) {
            continue;
        }
        try {
            const lowered_graph low = lower(g);
            const std::optional<std::string> infinite =
                v.conforms ? search(g, low, t, -1, mine, 24) : search(g, low, t, v.overflow->node, mine, 600);
            for (const node& n : g.nodes) {
                ++seen[static_cast<std::size_t>(n.kind)];
            }
            if (v.conforms) {
                ++conforming;
                if (infinite && ++failures <= 10) {
                    CHECK_MESSAGE(false, "seed ", mine, " on ", name(t), ": ", *infinite, " is infinite\n", print(g),
                                  ranges_text(g));
                }
                continue;
            }
            ++refused;
            found += infinite ? 1 : 0;
            auto& counts =
                by_rule[std::string(name(v.overflow->rule)) + " of " + std::string(name(v.overflow->operation))];
            ++counts[0];
            counts[1] += infinite ? 1 : 0;
            if (!infinite && from_environment::number("ANEMONE_TEST_LOUD", 0) != 0) {
                MESSAGE("seed ", mine, " on ", name(t), ": nothing overflows, though ", name(v.overflow->rule),
                        " at node ", v.overflow->node, ": ", v.overflow->got, "\n", print(g), ranges_text(g));
            }
        } catch (const error& e) { // weights that fold to no number
            if (e.code() != errc::weights) {
                CHECK_MESSAGE(false, "seed ", mine, ": ", e.what(), "\n", print(g));
            }
        }
    }
    for (const op kind : all) {
        WARN_MESSAGE(seen[static_cast<std::size_t>(kind)] > 0, std::string(name(kind)), " was never tried");
    }
    for (const auto& [what, counts] : by_rule) {
        if (counts[1] < counts[0]) {
            MESSAGE(what, ": ", counts[1], " of ", counts[0]);
        }
    }
    MESSAGE(graphs, " graphs from seed ", seed, ": ", conforming, " conform; ", refused, " are refused, ", found,
            " of them overflow");
    CHECK(failures == 0);
    CHECK(conforming > graphs / 5);
    CHECK(found >= 0.9 * refused - 3 * std::sqrt(0.09 * refused)); // nine of ten, less what few graphs leave to chance
}
