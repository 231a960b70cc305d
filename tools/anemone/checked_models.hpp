#pragma once

#include "../app/check.hpp"
#include <anemone/readers/unreadable.hpp>

#include <optional>
#include <string>
#include <vector>

namespace command {

/// What is asked of each file.
struct check_request {
    app::check_options how;
    std::vector<std::string> ranges; ///< as they were given: what they are depends on the model
    app::reading_options reading;
};

/// One model that was judged: of a file, of one of its functions, or of one of the shapes that it enumerates.
struct checked_model {
    std::string title; ///< the path, and which of its models
    std::string path;
    std::string part; ///< "encode, x=1,80,300"; empty where the file is one model
    std::optional<app::judgement> found;
    std::optional<ane::unreadable> refused; ///< instead

    bool ok() const { return found && found->verdicts.ok(); }
};

/// The files that models are in: a folder that is none stands for those below it, sorted. Throws `ane::error`
/// (errc::file) for a folder without any.
std::vector<std::string> model_paths(const std::vector<std::string>& given);

/// Judges every model of a file. Throws what `app::read` throws but `ane::unreadable`, which is a result.
std::vector<checked_model> check_file(const std::string& path, const check_request& asked, const app::caller& who);

/// The same of many files, several at once; in their order. The first error that is thrown ends it.
std::vector<checked_model> check_files(const std::vector<std::string>& paths, const check_request& asked,
                                       unsigned jobs);

/// A line for each model of files that have several: where it is accepted.
std::string models_table(const std::vector<checked_model>& models);

} // namespace command
