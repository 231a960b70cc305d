#pragma once

#include "../../../base/formatted.hpp"
#include "../../../base/way.hpp"
#include "../../../formats/mil.hpp"
#include "../../../formats/netplist.hpp"
#include "binding.hpp"
#include "calls.hpp"
#include "foundation.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The two things that an in-memory model is made of, a netplist and MIL text: how each is described, where its files
/// are wanted, and where its ports lie. Facts: engine-runtime 10.1 and 10.3.
namespace ane::objc::detail::inline ANEMONE_WAY {

/// {key: {offset: 0, data: the bytes}}, which both kinds take.
ANEMONE_INLINE owned weight_files(const api& table,
                                  const std::vector<std::pair<std::string, std::span<const std::byte>>>& files) {
    const owned offset = make_string(table, "offset");
    const owned data = make_string(table, "data");
    const owned zero = make_number(table, 0);
    std::vector<owned> kept;
    std::vector<std::pair<const void*, const void*>> members;
    for (const auto& [key, content] : files) {
        const owned bytes = make_data(table, content);
        kept.push_back(make_string(table, key));
        const void* const name = kept.back().get();
        kept.push_back(make_dictionary(table, {{offset.get(), zero.get()}, {data.get(), bytes.get()}}));
        members.emplace_back(name, kept.back().get());
    }
    return make_dictionary(table, members);
}

ANEMONE_INLINE owned descriptor_of(const api& table, const message<void*(void*, void*, void*)>& how,
                                   std::string_view text, const owned& weights) {
    const owned bytes = make_data(table, std::as_bytes(std::span(text)));
    void* nothing = nullptr;
    return object_of(table, class_named(table, messages::descriptor), how, bytes.get(), weights.get(), nothing);
}

ANEMONE_INLINE owned describe(const api& table, const netplist& program) {
    std::vector<std::pair<std::string, std::span<const std::byte>>> files;
    for (const netplist_blob& blob : program.weights) {
        files.emplace_back(blob.name, blob.bytes);
    }
    return descriptor_of(table, messages::describe, formats::to_xml(program.document), weight_files(table, files));
}
ANEMONE_INLINE owned describe(const api& table, const mil_program& program) {
    return descriptor_of(table, messages::describe_mil, program.text,
                         weight_files(table, {{"@model_path/weights.bin", program.weights.bytes()}}));
}

/// The text that a message to the model gives.
ANEMONE_INLINE std::string text_from(const api& table, const owned& model, const message<void*()>& what) {
    const owned given = object_of(table, model.get(), what);
    std::string text = text_of(table, given.get());
    if (text.empty()) {
        throw failure(what, "gave an empty text");
    }
    return text;
}

/// Where the compiler looks for the files.
ANEMONE_INLINE std::string directory_of(const api& table, const owned& model, const netplist& /*program*/) {
    return text_from(table, model, messages::local_path);
}
ANEMONE_INLINE std::string directory_of(const api& table, const owned& model, const mil_program& /*program*/) {
    const std::string name = text_from(table, model, messages::identifier);
    if (name.find('/') != std::string::npos) {
        throw failure(messages::identifier, "gave '" + name + "', which is not a valid folder name");
    }
    void* const temporary = table.NSTemporaryDirectory();
    const std::string parent = temporary != nullptr ? text_of(table, temporary) : std::string();
    if (parent.empty()) {
        throw error(errc::engine, "NSTemporaryDirectory", "gave no folder; set TMPDIR");
    }
    return std::filesystem::path(parent) / name;
}

ANEMONE_INLINE void write_files(const netplist& program, const std::string& directory) {
    static_cast<void>(write_netplist(program, directory));
}
ANEMONE_INLINE void write_files(const mil_program& program, const std::string& directory) {
    static_cast<void>(write_mil(program, directory));
}

/// The ports of a session in the order of the indices of a request, with layouts and without surfaces.
struct port_places {
    std::vector<bound_port> inputs;
    std::vector<bound_port> outputs;
};

/// What a loaded netplist says of its ports.
ANEMONE_INLINE port_places places_of(const api& table, const owned& model, const netplist& /*program*/,
                                     const std::vector<port_spec>& inputs, const std::vector<port_spec>& outputs,
                                     bool /*resident*/) {
    const owned kept = object_of(table, model.get(), messages::attributes);
    const foundation_value status =
        foundation_value(table, kept.get(), "modelAttributes")["NetworkStatusList"][std::size_t{0}];
    return {bound(status["LiveInputList"], inputs), bound(status["LiveOutputList"], outputs)};
}

/// No surface of a program of MIL text is smaller: with less a run fails with 0x1d (measured M4 by others: about 49 KB).
inline constexpr std::int64_t least_mil_surface = 49'152;

/// MIL text: dense ports, in the alphabetical order of their names in the text, all inputs as large as the largest of
/// them, and all outputs (measured M4 by others). A surface that is both has to be as large as either.
ANEMONE_INLINE port_places places_of(const api& /*table*/, const owned& /*model*/, const mil_program& /*program*/,
                                     const std::vector<port_spec>& inputs, const std::vector<port_spec>& outputs,
                                     bool resident) {
    const auto largest = [](const std::vector<port_spec>& ports) {
        std::int64_t most = least_mil_surface;
        for (const port_spec& each : ports) {
            most = std::max(most, each.dense());
        }
        return most;
    };
    const auto placed = [](std::vector<port_spec> ports, std::int64_t surface) {
        std::sort(ports.begin(), ports.end(),
                  [](const port_spec& a, const port_spec& b) { return a.symbol < b.symbol; });
        std::vector<bound_port> result;
        for (const port_spec& each : ports) {
            port_layout layout{each.shape.extent, {}, each.element, surface};
            std::int64_t step = each.element;
            for (const std::size_t a : {4U, 3U, 2U, 1U, 0U}) {
                layout.stride[a] = step;
                step *= layout.extent[a];
            }
            result.push_back({each.name, layout, {}, {}, -1});
        }
        return result;
    };
    std::int64_t in = largest(inputs);
    std::int64_t out = largest(outputs);
    if (resident) {
        in = out = std::max(in, out);
    }
    return {placed(inputs, in), placed(outputs, out)};
}

} // namespace ane::objc::detail::inline ANEMONE_WAY
