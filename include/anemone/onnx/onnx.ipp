#pragma once

#include "graph_reader.hpp"
#include "onnx.hpp"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <set>
#include <string>

namespace ane::onnx::inline ANEMONE_WAY {

ANEMONE_INLINE read_model read_from(std::span<const std::byte> bytes, const std::string& folder,
                                    const onnx_reader_options& options, std::string_view file) {
    model_scope scope(shown(file), folder, options);
    const auto model = std::make_unique<::onnx::ModelProto>();
    if (bytes.size() > INT_MAX) {
        scope.blame(
            0, "",
            formatted("has {} bytes; a model has at most {}, larger weights are external data", bytes.size(), INT_MAX));
    } else if (bytes.empty()) {
        scope.blame(0, "", "is empty");
    } else if (!model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        scope.blame(0, "", "is no ONNX model, or not all of one");
    } else {
        graph_reader(*model, scope).read();
    }
    read_model result;
    if (scope.faults.empty()) {
        try {
            result.graph = scope.graph.finish();
        } catch (const error& e) {
            scope.blame(0, "", e.what());
        }
    }
    if (!scope.faults.empty()) {
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
    result.notes = std::move(scope.notes);
    return result;
}

} // namespace ane::onnx::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY read_model read_onnx(std::span<const std::byte> bytes, const onnx_reader_options& options,
                                  std::string_view file_name) {
    return onnx::read_from(bytes, "", options, file_name);
}

ANEMONE_BODY read_model read_onnx_file(const std::string& path, const onnx_reader_options& options) {
    const readers::mapped_file file(path);
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return onnx::read_from(file.bytes(), folder.empty() ? "." : folder.string(), options, path);
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
