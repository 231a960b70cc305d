#include "command.hpp"
#include "model_file.hpp"
#include "target_names.hpp"
#include <anemone/cost/cost.hpp>
#include <anemone/io/json.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/report/cost_report.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace command {

namespace {

struct cost_options {
    std::string file;
    std::string targets = "macs";
    reading how{.approximates = true};
    bool layers = false;
    bool json = false;
};

std::string as_json(const ane::graph_view& lowered, const ane::target_set& targets) {
    ane::json_writer json;
    json.array();
    for (const ane::target t : targets) {
        const ane::cost c = ane::estimate(lowered, t);
        json.object();
        json.member("target", ane::describe(t).name);
        if (c.seconds) {
            json.member("seconds", *c.seconds);
            json.member("at_least", c.clock.at_least);
            json.member("at_most", c.clock.at_most);
            json.member("shortest", c.least.typical);
            json.member("joules", c.joules);
        } else {
            json.key("seconds").null();
        }
        if (c.roof) {
            json.member("known_by", ane::mark_text(*c.roof));
        }
        json.member("summary", ane::cost_line(c));
        json.end();
    }
    json.end();
    return json.str();
}

int cost(const cost_options& options) {
    const ane::target_set targets = targets_named(options.targets);
    const ane::read_model model = read(options.file, options.how);
    const ane::lowered_graph lowered = ane::lower(model.graph);
    std::string text;
    if (options.json) {
        text = as_json(lowered.graph, targets);
    } else {
        for (const ane::target t : targets) {
            const ane::cost c = ane::estimate(lowered.graph, t);
            text += options.layers ? ane::cost_table(lowered.graph, c) + "\n" : ane::cost_line(c) + "\n";
        }
    }
    write_text("", text);
    return well;
}

} // namespace

void add_cost(CLI::App& app, int& status) {
    const auto given = std::make_shared<cost_options>();
    CLI::App* const sub = app.add_subcommand("cost", "Estimates time, bound and energy of a run on each chip");
    sub->add_option("FILE", given->file, "The model")->required();
    sub->add_option("-t,--targets", given->targets, "macs, all, h13, h14..h16, h15..")->capture_default_str();
    sub->add_flag("-l,--layers", given->layers, "A table of the layers for each chip");
    sub->add_flag("--json", given->json, "As JSON");
    add_reading(*sub, given->how);
    sub->footer("Example: anemone cost model.mil --targets h13,h17s --layers");
    sub->callback([given, &status] { status = cost(*given); });
}

} // namespace command
