// The pages of docs/rules and docs/targets.md say what the records say. ANEMONE_UPDATE_DOCS=1 writes them anew.

#include "pages.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace fs = std::filesystem;

namespace {

const fs::path docs = fs::path(ANEMONE_TEST_DATA) / ".." / "docs";

std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// The pages that lie in docs/rules, by their path below docs/.
std::set<std::string> present() {
    std::set<std::string> found;
    if (fs::is_directory(docs / "rules")) {
        for (const fs::directory_entry& entry : fs::directory_iterator(docs / "rules")) {
            found.insert("rules/" + entry.path().filename().string());
        }
    }
    return found;
}

void update(const std::map<std::string, std::string>& made) {
    fs::create_directories(docs / "rules");
    for (const auto& [path, text] : made) {
        if (contents(docs / path) != text) {
            std::ofstream(docs / path, std::ios::binary) << text;
        }
    }
    for (const std::string& path : present()) {
        if (made.count(path) == 0) {
            fs::remove(docs / path);
        }
    }
}

} // namespace

TEST_CASE("the documentation follows from the records (ANEMONE_UPDATE_DOCS=1 writes it anew)") {
    const std::map<std::string, std::string> made = pages::all();
    if (const char* const wanted = std::getenv("ANEMONE_UPDATE_DOCS"); wanted != nullptr && *wanted == '1') {
        update(made);
    }
    for (const auto& page : made) { // no binding: clang 14 captures none in the lambdas of doctest
        const std::string& path = page.first;
        CHECK_MESSAGE(contents(docs / path) == page.second, path,
                      ": differs from its record; run with ANEMONE_UPDATE_DOCS=1");
    }
    for (const std::string& path : present()) {
        CHECK_MESSAGE(made.count(path) == 1, path, ": no record makes this page; run with ANEMONE_UPDATE_DOCS=1");
    }
}

TEST_CASE("the README counts the rules") {
    const std::string told = "[" + std::to_string(ane::rule_count) + " rules](docs/rules/index.md)";
    CHECK_MESSAGE(contents(docs / ".." / "README.md").find(told) != std::string::npos, told);
}

TEST_CASE("each rule has a page that cites its source, its mark and what it says") {
    const std::map<std::string, std::string> made = pages::all();
    for (std::size_t i = 0; i < ane::rule_count; ++i) {
        const ane::rule_record& r = ane::record_of(static_cast<ane::rule>(i));
        const std::string page = "rules/" + std::string(name(r.id)) + ".md";
        CAPTURE(page);
        REQUIRE(made.count(page) == 1);
        const std::string& text = made.at(page);
        CHECK(text.find("# " + std::string(name(r.id)) + "\n") == 0);
        CHECK(text.find(pages::cell(r.fact)) != std::string::npos);
        CHECK(text.find("**" + std::string(name(r.evidence)) + "**") != std::string::npos);
        CHECK(text.find("**" + std::string(name(r.level)) + "**") != std::string::npos);
        CHECK(text.find(pages::cell(r.source)) != std::string::npos);
        CHECK(text.find(r.reject) != std::string::npos);
        const std::string row = "| [" + std::string(name(r.id)) + "](" + std::string(name(r.id)) + ".md) |";
        CHECK(made.at("rules/index.md").find(row) != std::string::npos);
    }
}

TEST_CASE("the targets of a rule are those of its facts") {
    CHECK(pages::targets("R030 R031") == "R030 A13; R031 A16+");
    CHECK(pages::targets("R030") == "A13");
    CHECK(pages::targets("R118") == "all");
    CHECK(pages::targets("R033 R034") == "R033 all; R034 A13");
    CHECK(pages::targets("OC9").empty());
}

TEST_CASE("no text of a record can break a table") {
    CHECK(pages::cell("a | b <c>") == "a \\| b &lt;c>");
    for (const auto& page : pages::all()) {
        const std::string& path = page.first;
        std::istringstream lines(page.second);
        std::size_t columns = 0; // of the table that the line is in
        for (std::string line; std::getline(lines, line);) {
            std::size_t bars = 0;
            for (std::size_t i = 0; i < line.size(); ++i) {
                bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
            }
            const bool in_table = !line.empty() && line[0] == '|';
            CHECK_MESSAGE((!in_table || columns == 0 || bars == columns), path, ": ", line);
            columns = in_table ? bars : 0;
        }
    }
}
