#include "checkpoint_reading.hpp"

#include "model_path.hpp"
#include "option_faults.hpp"
#include <anemone/base/error.hpp>
#include <anemone/models/checkpoint.hpp>
#include <anemone/models/programs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace app {

ane::models::decoder_form form_of(const ane::models::decoder_configuration& c, const reading_options& how) {
    constexpr std::int64_t usual = 2048;
    return {.positions = how.chunk,
            .capacity = how.context > 0 ? how.context : std::min(usual, c.positions),
            .layout = how.layout,
            .head_parts = ane::models::head_parts_of(c),
            .batch = how.batch};
}

namespace {

/// The programs of a decoder that one cannot hold have the names "program_1", ...
std::string program_name(std::size_t index) { return "program_" + std::to_string(index + 1); }

/// Programs whose graphs are alike: one verdict is that of all of them where no weights are there.
struct program_group {
    std::size_t first = 0, last = 0, count = 0;
};
std::string others_text(const program_group& g) {
    if (g.count == 1) {
        return {};
    }
    return g.last - g.first + 1 == g.count ? (g.count == 2 ? " and " : " to ") + program_name(g.last)
                                           : " and " + std::to_string(g.count - 1) + " of its form";
}

} // namespace

ane::models::checkpoint read_whole_checkpoint(const std::string& path, std::uint64_t max_memory, const caller& who) {
    const task shown(who, "reading " + path);
    if (is_network(path)) {
        throw ane::error(ane::errc::argument, path, "is no language model: text comes of language models");
    }
    ane::models::checkpoint_options reading;
    reading.max_memory = max_memory;
    ane::models::checkpoint found = ane::models::read_checkpoint(path, reading);
    if (const std::size_t count = found.missing.size(); count > 0) {
        const std::string others = count == 1 ? "" : " and " + std::to_string(count - 1) + " others of its weights";
        throw ane::error(ane::errc::weights, path,
                         "has no " + found.missing.front() + others + ": a model computes text with all its weights");
    }
    return found;
}

ane::read_model read_checkpoint(const std::string& path, const reading_options& how, const caller& who,
                                ane::opened_files& parts) {
    ane::models::checkpoint found = ane::models::read_checkpoint(
        path, {.max_memory = how.max_memory, .counts_beyond_half = false, .opened = &parts});
    if (!found.missing.empty() && !allows_missing(how) && found.weights.empty()) {
        throw ane::unreadable(path, {{path,
                                      0,
                                      0,
                                      {},
                                      "has no tensors in safetensors or GGUF: to compute with the configuration "
                                      "alone, give " +
                                          spelled(&reading_options::weights, who.by) + " random"}});
    }
    ane::models::decoder_form form = form_of(found.configuration, how);
    const std::vector<ane::models::decoder_form> programs = ane::models::programs_of(found.configuration, form);
    if (!how.function.empty()) {
        std::size_t chosen = 0;
        while (chosen < programs.size() && how.function != program_name(chosen)) {
            ++chosen;
        }
        if (chosen == programs.size()) {
            throw ane::error(ane::errc::argument, spelled(&reading_options::function, who.by),
                             "there is no " + how.function + ": the model has " + program_name(0) +
                                 (programs.size() > 1 ? " to " + program_name(programs.size() - 1) : ""));
        }
        form = programs[chosen];
    }
    ane::read_model model = ane::models::model_of(std::move(found), form, path, allows_missing(how));
    if (!how.approximates) { // whoever judges the model looks at each weight, and need not read it twice
        const std::vector<std::string> beyond = ane::models::numbers_beyond_half(model.weights); // of the program alone
        model.notes.insert(model.notes.end(), beyond.begin(), beyond.end());
    }
    if (programs.size() > 1 && how.function.empty()) {
        model.notes.push_back("one program of the engine does not hold it: in " + std::to_string(programs.size()) +
                              ", " + program_name(0) + " to " + program_name(programs.size() - 1) + ", see " +
                              spelled(&reading_options::function, who.by));
    }
    return model;
}

std::vector<variant> programs_in(const std::string& path, const reading_options& how) {
    const auto c = ane::models::read_checkpoint_configuration(path);
    const auto programs = ane::models::programs_of(c, form_of(c, how));
    if (programs.size() < 2 || !how.function.empty()) {
        return {};
    }
    if (ane::models::has_tensors(path) || !how.weights.empty()) { // whose values the verdict depends on
        std::vector<variant> all;
        for (std::size_t i = 0; i < programs.size(); ++i) {
            all.push_back({program_name(i), {}});
        }
        return all;
    }
    std::vector<program_group> groups;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const auto known = std::find_if(groups.begin(), groups.end(), [&](const program_group& each) {
            return ane::models::are_alike(c, programs[each.first], programs[i]);
        });
        if (known == groups.end()) {
            groups.push_back({i, i, 1});
        } else {
            known->last = i;
            ++known->count;
        }
    }
    std::vector<variant> all;
    for (const program_group& each : groups) {
        all.push_back({program_name(each.first), {}, others_text(each)});
    }
    return all;
}

} // namespace app
