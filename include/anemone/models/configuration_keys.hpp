#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/json_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// The keys of a configuration, with what was wrong about them.
class configuration_keys {
public:
    ANEMONE_INLINE configuration_keys(std::string_view json, std::string_view file,
                                      ane::detail::json_top top = ane::detail::json_top::object)
        : file_(file), all_(json, file_, top) {}

    ANEMONE_INLINE void refuse [[noreturn]] (const std::string& key, const std::string& why) const {
        throw error(errc::file, file_, formatted("\"{}\": {}", key, why));
    }
    /// The value of a key below the prefix; none where it is null or not there.
    ANEMONE_INLINE const ane::detail::json_value* find(const std::string& key) const {
        const ane::detail::json_value* const found = all_.find(prefix + key);
        return found == nullptr || found->is == kind::null ? nullptr : found;
    }
    ANEMONE_INLINE bool has(const std::string& key) const { return find(key) != nullptr; }
    /// All keys that begin so, those of objects and lists in them too.
    ANEMONE_INLINE std::vector<std::string> beginning_with(const std::string& head) const {
        std::vector<std::string> found;
        const auto& all = all_.all();
        for (auto at = all.lower_bound(prefix + head); at != all.end() && at->first.starts_with(prefix + head); ++at) {
            found.push_back(at->first.substr(prefix.size()));
        }
        return found;
    }
    ANEMONE_INLINE void require(const std::string& key) const {
        if (!has(key)) {
            refuse(key, "is not there, and has no default");
        }
    }

    /// Refuses a key of the document that is none of the known ones.
    ANEMONE_INLINE void require_known(const std::vector<std::string_view>& known) const {
        for (const auto& [path, value] : all_.all()) {
            const std::string key = path.substr(0, path.find('/'));
            if (!key.empty() && std::find(known.begin(), known.end(), key) == known.end()) {
                refuse(error::shortened(key, 80), "is unknown, and what it asks for would not be computed");
            }
        }
    }

    /// What a key means that is not there; one that is null switches it off.
    ANEMONE_INLINE double otherwise(const std::string& key, double absent) const {
        return all_.find(prefix + key) == nullptr ? absent : 0;
    }

    ANEMONE_INLINE std::int64_t integer(const std::string& key, std::optional<std::int64_t> otherwise = {}) const {
        const ane::detail::json_value* const found = find(key);
        if (found == nullptr) {
            return otherwise ? *otherwise : (require(key), 0);
        }
        std::int64_t result = 0;
        const char* const end = found->text.data() + found->text.size();
        const auto read = std::from_chars(found->text.data(), end, result);
        if (found->is != kind::number || read.ec != std::errc() || read.ptr != end || result < 0) {
            refuse(key, shown(*found) + " is not an integer from 0 on");
        }
        return result;
    }
    ANEMONE_INLINE double number(const std::string& key, std::optional<double> otherwise = {}) const {
        const ane::detail::json_value* const found = find(key);
        if (found == nullptr) {
            return otherwise ? *otherwise : (require(key), 0);
        }
        const double result = found->is == kind::number ? std::strtod(found->text.c_str(), nullptr) : -1;
        if (!std::isfinite(result) || result < 0 || result > 1e30) {
            refuse(key, shown(*found) + " is not a number from 0 to 1e30");
        }
        return result;
    }
    ANEMONE_INLINE bool truth(const std::string& key, bool otherwise) const {
        const ane::detail::json_value* const found = find(key);
        if (found == nullptr) {
            return otherwise;
        }
        if (found->is != kind::truth) {
            refuse(key, shown(*found) + " is not true or false");
        }
        return found->text == "true";
    }
    ANEMONE_INLINE std::string text(const std::string& key, const std::string& otherwise) const {
        const ane::detail::json_value* const found = find(key);
        if (found == nullptr) {
            return otherwise;
        }
        if (found->is != kind::string) {
            refuse(key, shown(*found) + " is not a string");
        }
        return found->text;
    }

    /// Refuses weights in a form of their own. MLX names its by a key of its own.
    ANEMONE_INLINE void refuse_packed_weights() const {
        for (const auto& [key, form] : {std::pair{"quantization_config", "unnamed"},
                                        {"compression_config", "unnamed"},
                                        {"quantization", "mlx"}}) {
            if (has(key)) {
                refuse(key, formatted("weights in the form '{}' are not read; known are fp32, fp16 and bf16",
                                      text(std::string(key) + "/quant_method", form)));
            }
        }
    }

    ANEMONE_INLINE static std::string shown(const ane::detail::json_value& value) {
        const std::string text = error::shortened(value.text, 80);
        return value.is == kind::string ? "'" + text + "'" : text;
    }

    std::string prefix; ///< "text_config/"

private:
    using kind = ane::detail::json_value::kind;

    std::string file_;
    ane::detail::json_values all_;
};

} // namespace ane::models::inline ANEMONE_WAY
