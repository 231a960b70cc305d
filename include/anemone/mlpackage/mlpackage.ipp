#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_mlpackage_mlpackage_hpp);

#include "../readers/mapped_file.hpp"
#include "../readers/path_below.hpp"
#include "manifest.hpp"
#include "mlpackage.hpp"
#include "new_folder.hpp"
#include "program_reader.hpp"
#include "program_writer.hpp"

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

/// The model's file of a package's folder. Throws `error` (errc::file).
ANEMONE_INLINE std::string model_file_of(const std::string& package) {
    const std::string manifest = std::filesystem::path(package) / manifest_file;
    const std::string items = std::filesystem::path(package) / items_folder;
    const std::string root = root_model_in(small_file(manifest), manifest);
    const readers::path_below found = readers::find_below(items, root);
    if (!found.refused.empty()) {
        throw error(errc::file, manifest, formatted("its model \"{}\" {}", shown(root), found.refused));
    }
    return found.path;
}

/// The same of a package, or of the model's file itself.
ANEMONE_INLINE std::string model_file_at(const std::string& path) {
    std::error_code ignored; // whoever opens the file says what is wrong with the path
    return std::filesystem::is_directory(path, ignored) ? model_file_of(path) : path;
}

/// Whether a package is at the path, which may be replaced. Throws `error` (errc::file) where something else is.
ANEMONE_INLINE bool replaces_package(const std::string& path) {
    std::error_code failed;
    const std::filesystem::file_status found = std::filesystem::symlink_status(path, failed);
    if (!std::filesystem::exists(found)) {
        return false;
    }
    if (std::filesystem::is_directory(found)) {
        try {
            model_file_of(path);
            return true;
        } catch (const error&) { // none
        }
    }
    throw error(errc::file, path, "is there and is no ML package: it is not overwritten");
}

/// The weights that a model refers to, each file mapped once.
class weight_files {
public:
    ANEMONE_INLINE explicit weight_files(std::string folder) : folder_(std::move(folder)) {}

    /// Throws `error` (errc::file).
    ANEMONE_INLINE std::span<const std::byte> operator()(const std::string& written) {
        constexpr std::string_view start = "@model_path/";
        const readers::path_below found =
            readers::find_below(folder_, written.starts_with(start) ? written.substr(start.size()) : written);
        if (!found.refused.empty()) {
            throw error(errc::file, shown(written), found.refused);
        }
        return files_.try_emplace(found.path, found.path).first->second.bytes();
    }

private:
    std::string folder_;
    std::map<std::string, readers::mapped_file> files_;
};

} // namespace ane::mlpackage::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::vector<std::byte> mlmodel_bytes(const mil_program& program) {
    const std::string bytes = mlpackage::model_bytes(program.text);
    const std::span<const std::byte> all = std::as_bytes(std::span(bytes));
    return {all.begin(), all.end()};
}

ANEMONE_BODY_OF std::string write_mlpackage(const mil_program& program, const std::string& path) {
    std::string place = path;
    while (place.size() > 1 && place.back() == '/') {
        place.pop_back();
    }
    detail::require_file_path(place);
    const std::string model = mlpackage::model_bytes(program.text);
    const std::string_view weights = mlpackage::text_of(program.weights.bytes());
    const std::string manifest = mlpackage::manifest_text(mlpackage::identifier_of("model", model),
                                                          mlpackage::identifier_of("weights", weights));
    const bool replaces = mlpackage::replaces_package(place);
    mlpackage::new_folder folder(place);
    const auto item = [](std::string_view inside) { return formatted("{}/{}", mlpackage::items_folder, inside); };
    const detail::named_bytes files[]{
        {item(mlpackage::weights_path) + "/weight.bin", program.weights.bytes()},
        {item(mlpackage::model_path), std::as_bytes(std::span(model))},
        {std::string(mlpackage::manifest_file), std::as_bytes(std::span(manifest))},
    };
    folder.write(files);
    folder.publish(replaces);
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
    const readers::mapped_file file(mlpackage::model_file_at(path));
    return mlpackage::program_reader(mlpackage::text_of(file.bytes()), path).file_functions();
}

ANEMONE_BODY_OF read_model read_mlpackage_file(const std::string& path, const mil_reader_options& options) {
    const std::string model = mlpackage::model_file_at(path);
    const readers::mapped_file file(model);
    mlpackage::weight_files weights(std::filesystem::path(model).parent_path());
    return read_mlmodel(file.bytes(), weights, options, path);
}

} // namespace ane::inline ANEMONE_WAY
