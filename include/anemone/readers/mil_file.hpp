#pragma once

#include "../passes/rank_one.hpp"
#include "file_names.hpp"
#include "mapped_file.hpp"
#include "mil.hpp"
#include "mil_program.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// What `read`, which is called with a scope, makes of a function. Throws `unreadable` with the faults of the scope.
template <class Read>
read_model model_of(file_lookup files, const mil_reader_options& options, std::string_view file_name,
                    const Read& read) {
    mil_scope scope(files, file_name, kept_file_name(file_name), options.memory);
    scope.approximates = options.approximates;
    scope.blobs.allows_missing = options.allows_missing;
    scope.shapes = options.shapes;
    read(scope);
    for (const auto& [path, why] : scope.blobs.lost) {
        scope.note(formatted("the blob {} {}: weights have their shapes alone", path, why));
    }
    read_model model;
    if (scope.faults.empty()) {
        try {
            model.graph = scope.graph.finish();
            if (has_rank_zero(model.graph)) {
                model.graph = with_rank_one(model.graph);
            }
        } catch (const error& e) {
            scope.faults.push_back({scope.file, 0, 0, {}, e.what()});
        }
    }
    if (!scope.faults.empty()) {
        if (!options.saturates_infinities && !options.approximates) {
            const std::vector<read_fault> more = faults_of_large_constants(scope.graph.graph(), scope.large_constants);
            scope.faults.insert(scope.faults.end(), more.begin(), more.end());
        }
        throw unreadable(file_name, std::move(scope.faults));
    }
    model.weights = std::move(scope.weights);
    model.notes = std::move(scope.notes);
    model.doubts = std::move(scope.doubts);
    model.integers = std::move(scope.integers);
    model.missing = std::move(scope.missing);
    model.layouts = std::move(scope.layouts);
    model.hints = std::move(scope.hints);
    model.forms = std::move(scope.forms);
    scope.faults =
        settle_large_constants(model, scope.large_constants, options.saturates_infinities || options.approximates);
    if (!scope.faults.empty()) {
        throw unreadable(file_name, std::move(scope.faults));
    }
    return model;
}

/// One function of a program's text as a model. Throws `unreadable`.
ANEMONE_INLINE read_model read_function(std::string_view text, const mil_function& function, file_lookup files,
                                        const mil_reader_options& options, std::string_view file_name) {
    return model_of(files, options, file_name,
                    [&](mil_scope& scope) { mil_program_reader(text, function, scope).read(); });
}

/// A file of MIL text, whose functions are found once, and the blobs that it refers to, each mapped once for all of them.
class mil_file {
public:
    /// Throws `error` (errc::file), and `unreadable` where the text is no program.
    ANEMONE_INLINE explicit mil_file(const std::string& path)
        : path_(path), mapped_(path), functions_(functions_of(text(), path)) {}

    const std::vector<mil_function>& functions() const { return functions_; }
    /// The function that the options ask for.
    ANEMONE_INLINE const mil_function& function(const mil_reader_options& options) const {
        return chosen(functions_, options.function, path_);
    }
    ANEMONE_INLINE read_model read(const mil_function& function, const mil_reader_options& options) {
        const auto files = [this](const std::string& written) { return blob(written); };
        return read_function(text(), function, files, options, path_);
    }

private:
    std::string_view text() const {
        return {reinterpret_cast<const char*>(mapped_.bytes().data()), mapped_.bytes().size()};
    }
    /// `@model_path/` is the folder of the text, and so is where a relative path begins.
    ANEMONE_INLINE std::span<const std::byte> blob(const std::string& written) {
        constexpr std::string_view folder = "@model_path/";
        const std::string_view rest =
            std::string_view(written).substr(written.compare(0, folder.size(), folder) == 0 ? folder.size() : 0);
        const std::filesystem::path path = std::filesystem::path(path_).parent_path() / rest;
        return blobs_.try_emplace(written, path.string()).first->second.bytes();
    }

    std::string path_;
    mapped_file mapped_;
    std::vector<mil_function> functions_;
    std::map<std::string, mapped_file> blobs_;
};

} // namespace ane::readers::inline ANEMONE_WAY
