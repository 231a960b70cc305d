// Writes SARIF and JSON documents for tests/python/sarif.py into the folder that is the argument.

#include "../report/reported_models.hpp"
#include "into_folder.hpp"
#include <anemone/io/file.hpp>
#include <anemone/io/json.hpp>
#include <anemone/report/sarif.hpp>
#include <anemone/report/verdicts.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;
using namespace reported_models;

namespace {

/// Each code point as a string: how a reader takes it is known there.
std::string every_code_point() {
    json_writer strings;
    strings.array();
    for (char32_t c = 0; c < 0x11000; ++c) {
        if (c < 0x80) {
            const char one = static_cast<char>(c);
            strings.value(std::string_view(&one, 1));
        } else if (c < 0x800) {
            const char two[] = {static_cast<char>(0xC0U | c >> 6U), static_cast<char>(0x80U | (c & 0x3FU))};
            strings.value(std::string_view(two, 2));
        } else if (c < 0xD800 || (c > 0xDFFF && c < 0x10000)) {
            const char three[] = {static_cast<char>(0xE0U | c >> 12U), static_cast<char>(0x80U | (c >> 6U & 0x3FU)),
                                  static_cast<char>(0x80U | (c & 0x3FU))};
            strings.value(std::string_view(three, 3));
        }
    }
    strings.end();
    return strings.str();
}

void write_all(const std::filesystem::path& to) {
    const sarif_options options{.root = "/src", .help_base = "https://example.org/my%20rules/", .rules = {}};
    write_file(to / "hostile.sarif", sarif(hostile(), all_targets, options));
    write_file(to / "hostile.json", verdicts(hostile(), all_targets).json("\"{}\\\xff"));
    write_file(to / "ordinary.sarif", sarif(ordinary(), macs, options));
    write_file(to / "ordinary.json", verdicts(ordinary()).json("ordinary"));
    write_file(to / "strict.sarif",
               sarif(ordinary(), h16, {.root = {}, .help_base = {}, .rules = as_error(rule::width_is_not_a_granule)}));
    write_file(to / "tied.sarif", sarif(tied(), macs, options));
    write_file(to / "tied.json", verdicts(tied()).json("tied"));
    const aside seen{file_doubt, severity::warn, "the \"word\" {of} it\x01", "/src/a b.mil", 7};
    const aside nowhere{data_not_finite, severity::reject, "element 3 is nan", {}, 0};
    write_file(to / "observed.sarif",
               sarif(tied(), macs, {.root = "/src", .help_base = {}, .rules = {}, .observed = {seen, nowhere, seen}}));
    write_file(to / "observed.json", verdicts(tied()).json("tied", std::vector{seen, nowhere}));
    write_file(to / "empty.sarif", sarif(ordinary(), target_set{}, options));
    write_file(to / "strings.json", every_code_point());
}

} // namespace

int main(int count, char** arguments) { return into_folder(count, arguments, write_all); }
