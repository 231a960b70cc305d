// Every operation of the catalogue with the edges of every attribute, on operands of every rank and type: it is refused by
// name, or it is accepted and then everything else that is known of it holds on data. Operations and members of attributes
// come from the catalogue: a new one is swept without a line here.

#include "../from_environment.hpp"
#include "../sanitized.hpp"
#include "trial.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

using namespace catalogue;

namespace {

constexpr unsigned seed = 20261122;
/// A third of it where sanitizers watch or the test is the usual one.
const bool brief = sanitized || !from_environment::thorough();
const int ordinary_tries = brief ? 500 : 1500;
constexpr int edge_bases = sanitized ? 4 : 8;
const int edge_pairs = brief ? 200 : 600;
const int most_trials = brief ? 20 : 60;           ///< of the ordinary, and as many of the others
constexpr unsigned reported = sanitized ? 20 : 10; ///< per cent

const backend::oracle engines[] = {backend::oracle(h13), backend::oracle(h14), backend::oracle(h18)};

class sweep {
public:
    explicit sweep(op kind) : kind_(kind), maker_(kind, seed), random_(seed + static_cast<unsigned>(kind)) {}

    void run() {
        for (int i = 0; i < ordinary_tries || (accepted == 0 && i < 20 * ordinary_tries); ++i) {
            offer(maker_.draw(i % 4 == 3));
        }
        const std::vector<recipe> bases = various();
        keep_some();
        for (const recipe& base : bases) {
            edges(base);
        }
        keep_some();
        for (const recipe& r : kept_) {
            examine(r);
        }
    }

    int tried = 0;
    int accepted = 0;
    int trials = 0; ///< accepted nodes that ran on data
    int unfit = 0;  ///< trials whose values a backend refused: indices outside the axis, weights that fold to no number
    int compared = 0; ///< trials whose results in both arithmetics were held against each other
    std::vector<std::string> faults;

private:
    void note(const recipe& r, const std::string& what) {
        faults.push_back(fmt::format("{}: {}", catalogue::text_of(r), what));
    }
    std::size_t below(std::size_t n) { return random_() % n; }

    /// As std::shuffle, whose order differs between standard libraries.
    void shuffle(std::vector<recipe>& all) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::swap(all[i], all[i + below(all.size() - i)]);
        }
    }

    /// Whether the message is about this operation.
    bool names(const error& e) const {
        return e.subject() == name(kind_) || std::string_view(e.what()).find(name(kind_)) != std::string_view::npos;
    }

    void offer(const recipe& r) {
        ++tried;
        try {
            bench operands(r.operands);
            try {
                const dynamic_tensor made = operands.add(kind_, r.values, r.result);
                ++accepted;
                if (!operands.agrees(made) || (r.result && made.shape() != *r.result)) {
                    note(r, fmt::format("gives {} {}", mil_name(made.type()), catalogue::text_of(made.shape())));
                }
                accepted_.push_back(r);
            } catch (const error& e) {
                if (!names(e)) {
                    note(r, fmt::format("is refused without its name: {}", e.what()));
                }
            }
        } catch (const std::exception& e) {
            note(r, fmt::format("ends in {}", e.what()));
        }
    }

    /// Accepted nodes of different ranks and types.
    std::vector<recipe> various() {
        std::vector<recipe> all;
        shuffle(accepted_);
        for (const bool again : {false, true}) {
            for (const recipe& r : accepted_) {
                const auto alike = [&](const recipe& other) {
                    return !r.operands.empty() && r.operands.size() == other.operands.size() &&
                           r.operands[0].shape.rank == other.operands[0].shape.rank &&
                           r.operands[0].type == other.operands[0].type;
                };
                if (static_cast<int>(all.size()) < edge_bases &&
                    (again || std::none_of(all.begin(), all.end(), alike))) {
                    all.push_back(r);
                }
            }
        }
        return all;
    }

    /// Each member of the attributes at each of its edges, and pairs of them; wrong numbers of operands; other results.
    void edges(const recipe& base) {
        const extents x = base.operands.empty() ? extents{2, 3} : base.operands[0].shape;
        const attribute_choices choices(base.values, x, choice::extreme);
        const std::size_t members = choices.sizes().size();
        for (std::size_t m = 0; m < members; ++m) {
            for (std::size_t i = 0; i < choices.sizes()[m]; ++i) {
                recipe r = base;
                r.values = choices.with(base.values, m, i);
                offer(r);
            }
        }
        for (int pair = 0; members > 1 && pair < edge_pairs / edge_bases; ++pair) {
            const std::size_t a = below(members);
            const std::size_t b = (a + 1 + below(members - 1)) % members;
            recipe r = base;
            r.values =
                choices.with(choices.with(base.values, a, below(choices.sizes()[a])), b, below(choices.sizes()[b]));
            offer(r);
        }
        recipe more = base;
        more.operands.resize(static_cast<std::size_t>(std::min(signature(kind_).most_operands, 6)) + 1, {x});
        offer(more);
        if (!base.operands.empty()) {
            recipe fewer = base;
            fewer.operands.pop_back();
            offer(fewer);
        }
        for (const indices& result : extreme(indices{}, x)) {
            if (result.rank >= 0 && result.rank <= extents::capacity) {
                recipe r = base;
                r.result = result;
                offer(r);
            }
        }
    }

    /// Moves a sample of what was accepted to what is run.
    void keep_some() {
        shuffle(accepted_);
        for (std::size_t i = 0; i < accepted_.size() && static_cast<int>(i) < most_trials; ++i) {
            kept_.push_back(accepted_[i]);
        }
        accepted_.clear();
    }

    void examine(const recipe& r) {
        const std::size_t style = below(std::size(data_styles));
        try {
            trial t(r, style, static_cast<unsigned>(random_()));
            if (below(100) < reported) {
                t.report(trials % 2 == 0 ? h13 : h18);
            }
            if (!t.is_small()) {
                return;
            }
            ++trials;
            try {
                t.write();
                const std::string found = t.fault(engines[below(std::size(engines))]);
                compared += t.compared > 0 ? 1 : 0;
                if (!found.empty()) {
                    note(r, fmt::format("style {}: {}", style, found));
                }
            } catch (const error& e) {
                ++unfit;
                if (e.code() != errc::weights && e.code() != errc::argument) {
                    note(r, fmt::format("style {}: cannot be run: {}", style, e.what()));
                }
            }
        } catch (const std::exception& e) {
            note(r, fmt::format("style {}: ends in {}", style, e.what()));
        }
    }

    op kind_;
    recipe_maker maker_;
    std::mt19937 random_;
    std::vector<recipe> accepted_;
    std::vector<recipe> kept_;
};

} // namespace

