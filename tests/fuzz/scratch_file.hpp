#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

/// A file of this process that a target fills anew for each input; gone at its end.
class scratch_file {
public:
    explicit scratch_file(const std::string& ending)
        : path_((std::filesystem::temp_directory_path() / ("anemone-fuzz-" + std::to_string(::getpid()) + ending))
                    .string()) {}
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;
    ~scratch_file() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    const std::string& path() const { return path_; }
    void fill(const std::uint8_t* data, std::size_t size) const {
        std::ofstream(path_, std::ios::binary | std::ios::trunc)
            .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    }

private:
    std::string path_;
};
