#pragma once

#include "../passes/rank_one.hpp"
#include "graph_reader.hpp"
#include "message_memory.hpp"
#include "onnx.hpp"
#include "weights_in_message.hpp"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>

namespace ane::onnx::inline ANEMONE_WAY {

/// Why the bytes are not decoded: they would take more than the caller allows, or hold more nodes than any model that is
/// read. Empty where neither is so.
ANEMONE_INLINE std::string too_large(std::span<const std::byte> bytes, std::uint64_t left_in_file,
                                     const onnx_reader_options& options) {
    constexpr std::uint64_t always = std::uint64_t{16} << 20U; // a limit for the weights does not mean the messages
    constexpr std::uint64_t kept = 1200; // bytes of a node or a constant in the graph, with its name and its value
    const std::uint64_t most = std::max(options.max_bytes, always);
    const decoded_size found = message_memory(most).of_model(bytes);
    if (found.nodes > model_scope::most_nodes) {
        return formatted("has more than {} nodes", model_scope::most_nodes);
    }
    const std::uint64_t taken = found.bytes + left_in_file + kept * (found.nodes + found.tensors);
    return taken <= most
               ? ""
               : formatted("takes more than {} bytes of memory when it is decoded (max_bytes); larger weights "
                           "are external data",
                           most);
}

ANEMONE_INLINE void blame_length(std::uint64_t bytes, model_scope& scope) {
    scope.blame(0, "",
                formatted("has {} bytes; a model has at most {}, larger weights are external data", bytes, INT_MAX));
}

/// The message that the bytes hold, or nothing, with a fault. So many bytes of it were left in its file.
ANEMONE_INLINE std::unique_ptr<::onnx::ModelProto> parsed(std::span<const std::byte> bytes, model_scope& scope,
                                                          std::uint64_t left_in_file = 0) {
    auto model = std::make_unique<::onnx::ModelProto>();
    if (bytes.empty()) {
        scope.blame(0, "", "is empty");
    } else if (bytes.size() > INT_MAX) {
        blame_length(bytes.size(), scope);
    } else if (const std::string wrong = too_large(bytes, left_in_file, scope.options); !wrong.empty()) {
        scope.blame(0, "", wrong);
    } else if (!model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        scope.blame(0, "", "is no ONNX model, or not all of one");
    } else {
        return model;
    }
    return nullptr;
}

/// The same of a file, whose large weights stay there.
ANEMONE_INLINE std::unique_ptr<::onnx::ModelProto> parsed(readers::mapped_file file, model_scope& scope) {
    if (file.size() > INT_MAX) {
        blame_length(file.size(), scope);
        return nullptr;
    }
    const message_without_weights message(file);
    std::uint64_t left = 0;
    for (const initializer_in_file& each : message.left_in_file) {
        left += each.part.count;
    }
    auto model = parsed(left == 0 ? file.bytes() : std::as_bytes(std::span(message.bytes)), scope, left);
    for (const initializer_in_file& each : message.left_in_file) {
        if (model != nullptr) {
            scope.files.in_message.emplace(&model->graph().initializer(each.number), each.part);
        }
    }
    return model;
}

ANEMONE_INLINE read_model read_from(const std::unique_ptr<::onnx::ModelProto>& model, model_scope& scope) {
    if (model != nullptr) {
        graph_reader(*model, scope).read();
    }
    read_model result;
    if (scope.faults.empty()) {
        try {
            result.graph = scope.graph.finish();
            if (has_rank_zero(result.graph)) {
                result.graph = with_rank_one(result.graph);
            }
        } catch (const error& e) {
            scope.blame(0, "", e.what());
        }
    }
    if (!scope.faults.empty()) {
        if (!scope.options.saturates_infinities) {
            const std::vector<read_fault> more =
                readers::faults_of_large_constants(scope.graph.graph(), scope.large_constants);
            scope.faults.insert(scope.faults.end(), more.begin(), more.end());
        }
        throw unreadable(scope.file, std::move(scope.faults));
    }
    // What the graph does not read any more is no weight of it.
    std::set<std::string, std::less<>> read;
    const graph_view g = result.graph.view();
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            read.emplace(g.name(i));
        }
    }
    result.weights = std::move(scope.weights).renamed([&](std::string_view name) {
        return read.contains(name) ? std::string(name) : std::string(); // an empty one leaves it out
    });
    if (!scope.files.lost.empty()) {
        scope.note(
            formatted("weights whose external data are not there have their shapes alone: {}", scope.files.lost));
    }
    for (std::string& name : scope.missing) {
        if (read.contains(name)) {
            result.missing.push_back(std::move(name));
        }
    }
    for (const auto& [form, weights] : scope.expanded) {
        result.expanded.push_back(
            weights.count == 1
                ? formatted("the weight \"{}\" is {} in the file and fp16 here, and written so", shown(weights.first),
                            form)
                : formatted("{} weights are {} in the file and fp16 here, and written so (the first: \"{}\")",
                            weights.count, form, shown(weights.first)));
        scope.note(result.expanded.back());
    }
    result.notes = std::move(scope.notes);
    result.integers = std::move(scope.integers);
    scope.faults = readers::settle_large_constants(result, scope.large_constants, scope.options.saturates_infinities);
    if (!scope.faults.empty()) {
        throw unreadable(scope.file, std::move(scope.faults));
    }
    return result;
}

} // namespace ane::onnx::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY read_model read_onnx(std::span<const std::byte> bytes, const onnx_reader_options& options,
                                  std::string_view file_name) {
    onnx::model_scope scope(file_name, "", options);
    return onnx::read_from(onnx::parsed(bytes, scope), scope);
}

ANEMONE_BODY read_model read_onnx_file(const std::string& path, const onnx_reader_options& options) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    onnx::model_scope scope(path, folder.empty() ? "." : folder.string(), options);
    // The file's memory is given back before the weights are copied out of the message.
    const auto model = [&] {
        detail::open_file file = detail::opened_to_read(path);
        if (options.opened != nullptr) {
            options.opened->add(file.get());
        }
        return onnx::parsed(readers::mapped_file(std::move(file), path), scope);
    }();
    if (model != nullptr) {
        scope.files.tell_of(model->graph().initializer());
    }
    return onnx::read_from(model, scope);
}

ANEMONE_BODY std::vector<std::string> onnx_operators() {
    std::vector<std::string> names{"If"};
    for (const auto& [name, convert] : onnx::operator_table()) {
        names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace ane::inline ANEMONE_WAY
