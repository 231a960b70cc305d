// Operations that lowering takes apart: their parts, and the oracle's and the CPU backend's values of them against the
// formulas in double.

#include "composer.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/catalogue/engine_path.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/passes/validate.hpp>
#include <anemone/weights/convert.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace composing;

namespace {

/// For each element, row-major, the number of the group whose statistics it shares.
using grouping_of = std::function<std::int64_t(const std::vector<std::int64_t>&)>;

std::vector<std::int64_t> groups(const extents& shape, const grouping_of& group) {
    std::vector<std::int64_t> result;
    std::vector<std::int64_t> at(static_cast<std::size_t>(shape.rank), 0);
    for (std::int64_t i = 0; i < shape.count(); ++i) {
        std::int64_t rest = i;
        for (int axis = shape.rank - 1; axis >= 0; --axis) {
            at[static_cast<std::size_t>(axis)] = rest % shape[axis];
            rest /= shape[axis];
        }
        result.push_back(group(at));
    }
    return result;
}

/// The coordinates that are not in `over`, as one number: elements that a reduction over `over` puts together.
grouping_of outside(std::vector<int> over) {
    return [over](const std::vector<std::int64_t>& at) {
        std::int64_t key = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            const bool reduced = std::find(over.begin(), over.end(), static_cast<int>(axis)) != over.end();
            key = key * 1000 + (reduced ? 0 : at[axis]);
        }
        return key;
    };
}

struct statistics {
    double count = 0, sum = 0, squares = 0, absolute = 0, powers = 0;
    double least = 1e300, most = -1e300;
    double mean() const { return sum / count; }
    double variance() const { return squares / count - mean() * mean(); }
};

std::map<std::int64_t, statistics> gather(const std::vector<double>& x, const std::vector<std::int64_t>& group) {
    std::map<std::int64_t, statistics> all;
    for (std::size_t i = 0; i < x.size(); ++i) {
        statistics& s = all[group[i]];
        s.count += 1;
        s.sum += x[i];
        s.squares += x[i] * x[i];
        s.absolute += std::fabs(x[i]);
        s.powers += std::exp(x[i]);
        s.least = std::min(s.least, x[i]);
        s.most = std::max(s.most, x[i]);
    }
    return all;
}

const extents picture{2, 6, 4, 5};
constexpr unsigned seed = 11;

struct values {
    std::vector<double> x;
    std::vector<double> y;
    std::map<std::string, std::vector<double>> weights; ///< by name, in order
};

/// A run of one operation over an input of the picture's shape and vectors of the given length.
template <class Backend>
values values_of_run(const Backend& on, op kind, const attributes& attribute, int vectors, std::int64_t length,
                     double low, double high) {
    composer c;
    std::vector<int> operands{c.input(picture)};
    for (int i = 0; i < vectors; ++i) {
        operands.push_back(c.weight({length}));
    }
    c.output(c.add(kind, attribute, operands));
    const dynamic_graph g = c.finish();
    validate(g);
    random_engine random(seed);
    const weight_store weights = random_weights(g, random);
    port_memory inputs = random_inputs(g, random, false);
    for (half& h : inputs.halves(0)) {
        h = half(uniform(random, low, high));
    }
    port_memory outputs = memory_of_outputs(g);
    auto program = compile(g, on, weights);
    program.run(inputs.inputs(), outputs.outputs());
    values v;
    for (const half h : inputs.halves(0)) {
        v.x.push_back(static_cast<double>(h));
    }
    for (const half h : outputs.halves(0)) {
        v.y.push_back(static_cast<double>(h));
    }
    const graph_view view = g;
    for (int i = 0; i < view.size(); ++i) {
        if (view[i].kind == op::weight) {
            const std::string name(view.name(i));
            std::vector<double>& w = v.weights[name];
            for (const half h : to_half(*weights.find(name))) {
                w.push_back(static_cast<double>(h));
            }
        }
    }
    return v;
}

std::int64_t channel(std::size_t element) { return static_cast<std::int64_t>(element) / (4 * 5) % 6; }

template <class Backend>
void check_norm(const Backend& on, op kind, const attributes& attribute, const grouping_of& group, double epsilon,
                bool centred) {
    CAPTURE(on.name());
    CAPTURE(name(kind));
    CAPTURE(seed);
    const int vectors = kind == op::rms_norm ? 1 : 2;
    const values v = values_of_run(on, kind, attribute, vectors, 6, -3, 3);
    const std::vector<std::int64_t> group_of = groups(picture, group);
    const auto all = gather(v.x, group_of);
    const std::vector<double>& gamma = v.weights.begin()->second;
    const std::vector<double>& beta = v.weights.rbegin()->second;
    for (std::size_t i = 0; i < v.x.size(); ++i) {
        CAPTURE(i);
        const statistics& s = all.at(group_of[i]);
        const double mean = centred ? s.mean() : 0;
        const double spread = centred ? s.variance() : s.squares / s.count;
        const auto c = static_cast<std::size_t>(channel(i));
        const double wanted = gamma[c] * (v.x[i] - mean) / std::sqrt(spread + epsilon) + (vectors == 2 ? beta[c] : 0);
        CHECK(v.y[i] == doctest::Approx(wanted).epsilon(0.01).scale(1));
    }
}

