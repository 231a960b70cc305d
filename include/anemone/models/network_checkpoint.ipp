#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_network_checkpoint_hpp);

#include "checkpoint_files.hpp"
#include "network_checkpoint.hpp"
#include "network_configuration.hpp"
#include "network_tensors.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ane::models::inline ANEMONE_WAY {

/// With as many classes as the tensors have, which alone say it: a detector's folder has no configuration.
ANEMONE_INLINE network with_classes_of(network n, const weight_store& tensors) {
    auto* const yolo = std::get_if<yolo_configuration>(&n);
    const stored_tensor* const scores = tensors.find("model.22.cv3.0.2.bias");
    if (yolo != nullptr && scores != nullptr && scores->shape.rank == 1) {
        yolo->classes = scores->shape[0];
    }
    return n;
}

ANEMONE_INLINE read_model network_with(const network& n, std::vector<stored_tensor> tensors,
                                       std::vector<read_fault> faults, const std::string& place,
                                       const network_checkpoint_options& options) {
    read_model model{.graph = network_graph(n, options.form), .weights = {}};
    const bool has_any = !tensors.empty();
    model.notes.push_back(print(n));
    network_tensors(model, n, place, options).take(std::move(tensors), std::move(faults));
    if (!has_any && !options.allows_missing) {
        throw unreadable(
            place, {{place, 0, 0, {}, "has no tensors in safetensors, and the model computes with all its weights"}});
    }
    return model;
}

ANEMONE_BODY_OF read_model network_model(const network& n, weight_store tensors, const std::string& place,
                                         const network_checkpoint_options& options) {
    const network with_classes = with_classes_of(n, tensors);
    std::vector<std::string> names;
    names.reserve(tensors.size());
    for (const stored_tensor& t : tensors) {
        names.push_back(t.name);
    }
    std::vector<stored_tensor> all;
    all.reserve(names.size());
    for (const std::string& name : names) {
        all.push_back(tensors.take(name));
    }
    return network_with(with_classes, std::move(all), {}, place, options);
}

ANEMONE_BODY_OF bool is_network_folder(const std::string& path) {
    const checkpoint_files files(path, nullptr);
    return names_network(files.configuration(), files.shown("config.json"));
}

ANEMONE_INLINE network network_in(const checkpoint_files& files) {
    return read_network_configuration(files.configuration(), files.shown("config.json"));
}

/// With the statistics of pixels that the files have, or the usual ones of the family, where they are asked for.
ANEMONE_INLINE network_form form_in(const checkpoint_files& files, const network& n, network_form form) {
    if (form.image != image_input::pixels) {
        return form;
    }
    const std::string beside = "preprocessor_config.json";
    const std::optional<std::string> text = files.configuration(beside);
    std::optional<pixel_statistics> found = text ? read_pixel_statistics(*text, files.shown(beside)) : std::nullopt;
    if (!found) {
        found = read_pixel_statistics(files.configuration(), files.shown("config.json"));
    }
    form.pixels = found ? *found : usual_pixels(n);
    return form;
}

ANEMONE_BODY_OF network_form network_form_in_folder(const std::string& path, const network_form& form) {
    const checkpoint_files files(path, nullptr);
    return form_in(files, network_in(files), form);
}

ANEMONE_BODY_OF network network_in_folder(const std::string& path) {
    return network_in(checkpoint_files(path, nullptr));
}

ANEMONE_BODY_OF read_model read_network(const std::string& path, const network_checkpoint_options& options) {
    const checkpoint_files files(path, options.opened);
    const network n = network_in(files);
    network_checkpoint_options whole = options;
    whole.form = form_in(files, n, options.form);
    std::vector<read_fault> faults;
    std::vector<stored_tensor> tensors = files.tensors(faults);
    return network_with(n, std::move(tensors), std::move(faults), path, whole);
}

} // namespace ane::models::inline ANEMONE_WAY
