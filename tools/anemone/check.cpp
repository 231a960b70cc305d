#include "../app/check.hpp"

#include "../app/language.hpp"
#include "../app/rule_names.hpp"
#include "../app/target_names.hpp"
#include "checked_models.hpp"
#include "command.hpp"
#include "findings.hpp"
#include "html_report.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include "unreadable_report.hpp"
#include <anemone/base/error.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/report/decode_report.hpp>
#include <anemone/report/sarif.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace command {

std::string explanation(ane::rule r);

namespace {

struct check_command {
    std::vector<std::string> files;
    check_request asked{.how = {}, .ranges = {}, .reading = {.approximates = true}};
    std::string format = "text";
    std::string output;
    std::vector<std::string> explained;
    unsigned jobs = 1;
    bool quiet = false;
    bool all = false;
};

std::string text_of(const check_command& given, const checked_model& m) {
    const bool colours = given.output.empty() && coloured();
    return m.refused ? unreadable_text(m.title, *m.refused, colours)
                     : findings_text(m.title, m.found->graph, m.found->verdicts, m.found->observed, given.quiet,
                                     given.all, colours);
}

std::string json_of(const checked_model& m) {
    return m.refused ? unreadable_json(m.title, *m.refused) : m.found->verdicts.json(m.title, m.found->observed);
}

/// What language models take, chip by chip, of the files that were read.
std::string language_figures(const check_command& given, const std::vector<checked_model>& models) {
    std::string text;
    std::string_view before;
    for (const checked_model& each : models) {
        if (each.found && each.path != before) {
            const app::cost_options on{.targets = given.asked.how.targets};
            if (const auto language = app::cost_of_language(each.path, given.asked.reading, on, user())) {
                text += ane::decode_text(language->configuration, language->rows) + "\n";
            }
        }
        before = each.path;
    }
    return text;
}

/// One model, or a list of them.
std::string json_of(const std::vector<checked_model>& models) {
    if (models.size() == 1) {
        return json_of(models.front());
    }
    std::string text = "[";
    for (const checked_model& each : models) {
        text += (text.size() > 1 ? ",\n" : "\n") + json_of(each);
    }
    return text + "\n]\n";
}

/// A run for each model.
std::string sarif_of(const check_command& given, const std::vector<checked_model>& models) {
    const ane::target_set targets = app::targets_named(given.asked.how.targets);
    ane::dynamic_builder nothing; // a model in which nothing is found, for files of which no graph is made
    nothing.output("y", nothing.input("x", {1}));
    const ane::dynamic_graph empty = nothing.finish();
    std::vector<ane::sarif_run> runs;
    for (const checked_model& each : models) {
        if (each.refused) {
            runs.push_back(
                {empty, {}, {.root = {}, .help_base = {}, .rules = {}, .observed = unreadable_asides(*each.refused)}});
        } else {
            runs.push_back(
                {each.found->graph,
                 targets,
                 {.root = {}, .help_base = {}, .rules = each.found->rules, .observed = each.found->observed}});
        }
    }
    return ane::sarif(runs);
}

std::string page_of(const std::vector<checked_model>& models) {
    if (models.size() != 1) {
        throw ane::error(ane::errc::argument, "--format html",
                         fmt::format("is a page of one model, and there are {}: choose one", models.size()));
    }
    const checked_model& m = models.front();
    return m.refused ? unreadable_page(m.title, *m.refused)
                     : html_report(m.title, m.found->graph, m.found->verdicts, m.found->observed);
}

int check(const check_command& given) {
    const std::vector<std::string> paths = model_paths(given.files);
    require_output(given.output, paths);
    const std::vector<checked_model> models = check_files(paths, given.asked, given.jobs);
    std::string text;
    if (given.format == "text") {
        text = models_table(models) + (given.quiet ? "" : language_figures(given, models));
        for (const checked_model& each : models) {
            text += text_of(given, each);
        }
    } else {
        text = given.format == "json"    ? json_of(models)
               : given.format == "sarif" ? sarif_of(given, models)
                                         : page_of(models);
    }
    write_text(given.output, text);
    return std::all_of(models.begin(), models.end(), [](const checked_model& m) { return m.ok(); }) ? well : refused;
}

} // namespace

void add_check(CLI::App& app, int& status) {
    const auto given = std::make_shared<check_command>();
    CLI::App* const sub = app.add_subcommand("check", "Says which engines take a model, and of every layer why not");
    sub->add_option(
        "FILES", given->files,
        "MIL text, .mlmodelc, .mlpackage, netplists, ONNX, or folders of such; published models by folder or name");
    add_options(*sub, given->asked.how, {{"ranges", &given->asked.ranges}});
    sub->add_option("-f,--format", given->format, "How findings are written; html is one page with a drawing")
        ->check(CLI::IsMember({"text", "json", "sarif", "html"}))
        ->capture_default_str();
    sub->add_option("-o,--output", given->output, "A file instead of standard output");
    sub->add_option("--explain", given->explained, "Explains rules, and checks nothing")->delimiter(',');
    sub->add_flag("-q,--quiet", given->quiet, "The verdicts alone");
    sub->add_flag("-a,--all", given->all, "Every finding, however often its rule is broken");
    sub->add_option("-j,--jobs", given->jobs, "Files that are checked at once")
        ->check(CLI::Range(1U, 256U))
        ->capture_default_str();
    add_options(*sub, given->asked.reading);
    sub->footer(
        "Examples:\n  anemone check model.mil\n  anemone check model.mil --targets h14.. --format sarif -o findings.sarif\n"
        "  anemone check model.mil --format html -o report.html\n"
        "  anemone check model.onnx --ranges image=0,1 --error R056\n"
        "  anemone check models --jobs 4 --format sarif -o findings.sarif\n"
        "  anemone check --explain R030");
    sub->callback([given, &status] {
        if (!given->explained.empty()) {
            std::string text;
            for (const std::string& each : given->explained) {
                for (const ane::rule r : app::rules_named(each)) {
                    text += explanation(r);
                }
            }
            write_text("", text);
            status = well;
            return;
        }
        if (given->files.empty()) {
            throw CLI::RequiredError("FILES");
        }
        status = check(*given);
    });
}

} // namespace command
