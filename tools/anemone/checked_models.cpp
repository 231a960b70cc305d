#include "checked_models.hpp"

#include "../app/target_names.hpp"
#include "progress.hpp"
#include "ranges.hpp"
#include "terminal_text.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/folder_contents.hpp>
#include <anemone/io/open_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

namespace command {

namespace fs = std::filesystem;

namespace {

bool is_model_folder(const fs::path& path) {
    std::error_code failed;
    for (const char* inside : {"Manifest.json", "model.mil", "net.plist"}) {
        if (fs::is_regular_file(path / inside, failed)) {
            return true;
        }
    }
    for (const char* tensors : {"model.safetensors", "model.safetensors.index.json"}) {
        if (fs::is_regular_file(path / tensors, failed) && fs::is_regular_file(path / "config.json", failed)) {
            return true;
        }
    }
    return false;
}

/// A published configuration alone is a model where no other is beside or below it: repositories of ONNX files have one.
bool is_configuration_folder(const fs::path& path) {
    std::error_code failed;
    return fs::is_regular_file(path / "config.json", failed);
}

/// Other property lists are settings of something, and a package's parts are within it.
bool is_model_name(const fs::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".onnx" || extension == ".mil" || extension == ".mlmodel" || path.filename() == "net.plist";
}

/// Links to folders are not followed: they may lead back.
void collect(const fs::path& folder, std::vector<std::string>& found) {
    constexpr std::size_t most = 100'000;
    std::vector<std::string> inside;
    if (const int why = ane::detail::list_names(folder.string(), inside); why != 0) {
        ane::detail::refuse_file_call(folder.string(), "cannot be listed", why);
    }
    std::sort(inside.begin(), inside.end());
    for (const std::string& name : inside) {
        const fs::path each = folder / name;
        std::error_code failed;
        if (fs::is_directory(fs::symlink_status(each, failed))) {
            if (is_model_folder(each)) {
                found.push_back(each.string());
            } else {
                const std::size_t before = found.size();
                collect(each, found);
                if (found.size() == before && is_configuration_folder(each)) {
                    found.push_back(each.string());
                }
            }
        } else if (is_model_name(each)) {
            found.push_back(each.string());
        }
        if (found.size() > most) {
            throw ane::error(ane::errc::argument, folder.string(), fmt::format("has more than {} models", most));
        }
    }
}

std::string part_text(const app::variant& v) {
    return v.shapes.empty() ? v.function + v.others : fmt::format("{}, {}", v.function, fmt::join(v.shapes, " "));
}

checked_model checked(const std::string& path, const std::string& part, const check_request& asked,
                      const app::reading_options& reading, const app::caller& who) {
    checked_model made{part.empty() ? path : fmt::format("{} ({})", path, part), path, part, {}, {}};
    try {
        const app::model model(path, reading, who);
        app::check_options how = asked.how;
        const input_ranges known = ranges_in(asked.ranges, model);
        how.ranges = known.ranges;
        made.found = app::check(model, how, who, known.observed);
    } catch (const ane::unreadable& refused) {
        made.refused = refused;
    }
    return made;
}

} // namespace

std::vector<std::string> model_paths(const std::vector<std::string>& given) {
    std::vector<std::string> all;
    for (const std::string& path : given) {
        std::error_code failed;
        if (!fs::is_directory(path, failed) || is_model_folder(path)) {
            all.push_back(path);
            continue;
        }
        const std::size_t before = all.size();
        try {
            collect(path, all);
        } catch (const fs::filesystem_error& refused) {
            throw ane::error(ane::errc::file, path, refused.code().message());
        }
        if (all.size() == before && is_configuration_folder(path)) {
            all.push_back(path);
        } else if (all.size() == before) {
            throw ane::error(ane::errc::file, path,
                             "is a folder without models: known are .mil, .mlmodelc, .mlpackage, .mlmodel, net.plist, "
                             ".onnx and config.json");
        }
    }
    return all;
}

std::vector<checked_model> check_file(const std::string& path, const check_request& asked, const app::caller& who) {
    app::open_text text;
    const std::vector<app::variant> variants = app::variants_of(path, asked.reading, text);
    app::caller with = who;
    with.text = &text;
    std::vector<checked_model> all;
    if (variants.empty()) {
        all.push_back(checked(path, "", asked, asked.reading, with));
    }
    for (const app::variant& v : variants) {
        app::reading_options reading = asked.reading;
        reading.function = v.function;
        reading.shapes = v.shapes.empty() ? reading.shapes : v.shapes;
        all.push_back(checked(path, part_text(v), asked, reading, with));
    }
    return all;
}

std::vector<checked_model> check_files(const std::vector<std::string>& paths, const check_request& asked,
                                       unsigned jobs) {
    std::vector<std::vector<checked_model>> found(paths.size());
    const app::task shown(user(), "checking");
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::vector<std::exception_ptr> thrown(paths.size());
    const unsigned count =
        std::min<unsigned>(std::max(jobs, 1U), static_cast<unsigned>(std::max<std::size_t>(paths.size(), 1)));
    const app::caller quiet{user().by, nullptr}; // one line of progress is for one task
    const auto work = [&](bool tells) {
        for (std::size_t i = next++; i < paths.size() && !stopped; i = next++) {
            if (tells) {
                shown.now("checking " + paths[i]);
                shown.at(paths.size() > 1 ? static_cast<double>(i) / static_cast<double>(paths.size()) : 0);
            }
            try {
                found[i] = check_file(paths[i], asked, count == 1 ? user() : quiet);
            } catch (...) {
                thrown[i] = std::current_exception();
                stopped = true;
            }
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < count; ++i) {
        threads.emplace_back(work, false);
    }
    work(true);
    for (std::thread& each : threads) {
        each.join();
    }
    for (const std::exception_ptr& each : thrown) {
        if (each) {
            std::rethrow_exception(each);
        }
    }
    std::vector<checked_model> all;
    for (std::vector<checked_model>& each : found) {
        std::move(each.begin(), each.end(), std::back_inserter(all));
    }
    return all;
}

std::string models_table(const std::vector<checked_model>& models) {
    std::map<std::string, std::size_t> counts;
    for (const checked_model& each : models) {
        ++counts[each.path];
    }
    std::string text;
    std::string last;
    for (const checked_model& each : models) {
        if (each.part.empty()) {
            continue;
        }
        if (each.path != last) {
            text += fmt::format("{}: {} models\n", one_line(each.path), counts[each.path]);
            last = each.path;
        }
        std::vector<ane::target> refusing;
        for (std::size_t i = 0; each.found && i < each.found->verdicts.rows().size(); ++i) {
            const ane::target_verdict& row = each.found->verdicts.rows()[i];
            if (!row.accepted()) {
                refusing.push_back(row.target);
            }
        }
        text += fmt::format("  {:<32} {}\n", one_line(each.part),
                            each.refused ? "unreadable"
                            : refusing.empty()
                                ? "accepted"
                                : "refused by " + app::names_of(refusing, each.found->verdicts.rows().size()));
    }
    return text;
}

} // namespace command
