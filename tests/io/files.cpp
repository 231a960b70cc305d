// Files that belong together are all old or all new; what a terminal would act on is told from what it shows.

#include <anemone/base/error.hpp>
#include <anemone/io/folder.hpp>
#include <anemone/io/json.hpp>
#include <anemone/io/opened_files.hpp>
#include <anemone/io/unfinished.hpp>
#include <anemone/io/unicode.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <vector>

namespace fs = std::filesystem;

namespace {

class folder_for_files {
public:
    folder_for_files() {
        std::string pattern = (fs::temp_directory_path() / "anemone-io-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    folder_for_files(const folder_for_files&) = delete;
    folder_for_files& operator=(const folder_for_files&) = delete;
    ~folder_for_files() { fs::remove_all(path_); }

    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    /// "name=content" of each file, hidden ones too, in order.
    std::vector<std::string> files() const {
        std::vector<std::string> all;
        for (const auto& each : fs::recursive_directory_iterator(path_)) {
            if (each.is_regular_file()) {
                std::ifstream in(each.path());
                all.push_back(each.path().lexically_relative(path_).string() + "=" +
                              std::string(std::istreambuf_iterator<char>(in), {}));
            }
        }
        std::sort(all.begin(), all.end());
        return all;
    }

private:
    fs::path path_;
};

using listing = std::vector<std::string>;

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

ino_t inode(const std::string& path) {
    struct stat found {};
    REQUIRE(::stat(path.c_str(), &found) == 0);
    return found.st_ino;
}

void write_both(const std::string& folder, const std::string& content) {
    const ane::detail::named_bytes files[]{{"a", bytes(content)}, {"in/b", bytes(content)}};
    ane::detail::write_folder(folder, files);
}

} // namespace

TEST_CASE("a folder of ours is exchanged, one with other files keeps them") {
    const folder_for_files home;
    write_both(home / "m", "1");
    CHECK(home.files() == listing{"m/a=1", "m/in/b=1"});
    const ino_t before = inode(home / "m");
    fs::permissions(home / "m/a", fs::perms::owner_read | fs::perms::owner_write);
    write_both(home / "m", "2");
    CHECK(home.files() == listing{"m/a=2", "m/in/b=2"});
    CHECK(inode(home / "m") != before); // another folder, which came at once
    CHECK(fs::status(home / "m/a").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    ane::write_file(home / "m/mine", std::string("x"));
    const ino_t mine = inode(home / "m/mine");
    write_both(home / "m", "3");
    CHECK(home.files() == listing{"m/a=3", "m/in/b=3", "m/mine=x"});
    CHECK(inode(home / "m/mine") == mine);
    fs::create_directory(home / "empty");
    write_both(home / "empty", "4");
    fs::create_directory_symlink("m", home / "link");
    write_both(home / "link", "5");
    CHECK(fs::is_symlink(home / "link"));
    CHECK(home.files() == listing{"empty/a=4", "empty/in/b=4", "m/a=5", "m/in/b=5", "m/mine=x"});
    CHECK(ane::detail::unfinished().paths.empty());
}

TEST_CASE("where one file of several cannot get its name, the others have their old content") {
    const folder_for_files home;
    ane::write_file(home / "a", std::string("old"));
    const std::string content = "new";
    // The second is a folder by the time that it is renamed: the third makes it one.
    const ane::detail::named_bytes files[]{{home / "a", bytes(content)},
                                           {home / "fresh", bytes(content)},
                                           {home / "d", bytes(content)},
                                           {home / "d/x", bytes(content)}};
    CHECK_THROWS_AS(ane::detail::write_files(std::span<const ane::detail::named_bytes>(files)), ane::error);
    CHECK(home.files() == listing{"a=old"});
    CHECK(ane::detail::unfinished().paths.empty());
}

TEST_CASE("files are the same by device and inode") {
    const folder_for_files home;
    ane::write_file(home / "a", std::string("x"));
    ane::write_file(home / "b", std::string("x"));
    fs::create_hard_link(home / "a", home / "hard");
    fs::create_symlink("a", home / "soft");
    ane::opened_files read;
    read.add(home / "a");
    read.add(home / "none");
    CHECK(read.has(home / "a"));
    CHECK(read.has(home / "hard"));
    CHECK(read.has(home / "soft"));
    CHECK(!read.has(home / "b"));
    CHECK(!read.has(home / "none"));
}

TEST_CASE("marks without a width, or that turn the text, are told") {
    using ane::detail::printable;
    // Each by its number in Unicode, and the text that stands for it.
    CHECK(printable("a\u00ADb") == "a\\u00adb"); // soft hyphen
    CHECK(printable("a\u061Cb") == "a\\u061cb"); // Arabic letter mark
    CHECK(printable("a\u180Eb") == "a\\u180eb"); // Mongolian vowel separator
    CHECK(printable("a\u200Bb") == "a\\u200bb"); // zero width space
    CHECK(printable("a\u202Eb") == "a\\u202eb"); // right-to-left override
    CHECK(printable("a\u2066b") == "a\\u2066b"); // left-to-right isolate
    CHECK(printable("a\u3164b") == "a\\u3164b"); // Hangul filler
    CHECK(printable("a\uFFA0b") == "a\\uffa0b");
    CHECK(printable("a\U000E0041b") == "a\\ue0041b"); // a tag
    for (const char* const plain : {"größe", "重み", "العربية", "e\u0301"}) {
        CHECK(printable(plain) == plain);
    }
    CHECK(ane::json_string("a\U000E0041b\u202E") == "\"a\\udb40\\udc41b\\u202e\"");
}

TEST_CASE("a name of any length makes a short message") {
    const std::string name(500'000, 'n');
    const ane::error e(ane::errc::port, name, "is " + name + "\nand " + name);
    CHECK(std::string_view(e.what()).size() < 10'000);
    CHECK(e.subject() == name);
    CHECK(e.detail().starts_with("is nnn"));
    CHECK(e.detail().find("...\nand nnn") != std::string::npos);
    const ane::error brief(ane::errc::file, "a", "b: c");
    CHECK(std::string(brief.what()) == "file: a: b: c");
    CHECK(brief.detail() == "b: c");
    std::string umlauts;
    for (int i = 0; i < 2000; ++i) {
        umlauts += "ü";
    }
    const std::string cut = ane::error::shortened("x" + umlauts, 1000); // byte 1,000 is within a character
    CHECK(cut == "x" + umlauts.substr(0, 998) + "...");
}
