// Every rule about graphs and weights: a model that breaks it and one that keeps it, on each side of its limit.

#include "examples.hpp"

#include "anemone/rules/conforms.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace one_node;

namespace {

std::vector<example> all_examples() {
    std::vector<example> all;
    for (const auto& make_them : {support_examples, extent_examples, convolution_examples, reduction_examples,
                                  movement_examples, elementwise_examples, weight_examples, memory_examples}) {
        for (example& e : make_them()) {
            all.push_back(std::move(e));
        }
    }
    return all;
}

bool is_about_models(const rule_record& r) { return r.scope == rule_scope::graph || r.scope == rule_scope::weights; }

} // namespace

TEST_CASE("each example breaks its rule with these figures, its twin keeps it") {
    for (const example& e : all_examples()) {
        CAPTURE(std::string(name(e.rule)));
        CAPTURE(std::string(e.target_of().name));
        const violation v = find(e.breaks, e.rule, e.target_of(), e.under);
        CHECK(v.broken);
        CHECK(v.got == e.got);
        CHECK(v.limit == e.limit);
        CHECK(v.is_error == e.under.is_error(e.rule, record_of(e.rule).level));
        CHECK_FALSE(find(e.keeps, e.rule, e.target_of(), e.under).broken);
        CHECK_FALSE(find(e.breaks, e.rule, e.target_of(), e.under | waive(e.rule)).broken);
        if (e.allowed.has_value()) {
            CHECK_FALSE(breaks(e.breaks, e.rule, *e.allowed, e.under));
        }
    }
}

TEST_CASE("every rule about graphs and weights has an example") {
    rule_set seen;
    for (const example& e : all_examples()) {
        seen.insert(e.rule);
        CHECK_MESSAGE(is_about_models(record_of(e.rule)), std::string(name(e.rule)));
    }
    for (std::size_t i = 0; i < rule_count; ++i) {
        const auto r = static_cast<rule>(i);
        CHECK_MESSAGE((seen.contains(r) || !is_about_models(record_of(r))), std::string(name(r)));
    }
}

TEST_CASE("no rule reads a figure that counts as unread") {
    for (const example& e : all_examples()) {
        for (const target a : all_targets) {
            const ane::target_description without =
                ane::derive(describe(a), [](auto& d) { ane::detail::forget_unread(d); });
            CAPTURE(std::string(name(e.rule)));
            CAPTURE(std::string(describe(a).name));
            for (const auto* model : {&e.breaks, &e.keeps}) {
                const violation whole = find(*model, e.rule, describe(a), e.under);
                const violation v = find(*model, e.rule, without, e.under);
                CHECK((v.broken == whole.broken && v.got == whole.got && v.limit == whole.limit));
            }
        }
    }
}

TEST_CASE("targets of equal figures get the same errors from the examples") {
    for (const example& e : all_examples()) {
        const policy p = e.under | as_error(e.rule);
        for (const target a : all_targets) {
            for (const target b : all_targets) {
                if (a < b && detail::figures_for_rules(describe(a), p) == detail::figures_for_rules(describe(b), p)) {
                    CAPTURE(std::string(name(e.rule)));
                    CHECK(breaks(e.breaks, e.rule, a, p) == breaks(e.breaks, e.rule, b, p));
                }
            }
        }
    }
}