TEST_CASE("every operation with the edges of its attributes is refused by name, or holds to all that is said of it") {
    int tried = 0;
    int accepted = 0;
    int trials = 0;
    int compared = 0;
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        if (is_source(kind)) { // made by other functions of the builder
            continue;
        }
        sweep s(kind);
        s.run();
        tried += s.tried;
        accepted += s.accepted;
        trials += s.trials;
        compared += s.compared;
        CAPTURE(std::string(name(kind)));
        CHECK_MESSAGE(s.accepted > 0, "was never accepted: tests/catalogue/recipe.hpp has no shapes for it");
        CHECK_MESSAGE(s.trials > s.unfit, "was never run: the values of tests/catalogue/trial.hpp suit it nowhere");
        for (std::size_t f = 0; f < s.faults.size() && f < 6; ++f) {
            CHECK_MESSAGE(false, s.faults[f]);
        }
        CHECK(s.faults.empty());
    }
    MESSAGE("seed ", seed, ": ", tried, " combinations, ", accepted, " accepted, ", tried - accepted, " refused, ",
            trials, " run, ", compared, " compared in both arithmetics");
}

TEST_CASE("contracts at their edges, and constants") {
    for (const op kind : {op::input, op::weight}) {
        const attribute_choices choices(contract{}, {2, 3}, choice::extreme);
        const std::vector<std::size_t>& sizes = choices.sizes();
        int accepted = 0;
        for (std::size_t a = 0; a < sizes.size(); ++a) {
            for (std::size_t b = a + 1; b < sizes.size(); ++b) {
                for (std::size_t pair = 0; pair < sizes[a] * sizes[b]; ++pair) {
                    const attributes first = choices.with(contract{}, a, pair % sizes[a]);
                    const contract promise = choices.with(first, b, pair / sizes[a]).get<contract>();
                    CAPTURE(catalogue::text_of(attributes(promise)));
                    try {
                        dynamic_builder g;
                        const dynamic_tensor x =
                            kind == op::input ? g.input("x", {2, 3}, promise) : g.weight("x", {2, 3}, promise);
                        g.output("y", g.add(op::relu, {x}));
                        for (const interval& r : ranges(g.finish())) {
                            CHECK(r.low <= r.high);
                        }
                        ++accepted;
                    } catch (const error& e) {
                        CHECK(e.subject() == "x");
                    }
                }
            }
        }
        CHECK(accepted > 0);
    }
    for (const extents& shape : catalogue::shapes()) {
        for (const float value : extreme(0.0F, shape)) {
            CAPTURE(value);
            const bool fits = value >= -half_max && value <= half_max;
            try {
                dynamic_builder g;
                const dynamic_tensor made = g.constant(shape, {&value, 1});
                CHECK((fits && made.shape() == shape));
            } catch (const error& e) {
                CHECK(e.subject() == "constant");
                CHECK_FALSE(fits);
            }
        }
    }
}