std::vector<op> parts(op kind, const attributes& attribute, int vectors, std::int64_t length = 6) {
    composer c;
    std::vector<int> operands{c.input(picture)};
    for (int i = 0; i < vectors; ++i) {
        operands.push_back(c.weight({length}));
    }
    c.output(c.add(kind, attribute, operands));
    const lowered_graph l = lower(c.finish());
    CHECK_NOTHROW(validate(l.view()));
    std::vector<op> kinds;
    for (const node& n : l.view().nodes) {
        CHECK_FALSE(is_composed(n.kind));
        if (!is_source(n.kind)) {
            kinds.push_back(n.kind);
        }
    }
    return kinds;
}

} // namespace

TEST_CASE("composed: lowering leaves no composed operation, and the oracle models every part") {
    using enum op;
    CHECK(parts(square, no_attributes{}, 0) == std::vector<op>{mul});
    CHECK(parts(reduce_sum_square, axes{1}, 0) == std::vector<op>{mul, reduce_sum});
    CHECK(parts(reduce_l1_norm, axes{1}, 0) == std::vector<op>{abs, reduce_sum});
    CHECK(parts(reduce_l2_norm, axes{1}, 0) == std::vector<op>{mul, reduce_sum, sqrt});
    CHECK(parts(reduce_log_sum, axes{1}, 0) == std::vector<op>{reduce_sum, log});
    CHECK(parts(reduce_log_sum_exp, axes{1}, 0) == std::vector<op>{reduce_max, sub, exp, reduce_sum, log, add});
    CHECK(parts(l2_norm, stabilizer{.epsilon = 1e-6F}, 0) == std::vector<op>{mul, reduce_sum, sqrt, maximum, div});
    CHECK(parts(l2_norm, stabilizer{.epsilon = 0}, 0) == std::vector<op>{mul, reduce_sum, sqrt, div});
    CHECK(parts(minmax_norm, stabilizer{.epsilon = 1e-5F}, 0) ==
          std::vector<op>{reduce_min, reduce_max, sub, add, sub, div});
    CHECK(parts(rms_norm, stabilizer{.axis = 1}, 1) ==
          std::vector<op>{mul, reduce_mean, add, rsqrt, mul, reshape, mul});
    const std::vector<op> standardised{reduce_mean, sub, mul, reduce_mean, add, rsqrt, mul};
    std::vector<op> instance = standardised;
    instance.insert(instance.end(), {reshape, mul, reshape, add});
    CHECK(parts(instance_norm, stabilizer{.axis = 1}, 2) == instance);
    std::vector<op> group{reshape};
    group.insert(group.end(), standardised.begin(), standardised.end());
    group.insert(group.end(), {reshape, reshape, mul, reshape, add});
    CHECK(parts(group_norm, grouping{.groups = 3}, 2) == group);
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        CAPTURE(name(kind));
        CHECK(ane::backend::oracle::supports(kind) == (is_composed(kind) || has_engine_path(kind)));
    }
}

template <class Backend> void check_norms(const Backend& on) {
    check_norm(on, op::instance_norm, stabilizer{.epsilon = 1e-3F, .axis = 1}, outside({2, 3}), 1e-3, true);
    for (const int count : {1, 2, 3, 6}) {
        check_norm(
            on, op::group_norm, grouping{.groups = count, .epsilon = 1e-3F},
            [count](const std::vector<std::int64_t>& at) { return at[0] * 1000 + at[1] / (6 / count); }, 1e-3, true);
    }
    check_norm(on, op::rms_norm, stabilizer{.epsilon = 1e-3F, .axis = 1}, outside({1}), 1e-3, false);

    for (const int axis : {0, 1, 2, 3}) {
        CAPTURE(on.name());
        CAPTURE(axis);
        CAPTURE(seed);
        const std::vector<std::int64_t> group = groups(picture, outside({axis}));
        const values length = values_of_run(on, op::l2_norm, stabilizer{.epsilon = 1e-6F, .axis = axis}, 0, 1, -3, 3);
        const values spread =
            values_of_run(on, op::minmax_norm, stabilizer{.epsilon = 1e-3F, .axis = axis}, 0, 1, -3, 3);
        const auto of_length = gather(length.x, group);
        const auto of_spread = gather(spread.x, group);
        for (std::size_t i = 0; i < length.x.size(); ++i) {
            const statistics& s = of_length.at(group[i]);
            CHECK(length.y[i] ==
                  doctest::Approx(length.x[i] / std::max(std::sqrt(s.squares), 1e-3)).epsilon(0.01).scale(1));
            const statistics& m = of_spread.at(group[i]);
            CHECK(spread.y[i] ==
                  doctest::Approx((spread.x[i] - m.least) / (m.most - m.least + 1e-3)).epsilon(0.01).scale(1));
        }
    }
}

