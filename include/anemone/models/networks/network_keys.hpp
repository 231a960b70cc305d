#pragma once

#include "../../base/error.hpp"
#include "../../base/way.hpp"
#include "../configuration_keys.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

/// Only bodies include this header.
namespace ane::models::inline ANEMONE_WAY {

/// The keys of transformers: what is not there has the default of its classes.
class network_keys {
public:
    ANEMONE_INLINE explicit network_keys(const configuration_keys& keys) : keys_(keys) {}

    ANEMONE_INLINE std::array<std::int64_t, 4> four(const std::string& key,
                                                    std::array<std::int64_t, 4> otherwise) const {
        if (!keys_.has(key)) {
            return otherwise;
        }
        if (!keys_.has(key + "/3") || keys_.has(key + "/4")) {
            keys_.refuse(key, "is no list of four numbers, one for each stage");
        }
        for (std::size_t i = 0; i < 4; ++i) {
            otherwise[i] = keys_.integer(key + "/" + std::to_string(i));
        }
        return otherwise;
    }
    /// The labels, or two where none are named.
    ANEMONE_INLINE std::int64_t classes() const {
        if (keys_.has("num_labels")) {
            return keys_.integer("num_labels");
        }
        std::int64_t count = 0;
        while (keys_.has("id2label/" + std::to_string(count))) {
            ++count;
        }
        return count > 0 ? count : 2;
    }
    ANEMONE_INLINE void require_function(std::string_view wanted) const {
        const std::string found = keys_.text("hidden_act", std::string(wanted));
        if (found != wanted) {
            keys_.refuse("hidden_act",
                         "'" + error::shortened(found, 80) + "' is unknown; known is " + std::string(wanted));
        }
    }

    /// What a graph computes alone; also where the key is not there, or null. Numbers may be written otherwise.
    ANEMONE_INLINE void require_value(const std::string& key, std::string_view wanted) const {
        const ane::detail::json_value* const found = keys_.find(key);
        const bool is_number = found != nullptr && found->is == ane::detail::json_value::kind::number;
        if (found != nullptr && (is_number ? keys_.number(key) != std::strtod(std::string(wanted).c_str(), nullptr)
                                           : found->text != wanted)) {
            keys_.refuse(key, configuration_keys::shown(*found) + " is not what the graph computes, which is " +
                                  std::string(wanted));
        }
    }

private:
    const configuration_keys& keys_;
};

} // namespace ane::models::inline ANEMONE_WAY
