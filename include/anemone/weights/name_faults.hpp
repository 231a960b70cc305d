#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/weights_of.hpp"
#include "../passes/print.hpp"
#include "store.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Mismatches between a store and a graph that names and shapes alone reveal, and what a caller can do about them.
namespace ane::detail::inline ANEMONE_WAY {

struct name_faults {
    std::vector<wanted_weight> absent; ///< missing, or of another shape, in the order of the graph
    sequence<const stored_tensor*> as; ///< what the store has under the name of each; null for a missing one
    sequence<const stored_tensor*> extra;

    bool none() const { return absent.empty() && extra.empty(); }
};

ANEMONE_INLINE name_faults find_name_faults(const graph_view& g, const weight_store& store) {
    name_faults faults;
    std::vector<std::string_view> known;
    for (wanted_weight& weight : weights_of(g)) {
        known.push_back(weight.name);
        const stored_tensor* const found = store.find(weight.name);
        if (found == nullptr || found->shape != weight.shape) {
            faults.absent.push_back(std::move(weight));
            faults.as.push_back(found);
        }
    }
    std::sort(known.begin(), known.end());
    for (const stored_tensor& tensor : store) {
        if (!std::binary_search(known.begin(), known.end(), std::string_view(tensor.name))) {
            faults.extra.push_back(&tensor);
        }
    }
    return faults;
}

/// The call that gives a stored tensor the wanted shape, if there is one; empty where there is none.
ANEMONE_INLINE std::string layout_advice(const stored_tensor& found, const extents& wanted) {
    const extents& shape = found.shape;
    const auto gives = [&](const extents& order) {
        for (int i = 0; i < wanted.rank; ++i) {
            if (shape[static_cast<int>(order[i])] != wanted[i]) {
                return false;
            }
        }
        return true;
    };
    if (shape.rank == wanted.rank && shape.rank >= 2) {
        extents order;
        for (int axis = shape.rank - 1; axis >= 0; --axis) {
            order.append(axis);
        }
        if (gives(order)) {
            return formatted("transpose it: weights.transpose(\"{}\")", found.name);
        }
        if (shape.rank == 4 && gives({3, 2, 0, 1})) { // TensorFlow's kernels
            return formatted("transpose it: weights.transpose(\"{}\", {{3, 2, 0, 1}})", found.name);
        }
    }
    if (shape.count() == wanted.count()) {
        const std::string list = print(wanted);
        return formatted("if only axes of 1 differ: weights.reshape(\"{}\", {{{}}})", found.name,
                         list.substr(1, list.size() - 2));
    }
    return {};
}

/// The common prefix of the names of all tensors, up to and including a dot; empty if there is none.
ANEMONE_INLINE std::string common_prefix(const weight_store& store) {
    if (store.size() < 2) {
        return {};
    }
    std::string_view common = store[0].name;
    for (const stored_tensor& tensor : store) {
        const auto ends = std::mismatch(common.begin(), common.end(), tensor.name.begin(), tensor.name.end());
        common = common.substr(0, static_cast<std::size_t>(ends.first - common.begin()));
    }
    return std::string(common.substr(0, common.find_last_of("./") + 1));
}

/// The prefix under which the store has most of the missing names, how many it has there, and how many prefixes have
/// as many.
struct found_prefix {
    std::string text;
    std::size_t names = 0;
    std::size_t alike = 0;
};

ANEMONE_INLINE found_prefix prefix_in_store(const std::vector<std::string_view>& missing, const weight_store& store) {
    found_prefix best;
    for (const stored_tensor& tensor : store) {
        if (tensor.name.size() <= missing[0].size() || !tensor.name.ends_with(missing[0])) {
            continue;
        }
        const std::string prefix = tensor.name.substr(0, tensor.name.size() - missing[0].size());
        if (prefix.back() != '.' && prefix.back() != '/') {
            continue;
        }
        const auto names =
            static_cast<std::size_t>(std::count_if(missing.begin(), missing.end(), [&](std::string_view n) {
                return store.contains(prefix + std::string(n));
            }));
        if (names > best.names) {
            best = {prefix, names, 0};
        }
        best.alike += names == best.names ? 1U : 0U;
    }
    return best;
}

/// The same for a prefix of the missing names that the store's lack.
ANEMONE_INLINE found_prefix prefix_in_model(const std::vector<std::string_view>& missing, const weight_store& store) {
    found_prefix best;
    for (std::size_t dot = missing[0].find_first_of("./"); dot != std::string_view::npos;
         dot = missing[0].find_first_of("./", dot + 1)) {
        const std::string_view prefix = missing[0].substr(0, dot + 1);
        const auto names =
            static_cast<std::size_t>(std::count_if(missing.begin(), missing.end(), [&](std::string_view n) {
                return n.starts_with(prefix) && store.contains(n.substr(prefix.size()));
            }));
        if (names > best.names) {
            best = {std::string(prefix), names, 1};
        }
    }
    return best;
}

/// What to do about missing names, in a sentence; empty if there is no suggestion.
ANEMONE_INLINE std::string name_advice(const name_faults& faults, const weight_store& store) {
    std::vector<std::string_view> missing;
    extents shape;
    for (std::size_t i = 0; i < faults.as.size() && missing.size() < 1000; ++i) {
        if (faults.as[i] == nullptr) {
            missing.push_back(faults.absent[i].name);
            shape = faults.absent[i].shape;
        }
    }
    if (missing.empty() || store.empty()) {
        return {};
    }
    const std::string common = common_prefix(store);
    std::string all =
        common.empty() ? std::string() : formatted("all {} names in the store start with \"{}\"", store.size(), common);
    const found_prefix in_store = prefix_in_store(missing, store);
    const found_prefix in_model = prefix_in_model(missing, store);
    if (in_store.names > 0 && in_store.names >= in_model.names) {
        if (in_store.text == common) {
            return formatted(R"({}: weights.without_prefix("{}"))", all, common);
        }
        return formatted(R"(the store has {} of them below "{}"{}: weights.subset("{}"))", in_store.names,
                         in_store.text,
                         in_store.alike > 1 ? formatted(", and as many below {} other prefix{}", in_store.alike - 1,
                                                        in_store.alike == 2 ? "" : "es")
                                            : std::string(),
                         in_store.text);
    }
    if (in_model.names > 0) {
        return formatted(R"(the store has {} of them without "{}": weights.with_prefix("{}"))", in_model.names,
                         in_model.text, in_model.text);
    }
    if (missing.size() == 1 && faults.extra.size() == 1 && faults.extra[0]->shape == shape) {
        return formatted(R"(the one that is extra has its shape: weights.rename("{}", "{}"))", faults.extra[0]->name,
                         missing[0]);
    }
    return all;
}

/// The square matrices of a graph whose stored ones have a shape that fits either way round.
ANEMONE_INLINE std::string square_advice(const graph_view& g, const name_faults& faults, const weight_store& store) {
    const auto turned = [&](std::size_t i) {
        const extents& shape = faults.absent[i].shape;
        return faults.as[i] != nullptr && shape.rank == 2 && faults.as[i]->shape == extents{shape[1], shape[0]};
    };
    std::size_t i = 0;
    while (i < faults.as.size() && !turned(i)) {
        ++i;
    }
    if (i == faults.as.size()) {
        return {};
    }
    std::string names;
    for (const wanted_weight& weight : weights_of(g)) {
        if (weight.shape.rank == 2 && weight.shape[0] == weight.shape[1] && weight.shape[0] > 1 &&
            store.contains(weight.name)) {
            names += (names.empty() ? "" : ", ") + std::string(weight.name);
        }
    }
    return names.empty() ? names : "square matrices fit either way round and may be transposed too: " + names;
}

/// A list with its heading on a line of its own, cut after so many; nothing for an empty one.
ANEMONE_INLINE std::string listed(std::string_view heading, const std::vector<std::string>& entries,
                                  std::size_t shown = 10) {
    std::string text;
    for (std::size_t i = 0; i < entries.size() && i < shown; ++i) {
        text += (i == 0 ? formatted("\n  {} {}: ", entries.size(), heading) : std::string(", ")) + entries[i];
    }
    return entries.size() > shown ? text + formatted(" and {} more", entries.size() - shown) : text;
}

/// Throws `error` (errc::weights) if names or shapes differ; it lists everything that is missing, misshapen or extra.
ANEMONE_INLINE void refuse_names
    [[noreturn]] (const graph_view& g, const name_faults& faults, const weight_store& store) {
    std::string subject;
    std::string text;
    if (faults.absent.empty()) {
        subject = faults.extra[0]->name;
        text =
            formatted("is extra: the model has no weight of this name (the store's has shape {}); weights_for(model, "
                      "weights) keeps those of the model",
                      print(faults.extra[0]->shape));
    } else {
        const wanted_weight& first = faults.absent[0];
        const stored_tensor* const found = faults.as[0];
        const source_location& where = g[first.node].where;
        subject = first.name;
        text = found == nullptr ? std::string("is missing: ") : formatted("has shape {}, ", print(found->shape));
        text += formatted("the model ({}:{}) wants {}", where.file, where.line, print(first.shape));
        const std::string advice = found == nullptr ? std::string() : layout_advice(*found, first.shape);
        text += advice.empty() ? advice : "; " + advice;
    }
    const std::string names = name_advice(faults, store);
    if (faults.absent.size() + faults.extra.size() > 1) {
        std::vector<std::string> missing;
        std::vector<std::string> misshapen;
        std::vector<std::string> extra;
        for (std::size_t i = 0; i < faults.absent.size(); ++i) {
            const wanted_weight& weight = faults.absent[i];
            if (faults.as[i] == nullptr) {
                missing.push_back(formatted("{} {}", weight.name, print(weight.shape)));
                continue;
            }
            const std::string advice = layout_advice(*faults.as[i], weight.shape);
            misshapen.push_back(formatted("{} is stored as {}, the model wants {}{}", weight.name,
                                          print(faults.as[i]->shape), print(weight.shape),
                                          advice.empty() ? advice : " (" + advice + ")"));
        }
        for (const stored_tensor* const tensor : faults.extra) {
            extra.push_back(formatted("{} {}", tensor->name, print(tensor->shape)));
        }
        const bool explained = names.find("weights.") != std::string::npos;
        // One sentence says it for all of them, or each is named.
        text += listed("missing", missing, explained ? 10 : missing.size()) + listed("of another shape", misshapen) +
                listed("extra", extra);
    }
    for (const std::string& advice : {square_advice(g, faults, store), names}) {
        text += advice.empty() ? advice : "\n  " + advice;
    }
    throw error(errc::weights, subject, text);
}

} // namespace ane::detail::inline ANEMONE_WAY