TEST_CASE("composed: norms are their formulas") {
    check_norms(ane::backend::oracle{h13});
    check_norms(ane::backend::cpu{});
}

TEST_CASE("composed: the length of small vectors is held up by the stabilizer") {
    composer c;
    c.output(c.add(op::l2_norm, stabilizer{.epsilon = 0.25F}, {c.input({2, 2})}));
    const dynamic_graph g = c.finish();
    auto program = compile(g, ane::backend::oracle{h13}, weight_store{});
    random_engine random(seed);
    port_memory inputs = random_inputs(g, random, false);
    const double x[] = {0, 0.125, 3, 4};
    for (std::size_t i = 0; i < 4; ++i) {
        inputs.halves(0)[i] = half(x[i]);
    }
    port_memory outputs = memory_of_outputs(g);
    program.run(inputs.inputs(), outputs.outputs());
    const double wanted[] = {0, 0.25, 0.6, 0.8};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(static_cast<double>(outputs.halves(0)[i]) == doctest::Approx(wanted[i]).epsilon(0.01));
    }
}

TEST_CASE("composed: squares of 256 and more are infinite, and what is divided by their sum is zero") {
    for (const double edge : {255.75, 256.0}) {
        CAPTURE(edge);
        composer c;
        const int x = c.input({1, 4});
        c.output(c.add(op::reduce_l2_norm, axes{1}, {x}));
        c.output(c.add(op::l2_norm, stabilizer{.epsilon = 1e-6F, .axis = 1}, {x}));
        c.output(c.add(op::rms_norm, stabilizer{.epsilon = 1e-6F, .axis = 1}, {x, c.constant({4}, {1})}));
        const dynamic_graph g = c.finish();
        auto program = compile(g, ane::backend::oracle{h13}, weight_store{});
        random_engine random(seed);
        port_memory inputs = random_inputs(g, random, false);
        for (std::size_t i = 0; i < 4; ++i) {
            inputs.halves(0)[i] = half(i == 0 ? edge : 0);
        }
        port_memory outputs = memory_of_outputs(g);
        program.run(inputs.inputs(), outputs.outputs());
        const auto first = [&](std::size_t port) { return static_cast<double>(outputs.halves(port)[0]); };
        if (edge < 256) {
            CHECK(first(0) == doctest::Approx(edge).epsilon(0.01));
            CHECK(first(1) == doctest::Approx(1).epsilon(0.01));
            CHECK(first(2) == doctest::Approx(2).epsilon(0.01));
        } else {
            CHECK(std::isinf(first(0)));
            CHECK(first(1) == 0);
            CHECK(first(2) == 0);
        }
    }
}

template <class Backend> void check_reductions(const Backend& on) {
    const auto check = [&on](op kind, std::vector<int> over, double low, double high,
                             const std::function<double(const statistics&)>& formula) {
        CAPTURE(on.name());
        CAPTURE(name(kind));
        CAPTURE(seed);
        axes list;
        for (const int axis : over) {
            list.list.append(axis);
        }
        const values v = values_of_run(on, kind, list, 0, 1, low, high);
        const auto all = gather(v.x, groups(picture, outside(over)));
        REQUIRE(v.y.size() == all.size());
        std::size_t i = 0;
        for (const auto& [key, s] : all) { // keys grow as the elements of the result do
            CHECK(v.y[i++] == doctest::Approx(formula(s)).epsilon(0.01).scale(1));
        }
    };
    for (const std::vector<int>& over : std::vector<std::vector<int>>{{1}, {3}, {2, 3}, {0, 1, 2, 3}}) {
        check(op::reduce_sum_square, over, -3, 3, [](const statistics& s) { return s.squares; });
        check(op::reduce_l1_norm, over, -3, 3, [](const statistics& s) { return s.absolute; });
        check(op::reduce_l2_norm, over, -3, 3, [](const statistics& s) { return std::sqrt(s.squares); });
        check(op::reduce_log_sum, over, 0.5, 3, [](const statistics& s) { return std::log(s.sum); });
        check(op::reduce_log_sum_exp, over, -3, 3, [](const statistics& s) { return std::log(s.powers); });
        // Above 11 a power is infinite; the difference from the maximum is not.
        check(op::reduce_log_sum_exp, over, 20, 30, [](const statistics& s) { return std::log(s.powers); });
    }
}

TEST_CASE("composed: reductions are their formulas") {
    check_reductions(ane::backend::oracle{h13});
    check_reductions(ane::backend::cpu{});
}

TEST_CASE("composed: a square is a product") {
    for (const values& v : {values_of_run(ane::backend::oracle{h13}, op::square, no_attributes{}, 0, 1, -4, 4),
                            values_of_run(ane::backend::cpu{}, op::square, no_attributes{}, 0, 1, -4, 4)}) {
        for (std::size_t i = 0; i < v.x.size(); ++i) {
            CHECK(v.y[i] == static_cast<double>(half(v.x[i] * v.x[i])));
        }
    }
}
