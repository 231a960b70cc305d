#pragma once

#include <anemone/mlpackage/mlpackage.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

inline std::string encoded_text(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A folder for packages, which is gone with the test.
class package_folder {
public:
    package_folder()
        : home_(std::filesystem::temp_directory_path() / ("anemone_mlpackage_" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(home_);
        std::filesystem::create_directories(home_);
    }
    package_folder(const package_folder&) = delete;
    package_folder& operator=(const package_folder&) = delete;
    ~package_folder() { std::filesystem::remove_all(home_); }

    std::string path(const std::string& name) const { return home_ / name; }
    /// What is in the folder, hidden files too.
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const auto& each : std::filesystem::directory_iterator(home_)) {
            all.push_back(each.path().filename());
        }
        std::sort(all.begin(), all.end());
        return all;
    }
    /// Every file below a folder with its content.
    std::string listing(const std::string& name) const {
        std::vector<std::string> all;
        for (const auto& each : std::filesystem::recursive_directory_iterator(home_ / name)) {
            std::ifstream in(each.path());
            all.push_back(each.path().string() +
                          (each.is_regular_file() ? std::string(std::istreambuf_iterator<char>(in), {}) : ""));
        }
        std::sort(all.begin(), all.end());
        std::string text;
        for (const std::string& each : all) {
            text += each + "\n";
        }
        return text;
    }

private:
    std::filesystem::path home_;
};
