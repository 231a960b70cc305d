// Two findings of one layer: what follows the advice of one, and then of the other, keeps both rules; or the two exclude each
// other and are among the orders (rules/advice_order.hpp), which say what is mended first.

#include "../from_environment.hpp"
#include "advised_layers.hpp"
#include <anemone/rules/advice_order.hpp>
#include <anemone/rules/phrases.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ane;

namespace {

/// What is found of the rows of tensors, whatever layer has them: followed for whole tensors and matrices, whose extents are
/// free. A layer's own numbers decide the rows of its result, which is padded or cut behind it. And advice to leave a layer as it is.
constexpr rule_set of_rows{rule::live_set_exceeds,
                           rule::rows_share_a_bank,
                           rule::width_is_not_a_granule,
                           rule::width_is_one,
                           rule::weight_is_expanded_before_it_runs,
                           rule::winograd_needs_unit_stride};

/// The findings of a layer that advise something, with their suggestions.
std::map<rule, std::vector<std::string>> advised_on(const dynamic_graph& g, target t, const rule_set& apart) {
    std::map<rule, std::vector<std::string>> all;
    for (const violation& v : violations(g, t)) {
        std::vector<std::string> suggestions = detail::suggestions_of(v, g, describe(t));
        if (!suggestions.empty() && !apart.contains(v.rule)) {
            all.emplace(v.rule, std::move(suggestions));
        }
    }
    return all;
}

/// Whether `second` is told to wait for `first`.
bool waits_for(rule second, rule first) {
    return std::any_of(rules::advice_orders.begin(), rules::advice_orders.end(), [=](const rules::advice_order& each) {
        return each.first.contains(first) && each.second.contains(second);
    });
}

struct counted {
    int layers = 0;
    int pairs = 0;
    std::map<std::pair<rule, rule>, std::string> open; ///< the first does not come first, and nothing says so
    std::set<std::pair<rule, rule>> ordered;           ///< those that need the order that they have
};

/// Whether some suggestion for `second`, followed after one for `first`, leaves neither finding.
template <class Layer>
bool mends_both(const Layer& from, rule first, rule second, target t, const rule_set& apart, std::string& what) {
    const auto found = advised_on(from.built(), t, apart);
    for (const std::string& a : found.at(first)) {
        const std::optional<Layer> once = Layer::follow(from, first, a, t);
        if (!once) {
            continue;
        }
        const auto then = advised_on(once->built(), t, apart);
        if (then.count(first) != 0) {
            what += "\n  " + a + " leaves " + std::string(name(first)) + ": " + once->text();
            continue;
        }
        if (then.count(second) == 0) {
            return true;
        }
        for (const std::string& b : then.at(second)) {
            const std::optional<Layer> twice = Layer::follow(*once, second, b, t);
            if (!twice) {
                continue;
            }
            const auto left = advised_on(twice->built(), t, apart);
            if (left.count(first) == 0 && left.count(second) == 0) {
                return true;
            }
            if (left.count(second) == 0) { // the first is told anew of what the second made, and mended for good
                for (const std::string& again : left.at(first)) {
                    const std::optional<Layer> thrice = Layer::follow(*twice, first, again, t);
                    const auto last = thrice ? advised_on(thrice->built(), t, apart) : left;
                    if (last.count(first) == 0 && last.count(second) == 0) {
                        return true;
                    }
                }
            }
            what += "\n  " + a + ", then " + b + ", leaves " +
                    std::string(name(left.count(first) != 0 ? first : second)) + ": " + twice->text();
        }
    }
    return false;
}

/// Whether a finding advises a change of such a layer: no window of an average that overlaps others is two.
template <class Layer>
bool can_follow(const Layer& layer, rule of, const std::vector<std::string>& suggestions, target t) {
    return std::any_of(suggestions.begin(), suggestions.end(),
                       [&](const std::string& each) { return Layer::follow(layer, of, each, t).has_value(); });
}

template <class Layer> void follow_pairs(counted& all, target t, const rule_set& apart = {}) {
    for (const Layer& layer : Layer::some(from_environment::thorough())) {
        const auto found = advised_on(layer.built(), t, apart);
        ++all.layers;
        for (const auto& [first, of_first] : found) {
            for (const auto& [second, of_second] : found) {
                if (first == second || !can_follow(layer, first, of_first, t) ||
                    !can_follow(layer, second, of_second, t)) {
                    continue;
                }
                ++all.pairs;
                std::string what;
                if (mends_both(layer, first, second, t, apart, what)) {
                    continue;
                }
                if (mends_both(layer, second, first, t, apart, what) && waits_for(first, second)) {
                    all.ordered.insert({second, first});
                } else {
                    all.open.try_emplace({first, second}, layer.text() + what);
                }
            }
        }
    }
}

} // namespace

TEST_CASE("of two findings of a layer both are mended one after the other, or an order says which is first") {
    counted all;
    const bool thorough = from_environment::thorough();
    for (const target t : thorough ? std::vector{h13, h17s} : std::vector{h13}) {
        follow_pairs<advised_layers::convolution>(all, t, of_rows);
        follow_pairs<advised_layers::product>(all, t, of_rows);
        follow_pairs<advised_layers::row_function>(all, t, of_rows);
        follow_pairs<advised_layers::pooling>(all, t, of_rows);
        follow_pairs<advised_layers::whole_tensor>(all, t);
        follow_pairs<advised_layers::kept_state>(all, t);
        follow_pairs<advised_layers::stored_matrix>(all, t);
    }
    for (const auto& each : all.open) {
        CHECK_MESSAGE(false, std::string(name(each.first.first)), ", ", std::string(name(each.first.second)), ": ",
                      each.second);
    }
    for (const std::string& each : advised_layers::not_known()) {
        CHECK_MESSAGE(false, "nothing follows ", each);
    }
    MESSAGE(all.layers, " layers, ", all.pairs, " pairs of findings, ", all.ordered.size(), " of which need an order");
    CHECK(all.pairs > 500);
}
