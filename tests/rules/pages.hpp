#pragma once

#include "anemone/ops/fault.hpp"
#include "anemone/ops/refused.hpp"
#include "anemone/rules/held_elsewhere.hpp"
#include "anemone/rules/registry.hpp"
#include "anemone/targets/table.hpp"
#include "page_text.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

/// The pages of documentation that follow from the records: their text by their path below docs/.
namespace pages {

using namespace ane;

inline constexpr std::string_view origin =
    "<!-- Made from the records by tests/rules/documentation.cpp, not by hand: ANEMONE_UPDATE_DOCS=1 test_rules -->\n";

/// A sentence for people begins with a capital letter and ends with a full stop.
inline std::string sentence_of(std::string_view text) {
    std::string result(text);
    if (!result.empty() && result.front() >= 'a' && result.front() <= 'z') {
        result.front() = static_cast<char>(result.front() - 'a' + 'A');
    }
    return !result.empty() && result.back() != '.' ? result + "." : result;
}

inline std::string_view meaning(severity s) {
    constexpr std::string_view meanings[] = {"the engine's compiler refuses the program",
                                             "it compiles and may give a wrong value", "it works, slower or with waste",
                                             "worth knowing: another form or device may suit better"};
    return meanings[static_cast<std::size_t>(s)];
}

inline std::string_view meaning(rule_scope s) {
    constexpr std::string_view meanings[] = {
        "operations, shapes, types and declared ranges, checked at build time",
        "how weights are stored and what they hold, checked at build time as far as declared, else by the loader",
        "the compiled program, held by the driver", "loading and dispatching, held by the driver",
        "for the reader of reports and costs"};
    return meanings[static_cast<std::size_t>(s)];
}

inline std::string_view meaning(mark m) {
    switch (m) {
    case mark::measured: return "run on the silicon";
    case mark::decompiled: return "read from the compiler's or the firmware's binary";
    default: return "from a model, or carried over from another generation";
    }
}

/// The operations of a rule in words; long lists by their number.
inline std::string operations(const op_set& ops) {
    if (ops == computed_ops) {
        return "all that compute something";
    }
    if (ops == activation_ops) {
        return "all but weights and constants";
    }
    if (ops == every_op) {
        return "all";
    }
    std::string names;
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        if (ops.contains(kind)) {
            names += (names.empty() ? "" : ", ") + code(name(kind));
        }
    }
    return names.empty() ? "no single one" : names;
}

/// Which targets the facts of a rule speak of (tests/facts/rule_targets.csv; a fact that it lacks speaks of all); empty
/// for a rule that is no design rule of the facts.
inline std::string targets(std::string_view facts) {
    static const std::map<std::string, std::string> listed = [] {
        std::map<std::string, std::string> all;
        std::ifstream file(ANEMONE_TEST_DATA "/facts/rule_targets.csv");
        for (std::string line; std::getline(file, line);) {
            const std::size_t end = line.find(';');
            if (end != std::string::npos) {
                all[line.substr(0, end)] = line.substr(end + 1);
            }
        }
        return all;
    }();
    std::istringstream ids{std::string(facts)};
    std::string text;
    bool everywhere = true;
    for (std::string id; ids >> id;) {
        if (id.size() != 4 || (id[0] != 'R' && id[0] != 'L')) {
            continue;
        }
        const auto found = listed.find(id);
        everywhere = everywhere && found == listed.end();
        text += fmt::format("{}{} {}", text.empty() ? "" : "; ", id, found == listed.end() ? "all" : found->second);
    }
    if (text.empty() || everywhere) {
        return text.empty() ? text : "all";
    }
    return text.find(';') == std::string::npos ? text.substr(5) : text; // one fact needs no id
}

/// The mark of a rule, and where the limit is the target's the targets on which it was measured.
inline std::string marks(const rule_record& r) {
    std::string text = fmt::format("**{}**: {}", name(r.evidence), meaning(r.evidence));
    if (r.figure == nullptr) {
        return text;
    }
    std::string on;
    for (const target_description& d : target_table) {
        if (evidence_on(r, d) == mark::measured) {
            on += fmt::format("{}{}", on.empty() ? "" : ", ", d.runtime);
        }
    }
    text += fmt::format(", here of {}; elsewhere the limit is read from tables or carried over", on);
    return text;
}

