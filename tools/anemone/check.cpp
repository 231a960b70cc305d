#include "../app/check.hpp"

#include "../app/rule_names.hpp"
#include "../app/target_names.hpp"
#include "command.hpp"
#include "findings.hpp"
#include "html_report.hpp"
#include "option_arguments.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include "ranges.hpp"
#include "unreadable_report.hpp"
#include <anemone/base/error.hpp>
#include <anemone/report/sarif.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace command {

std::string explanation(ane::rule r);

namespace {

struct check_command {
    std::vector<std::string> files;
    app::check_options how;
    std::vector<std::string> ranges;
    std::string format = "text";
    std::string output;
    std::vector<std::string> explained;
    app::reading_options reading{.approximates = true};
    bool quiet = false;
    bool all = false;
};

std::string report(const check_command& given, const std::string& path, const app::judgement& found) {
    if (given.format == "json") {
        return found.verdicts.json(path, found.observed);
    }
    if (given.format == "sarif") {
        return ane::sarif(found.graph, app::targets_named(given.how.targets),
                          {.root = {}, .help_base = {}, .rules = found.rules, .observed = found.observed});
    }
    if (given.format == "html") {
        return html_report(path, found.graph, found.verdicts, found.observed);
    }
    return findings_text(path, found.graph, found.verdicts, found.observed, given.quiet, given.all,
                         given.output.empty() && coloured());
}

std::string report(const check_command& given, const std::string& path, const ane::unreadable& refused) {
    return given.format == "json"    ? unreadable_json(path, refused)
           : given.format == "sarif" ? unreadable_sarif(refused)
           : given.format == "html"  ? unreadable_page(path, refused)
                                     : unreadable_text(path, refused, given.output.empty() && coloured());
}

int check(const check_command& given) {
    require_other_file(given.output, given.files);
    if (given.files.size() > 1 && given.format != "text") {
        throw ane::error(ane::errc::argument, "--format " + given.format,
                         "takes one file: give each its own command and --output");
    }
    std::string text;
    bool all_well = true;
    std::optional<app::task> shown(std::in_place, user(), "checking");
    for (std::size_t i = 0; i < given.files.size(); ++i) {
        const std::string& path = given.files[i];
        shown->now("checking " + path);
        if (given.files.size() > 1) {
            shown->at(static_cast<double>(i) / static_cast<double>(given.files.size()));
        }
        try {
            const app::model model(path, given.reading, user());
            app::check_options how = given.how;
            const input_ranges known = ranges_in(given.ranges, model);
            how.ranges = known.ranges;
            const app::judgement found = app::check(model, how, user(), known.observed);
            all_well = all_well && found.verdicts.ok();
            text += report(given, path, found);
        } catch (const ane::unreadable& refused) {
            all_well = false;
            text += report(given, path, refused);
        }
    }
    shown.reset(); // before anything else is written there
    write_text(given.output, text);
    return all_well ? well : refused;
}

} // namespace

void add_check(CLI::App& app, int& status) {
    const auto given = std::make_shared<check_command>();
    CLI::App* const sub = app.add_subcommand("check", "Says which engines take a model, and of every layer why not");
    sub->add_option("FILES", given->files, "MIL text, .mlmodelc, .mlpackage, netplists, ONNX");
    add_options(*sub, given->how, {{"ranges", &given->ranges}});
    sub->add_option("-f,--format", given->format, "How findings are written; html is one page with a drawing")
        ->check(CLI::IsMember({"text", "json", "sarif", "html"}))
        ->capture_default_str();
    sub->add_option("-o,--output", given->output, "A file instead of standard output");
    sub->add_option("--explain", given->explained, "Explains rules, and checks nothing")->delimiter(',');
    sub->add_flag("-q,--quiet", given->quiet, "The verdicts alone");
    sub->add_flag("-a,--all", given->all, "Every finding, however often its rule is broken");
    add_options(*sub, given->reading);
    sub->footer(
        "Examples:\n  anemone check model.mil\n  anemone check model.mil --targets h14.. --format sarif -o findings.sarif\n"
        "  anemone check model.mil --format html -o report.html\n"
        "  anemone check model.onnx --ranges image=0,1 --error R056\n"
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
