#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_networks_network_checkpoint_hpp);

#include "../checkpoint_files.hpp"
#include "../text/sentence_modules.hpp"
#include "network_checkpoint.hpp"
#include "network_configuration.hpp"
#include "network_tensors.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ane::models::inline ANEMONE_WAY {

/// What only the tensors say: whether a BERT has a pooler, and how many classes a detector has, whose folder has no
/// configuration.
ANEMONE_INLINE network as_stored(network n, const std::vector<stored_tensor>& tensors) {
    if (auto* const bert = std::get_if<bert_configuration>(&n);
        bert != nullptr && bert->has_pooler && !tensors.empty()) {
        bert->has_pooler = std::any_of(tensors.begin(), tensors.end(), [](const stored_tensor& t) {
            return t.name.find("pooler.dense.") != std::string::npos;
        });
    }
    if (auto* const yolo = std::get_if<yolo_configuration>(&n); yolo != nullptr) {
        for (const stored_tensor& t : tensors) {
            if (t.name == "model.22.cv3.0.2.bias" && t.shape.rank == 1) {
                yolo->classes = t.shape[0];
            }
        }
    }
    return n;
}

ANEMONE_INLINE read_model network_with(const network& published, std::vector<stored_tensor> tensors,
                                       std::vector<read_fault> faults, const std::string& place,
                                       const network_checkpoint_options& options) {
    const network n = as_stored(published, tensors);
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

ANEMONE_INLINE std::vector<stored_tensor> all_of(weight_store tensors) {
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
    return all;
}

ANEMONE_BODY_OF read_model network_model(const network& n, weight_store tensors, const std::string& place,
                                         const network_checkpoint_options& options) {
    return network_with(n, all_of(std::move(tensors)), {}, place, options);
}

ANEMONE_INLINE weight_store tables_with(const network& n, std::vector<stored_tensor> tensors,
                                        std::vector<read_fault> faults, const std::string& place) {
    if (const std::string_view wrong = fault_of_network(n); !wrong.empty()) {
        throw error(errc::graph, place, std::string(wrong));
    }
    read_model tables;
    network_checkpoint_options options{.counts_beyond_half = false};
    options.form.part = parts_of(n).front();
    network_tensors(tables, n, place, options).take_tables(std::move(tensors), std::move(faults));
    return std::move(tables.weights);
}

ANEMONE_BODY_OF weight_store host_tables_among(const network& n, weight_store tensors, const std::string& place) {
    return tables_with(n, all_of(std::move(tensors)), {}, place);
}

ANEMONE_BODY_OF bool is_network_folder(const std::string& path) {
    const checkpoint_files files(path, nullptr);
    return names_network(files.configuration(), files.shown("config.json"));
}

ANEMONE_INLINE network network_in(const checkpoint_files& files) {
    network found = read_network_configuration(files.configuration(), files.shown("config.json"));
    if (auto* const bert = std::get_if<bert_configuration>(&found)) {
        *bert = sentence_modules(files).added_to(*bert);
    }
    return found;
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

ANEMONE_BODY_OF weight_store read_host_tables(const std::string& path) {
    const checkpoint_files files(path, nullptr);
    const network n = network_in(files);
    std::vector<read_fault> faults;
    std::vector<stored_tensor> tensors = files.tensors(faults);
    return tables_with(n, std::move(tensors), std::move(faults), path);
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
