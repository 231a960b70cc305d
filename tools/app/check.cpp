#include "check.hpp"

#include "mil_findings.hpp"
#include "option_faults.hpp"
#include "rule_names.hpp"
#include "run_memory.hpp"
#include "target_names.hpp"
#include <anemone/cost/work.hpp>
#include <anemone/diff/overflow_search.hpp>
#include <anemone/forms/form_text.hpp>
#include <anemone/forms/written.hpp>
#include <anemone/models/checkpoint.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/passes/validate.hpp>
#include <anemone/rules/figures.hpp>
#include <anemone/rules/phrases.hpp>
#include <anemone/rules/registry.hpp>
#include <anemone/weights/promises.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace app {

namespace {

/// How many numbers of a weight fp16 cannot hold, where the reader did not say so.
void observe_beyond_half(const ane::stored_tensor& weight, std::span<const std::string> said,
                         std::vector<ane::aside>& observed) {
    ane::weight_store one;
    one.add(weight);
    for (const std::string& note : ane::models::numbers_beyond_half(one)) {
        if (std::find(said.begin(), said.end(), note) == said.end()) {
            observed.push_back({ane::reading_note, ane::severity::note, note, {}, 0});
        }
    }
}

/// What of a weight no run takes, and what to do about it.
std::string why_unfit(const ane::lost_digits& lost) {
    return fmt::format(
        "{}: mend the file, or scale this weight down and the result of its layer up; nothing is promised of "
        "this weight",
        lost.fault);
}

void observe(const ane::lost_digits& lost, const model& of, std::vector<ane::aside>& observed) {
    if (!lost.fault.empty()) {
        observe_beyond_half(of.weights().at(lost.weight), of.notes(), observed);
        observed.push_back({ane::weight_not_finite, ane::severity::reject, why_unfit(lost), {}, 0});
        return;
    }
    // A few small elements are in every weight; what matters is that many are.
    if (lost.vanished * 100 >= lost.elements || lost.subnormal * 10 >= lost.elements) {
        observed.push_back(
            {ane::weight_digits,
             ane::severity::warn,
             fmt::format("of the {} elements of '{}' {} become 0 as fp16 (below 2^-25), {} have fewer "
                         "than 11 digits (below 2^-14); scale them by a power of two, and the result back",
                         lost.elements, lost.weight, lost.vanished, lost.subnormal),
             {},
             0});
    }
}

/// What the reader of the file says: its notes, and its doubts.
std::vector<ane::aside> observed_while_reading(const model& of) {
    std::vector<ane::aside> observed;
    for (const std::string& note : of.notes()) {
        const bool is_expanded = std::find(of.expanded().begin(), of.expanded().end(), note) != of.expanded().end();
        observed.push_back({is_expanded ? ane::weights_expanded : ane::reading_note,
                            is_expanded ? ane::severity::warn : ane::severity::note,
                            note,
                            {},
                            0});
    }
    for (const ane::read_fault& doubt : of.is_mil() ? std::vector<ane::read_fault>{} : of.doubts()) {
        observed.push_back({ane::file_doubt, ane::severity::warn,
                            (doubt.operation.empty() ? "" : doubt.operation + ": ") + doubt.reason, doubt.where,
                            doubt.line});
    }
    for (const ane::read_fault& hazard : of.hazards()) {
        observed.push_back({ane::file_hazard, ane::severity::warn,
                            (hazard.operation.empty() ? "" : hazard.operation + ": ") + hazard.reason, hazard.where,
                            hazard.line});
    }
    constexpr std::size_t listed = 10; // a file with one such form has it everywhere
    const std::vector<ane::read_fault>& forms = of.forms();
    for (std::size_t i = 0; i < forms.size() && i < listed; ++i) {
        const ane::read_fault& form = forms[i];
        observed.push_back(
            {ane::file_form, ane::severity::warn,
             (form.operation.empty() ? "" : form.operation + ": ") + form.reason + "; `anemone convert` writes it so",
             form.where, form.line});
    }
    if (forms.size() > listed) {
        observed.push_back(
            {ane::file_form, ane::severity::warn,
             fmt::format("{} more such forms, the last in line {}", forms.size() - listed, forms.back().line),
             forms.back().where, forms.back().line});
    }
    return observed;
}

void append(std::vector<ane::aside>& to, const std::vector<ane::aside>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// The facts of rules, each once: "R006, R056".
std::string facts_of(const ane::rule_set& rules) {
    std::set<std::string_view> facts;
    for (std::size_t i = 0; i < ane::rule_count; ++i) {
        if (const auto r = static_cast<ane::rule>(i); rules.contains(r)) {
            facts.insert(ane::record_of(r).fact);
        }
    }
    return fmt::format("{}", fmt::join(facts, ", "));
}

/// What depends on values that are not there is not asked, and said to be open.
void leave_open(const model& of, ane::report_policy& rules, std::vector<ane::aside>& observed) {
    if (of.missing().empty()) {
        return;
    }
    ane::rule_set open;
    for (std::size_t i = 0; i < ane::rule_count; ++i) {
        const auto r = static_cast<ane::rule>(i);
        if (rules.warnings.contains(r) && !rules.rules.waived.contains(r)) {
            open.insert(r);
            rules.rules.waived.insert(r);
        }
    }
    observed.push_back({ane::weights_missing,
                        ane::severity::note,
                        fmt::format("the values of {} weight{} are not there: the rules on values are open ({}), all "
                                    "others are asked",
                                    of.missing().size(), of.missing().size() == 1 ? "" : "s", facts_of(open)),
                        {},
                        0});
}

ane::report_policy policy_of(const check_options& how) {
    ane::policy p;
    p.route = how.route;
    p.profile = how.profile;
    p.system = how.system;
    for (const auto& [names, rules] : {std::pair(&how.errors, &p.errors), std::pair(&how.waive, &p.waived)}) {
        for (const std::string& each : *names) {
            for (const ane::rule r : rules_named(each)) {
                rules->insert(r);
            }
        }
    }
    ane::rule_set bounded;
    for (const std::span<const ane::rule_record> family : {std::span<const ane::rule_record>(ane::rules::value),
                                                           std::span<const ane::rule_record>(ane::rules::stored_value),
                                                           std::span<const ane::rule_record>(ane::rules::own_layer)}) {
        for (const ane::rule_record& r : family) {
            bounded.insert(r.id);
        }
    }
    return {p, bounded};
}

/// What of MIL text `convert` cannot write, though the file says it: no reason to refuse the file.
void note_unwritable(const ane::graph_view& g, std::vector<ane::aside>& observed) {
    const ane::form_faults faults = ane::find_form_faults(g);
    for (int i = 0; i < g.size(); ++i) {
        if (const ane::form_fault& fault = faults.mil[static_cast<std::size_t>(i)]) {
            const std::string why = fault.why == ane::form_reason::no_mil_form ? "no text of it is known to compile"
                                                                               : "it " + ane::forms::phrase(fault);
            observed.push_back({ane::reading_note, ane::severity::note,
                                fmt::format("{}: anemone convert cannot write it again: {}", ane::print(g, i), why),
                                g[i].where.file, g[i].where.line});
        }
    }
}

void refuse_everywhere(const std::string& reason, const check_options& how, ane::verdict_table& verdicts) {
    for (const ane::target t : targets_named(how.targets)) {
        verdicts.refuse_file(t, reason);
    }
}

/// Refuses a file whose operations are of a newer Core ML than the system's.
void refuse_opset(const model& of, const check_options& how, ane::verdict_table& verdicts,
                  std::vector<ane::aside>& observed) {
    const ane::operating_system needed = ane::system_of_opset(of.opset());
    if (how.system == ane::operating_system::any || needed <= how.system) {
        return;
    }
    const std::string reason =
        fmt::format("the file names the operations of {}, which {} is the first to have; the system "
                    "is {}",
                    of.opset(), describe(needed).product, describe(how.system).product);
    refuse_everywhere(reason, how, verdicts);
    observed.push_back({ane::file_refused, ane::severity::reject, reason, {}, 0});
}

/// Refuses a file with numbers that the graph does not hold, as whatever computes with it does: the graph that is judged
/// has others.
void refuse_numbers(const model& of, const check_options& how, ane::verdict_table& verdicts,
                    std::vector<ane::aside>& observed) {
    constexpr std::size_t listed = 10; // a file with one such number may have it in every layer
    const std::vector<ane::read_fault>& numbers = of.unheld();
    for (std::size_t i = 0; i < numbers.size() && i <= listed; ++i) {
        const ane::read_fault& each = numbers[i];
        const std::string reason = i == listed ? fmt::format("{} more such numbers, the last in {}",
                                                             numbers.size() - listed, numbers.back().operation)
                                               : (each.operation.empty() ? "" : each.operation + ": ") + each.reason;
        refuse_everywhere(reason, how, verdicts);
        observed.push_back({ane::file_number, ane::severity::reject, reason, each.where, each.line});
    }
}

/// Arithmetic that a search for an overflow may take, in all its runs: about two seconds.
constexpr double most_flops = 4e10;
/// Memory that it may take: a check of 2 GB of weights looks at them piece by piece, which a run could not.
constexpr std::uint64_t most_search_memory = std::uint64_t{192} << 20U;
constexpr std::size_t least_points = 3; // the ends of all ranges, and what is nearest to zero

/// Whether some bound lets a value overflow that `rules` only tell of. Other rules are not asked.
bool may_overflow(const ane::graph_view& g, const ane::target_set& targets, const ane::report_policy& rules) {
    ane::policy asked = rules.rules;
    asked.waived = ane::rule_set::where([&](ane::rule r) {
        return asked.waived.contains(r) || !ane::overflow_rules.contains(r) || !rules.warnings.contains(r);
    });
    for (const ane::target t : ane::detail::distinct(targets, asked)) {
        for (const ane::violation& v : ane::violations(g, t, asked)) {
            if (!rules.is_error(v)) {
                return true;
            }
        }
    }
    return false;
}

/// Points at which values do overflow, where runs of the model are affordable.
std::vector<ane::overflow_found> search_overflows(const ane::graph_view& g, const model& of) {
    double flops = 0;
    for (int i = 0; i < g.size(); ++i) {
        flops += static_cast<double>(ane::work_of(g, g[i]).flops());
    }
    const double runs = most_flops / std::max(flops, 1.0);
    if (runs < static_cast<double>(least_points) ||
        run_memory(g, kept_values::all) > static_cast<double>(std::min(of.max_memory(), most_search_memory))) {
        return {};
    }
    try {
        return ane::find_overflows(g, of.weights(), static_cast<std::size_t>(std::min(runs, 8.0)) - least_points);
    } catch (const ane::error&) { // a model that does not run is told of by its rules
        return {};
    }
}

/// Makes the hazards of nodes that were seen to overflow errors, and says where that was.
void note_overflows_seen(const ane::graph_view& g, const model& of, const check_options& how,
                         const ane::target_set& targets, ane::report_policy& rules, std::vector<ane::aside>& observed) {
    const bool measured =
        std::any_of(how.ranges.begin(), how.ranges.end(), [](const input_range& r) { return r.is_measured; });
    ane::validate(g);
    if (measured || !may_overflow(g, targets, rules)) {
        return;
    }
    for (const ane::overflow_found& each : search_overflows(g, of)) {
        rules.overflows.push_back(each.node);
        observed.push_back(
            {ane::overflow_seen,
             ane::severity::note,
             fmt::format("{} leaves fp16 with {}", ane::detail::node_phrase(g, each.node, g[each.node].kind), each.at),
             {},
             0});
    }
}

} // namespace

judgement check(const model& of, const check_options& how, const caller& who, const std::vector<ane::aside>& measured) {
    require_limits(how, who.by);
    ane::report_policy rules = policy_of(how);
    rules.rules.layers = of.layers();
    const bool is_judged_as_text = of.is_mil() && how.route != ane::compile_route::netplist;
    const ane::rule_set waived = rules.rules.waived;
    if (is_judged_as_text) { // what is written already is not asked whether we could write it, nor twice what is disputed
        rules.rules.waived.insert(ane::rule::operation_is_not_written);
        rules.rules.waived.insert(ane::rule::operation_has_no_mil_form);
        rules.rules.waived.insert(ane::rule::top_k_is_three_or_four);
    }
    std::vector<ane::aside> observed = observed_while_reading(of);
    leave_open(of, rules, observed);
    ane::read_model promised{of.graph(), {}, of.notes(), of.doubts(), of.types()};
    promise(promised.graph, how.ranges);
    const std::vector<ane::lost_digits> digits = ane::promise_statistics(promised.graph, of.weights());
    for (const ane::lost_digits& lost : digits) {
        observe(lost, of, observed);
    }
    ane::hold_norm_parameters(promised.graph, of.weights());
    append(observed, measured);
    const ane::target_set targets = targets_named(how.targets);
    note_overflows_seen(promised.graph, of, how, targets, rules, observed);
    ane::verdict_table verdicts(promised.graph, targets, rules);
    refuse_opset(of, how, verdicts, observed);
    refuse_numbers(of, how, verdicts, observed);
    for (const ane::lost_digits& lost : digits) {
        if (!lost.fault.empty()) {
            refuse_everywhere(why_unfit(lost), how, verdicts);
        }
    }
    if (is_judged_as_text) {
        append(observed, refuse_mil(promised, waived, verdicts));
        note_unwritable(promised.graph, observed);
    }
    return {std::move(promised.graph), rules, std::move(verdicts), std::move(observed)};
}

} // namespace app
