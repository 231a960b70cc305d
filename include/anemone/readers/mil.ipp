#pragma once

#include "../io/open_file.hpp"
#include "file_names.hpp"
#include "mapped_file.hpp"
#include "mil.hpp"
#include "mil_program.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ane::readers::inline ANEMONE_WAY {

/// The path of a blob: `@model_path/` is the folder of the text, and so is where a relative path begins.
ANEMONE_INLINE std::string blob_path(const std::string& text_path, const std::string& written) {
    constexpr std::string_view folder = "@model_path/";
    const std::string_view rest =
        std::string_view(written).substr(written.compare(0, folder.size(), folder) == 0 ? folder.size() : 0);
    return std::filesystem::path(text_path).parent_path() / rest;
}

} // namespace ane::readers::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY read_model read_mil(std::string_view text, file_lookup files, const mil_reader_options& options,
                                 std::string_view file_name) {
    readers::mil_scope scope(files, file_name, readers::kept_file_name(file_name), options.memory);
    scope.saturates = options.saturates_infinities;
    scope.approximates = options.approximates;
    readers::mil_program_reader(text, scope).read(options.function);
    read_model model;
    if (scope.faults.empty()) {
        try {
            model.graph = scope.graph.finish();
        } catch (const error& e) {
            scope.faults.push_back({scope.file, 0, 0, {}, e.what()});
        }
    }
    if (!scope.faults.empty()) {
        throw unreadable(file_name, std::move(scope.faults));
    }
    model.weights = std::move(scope.weights);
    model.notes = std::move(scope.notes);
    model.doubts = std::move(scope.doubts);
    return model;
}

ANEMONE_BODY std::vector<std::string> mil_functions(std::string_view text, std::string_view file_name) {
    readers::mil_scope scope([](const std::string&) { return std::span<const std::byte>(); }, file_name,
                             readers::kept_file_name(file_name), 0);
    std::vector<std::string> names = readers::mil_program_reader(text, scope).names();
    if (!scope.faults.empty()) {
        throw unreadable(file_name, std::move(scope.faults));
    }
    return names;
}

ANEMONE_BODY read_model read_mil_file(const std::string& path, const mil_reader_options& options) {
    const readers::mapped_file text(path);
    std::vector<std::unique_ptr<readers::mapped_file>> blobs;
    const auto files = [&](const std::string& written) {
        blobs.push_back(std::make_unique<readers::mapped_file>(readers::blob_path(path, written)));
        return blobs.back()->bytes();
    };
    const std::span<const std::byte> bytes = text.bytes();
    return read_mil({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, files, options, path);
}

} // namespace ane::inline ANEMONE_WAY
