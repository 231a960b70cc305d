/// The verdict of every Mac generation on a model, for people and for CI: as a table, as JSON, or as SARIF, from which
/// a code host marks the lines. `example_verdicts --help` tells the rest.

#include "options.hpp"
#include <anemone/report/divergence_report.hpp>
#include <anemone/report/rule_report.hpp>
#include <anemone/report/sarif.hpp>
#include <anemone/report/verdicts.hpp>

#include <filesystem>

namespace {

// The same questions while the program is compiled.
static_assert(ane::first_target<models::classifier> == ane::h13);
static_assert(ane::first_target<models::wide_kernel> == ane::h16);
static_assert(ane::blockers<models::wide_kernel, ane::h13>[0].got == 14);
static_assert(ane::diverges<models::classifier, ane::h16, ane::h17s>.empty());

void list_rules() {
    for (std::size_t i = 0; i < ane::rule_count; ++i) {
        const ane::rule_record& r = ane::record_of(static_cast<ane::rule>(i));
        fmt::print("{:<44} {:<7} {:<7} {} [{}, {}]\n", name(r.id), name(r.level), name(r.scope), r.sentence, r.fact,
                   name(r.evidence));
    }
}

void list_targets() {
    for (const ane::target t : ane::all_targets) {
        const ane::target_description& d = ane::describe(t);
        fmt::print("{:<5} {:<24} {:<9} {:>2} cores\n", d.runtime, d.product, name(d.tier), d.cores);
    }
}

void list_models() {
    for (const models::named& m : models::all) {
        const std::optional<ane::target> first = ane::first_target_of(m.model);
        fmt::print("{:<12} {}; first Mac: {}\n", m.name, m.about, first ? ane::describe(*first).product : "none");
    }
}

int show_verdicts(const options& o) {
    const ane::verdict_table table = ane::verdicts(o.model.model, o.targets, o.rules);
    if (o.form == format::json) {
        fmt::print("{}", table.json(o.model.name));
    } else if (o.form == format::sarif) {
        const std::filesystem::path pages = std::filesystem::path(ANEMONE_SOURCE_DIR) / "docs" / "rules" / "";
        fmt::print("{}", ane::sarif(o.model.model, o.targets,
                                    {.root = o.root, .help_base = ane::file_uri(pages), .rules = o.rules}));
    } else {
        for (const ane::target t : o.findings ? o.targets : ane::target_set{}) {
            ane::report(o.model.model, t, o.rules).print();
        }
        fmt::print("{}: {}\n", o.model.name, o.model.about);
        table.print();
    }
    return table.exit_code();
}

int run(const options& o) {
    switch (o.wanted) {
    case action::help: fmt::print("{}", usage); return 0;
    case action::list_rules: list_rules(); return 0;
    case action::list_targets: list_targets(); return 0;
    case action::list_models: list_models(); return 0;
    case action::compare: {
        const ane::divergence_report r = ane::differences(o.model.model, o.compared.first, o.compared.second);
        r.print();
        return r.same() ? 0 : 1;
    }
    case action::verdicts: break;
    }
    return show_verdicts(o);
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(parse({argv + 1, argv + argc}));
    } catch (const ane::error& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
}
