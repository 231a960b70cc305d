#pragma once

#include "objects.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ane::standin_objc {

inline std::string temporary_directory() {
    const char* const given = std::getenv("TMPDIR");
    return given != nullptr && *given != '\0' ? given : "/tmp";
}

struct descriptor_object : object {
    explicit descriptor_object(bool mil) : object(kind::descriptor), is_mil(mil) {}
    bool is_mil;
    std::string document;
    std::map<std::string, std::vector<std::byte>, std::less<>> weights; ///< by what the document calls them
};

struct wrapper_object : object { // _ANEIOSurfaceObject
    explicit wrapper_object(surface_object* of) : object(kind::surface_object), surface(of) { retain(of); }
    ~wrapper_object() override { release(surface); }
    surface_object* surface;
};

struct request_object : object {
    request_object() : object(kind::request) {}
    ~request_object() override {
        release(inputs);
        release(outputs);
    }
    array_object* inputs = nullptr;
    array_object* outputs = nullptr;
};

/// A program that was compiled: surfaces come in the order of the indices of a request.
struct loaded_model {
    loaded_model() = default;
    loaded_model(const loaded_model&) = delete;
    loaded_model& operator=(const loaded_model&) = delete;
    virtual ~loaded_model() = default;

    virtual bool fits(const std::vector<surface_object*>& from, const std::vector<surface_object*>& to) const = 0;
    virtual void run(const std::vector<surface_object*>& from, const std::vector<surface_object*>& to) = 0;
    /// modelAttributes, as a new object.
    virtual dictionary_object* attributes() const = 0;
};

/// A file that the driver had to write before the compile.
inline std::vector<std::byte> file_of(const std::string& directory, const std::string& name) {
    std::ifstream file(std::filesystem::path(directory) / name, std::ios::binary);
    if (!file) {
        throw std::runtime_error("the folder of the model has no file " + name);
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

/// Refuses a document whose file says something else.
inline void check_document(const descriptor_object& from, const std::string& directory, const std::string& name) {
    const std::vector<std::byte> document = file_of(directory, name);
    if (std::string(reinterpret_cast<const char*>(document.data()), document.size()) != from.document) {
        throw std::runtime_error(name + " is not what the descriptor has");
    }
}

} // namespace ane::standin_objc
