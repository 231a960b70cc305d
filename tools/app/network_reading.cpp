#include "network_reading.hpp"

#include "option_faults.hpp"
#include <anemone/base/error.hpp>
#include <anemone/models/vision/network_checkpoint.hpp>
#include <anemone/readers/unreadable.hpp>
#include <anemone/weights/safetensors.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace app {

ane::read_model read_network(const found_file& file, const reading_options& how, const caller& who,
                             ane::opened_files& parts) {
    const ane::models::network_checkpoint_options options{
        .form = {.layout = how.layout}, .allows_missing = allows_missing(how), .opened = &parts};
    std::error_code cannot_tell;
    if (std::filesystem::is_directory(file.named, cannot_tell)) {
        return ane::models::read_network(file.named, options);
    }
    const std::optional<ane::models::network> known = ane::models::find_network(file.named);
    const bool has_file = !how.weights.empty() && how.weights != "zeros" && how.weights != "random";
    if (has_file) {
        parts.add(how.weights);
        ane::models::network_checkpoint_options whole = options;
        whole.allows_missing = false;
        return ane::models::network_model(*known, ane::load_safetensors(how.weights), how.weights, whole);
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
    return ane::models::network_model(*known, {}, file.named, options);
}

} // namespace app
