#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_mlpackage_package_verdict_hpp);

#include "../readers/file_verdict.hpp"
#include "../readers/mapped_file.hpp"
#include "mlpackage.ipp"
#include "package_verdict.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF file_verdict judge_mlpackage_file(const std::string& path, target t,
                                                  const mil_reader_options& options) {
    mil_reader_options lenient = options; // whether the graph can hold a number is not the compiler's question
    lenient.approximates = true;
    file_verdict all;
    try {
        std::vector<std::string> wanted(1, std::string(options.function));
        if (options.function.empty()) {
            readers::model_place model = mlpackage::model_at(path);
            readers::mapped_file file(std::move(model.file), model.path);
            wanted = mlmodel_functions(file.bytes(), path);
        }
        if (wanted.empty()) {
            wanted.emplace_back(); // its reader says that there is none
        }
        for (const std::string& function : wanted) {
            lenient.function = function;
            file_verdict verdict;
            try {
                verdict = judge(read_mlpackage_file(path, lenient), t);
            } catch (const unreadable& refused) {
                verdict.reasons = refused.faults();
            }
            all.reasons.insert(all.reasons.end(), verdict.reasons.begin(), verdict.reasons.end());
        }
    } catch (const unreadable& refused) { // no function was found
        return {refused.faults()};
    }
    return all;
}

ANEMONE_BODY_OF file_verdict judge_model_file(const std::string& path, target t, const mil_reader_options& options) {
    const std::filesystem::path given(path);
    std::error_code ignored;
    if (!std::filesystem::is_directory(given, ignored)) {
        return given.extension() == ".mlmodel" ? judge_mlpackage_file(path, t, options)
                                               : judge_mil_file(path, t, options);
    }
    const std::filesystem::path text = given / "model.mil";
    return std::filesystem::exists(text, ignored) ? judge_mil_file(text.string(), t, options)
                                                  : judge_mlpackage_file(path, t, options);
}

} // namespace ane::inline ANEMONE_WAY
