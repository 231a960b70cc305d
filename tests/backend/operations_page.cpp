// docs/models.md has a row for every operation, and says which backends have a kernel for it.

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

using namespace ane;

namespace {

/// The cell behind the last but one bar of a table row.
std::string last_cell(const std::string& row) {
    const std::size_t end = row.rfind(" |");
    const std::size_t begin = row.rfind("| ", end - 1);
    return row.substr(begin + 2, end - begin - 2);
}

/// Each `name` in the first cell of the operations' tables, with its last cell; a name that stands twice is "twice".
std::map<std::string, std::string> listed() {
    std::ifstream page(std::filesystem::path(ANEMONE_TEST_DATA) / ".." / "docs" / "models.md");
    std::map<std::string, std::string> kernels;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        inside = (inside || line == "## Operations") && line != "### Built from these";
        if (!inside || line.rfind("| `", 0) != 0) {
            continue;
        }
        const std::string first = line.substr(2, line.find(" |", 2) - 2);
        for (std::size_t open = first.find('`'); open != std::string::npos;) {
            const std::size_t close = first.find('`', open + 1);
            const auto [at, fresh] = kernels.emplace(first.substr(open + 1, close - open - 1), last_cell(line));
            if (!fresh) {
                at->second = "twice";
            }
            open = first.find('`', close + 1);
        }
    }
    return kernels;
}

} // namespace

TEST_CASE("the page of the operations has all of them, and tells what runs them") {
    const std::map<std::string, std::string> rows = listed();
    CHECK(rows.size() == op_count);
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        CAPTURE(std::string(name(kind)));
        const auto row = rows.find(std::string(name(kind)));
        REQUIRE(row != rows.end());
        const bool on_cpu = backend::cpu::supports(kind);
        const bool on_oracle = backend::oracle::supports(kind);
        CHECK(row->second == (on_cpu && on_oracle ? "both" : (on_cpu ? "CPU" : (on_oracle ? "oracle" : "none"))));
    }
}
