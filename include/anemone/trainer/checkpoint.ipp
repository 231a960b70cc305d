#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_trainer_checkpoint_hpp);

#include "../base/formatted.hpp"
#include "../io/folder_contents.hpp"
#include "../io/open_file.hpp"
#include "../io/temporary_name.hpp"
#include "../weights/safetensors.hpp"
#include "checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ane::detail::inline ANEMONE_WAY {

/// Names of tensors and of texts that are no weights.
struct checkpoint_names {
    static constexpr std::string_view best = "trainer/best/", numbers = "trainer/numbers", steps = "trainer/steps",
                                      validations = "trainer/validations", format = "anemone.checkpoint",
                                      setting = "anemone.training.", version = "1";
};

ANEMONE_INLINE void add_numbers(weight_store& to, std::string_view name, std::int64_t columns,
                                const std::vector<double>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    to.add({std::string(name),
            element_type::f64,
            {static_cast<std::int64_t>(values.size()) / columns, columns},
            {bytes.begin(), bytes.end()}});
}

ANEMONE_INLINE std::vector<double> taken_numbers(weight_store& from, std::string_view name, std::int64_t columns,
                                                 const std::string& path) {
    const stored_tensor* const found = from.find(name);
    if (found == nullptr || found->type != element_type::f64 || found->shape.rank != 2 || found->shape[1] != columns) {
        throw error(errc::file, path, formatted("is no checkpoint of a training: it has no {}", name));
    }
    std::vector<double> values(static_cast<std::size_t>(found->shape.count()));
    if (!values.empty()) {
        std::memcpy(values.data(), found->bytes.data(), found->bytes.size());
    }
    from.remove(name);
    return values;
}

ANEMONE_INLINE std::string tensor_text(const stored_tensor& t) {
    std::string text(facts_of(t.type).safetensors);
    for (int axis = 0; axis < t.shape.rank; ++axis) {
        text += (axis == 0 ? " " : "x") + std::to_string(t.shape[axis]);
    }
    return text;
}

/// The step of a file's name; below 0: it is none of a checkpoint.
ANEMONE_INLINE std::int64_t step_of(std::string_view name) {
    constexpr std::string_view before = "step-";
    constexpr std::string_view after = ".safetensors";
    if (!name.starts_with(before) || !name.ends_with(after) || name.size() <= before.size() + after.size()) {
        return -1;
    }
    name = name.substr(before.size(), name.size() - before.size() - after.size());
    std::int64_t step = -1;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), step);
    const bool is_step = wrong == std::errc() && end == name.data() + name.size();
    return is_step && name == formatted("{:09}", step) ? step : -1;
}

/// Whether a file is a checkpoint of a training, by its metadata: others may have such a name.
ANEMONE_INLINE bool is_checkpoint(const std::string& path) {
    try {
        return load_safetensors(path).metadata(checkpoint_names::format) != nullptr;
    } catch (const error&) {
        return false;
    }
}

ANEMONE_INLINE std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    const int why = list_names(folder, names);
    if (why != 0 && why != ENOENT) {
        refuse_file_call(folder, "cannot be listed", why);
    }
    return names;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF void save_checkpoint(const std::string& path, const checkpoint& c) {
    using names = detail::checkpoint_names;
    weight_store all = c.states;
    all.merge(c.best.with_prefix(names::best));
    detail::add_numbers(all, names::numbers, 5,
                        {static_cast<double>(c.step), c.scaling.scale, static_cast<double>(c.scaling.good), c.best_loss,
                         static_cast<double>(c.since_best)});
    std::vector<double> steps;
    for (const trained_step& each : c.history.steps) {
        steps.insert(steps.end(), {static_cast<double>(each.step), each.epoch, each.loss, each.rate, each.loss_scale,
                                   each.skipped ? 1. : 0.});
    }
    detail::add_numbers(all, names::steps, 6, steps);
    std::vector<double> validations;
    for (const validated_step& each : c.history.validations) {
        validations.insert(validations.end(), {static_cast<double>(each.step), each.loss, each.accuracy});
    }
    detail::add_numbers(all, names::validations, 3, validations);
    weight_store::texts texts{{std::string(names::format), std::string(names::version)}};
    for (const auto& [key, text] : c.made_by) {
        texts.emplace_back(std::string(names::setting) + key, text);
    }
    all.set_metadata(std::move(texts));
    save_safetensors(path, all);
}

