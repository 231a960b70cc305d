#include "option_files.hpp"

#include "../app/option.hpp"
#include "command.hpp"
#include "input_file.hpp"
#include "option_arguments.hpp"
#include <anemone/base/error.hpp>
#include <anemone/io/unicode.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>

namespace command {

namespace {

constexpr const char* usual_config = "anemone.toml";
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 24U; ///< of a file of options

/// What a file may set that nobody named: by these the answer is to another question, or looks different; a refusal stays
/// one, and nothing is written or loaded.
constexpr std::string_view harmless_options[] = {"--targets", "--target", "--error",    "--format", "--quiet", "--all",
                                                 "--layers",  "--json",   "--csv",      "--theme",  "--seed",  "--goal",
                                                 "--weights", "--period", "--collapse", "--batches"};

bool exists(const std::string& path) {
    std::error_code failed;
    return std::filesystem::exists(std::filesystem::symlink_status(path, failed));
}

/// A configuration file is one, before it is read: neither a device nor larger than any of them.
std::string config_fault(const std::string& path) {
    try {
        if (exists(path)) { // the usual one may be missing; the parser complains of another
            static_cast<void>(input_bytes(path, most_bytes));
        }
        return "";
    } catch (const ane::error& wrong) {
        return wrong.what();
    }
}

/// The parser of configuration files, which knows whether the user named the file.
class config_reader : public CLI::ConfigTOML {
public:
    explicit config_reader(const CLI::App& app) : app_(app) {}

    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
        std::vector<CLI::ConfigItem> all = CLI::ConfigTOML::from_config(input);
        if (app_.get_config_ptr()->count() == 0) {
            for (const CLI::ConfigItem& each : all) {
                judge(each);
            }
        }
        return all;
    }

private:
    /// Tells of an option of the subcommand that was called, or refuses it.
    void judge(const CLI::ConfigItem& item) const {
        const CLI::App* of = &app_;
        for (const std::string& each : item.parents) {
            const auto subs = of->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == each; });
            if (subs.empty()) {
                return; // the parser says that there is none
            }
            of = subs.front();
        }
        const CLI::Option* option = detail::option_named(*of, "--" + item.name);
        option = option == nullptr && item.name.size() == 1 ? detail::option_named(*of, "-" + item.name) : option;
        option = option == nullptr ? detail::option_named(*of, item.name) : option;
        if (option == nullptr || (of != &app_ && of->count() == 0)) {
            return;
        }
        const std::string name = option->get_name();
        const std::string shown = ane::detail::printable(
            fmt::format("{}{}{}", fmt::join(item.parents, " "), item.parents.empty() ? "" : " ", name));
        const bool is_harmless =
            std::find(std::begin(harmless_options), std::end(harmless_options), name) != std::end(harmless_options);
        // A name may be that of a flag here and of a file there.
        if (!is_harmless || option->get_type_name().starts_with(app::words::file)) {
            throw ane::error(ane::errc::argument, usual_config,
                             fmt::format("sets {}, which a file may that you name: --config {}", shown, usual_config));
        }
        if (option->empty()) {
            const std::string value = ane::detail::printable(fmt::format("{}", fmt::join(item.inputs, ",")));
            tell(fmt::format("note: {} of this folder sets {} {}\n", usual_config, shown,
                             ane::error::shortened(value, 200)));
        }
    }

    const CLI::App& app_;
};

bool names_config(const std::vector<std::string>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [](const std::string& each) { return each.starts_with("--config"); });
}

} // namespace

std::vector<std::string> expanded(int count, char** arguments) {
    std::vector<std::string> all;
    bool are_options = true;
    for (int i = 1; i < count; ++i) {
        const std::string each = arguments[i];
        are_options = are_options && each != "--";
        if (!are_options || each.size() < 2 || each.front() != '@' || exists(each)) {
            all.push_back(each);
            continue;
        }
        std::istringstream file(input_bytes(each.substr(1), most_bytes));
        for (std::string line; std::getline(file, line);) {
            if (!line.empty() && line.front() != '#') {
                all.push_back(line);
            }
        }
    }
    return all;
}

void add_config(CLI::App& app) {
    app.set_config("--config", usual_config, "Options from a file, by subcommand: [check] targets = \"macs\"")
        ->check(config_fault);
    app.config_formatter(std::make_shared<config_reader>(app));
}

bool has_config(const std::vector<std::string>& arguments) { return names_config(arguments) || exists(usual_config); }

void require_config(const std::vector<std::string>& arguments) {
    if (!names_config(arguments) && exists(usual_config)) {
        static_cast<void>(input_bytes(usual_config, most_bytes));
    }
}

} // namespace command