/// The facts of a rule, with those that are held elsewhere by naming it.
inline std::string facts_of(const rule_record& r) {
    std::string facts = r.fact;
    for (const held_fact& f : held_elsewhere) {
        const std::string_view how = f.how;
        if (how.substr(0, how.find_first_of(" ,:;")) == name(r.id)) {
            facts += fmt::format(" {}", f.fact);
        }
    }
    return facts;
}

/// How a model meets the rule in code.
inline std::string in_code(const rule_record& r) {
    const std::string id = fmt::format("ane::rule::{}", name(r.id));
    if (r.check == not_of_a_node) {
        const bool held = r.held_by[0] != '\0';
        return held ? fmt::format("No check of a model can break it: `{}` holds it.\n", r.held_by)
                    : "No check of a model can break it: this page is for its reader.\n";
    }
    const std::string waiver = fmt::format("    static_assert(ane::conforms<model, ane::h13, ane::waive({})>);\n", id);
    if (r.level == severity::reject || r.level == severity::hazard) {
        return "`conforms` fails on it. Where you know better:\n\n" + waiver;
    }
    return "`report` tells it; `conforms` fails on it only where the policy says so:\n\n" +
           fmt::format("    static_assert(ane::conforms<model, ane::h13, ane::as_error({})>);\n", id);
}

inline std::string rule_page(const rule_record& r) {
    const auto row = [](std::string_view title, const std::string& text) {
        return text.empty() ? std::string() : fmt::format("| {} | {} |\n", title, text);
    };
    const auto section = [](std::string_view title, const std::string& text) {
        return text.empty() ? std::string() : fmt::format("\n## {}\n\n{}\n", title, text);
    };
    std::string text = fmt::format("# {}\n\n{}\n{}\n\n", name(r.id), origin, cell(sentence_of(r.sentence)));
    const std::string_view said = r.sentence;
    const bool has_got = said.find("{got}") != said.npos;
    const bool has_limit = said.find("{limit}") != said.npos;
    if (has_got || has_limit) {
        text += fmt::format("{}{}{}.\n\n", has_got ? "{got} is the value that was found" : "",
                            has_got && has_limit ? ", " : "", has_limit ? "{limit} what it is held against" : "");
    }
    text += "|  |  |\n|---|---|\n";
    text += row("Facts", cell(facts_of(r)));
    text += row("Severity", fmt::format("**{}**: {}", name(r.level), meaning(r.level)));
    text += row("Scope", fmt::format("{}: {}", name(r.scope), meaning(r.scope)));
    text += row("Operations", operations(r.ops));
    text += row("Targets", cell(targets(facts_of(r))));
    text += row("Source", cell(r.source));
    text += row("Mark", marks(r));
    text += row("Silicon", cell(r.silicon));
    text += row("Held by", r.held_by[0] == '\0' ? "" : code(r.held_by));
    text += section("What the engine's compiler says", r.reject[0] == '\0' ? "" : fmt::format("    {}", r.reject));
    text += section("What happens", cell(sentence_of(r.consequence)));
    text += section("What to do instead", cell(sentence_of(r.advice)));
    text += "\n## In code\n\n" + in_code(r) + "\n[All rules](index.md)\n";
    return text;
}

inline std::string index_page() {
    std::string text = fmt::format(
        "# Rules\n\n{}\n{} design rules, from the registry in `include/anemone/rules`. {{got}} and {{limit}} stand "
        "for the numbers. By default a reject and a hazard fail `conforms`, a warn and a note do not "
        "([policies](../checks.md#policies)). Further: [shape faults](shape_faults.md), [operations without a "
        "path](refused_operations.md), [facts held elsewhere](held_elsewhere.md).\n",
        origin, rule_count);
    for (const rule_scope scope :
         {rule_scope::graph, rule_scope::weights, rule_scope::program, rule_scope::runtime, rule_scope::advice}) {
        text += fmt::format("\n## {}\n\n{}\n\n| Rule | Severity | Sentence | Facts | Mark |\n|---|---|---|---|---|\n",
                            sentence_of(name(scope)).substr(0, name(scope).size()), sentence_of(meaning(scope)));
        for (const rule_record* r : detail::rules_by_id) {
            if (r->scope == scope) {
                text += fmt::format("| [{0}]({0}.md) | {1} | {2} | {3} | {4} |\n", name(r->id), name(r->level),
                                    cell(r->sentence), cell(r->fact), name(r->evidence));
            }
        }
    }
    return text;
}