ANEMONE_BODY_OF checkpoint load_checkpoint(const std::string& path) {
    using names = detail::checkpoint_names;
    weight_store all = load_safetensors(path);
    const std::string* const version = all.metadata(names::format);
    if (version == nullptr || *version != names::version) {
        throw error(errc::file, path,
                    version == nullptr ? std::string("is no checkpoint of a training")
                                       : "is a checkpoint of version " + *version + ", this program reads 1");
    }
    checkpoint c;
    const std::vector<double> numbers = detail::taken_numbers(all, names::numbers, 5, path);
    const std::vector<double> steps = detail::taken_numbers(all, names::steps, 6, path);
    const std::vector<double> validations = detail::taken_numbers(all, names::validations, 3, path);
    if (numbers.size() != 5) {
        throw error(errc::file, path, "is no checkpoint of a training: it has no step");
    }
    c.step = static_cast<std::int64_t>(numbers[0]);
    c.scaling = {numbers[1], static_cast<std::int64_t>(numbers[2])};
    c.best_loss = numbers[3];
    c.since_best = static_cast<std::int64_t>(numbers[4]);
    for (std::size_t i = 0; i < steps.size(); i += 6) {
        c.history.steps.push_back({static_cast<std::int64_t>(steps[i]), steps[i + 1], steps[i + 2], steps[i + 3],
                                   steps[i + 4], steps[i + 5] != 0});
    }
    for (std::size_t i = 0; i < validations.size(); i += 3) {
        c.history.validations.push_back(
            {static_cast<std::int64_t>(validations[i]), validations[i + 1], validations[i + 2]});
    }
    for (const auto& [key, text] : all.metadata()) {
        if (key.starts_with(names::setting)) {
            c.made_by.emplace_back(key.substr(names::setting.size()), text);
        }
    }
    for (const stored_tensor& each : all) {
        const bool is_best = each.name.starts_with(names::best);
        stored_tensor kept = each;
        kept.name.erase(0, is_best ? names::best.size() : 0);
        (is_best ? c.best : c.states).add(std::move(kept));
    }
    return c;
}

ANEMONE_BODY_OF void require_same_training(const checkpoint& found, const checkpoint& mine, const std::string& path) {
    const auto refuse = [&](const std::string& what) {
        throw error(errc::argument, path, "is a checkpoint of another training: " + what);
    };
    for (const stored_tensor& each : mine.states) {
        const stored_tensor* const there = found.states.find(each.name);
        if (there == nullptr) {
            refuse("it has no " + each.name);
        } else if (there->type != each.type || there->shape != each.shape) {
            refuse(formatted("its {} is {}, the model's {}", each.name, detail::tensor_text(*there),
                             detail::tensor_text(each)));
        }
    }
    for (const stored_tensor& each : found.states) {
        if (!mine.states.contains(each.name)) {
            refuse("it has " + each.name + ", which this one does not train");
        }
    }
    for (const auto& [key, text] : mine.made_by) {
        const auto there = std::find_if(found.made_by.begin(), found.made_by.end(),
                                        [&, &wanted = key](const auto& each) { return each.first == wanted; });
        if (there == found.made_by.end() || there->second != text) {
            refuse(formatted("its {} is {}, this one's {}", key,
                             there == found.made_by.end() ? std::string("not said") : there->second, text));
        }
    }
}

ANEMONE_BODY_OF std::string checkpoint_path(const std::string& folder, std::int64_t step) {
    return formatted("{}/step-{:09}.safetensors", folder, step);
}

ANEMONE_BODY_OF std::vector<std::int64_t> checkpoints_in(const std::string& folder) {
    std::vector<std::int64_t> steps;
    for (const std::string& name : detail::names_in(folder)) {
        if (const std::int64_t step = detail::step_of(name); step >= 0) {
            steps.push_back(step);
        }
    }
    std::sort(steps.begin(), steps.end());
    return steps;
}

ANEMONE_BODY_OF void keep_checkpoint(const std::string& folder, const checkpoint& c, std::size_t keep) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) {
        throw error(errc::file, folder, "cannot be made: " + failed.message());
    }
    save_checkpoint(checkpoint_path(folder, c.step), c);
    std::size_t newer = 0; // of those up to this one
    const std::vector<std::int64_t> steps = checkpoints_in(folder);
    for (auto each = steps.rbegin(); each != steps.rend(); ++each) {
        const std::string path = checkpoint_path(folder, *each);
        if (*each > c.step || !detail::is_checkpoint(path)) {
            continue;
        }
        if (newer++ >= std::max<std::size_t>(keep, 1)) {
            std::remove(path.c_str());
        }
    }
    for (const std::string& name : detail::names_in(folder)) {
        if (detail::is_leftover(name)) {
            std::remove(formatted("{}/{}", folder, name).c_str());
        }
    }
}

} // namespace ane::inline ANEMONE_WAY
