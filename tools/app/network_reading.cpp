#include "network_reading.hpp"

#include "option_faults.hpp"
#include "stand_in_weights.hpp"
#include <anemone/base/error.hpp>
#include <anemone/models/networks/network_checkpoint.hpp>
#include <anemone/readers/unreadable.hpp>
#include <anemone/weights/safetensors.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace app {

namespace {

/// "encoder and decoder"
std::string names_of(std::span<const ane::models::network_part> parts) {
    std::string all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        all += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + std::string(ane::models::name(parts[i]));
    }
    return all;
}

/// The part that is asked for, which must be said where there are several and the whole is none of them.
ane::models::network_part part_in(const ane::models::network& n, const reading_options& how, const caller& who) {
    const std::span<const ane::models::network_part> parts = ane::models::parts_of(n);
    for (const ane::models::network_part each : parts) {
        const bool is_usual = parts.size() == 1 || each == ane::models::network_part::whole;
        if (how.function.empty() ? is_usual : ane::models::name(each) == how.function) {
            return each;
        }
    }
    throw ane::error(ane::errc::argument, spelled(&reading_options::function, who.by),
                     parts.size() == 1      ? "the network has one program"
                     : how.function.empty() ? "the network has several programs: choose " + names_of(parts)
                                            : "there is no " + how.function + ": the network has " + names_of(parts));
}

ane::models::network_form form_of(const ane::models::network& n, const reading_options& how, const caller& who) {
    const std::int64_t most = ane::models::positions_of(n);
    if (how.context > most) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::context, who.by),
                         most == 0 ? std::string("is for models of texts: this network has none")
                                   : std::to_string(how.context) + " is more than the " + std::to_string(most) +
                                         " positions that the network was trained for");
    }
    const bool has_frame = how.frame_height != 0 || how.frame_width != 0;
    if (has_frame && how.image != ane::models::image_input::pixels) {
        throw ane::error(
            ane::errc::argument,
            spelled(how.frame_height != 0 ? &reading_options::frame_height : &reading_options::frame_width, who.by),
            "is for pixels, which the graph resizes: say " + spelled(&reading_options::image, who.by) + " pixels");
    }
    return {.layout = how.layout,
            .image = how.image,
            .frame_height = how.frame_height,
            .frame_width = how.frame_width,
            .part = part_in(n, how, who),
            .positions = how.context};
}

bool is_folder(const std::string& path) {
    std::error_code cannot_tell;
    return std::filesystem::is_directory(path, cannot_tell);
}
ane::models::network network_of(const std::string& path) {
    return is_folder(path) ? ane::models::network_in_folder(path) : *ane::models::find_network(path);
}

} // namespace

ane::read_model read_network(const found_file& file, const reading_options& how, const caller& who,
                             ane::opened_files& parts) {
    const ane::models::network n = network_of(file.named);
    ane::models::network_checkpoint_options options{.form = form_of(n, how, who),
                                                    .allows_missing = allows_missing(how),
                                                    .opened = &parts,
                                                    .counts_beyond_half = !how.approximates};
    if (is_folder(file.named)) {
        ane::read_model found = ane::models::read_network(file.named, options);
        if (found.missing.empty() || !has_weights_file(how)) {
            return found;
        }
        options.form = ane::models::network_form_in_folder(file.named, options.form);
    } else {
        options.form.pixels = ane::models::usual_pixels(n);
    }
    if (has_weights_file(how)) {
        parts.add(how.weights);
        options.allows_missing = false;
        return ane::models::network_model(n, ane::load_safetensors(how.weights), how.weights, options);
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
    return ane::models::network_model(n, {}, file.named, options);
}

std::vector<variant> parts_in(const std::string& path, const reading_options& how) {
    const ane::models::network n = network_of(path);
    const std::span<const ane::models::network_part> parts = ane::models::parts_of(n);
    std::vector<variant> all;
    if (parts.size() > 1 && parts.front() != ane::models::network_part::whole && how.function.empty()) {
        for (const ane::models::network_part each : parts) {
            all.push_back({std::string(ane::models::name(each)), {}});
        }
    }
    return all;
}

} // namespace app
