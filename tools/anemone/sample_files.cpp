#include "sample_files.hpp"

#include "numpy_file.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/folder_contents.hpp>
#include <anemone/io/open_file.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace command {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const std::string& path) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
        return {path};
    }
    std::vector<std::string> names;
    if (const int why = ane::detail::list_names(path, names); why != 0) {
        ane::detail::refuse_file_call(path, "cannot be listed", why);
    }
    std::vector<std::string> files;
    for (const std::string& name : names) {
        if (name.ends_with(".npz") || name.ends_with(".npy")) {
            files.push_back((fs::path(path) / name).string());
        }
    }
    if (files.empty()) {
        throw ane::error(ane::errc::file, path, "has no .npz or .npy");
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

ane::model_samples samples_in(const std::vector<std::string>& paths, const app::model& model) {
    ane::model_samples samples;
    const std::vector<app::port> inputs = model.ports().inputs;
    for (const std::string& path : paths) {
        for (const std::string& file : files_in(path)) {
            const std::vector<tensor> arrays = read_arrays(file, model.max_memory());
            if (arrays.empty()) { // and not random numbers in their place
                throw ane::error(ane::errc::file, file, "has no arrays");
            }
            app::add_runs(samples, inputs, arrays_for(inputs, arrays), file);
        }
    }
    return samples;
}

} // namespace command
