#include "language.hpp"

#include "checkpoint_reading.hpp"
#include "target_names.hpp"
#include <anemone/models/checkpoint.hpp>

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
    for (const ane::target t : targets_named(how.targets)) {
        if (ane::has_cost_model(t)) {
            found.rows.push_back(ane::models::figures_of(found.configuration, t, options));
        }
    }
    return found;
}

} // namespace app
