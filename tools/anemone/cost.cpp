#include "../app/cost.hpp"

#include "../app/language.hpp"
#include "command.hpp"
#include "opened_model.hpp"
#include "option_arguments.hpp"
#include "progress.hpp"
#include <anemone/io/json.hpp>
#include <anemone/report/cost_report.hpp>
#include <anemone/report/decode_report.hpp>

#include <memory>
#include <optional>
#include <string>

namespace command {

namespace {

struct cost_command {
    std::string file;
    app::cost_options how;
    app::reading_options reading{.approximates = true};
    bool layers = false;
    bool json = false;
};

/// The figures of a language model on a target, as a member of the target's object.
void write_language(ane::json_writer& json, const app::language_cost& language, ane::target t) {
    for (const ane::models::decode_figures& each : language.rows) {
        if (each.target == t) {
            json.key("decode");
            ane::write_decode_json(json, language.configuration, each);
        }
    }
}

std::string as_json(const app::estimates& found, const std::optional<app::language_cost>& language) {
    ane::json_writer json;
    json.array();
    for (const auto& [t, c] : found.rows) {
        json.object();
        json.member("target", ane::describe(t).name);
        if (c.seconds) {
            json.member("seconds", *c.seconds);
            json.member("at_least", c.clock.at_least);
            json.member("at_most", c.clock.at_most);
            json.member("shortest", c.least.typical);
            json.member("joules", c.joules);
            json.member("engine_joules", c.engine_joules);
        } else {
            json.key("seconds").null();
        }
        if (c.roof) {
            json.member("known_by", ane::mark_text(*c.roof));
        }
        json.member("summary", ane::cost_line(c));
        if (language) {
            write_language(json, *language, t);
        }
        json.end();
    }
    json.end();
    return json.str();
}

int cost(const cost_command& given) {
    const app::estimates found = app::cost(opened(given.file, given.reading), given.how, user());
    const std::optional<app::language_cost> language =
        app::cost_of_language(given.file, given.reading, given.how, user());
    std::string text;
    if (given.json) {
        text = as_json(found, language);
    } else {
        for (const auto& [t, c] : found.rows) {
            text += given.layers ? ane::cost_table(found.lowered.graph, c) + "\n" : ane::cost_line(c) + "\n";
        }
    }
    if (language && !given.json) {
        text = ane::decode_text(language->configuration, language->rows) +
               "\nOne run, as the graph is with --context and --chunk:\n\n" + text;
    }
    write_text("", text);
    return well;
}

} // namespace

void add_cost(CLI::App& app, int& status) {
    const auto given = std::make_shared<cost_command>();
    CLI::App* const sub = app.add_subcommand("cost", "Estimates time, bound and energy of a run on each chip");
    sub->add_option("FILE", given->file, "The model")->required();
    add_options(*sub, given->how);
    sub->add_flag("-l,--layers", given->layers, "A table of the layers for each chip");
    sub->add_flag("--json", given->json, "As JSON");
    add_options(*sub, given->reading);
    sub->footer("Example: anemone cost model.mil --targets h13,h17s --layers");
    sub->callback([given, &status] { status = cost(*given); });
}

} // namespace command