inline std::string fault_page() {
    std::string text = fmt::format(
        "# Shape faults\n\n{}\nWhat the builders check where an operation is called. A failed relation stops the "
        "compiler there, with the two numbers and the sentence; a graph that is built at run time gives "
        "`ane::error` with the same.\n\n| Fault | Relation | Sentence |\n|---|---|---|\n",
        origin);
    for (int i = 1; *sentence(static_cast<fault>(i)) != '\0'; ++i) {
        const auto f = static_cast<fault>(i);
        text += fmt::format("| `{}` | `{}` | {} |\n", name(f), relation_of(f), cell(sentence(f)));
    }
    return text + "\n[All rules](index.md)\n";
}

inline std::string refusal_page() {
    std::string text = fmt::format(
        "# Operations without a path\n\n{}\nThe engine runs these on no target, or no route reaches them. Their "
        "builders exist so that the compiler can say what to write instead.\n\n"
        "| Operation | Instead | Source |\n|---|---|---|\n",
        origin);
    for (const refused_operation& r : refused_operations) {
        text += fmt::format("| `{}` | {} | {} |\n", r.name, cell(r.rewrite), cell(r.fact));
    }
    return text + "\n[All rules](index.md)\n";
}

inline std::string held_page() {
    std::string text = fmt::format(
        "# Facts held elsewhere\n\n{}\nFacts without a record of their own: another rule covers them, or nothing that "
        "is built with this library can break them.\n\n| Fact | Held by | How |\n|---|---|---|\n",
        origin);
    for (const held_fact& f : held_elsewhere) {
        text += fmt::format("| {} | `{}` | {} |\n", f.fact, f.where, cell(f.how));
    }
    return text + "\n[All rules](index.md)\n";
}

inline std::string targets_page() {
    std::string text = fmt::format(
        "# Targets\n\n{}\n{} architectures, one for each that the engine's compiler can build for (guide chapter "
        "34). Core counts are the compiler's, not those of advertisements (TC13). The working set is the size above "
        "which an operand was measured to be streamed, and the nominal size of the on-chip memory where it was not "
        "measured.\n\n"
        "| Target | Product | Generation | Cores | MIL | fp16 kernel width | Mark | Tensor width | Working set, "
        "bytes | Mark |\n|---|---|---|---|---|---|---|---|---|---|\n",
        origin, std::size(target_table));
    for (const target_description& d : target_table) {
        const bool measured = d.memory.working_set_measured > 0;
        text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", d.runtime, cell(d.product),
                            name(d.tier), d.cores, d.mil_supported ? "yes" : "no", d.limits.kernel_width_fp16,
                            name(d.marks.kernel_width), d.limits.tensor_w,
                            measured ? d.memory.working_set_measured : d.memory.working_set_nominal,
                            name(measured ? mark::measured : mark::decompiled));
    }
    return text +
           "\nThe rest is decompiled. `describe(target).marks` has the mark of each group,\n"
           "`ane::assumes(description, assumption)` says whether a figure was left open by every source and set to "
           "the careful\nvalue. [A device of your own](checks.md#a-device-of-your-own).\n";
}

/// All pages, by their path below docs/.
inline std::map<std::string, std::string> all() {
    std::map<std::string, std::string> made{{"rules/index.md", index_page()},
                                            {"rules/shape_faults.md", fault_page()},
                                            {"rules/refused_operations.md", refusal_page()},
                                            {"rules/held_elsewhere.md", held_page()},
                                            {"targets.md", targets_page()}};
    for (const rule_record* r : detail::rules_by_id) {
        made[fmt::format("rules/{}.md", name(r->id))] = rule_page(*r);
    }
    return made;
}

} // namespace pages
