#include "language.hpp"

#include "target_names.hpp"
#include <anemone/io/path_status.hpp>
#include <anemone/models/checkpoint.hpp>

#include <algorithm>
#include <filesystem>

namespace app {

namespace fs = std::filesystem;

std::optional<language_cost> cost_of_language(const std::string& path, const reading_options& reading,
                                              const cost_options& how, const caller& /*who*/) {
    const fs::file_status status = ane::detail::status_of(path);
    const bool is_folder = fs::is_directory(status) &&
                           fs::is_regular_file(ane::detail::status_of((fs::path(path) / "config.json").string()));
    const bool is_file = fs::is_regular_file(status) && path.ends_with(".gguf");
    if (!is_folder && !is_file) {
        return std::nullopt;
    }
    language_cost found{ane::models::read_checkpoint_configuration(path), {}};
    const std::int64_t usual = std::min<std::int64_t>(2048, found.configuration.positions);
    ane::models::decode_options options;
    options.context = reading.context > 0 ? reading.context : usual;
    options.chunk = reading.chunk > 1 ? reading.chunk : options.chunk;
    for (const ane::target t : targets_named(how.targets)) {
        if (ane::has_cost_model(t)) {
            found.rows.push_back(ane::models::figures_of(found.configuration, t, options));
        }
    }
    return found;
}

} // namespace app
