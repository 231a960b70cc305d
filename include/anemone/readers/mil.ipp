#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_readers_mil_hpp);

#include "mil.hpp"
#include "mil_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF read_model read_mil(std::string_view text, file_lookup files, const mil_reader_options& options,
                                    std::string_view file_name) {
    const std::vector<readers::mil_function> functions = readers::functions_of(text, file_name);
    const readers::mil_function& function = readers::chosen(functions, options.function, file_name);
    return readers::read_function(text, function, files, options, file_name);
}

ANEMONE_BODY_OF std::vector<std::string> mil_functions(std::string_view text, std::string_view file_name) {
    std::vector<std::string> names;
    for (const readers::mil_function& f : readers::functions_of(text, file_name)) {
        names.emplace_back(f.name);
    }
    return names;
}

ANEMONE_BODY_OF opened_mil_file::opened_mil_file(const std::string& path)
    : told_(std::make_unique<opened_files>()),
      file_(hidden<readers::mil_file>::of(new readers::mil_file(path, told_.get()))) {}

ANEMONE_BODY_OF std::vector<file_function> opened_mil_file::functions() const {
    std::vector<file_function> all;
    for (const readers::mil_function& f : file_.get("a file of MIL text").functions()) {
        all.push_back({std::string(f.name), f.flexible.enumerated});
    }
    return all;
}

ANEMONE_BODY_OF read_model opened_mil_file::read(const mil_reader_options& options) {
    readers::mil_file& file = file_.get("a file of MIL text");
    if (options.opened != nullptr) {
        options.opened->add(*told_);
    }
    return file.read(file.function(options), options);
}

ANEMONE_BODY_OF std::vector<file_function> mil_file_functions(const std::string& path) {
    return opened_mil_file(path).functions();
}

ANEMONE_BODY_OF read_model read_mil_file(const std::string& path, const mil_reader_options& options) {
    readers::mil_file file(path, options.opened);
    return file.read(file.function(options), options);
}

} // namespace ane::inline ANEMONE_WAY
