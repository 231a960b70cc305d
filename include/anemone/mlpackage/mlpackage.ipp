#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_mlpackage_mlpackage_hpp);

#include "../io/folder.hpp"
#include "../io/folder_contents.hpp"
#include "../readers/limited_files.hpp"
#include "../readers/mapped_file.hpp"
#include "../readers/model_folder.hpp"
#include "manifest.hpp"
#include "mlpackage.hpp"
#include "program_reader.hpp"
#include "program_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace ane::mlpackage::inline ANEMONE_WAY {

ANEMONE_INLINE std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The model's file of a package's folder, with the folder that the file is in. Throws `error` (errc::file).
ANEMONE_INLINE readers::model_place model_in(const std::string& package, opened_files* told = nullptr) {
    const std::string manifest = std::filesystem::path(package) / manifest_file;
    const std::string items = std::filesystem::path(package) / items_folder;
    ane::detail::finish_journal(package + "/");
    const readers::model_folder folder(package, told);
    ane::detail::open_file text = folder.file(std::string(manifest_file)).taken(manifest);
    const std::string root = root_model_in(small_file(std::move(text), manifest), manifest);
    const readers::model_folder data = folder.folder(std::string(items_folder), items);
    readers::opened_below found = data.file(root);
    if (!found.refused.empty()) {
        throw error(errc::file, manifest, formatted("its model \"{}\" {}", shown(root), found.refused));
    }
    const std::string around = std::filesystem::path(root).parent_path();
    return {items + "/" + root, data.folder(around.empty() ? "." : around, items + "/" + around),
            std::move(found.file)};
}

/// The same of a package, or of the model's file itself.
ANEMONE_INLINE readers::model_place model_at(const std::string& path, opened_files* told = nullptr) {
    std::error_code ignored; // whoever opens the file says what is wrong with the path
    return std::filesystem::is_directory(path, ignored) ? model_in(path, told) : readers::model_at(path, "", told);
}

/// Throws `error` (errc::file) where something else is at the path than a package as we write it; one with other files is
/// refused unless `keeps_others`.
ANEMONE_INLINE void require_replaceable(const std::string& path, std::span<const ane::detail::named_bytes> files,
                                        bool keeps_others) {
    std::error_code failed;
    const std::filesystem::file_status found = std::filesystem::symlink_status(path, failed);
    std::vector<std::string> names;
    if (!std::filesystem::exists(found) ||
        (std::filesystem::is_directory(found) && ane::detail::list_names(path, names) == 0 && names.empty())) {
        return;
    }
    bool is_package = std::filesystem::is_directory(found);
    try {
        is_package = is_package && (model_in(path), true);
    } catch (const error&) {
        is_package = false;
    }
    if (!is_package) {
        throw error(errc::file, path, "is there and is no ML package: it is not overwritten");
    }
    std::vector<ane::detail::folder_entry> there;
    const int failure = keeps_others ? 0 : ane::detail::list_folder(path, there);
    if (failure != 0) {
        ane::detail::refuse_file_call(path, "cannot be listed", failure);
    }
    for (const ane::detail::folder_entry& each : there) {
        const bool is_ours = each.is_folder || std::any_of(files.begin(), files.end(),
                                                           [&](const auto& file) { return file.path == each.path; });
        if (!is_ours) {
            throw error(errc::file, path,
                        formatted("is an ML package with a file that this program did not write, {}: it is not "
                                  "overwritten; --force (C++: keeps_others) replaces the model and its weights alone",
                                  shown(each.path)));
        }
    }
}

/// The files of weights that a model refers to.
class weight_files {
public:
    ANEMONE_INLINE weight_files(const readers::model_folder& folder, std::uint64_t most)
        : folder_(folder), files_(most) {}

    /// Throws `missing_file`, and `error` (errc::file).
    ANEMONE_INLINE file_bytes operator()(const std::string& written) {
        constexpr std::string_view start = "@model_path/";
        if (const file_bytes* known = files_.find(written)) {
            return *known;
        }
        readers::opened_below found = folder_.file(written.starts_with(start) ? written.substr(start.size()) : written);
        return files_.add(written, std::move(found).taken(shown(written)), shown(written));
    }

private:
    const readers::model_folder& folder_;
    readers::limited_files files_;
};

} // namespace ane::mlpackage::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::vector<std::byte> mlmodel_bytes(const mil_program& program) {
    const std::string bytes = mlpackage::model_bytes(program.text);
    const std::span<const std::byte> all = std::as_bytes(std::span(bytes));
    return {all.begin(), all.end()};
}

ANEMONE_BODY_OF std::string write_mlpackage(const mil_program& program, const std::string& path, bool keeps_others) {
    std::string place = path;
    while (place.size() > 1 && place.back() == '/') {
        place.pop_back();
    }
    detail::require_file_path(place);
    const std::string model = mlpackage::model_bytes(program.text);
    const std::string_view weights = mlpackage::text_of(program.weights.bytes());
    const std::string manifest = mlpackage::manifest_text(mlpackage::identifier_of("model", model),
                                                          mlpackage::identifier_of("weights", weights));
    const auto item = [](std::string_view inside) { return formatted("{}/{}", mlpackage::items_folder, inside); };
    const detail::named_bytes files[]{
        {item(mlpackage::weights_path) + "/weight.bin", program.weights.bytes()},
        {item(mlpackage::model_path), std::as_bytes(std::span(model))},
        {std::string(mlpackage::manifest_file), std::as_bytes(std::span(manifest))},
    };
    mlpackage::require_replaceable(place, files, keeps_others);
    detail::write_folder(place, files);
    return place;
}

ANEMONE_BODY_OF read_model read_mlmodel(std::span<const std::byte> bytes, file_lookup files,
                                        const mil_reader_options& options, std::string_view file_name) {
    return mlpackage::program_reader(mlpackage::text_of(bytes), file_name).read(files, options);
}

ANEMONE_BODY_OF std::vector<std::string> mlmodel_functions(std::span<const std::byte> bytes,
                                                           std::string_view file_name) {
    return mlpackage::program_reader(mlpackage::text_of(bytes), file_name).functions();
}

ANEMONE_BODY_OF std::vector<file_function> mlpackage_file_functions(const std::string& path) {
    readers::model_place model = mlpackage::model_at(path);
    readers::mapped_file file(std::move(model.file), model.path);
    return mlpackage::program_reader(mlpackage::text_of(file.bytes()), path).file_functions();
}

ANEMONE_BODY_OF read_model read_mlpackage_file(const std::string& path, const mil_reader_options& options) {
    readers::model_place model = mlpackage::model_at(path, options.opened);
    readers::mapped_file file(std::move(model.file), model.path);
    mlpackage::weight_files weights(model.home, options.memory);
    return read_mlmodel(file.bytes(), weights, options, path);
}

} // namespace ane::inline ANEMONE_WAY
