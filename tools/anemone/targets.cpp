#include "../app/target_names.hpp"
#include "command.hpp"
#include <anemone/io/json.hpp>
#include <anemone/targets/sets.hpp>

#include <fmt/format.h>

#include <memory>
#include <string>

namespace command {

namespace {

std::string as_text(const ane::target_set& chosen) {
    std::string text = fmt::format("{:<6} {:<7} {:<24} {:>5}  {}\n", "name", "runtime", "chip", "cores", "MIL");
    for (const ane::target t : chosen) {
        const ane::target_description& d = ane::describe(t);
        text += fmt::format("{:<6} {:<7} {:<24} {:>5}  {}\n", d.name, d.runtime, d.product, d.cores,
                            d.mil_supported ? "yes" : "no");
    }
    return text;
}

std::string as_json(const ane::target_set& chosen) {
    ane::json_writer json;
    json.array();
    for (const ane::target t : chosen) {
        const ane::target_description& d = ane::describe(t);
        json.object();
        json.member("name", d.name).member("runtime", d.runtime).member("chip", d.product);
        json.member("cores", d.cores).member("mil", d.mil_supported);
        json.end();
    }
    json.end();
    return json.str();
}

} // namespace

void add_targets(CLI::App& app, int& status) {
    struct options {
        std::string names = "all";
        bool json = false;
    };
    const auto given = std::make_shared<options>();
    CLI::App* const sub = app.add_subcommand("targets", "Lists the targets: the engines of Macs, phones and watches");
    sub->add_option("NAMES", given->names, "Such as macs, h13, h14..h16, h15..")->capture_default_str();
    sub->add_flag("--json", given->json, "As JSON");
    sub->footer("Example: anemone targets h14..h16,h18");
    sub->callback([given, &status] {
        const ane::target_set chosen = app::targets_named(given->names);
        write_text("", given->json ? as_json(chosen) : as_text(chosen));
        status = well;
    });
}

} // namespace command
