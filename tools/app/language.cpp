#include "language.hpp"

#include "checkpoint_reading.hpp"
#include "model_path.hpp"
#include "option_faults.hpp"
#include "target_names.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/json.hpp>
#include <anemone/models/checkpoint.hpp>
#include <anemone/report/decode_report.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

namespace app {

std::optional<language_cost> cost_of_language(const std::string& path, const reading_options& reading,
                                              const cost_options& how, const caller& /*who*/) {
    if (!is_checkpoint(path)) {
        return std::nullopt;
    }
    language_cost found{ane::models::read_checkpoint_configuration(path), {}};
    ane::models::decode_options options;
    options.context = form_of(found.configuration, reading).capacity;
    options.chunk = reading.chunk > 1 ? reading.chunk : options.chunk;
    options.batch = reading.batch;
    for (const ane::target t : targets_named(how.targets)) {
        if (ane::has_cost_model(t)) {
            found.rows.push_back(ane::models::figures_of(found.configuration, t, options));
        }
    }
    return found;
}

language_cost cost_of_decoding(const std::string& path, const reading_options& reading, const cost_options& how,
                               const caller& who) {
    require_limits(reading, who.by);
    std::optional<language_cost> found = cost_of_language(path, reading, how, who);
    if (std::error_code cannot_tell; !found && !std::filesystem::exists(path, cannot_tell)) {
        throw ane::error(ane::errc::file, path, "cannot be found");
    }
    if (!found) {
        throw ane::error(ane::errc::argument, path,
                         "must be a language model: a folder with config.json, or a GGUF file");
    }
    if (found->rows.empty()) {
        throw ane::error(ane::errc::argument, how.targets, "has no chip whose rates are known");
    }
    return *std::move(found);
}

std::string json(const language_cost& of) {
    ane::json_writer json;
    json.array();
    for (const ane::models::decode_figures& each : of.rows) {
        ane::write_decode_json(json, of.configuration, each);
    }
    json.end();
    return json.str();
}

} // namespace app
