#include "command.hpp"
#include "findings.hpp"
#include "html_report.hpp"
#include "judgement.hpp"
#include "model_file.hpp"
#include "output_path.hpp"
#include "progress.hpp"
#include "ranges.hpp"
#include "rule_names.hpp"
#include "target_names.hpp"
#include "unreadable_report.hpp"
#include <anemone/report/sarif.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace command {

std::string explanation(ane::rule r);

namespace {

struct check_options {
    std::vector<std::string> files;
    std::string targets = "macs";
    std::string route = "any";
    std::string format = "text";
    std::string output;
    std::vector<std::string> errors;
    std::vector<std::string> waived;
    std::vector<std::string> explained;
    std::vector<std::string> ranges;
    reading how{.approximates = true};
    bool quiet = false;
    bool all = false;
};

int check(const check_options& options) {
    const ane::target_set targets = targets_named(options.targets);
    require_other_file(options.output, options.files);
    const ane::report_policy rules = policy_named(options.errors, options.waived, options.route);
    if (options.files.size() > 1 && options.format != "text") {
        throw ane::error(ane::errc::argument, "--format " + options.format,
                         "takes one file: give each its own command and --output");
    }
    std::string text;
    bool all_well = true;
    std::optional<progress> shown(std::in_place, "checking");
    for (std::size_t i = 0; i < options.files.size(); ++i) {
        const std::string& path = options.files[i];
        progress::now("checking " + path);
        if (options.files.size() > 1) {
            progress::at(static_cast<double>(i) / static_cast<double>(options.files.size()));
        }
        try {
            ane::read_model model = read(path, options.how);
            const auto measured = promise_inputs(model.graph, options.ranges, options.how.memory);
            const auto [verdicts, observed] = judge(model, is_mil(path), targets, rules, measured);
            all_well = all_well && verdicts.ok();
            if (options.format == "json") {
                text += verdicts.json(path, observed);
            } else if (options.format == "sarif") {
                text += ane::sarif(model.graph, targets,
                                   {.root = {}, .help_base = {}, .rules = rules, .observed = observed});
            } else if (options.format == "html") {
                text += html_report(path, model.graph, verdicts, observed);
            } else {
                text += findings_text(path, model.graph, verdicts, observed, options.quiet, options.all,
                                      options.output.empty() && coloured());
            }
        } catch (const ane::unreadable& refused) {
            all_well = false;
            text += options.format == "json"    ? unreadable_json(path, refused)
                    : options.format == "sarif" ? unreadable_sarif(refused)
                    : options.format == "html"  ? unreadable_page(path, refused)
                                                : unreadable_text(path, refused, options.output.empty() && coloured());
        }
    }
    shown.reset(); // before anything else is written there
    write_text(options.output, text);
    return all_well ? well : refused;
}

} // namespace

void add_check(CLI::App& app, int& status) {
    const auto given = std::make_shared<check_options>();
    CLI::App* const sub = app.add_subcommand("check", "Says which engines take a model, and of every layer why not");
    sub->add_option("FILES", given->files, "MIL text, .mlmodelc, .mlpackage, netplists, ONNX");
    sub->add_option("-t,--targets", given->targets, "macs, all, h13, h14..h16, h15.., or several with commas")
        ->capture_default_str();
    sub->add_option("--route", given->route, "The rules of one route too")
        ->check(CLI::IsMember({"any", "mil", "netplist"}))
        ->capture_default_str();
    sub->add_option("-f,--format", given->format, "How findings are written; html is one page with a drawing")
        ->check(CLI::IsMember({"text", "json", "sarif", "html"}))
        ->capture_default_str();
    sub->add_option("-o,--output", given->output, "A file instead of standard output");
    sub->add_option("--error", given->errors, "Rules whose warnings are errors, by fact or name")
        ->delimiter(',')
        ->allow_extra_args(false);
    sub->add_option("--waive", given->waived, "Rules that are not checked")->delimiter(',')->allow_extra_args(false);
    sub->add_option("--explain", given->explained, "Explains rules, and checks nothing")->delimiter(',');
    add_reading(*sub, given->how);
    sub->add_option("-r,--ranges", given->ranges,
                    "Of inputs: x=-1,1 declares, data.npz measures the arrays named like inputs")
        ->allow_extra_args(false);
    sub->add_flag("-q,--quiet", given->quiet, "The verdicts alone");
    sub->add_flag("-a,--all", given->all, "Every finding, however often its rule is broken");
    sub->footer(
        "Examples:\n  anemone check model.mil\n  anemone check model.mil --targets h14.. --format sarif -o findings.sarif\n"
        "  anemone check model.mil --format html -o report.html\n"
        "  anemone check model.onnx --ranges image=0,1 --error R056\n"
        "  anemone check --explain R030");
    sub->callback([given, &status] {
        if (!given->explained.empty()) {
            std::string text;
            for (const std::string& each : given->explained) {
                for (const ane::rule r : rules_named(each)) {
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
