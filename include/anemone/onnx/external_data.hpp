#pragma once

#include "../readers/mapped_file.hpp"
#include "constant.hpp"
#include "names.hpp"

#include <charconv>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>

/// Weights in files beside the model. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// The files that tensors of a model refer to, each mapped once: only those in the model's folder and below it.
class external_files {
public:
    /// An empty folder: there are none.
    ANEMONE_INLINE explicit external_files(std::string folder) : folder_(std::move(folder)) {}

    /// The bytes that a tensor names. Throws `refused_node`.
    ANEMONE_INLINE std::span<const std::byte> of(const tensor_proto& tensor) {
        std::string location;
        std::uint64_t offset = 0;
        std::uint64_t length = 0;
        bool has_length = false;
        for (const auto& entry : tensor.external_data()) {
            if (entry.key() == "location") {
                location = entry.value();
            } else if (entry.key() == "offset") {
                offset = number(entry.key(), entry.value());
            } else if (entry.key() == "length") {
                length = number(entry.key(), entry.value());
                has_length = true;
            }
        }
        const std::span<const std::byte> bytes = file(location);
        if (offset > bytes.size() || (has_length && length > bytes.size() - offset)) {
            throw refused_node{
                formatted("its data lie at {} in \"{}\", which has {} bytes", offset, shown(location), bytes.size())};
        }
        return bytes.subspan(offset, has_length ? length : bytes.size() - offset);
    }

private:
    ANEMONE_INLINE static std::uint64_t number(const std::string& key, const std::string& text) {
        std::uint64_t value = 0;
        const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
        if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
            throw refused_node{formatted("the {} of its external data is \"{}\"", key, shown(text))};
        }
        return value;
    }

    ANEMONE_INLINE std::span<const std::byte> file(const std::string& location) {
        if (const auto found = files_.find(location); found != files_.end()) {
            return found->second.bytes();
        }
        namespace fs = std::filesystem;
        if (folder_.empty()) {
            throw refused_node{
                formatted("its data are in the file \"{}\"; read the model with read_onnx_file", shown(location))};
        }
        const fs::path written(location);
        bool leaves = location.empty() || location.find('\0') != std::string::npos || written.is_absolute();
        for (const fs::path& part : written) {
            leaves = leaves || part == "..";
        }
        if (leaves) {
            throw refused_node{
                formatted("its data are in \"{}\", which is no path below the model's folder", shown(location))};
        }
        std::error_code wrong;
        const fs::path home = fs::canonical(folder_, wrong);
        const fs::path real = wrong ? fs::path() : fs::canonical(home / written, wrong);
        if (wrong) {
            throw refused_node{
                formatted("its data are in \"{}\", which cannot be found: {}", shown(location), wrong.message())};
        }
        const auto [own, ignored] = std::mismatch(home.begin(), home.end(), real.begin(), real.end());
        if (own != home.end()) {
            throw refused_node{
                formatted("its data are in \"{}\", a link that leads out of the model's folder", shown(location))};
        }
        try {
            return files_.try_emplace(location, real.string()).first->second.bytes();
        } catch (const error& e) {
            throw refused_node{formatted("its data cannot be read: {}", shown(e.what()))};
        }
    }

    std::string folder_;
    std::map<std::string, readers::mapped_file> files_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
