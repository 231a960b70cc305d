#pragma once

#include "../base/formatted.hpp"
#include "../io/json_values.hpp"
#include "../io/opened_files.hpp"
#include "../io/steady_file.hpp"
#include "../readers/model_folder.hpp"
#include "../readers/unreadable.hpp"
#include "../weights/safetensors.hpp"
#include "../weights/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// The files of a published model: texts, and tensors by their published names, each still in its file.
class checkpoint_files {
public:
    ANEMONE_INLINE checkpoint_files(const std::string& path, opened_files* told) : path_(path), home_(path, told) {}

    /// The text of a file; none where there is no such file.
    ANEMONE_INLINE std::optional<std::string> text(const std::string& name, std::uint64_t most) const {
        readers::opened_below found = home_.file(name);
        if (found.is_missing) {
            return {};
        }
        const ane::detail::steady_file file(std::move(found).taken(shown(name)), shown(name));
        if (file.size() > most) {
            throw error(errc::file, shown(name), formatted("has {} bytes, at most {} are read", file.size(), most));
        }
        std::string result(static_cast<std::size_t>(file.size()), ' ');
        file.read(0, std::as_writable_bytes(std::span(result)));
        return result;
    }
    /// The text of a configuration beside the tensors.
    ANEMONE_INLINE std::optional<std::string> configuration(const std::string& name) const {
        constexpr std::uint64_t most = std::uint64_t{1} << 24U;
        return text(name, most);
    }
    /// The text of `config.json`, without which nobody knows what the tensors are.
    ANEMONE_INLINE std::string configuration() const {
        const std::optional<std::string> found = configuration("config.json");
        if (!found) {
            throw error(errc::file, shown("config.json"),
                        "cannot be found: a published model has one beside its tensors");
        }
        return *found;
    }
    ANEMONE_INLINE bool has(const std::string& name) const { return home_.file(name).refused.empty(); }
    ANEMONE_INLINE std::string shown(const std::string& name) const {
        return (std::filesystem::path(path_) / name).string();
    }

    /// Whether there are tensors, or an index that says so.
    ANEMONE_INLINE bool has_tensors() const { return has(file_name() + ".index.json") || has(file_name()); }
    /// All tensors; none where the folder has neither tensors nor an index. What is wrong with them is added to `faults`.
    ANEMONE_INLINE std::vector<stored_tensor> tensors(std::vector<read_fault>& faults) const {
        constexpr std::uint64_t most = std::uint64_t{256} << 20U;
        const std::string index = file_name() + ".index.json";
        std::vector<stored_tensor> all;
        if (const std::optional<std::string> text = this->text(index, most)) {
            const std::map<std::string, std::string> places = places_in(*text, shown(index));
            std::set<std::string> files;
            for (const auto& [name, file] : places) {
                files.insert(file);
            }
            std::map<std::string, std::string> found; // the tensor, its file
            for (const std::string& file : files) {
                for (stored_tensor& t : shard(file)) {
                    const auto [other, is_new] = found.emplace(t.name, file);
                    if (!is_new) {
                        faults.push_back({shown(file), 0, 0, t.name, "is in " + other->second + " too"});
                    } else {
                        all.push_back(std::move(t));
                    }
                }
            }
            for (const auto& [name, file] : places) {
                const auto is = found.find(name);
                if (is == found.end() || is->second != file) {
                    faults.push_back({shown(index), 0, 0, name,
                                      "is in " + file + ", it says, which has no such tensor" +
                                          (is == found.end() ? "" : "; it is in " + is->second)});
                }
            }
        } else if (!home_.file(file_name()).is_missing) {
            all = shard(file_name());
        }
        return all;
    }

private:
    /// As transformers names it, or as diffusers does.
    ANEMONE_INLINE std::string file_name() const {
        const std::string diffusers = "diffusion_pytorch_model.safetensors";
        return has(diffusers) || has(diffusers + ".index.json") ? diffusers : "model.safetensors";
    }

    ANEMONE_INLINE static std::map<std::string, std::string> places_in(const std::string& text,
                                                                       const std::string& shown) {
        const ane::detail::json_values values(text, shown);
        constexpr std::string_view head = "weight_map/";
        std::map<std::string, std::string> places;
        for (auto at = values.all().lower_bound(head); at != values.all().end() && at->first.starts_with(head); ++at) {
            if (at->second.is != ane::detail::json_value::kind::string) {
                throw error(errc::file, shown, "the file of " + at->first.substr(head.size()) + " is not a string");
            }
            places.emplace(at->first.substr(head.size()), at->second.text);
        }
        if (places.empty()) {
            throw error(errc::file, shown, "has no \"weight_map\" with the files of tensors");
        }
        return places;
    }

    /// The tensors of one file, which stay in it but for small ones.
    ANEMONE_INLINE std::vector<stored_tensor> shard(const std::string& name) const {
        const std::string path = shown(name);
        const auto file = std::make_shared<const ane::detail::steady_file>(home_.file(name).taken(path), path);
        std::array<std::byte, 8> field{};
        if (file->size() < field.size()) {
            throw error(errc::file, path, formatted("has {} bytes, the header length alone takes 8", file->size()));
        }
        file->read(0, field);
        std::uint64_t length = 0;
        std::memcpy(&length, field.data(), field.size());
        if (length > safetensors_header_limit || length > file->size() - field.size()) {
            throw error(errc::file, path,
                        formatted("the header is {} bytes long, the file has {} after the length", length,
                                  file->size() - field.size()));
        }
        std::string header(static_cast<std::size_t>(length), ' ');
        file->read(field.size(), std::as_writable_bytes(std::span(header)));
        const std::uint64_t begin = field.size() + length;
        ane::detail::safetensors_layout layout = ane::detail::parse_header(header, file->size() - begin, path);
        std::vector<stored_tensor> all;
        for (ane::detail::safetensors_entry& e : layout.entries) {
            const auto count = static_cast<std::size_t>(e.end - e.begin);
            tensor_bytes bytes = tensor_bytes::in_file({file, begin + e.begin, count});
            if (count < ane::detail::least_file_part) {
                bytes = std::move(bytes).taken();
            }
            all.push_back({std::move(e.name), e.type, e.shape, std::move(bytes)});
        }
        return all;
    }

    std::string path_;
    readers::model_folder home_;
};

} // namespace ane::models::inline ANEMONE_WAY
