#include "network_reading.hpp"

#include "option_faults.hpp"
#include "stand_in_weights.hpp"
#include <anemone/base/error.hpp>
#include <anemone/models/vision/network_checkpoint.hpp>
#include <anemone/readers/unreadable.hpp>
#include <anemone/weights/safetensors.hpp>

#include <filesystem>
#include <string>

namespace app {

ane::read_model read_network(const found_file& file, const reading_options& how, const caller& who,
                             ane::opened_files& parts) {
    const ane::models::network_checkpoint_options options{
        .form = {.layout = how.layout, .image = how.image}, .allows_missing = allows_missing(how), .opened = &parts};
    std::error_code cannot_tell;
    const bool is_folder = std::filesystem::is_directory(file.named, cannot_tell);
    if (is_folder) {
        ane::read_model found = ane::models::read_network(file.named, options);
        if (found.missing.empty() || !has_weights_file(how)) {
            return found;
        }
    }
    const ane::models::network n =
        is_folder ? ane::models::network_in_folder(file.named) : *ane::models::find_network(file.named);
    ane::models::network_checkpoint_options named = options;
    named.form.pixels = ane::models::usual_pixels(n);
    if (is_folder) {
        named.form = ane::models::network_form_in_folder(file.named, options.form);
    }
    if (has_weights_file(how)) {
        parts.add(how.weights);
        named.allows_missing = false;
        return ane::models::network_model(n, ane::load_safetensors(how.weights), how.weights, named);
    }
    if (!options.allows_missing) {
        throw ane::unreadable(file.named, {{file.named,
                                            0,
                                            0,
                                            {},
                                            "is the name of a network: to compute with it, give its tensors, " +
                                                spelled(&reading_options::weights, who.by) +
                                                " and a safetensors file with the published names, or random"}});
    }
    return ane::models::network_model(n, {}, file.named, named);
}

} // namespace app
