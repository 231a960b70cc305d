#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/json.hpp"
#include "../io/open_file.hpp"
#include "../io/rapidjson.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Manifest.json of a package: which files it has, by identifiers, and which of them is the model. Only bodies include
/// this header.
namespace ane::mlpackage::inline ANEMONE_WAY {

inline constexpr std::string_view manifest_file = "Manifest.json";
inline constexpr std::string_view items_folder = "Data"; ///< what the paths of the items are relative to
inline constexpr std::string_view model_path = "com.apple.CoreML/model.mlmodel";
inline constexpr std::string_view weights_path = "com.apple.CoreML/weights";

/// A UUID (RFC 9562, version 8) made of bytes: FNV-1a, twice with different beginnings. The same bytes have the same one.
ANEMONE_INLINE std::string identifier_of(std::string_view kind, std::string_view bytes) {
    const auto hash = [&](std::uint64_t h) {
        for (const std::string_view part : {kind, bytes}) {
            for (const char c : part) {
                h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
            }
        }
        return h;
    };
    const std::uint64_t high = (hash(0xCBF29CE484222325U) & ~std::uint64_t{0xF000}) | 0x8000U;
    const std::uint64_t low = (hash(0x9AE16A3B2F90404FU) & ~(std::uint64_t{3} << 62U)) | std::uint64_t{2} << 62U;
    return formatted("{:08X}-{:04X}-{:04X}-{:04X}-{:012X}", high >> 32U, high >> 16U & 0xFFFFU, high & 0xFFFFU,
                     low >> 48U, low & 0xFFFFFFFFFFFFU);
}

ANEMONE_INLINE std::string manifest_text(std::string_view model_id, std::string_view weights_id) {
    json_writer j;
    const auto item = [&](std::string_view id, std::string_view what, std::string_view name, std::string_view path) {
        j.key(id).object();
        j.member("author", "com.apple.CoreML").member("description", what).member("name", name).member("path", path);
        j.end();
    };
    j.object().member("fileFormatVersion", "1.0.0").key("itemInfoEntries").object();
    item(model_id, "CoreML Model Specification", "model.mlmodel", model_path);
    item(weights_id, "CoreML Model Weights", "weights", weights_path);
    j.end().member("rootModelIdentifier", model_id).end();
    return j.str();
}

/// The handler of the parser's events: keeps what leads to the model.
class manifest_reader : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, manifest_reader> {
public:
    static constexpr std::size_t deepest = 16;

    std::string version;
    std::string root;
    std::map<std::string, std::string> paths; ///< of the items, by identifier

    bool StartObject() { return open(); }
    bool EndObject(rapidjson::SizeType /*count*/) { return close(); }
    bool StartArray() { return open(); }
    bool EndArray(rapidjson::SizeType /*count*/) { return close(); }
    ANEMONE_INLINE bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
        keys_.back().assign(text, size);
        return true;
    }
    ANEMONE_INLINE bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
        if (keys_.size() == 1 && keys_[0] == "fileFormatVersion") {
            version.assign(text, size);
        } else if (keys_.size() == 1 && keys_[0] == "rootModelIdentifier") {
            root.assign(text, size);
        } else if (keys_.size() == 3 && keys_[0] == "itemInfoEntries" && keys_[2] == "path") {
            paths[keys_[1]].assign(text, size);
        }
        return true;
    }

private:
    bool open() {
        keys_.emplace_back();
        return keys_.size() <= deepest;
    }
    bool close() {
        keys_.pop_back();
        return true;
    }

    std::vector<std::string> keys_; ///< of the containers that are open; none in a list
};

/// The model's path out of a manifest, relative to `items_folder`. Throws `error` (errc::file).
ANEMONE_INLINE std::string root_model_in(const std::string& text, const std::string& path) {
    manifest_reader found;
    rapidjson::MemoryStream stream(text.data(), text.size());
    ane::detail::json_reader reader;
    if (const auto done = reader.Parse<rapidjson::kParseIterativeFlag>(stream, found); done.IsError()) {
        throw error(errc::file, path, formatted("is no JSON text of a manifest: at byte {}", done.Offset()));
    }
    if (!found.version.starts_with("1.")) {
        throw error(errc::file, path,
                    formatted("has the fileFormatVersion \"{}\", known is 1.0.0",
                              ane::detail::printable(found.version.substr(0, 40))));
    }
    std::string model = found.paths[found.root];
    if (model.empty()) {
        throw error(errc::file, path,
                    formatted("has no path for its rootModelIdentifier \"{}\"",
                              ane::detail::printable(found.root.substr(0, 80))));
    }
    return model;
}

/// The whole of a small text file, which is open. Throws `error` (errc::file).
ANEMONE_INLINE std::string small_file(ane::detail::open_file opened, const std::string& path) {
    constexpr std::uint64_t most = 1U << 20U;
    const ane::detail::file_reader file(std::move(opened), path);
    if (file.size() > most) {
        throw error(errc::file, path, formatted("has {} bytes, the limit is {}", file.size(), most));
    }
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(std::as_writable_bytes(std::span(text)));
    return text;
}

} // namespace ane::mlpackage::inline ANEMONE_WAY
