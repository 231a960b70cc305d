#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_checkpoint_hpp);

#include "../io/path_status.hpp"
#include "checkpoint.hpp"
#include "checkpoint_files.hpp"
#include "gguf_checkpoint.hpp"
#include "head_part.hpp"
#include "published_tensors.hpp"

#include <algorithm>
#include <filesystem>

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_INLINE void note_left_over(checkpoint& c) {
    if (!c.left_over.empty()) {
        c.notes.push_back(note_of_left_over(c.left_over));
    }
}

ANEMONE_BODY_OF std::vector<std::string> numbers_beyond_half(const weight_store& weights) {
    std::vector<std::string> notes;
    for (const stored_tensor& t : weights) {
        if (const std::int64_t count = beyond_half(t); count > 0) {
            notes.push_back(note_beyond_half(t.name, count, t.shape.count()));
        }
    }
    return notes;
}

ANEMONE_INLINE decoder_configuration configuration_in(const checkpoint_files& files) {
    return read_configuration(files.configuration(), files.shown("config.json"));
}

ANEMONE_INLINE bool is_gguf(const std::string& path) {
    return path.ends_with(".gguf") && !std::filesystem::is_directory(ane::detail::status_of(path));
}

ANEMONE_BODY_OF decoder_configuration read_checkpoint_configuration(const std::string& path) {
    return is_gguf(path) ? read_gguf_configuration(gguf_file(path)) : configuration_in(checkpoint_files(path, nullptr));
}

ANEMONE_BODY_OF bool has_tensors(const std::string& path) {
    return is_gguf(path) || checkpoint_files(path, nullptr).has_tensors();
}

ANEMONE_INLINE checkpoint folder_checkpoint(const std::string& path, const checkpoint_options& options) {
    const checkpoint_files files(path, options.opened);
    checkpoint c{.configuration = configuration_in(files), .weights = {}};
    std::vector<read_fault> faults;
    std::vector<stored_tensor> tensors = files.tensors(faults);
    if (tensors.empty() && faults.empty()) {
        const bool pickled = files.has("pytorch_model.bin") || files.has("pytorch_model.bin.index.json");
        c.notes.push_back(std::string("the folder has no tensors in safetensors, the configuration alone is read") +
                          (pickled ? "; pickled ones are programs and not read: convert them" : ""));
    }
    published_tensors(c, options, path).take(std::move(tensors), std::move(faults));
    return c;
}

ANEMONE_BODY_OF checkpoint read_checkpoint(const std::string& path, const checkpoint_options& options) {
    checkpoint c = is_gguf(path) ? gguf_checkpoint(path, options) : folder_checkpoint(path, options);
    note_left_over(c);
    if (options.counts_beyond_half) {
        const std::vector<std::string> beyond = numbers_beyond_half(c.weights);
        c.notes.insert(c.notes.end(), beyond.begin(), beyond.end());
    }
    return c;
}

/// The weight of a graph out of those of a checkpoint: a part of the head has a number behind the name of the whole.
ANEMONE_INLINE bool add_weight(weight_store& to, const checkpoint& c, const decoder_form& form, const std::string& name,
                               const extents& shape) {
    if (const stored_tensor* const found = c.weights.find(name); found != nullptr) {
        to.add({name, found->type, shape, found->bytes});
        return true;
    }
    const std::size_t end = form.head_parts > 1 ? name.rfind('_') : std::string::npos;
    const stored_tensor* const whole = end == std::string::npos ? nullptr : c.weights.find(name.substr(0, end));
    if (whole == nullptr) {
        return false;
    }
    stored_tensor part = head_part(*whole, name, c.configuration, form, std::atoi(name.c_str() + end + 1));
    part.shape = shape;
    to.add(std::move(part));
    return true;
}

ANEMONE_BODY_OF weight_store weights_of(const checkpoint& c, const decoder_form& form) {
    const dynamic_graph made = decoder_graph(c.configuration, form);
    const graph_view g = made;
    weight_store result;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            add_weight(result, c, form, std::string(g.name(i)), g[i].shape);
        }
    }
    return result;
}

ANEMONE_BODY_OF read_model model_of(checkpoint c, const decoder_form& form, const std::string& path,
                                    bool allows_missing) {
    read_model model{.graph = decoder_graph(c.configuration, form), .weights = {}};
    model.notes = c.notes;
    model.notes.insert(model.notes.begin(), print(c.configuration));
    const graph_view g = model.graph;
    for (int i = 0; i < g.size(); ++i) {
        const bool is_whole = g[i].kind == op::weight && c.weights.contains(g.name(i));
        if (is_whole) { // moved: what was turned is in memory
            stored_tensor t = c.weights.take(g.name(i));
            t.shape = g[i].shape;
            model.weights.add(std::move(t));
        } else if (g[i].kind == op::weight && !add_weight(model.weights, c, form, std::string(g.name(i)), g[i].shape)) {
            model.missing.emplace_back(g.name(i));
        }
    }
    if (!model.missing.empty() && !allows_missing) {
        std::vector<read_fault> faults;
        for (const std::string& name : model.missing) {
            faults.push_back({path, 0, 0, name, "is a weight of the model that its files do not have"});
        }
        throw unreadable(path, std::move(faults));
    }
    return model;
}

ANEMONE_BODY_OF read_model read_checkpoint_model(const std::string& path, const decoder_form& form,
                                                 const checkpoint_options& options) {
    return model_of(read_checkpoint(path, options), form, path, options.allows_missing);
}

} // namespace ane::models::inline ANEMONE_WAY
