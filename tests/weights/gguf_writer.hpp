#pragma once

#include <anemone/io/file.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

/// GGUF files as their published layout says, right or wrong, written field by field.
namespace gguf_files {

struct tensor {
    std::string name;
    std::vector<std::uint64_t> extents; ///< as the file has them: the row's first
    std::uint32_t type;
    std::uint64_t offset;
};

template <class Number> std::string little_endian(Number value) {
    std::string text(sizeof value, '\0');
    std::memcpy(text.data(), &value, sizeof value);
    return text;
}
inline std::string text(const std::string& value) { return little_endian(std::uint64_t{value.size()}) + value; }
inline std::string key(const std::string& name, std::uint32_t kind, const std::string& value) {
    return text(name) + little_endian(kind) + value;
}

/// A head, filled up to the alignment, and data.
struct file {
    std::vector<std::string> keys = {};
    std::vector<tensor> tensors = {};
    std::string data = {};
    std::uint32_t version = 3;
    std::size_t alignment = 32;
    std::uint64_t more_keys = 0, more_tensors = 0; ///< that the head claims and has not

    std::string bytes() const {
        std::string all = "GGUF" + little_endian(version) + little_endian(tensors.size() + more_tensors) +
                          little_endian(keys.size() + more_keys);
        for (const std::string& each : keys) {
            all += each;
        }
        for (const tensor& t : tensors) {
            all += text(t.name) + little_endian(static_cast<std::uint32_t>(t.extents.size()));
            for (const std::uint64_t extent : t.extents) {
                all += little_endian(extent);
            }
            all += little_endian(t.type) + little_endian(t.offset);
        }
        all.resize((all.size() + alignment - 1) / alignment * alignment, '\0');
        return all + data;
    }
};

/// A file on disk, gone at the end.
class written {
public:
    explicit written(const std::string& bytes) { ane::write_file(path_, std::as_bytes(std::span(bytes))); }
    explicit written(const file& f) : written(f.bytes()) {}
    written(const written&) = delete;
    written& operator=(const written&) = delete;
    ~written() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    const std::string& path() const { return path_; }

private:
    static std::string next_name() {
        static int number = 0;
        return "anemone-gguf-" + std::to_string(::getpid()) + "-" + std::to_string(number++) + ".gguf";
    }
    std::string path_ = (std::filesystem::temp_directory_path() / next_name()).string();
};

} // namespace gguf_files
