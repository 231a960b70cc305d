#pragma once

#include "../passes/rank_one.hpp"
#include "file_names.hpp"
#include "limited_files.hpp"
#include "mapped_file.hpp"
#include "mil.hpp"
#include "mil_program.hpp"
#include "model_folder.hpp"

#include <cstddef>
#include <optional>
#include <set>
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
    model.expanded = std::move(scope.expanded);
    model.doubts = std::move(scope.doubts);
    model.types = std::move(scope.types);
    model.hazards = std::move(scope.hazards);
    model.unheld = std::move(scope.unheld);
    model.integers = std::move(scope.integers);
    model.missing = std::move(scope.missing);
    model.layouts = std::move(scope.layouts);
    model.hints = std::move(scope.hints);
    model.forms = std::move(scope.forms);
    model.opset = std::move(scope.opset);
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
    return model_of(files, options, file_name, [&](mil_scope& scope) {
        scope.opset = function.opset;
        mil_program_reader(text, function, scope).read();
    });
}

/// A file of MIL text, whose functions are found once, and the blobs that it refers to.
class mil_file {
public:
    /// Throws `error` (errc::file), and `unreadable` where the text is no program.
    ANEMONE_INLINE explicit mil_file(const std::string& path, opened_files* told = nullptr)
        : place_(model_at(path, "model.mil", told)), file_(std::move(place_.file), place_.path), text_(file_.bytes()),
          functions_(functions_of(text(), place_.path)) {
        if (told != nullptr) { // of the blobs of all functions, whichever is read
            constexpr std::string_view word = "BLOBFILE";
            std::set<std::string_view> names;
            for (std::size_t at = text().find(word); at != std::string_view::npos; at = text().find(word, at + 1)) {
                const std::size_t begin = text().find('"', at);
                const std::size_t end = begin == std::string_view::npos ? begin : text().find('"', begin + 1);
                if (end != std::string_view::npos && names.insert(text().substr(begin, end - begin)).second) {
                    place_.home.tell_of(in_folder(std::string(text().substr(begin + 1, end - begin - 1))));
                }
            }
        }
    }

    const std::vector<mil_function>& functions() const { return functions_; }
    /// The function that the options ask for.
    ANEMONE_INLINE const mil_function& function(const mil_reader_options& options) const {
        return chosen(functions_, options.function, place_.path);
    }
    ANEMONE_INLINE read_model read(const mil_function& function, const mil_reader_options& options) {
        blobs_.emplace(options.memory);
        const auto files = [this](const std::string& written) { return blob(written); };
        return read_function(text(), function, files, options, place_.path);
    }

private:
    std::string_view text() const { return {reinterpret_cast<const char*>(text_.data()), text_.size()}; }
    /// `@model_path/` is the folder of the text, and so is where a relative path begins.
    ANEMONE_INLINE static std::string in_folder(const std::string& written) {
        constexpr std::string_view folder = "@model_path/";
        return written.starts_with(folder) ? written.substr(folder.size()) : written;
    }
    /// Throws `missing_file`, and `error` (errc::file).
    ANEMONE_INLINE file_bytes blob(const std::string& written) {
        if (const file_bytes* known = blobs_->find(written)) {
            return *known;
        }
        return blobs_->add(written, place_.home.file(in_folder(written)).taken(written), written);
    }

    model_place place_;
    mapped_file file_;
    std::span<const std::byte> text_;
    std::vector<mil_function> functions_;
    std::optional<limited_files> blobs_; ///< of the function that is read
};

} // namespace ane::readers::inline ANEMONE_WAY
