#pragma once

#include "../base/way.hpp"

#include <string>
#include <string_view>
#include <utility>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Why operations of MIL have no row in any table.
inline constexpr std::pair<std::string_view, std::string_view> refused_operations[] = {
    {"cond", "branches: a graph has none"},
    {"while_loop", "loops: a graph has none"},
    {"non_zero", "has a result whose shape depends on values"},
    {"non_maximum_suppression", "has a result whose shape depends on values; it runs off the engine"},
    {"reshape_like", "takes its shape from other tensors: use reshape with constants"},
    {"random_uniform", "draws other numbers in every run"},
    {"random_normal", "draws other numbers in every run"},
    {"random_bernoulli", "draws other numbers in every run"},
    {"random_categorical", "draws other numbers in every run"},
    {"classify", "makes a dictionary"},
    {"make_list", "makes a list, which a graph cannot hold"},
    {"list_gather", "reads a list, which a graph cannot hold"},
    {"list_length", "reads a list, which a graph cannot hold"},
    {"list_read", "reads a list, which a graph cannot hold"},
    {"list_scatter", "writes a list, which a graph cannot hold"},
    {"list_write", "writes a list, which a graph cannot hold"},
    {"crop_resize", "places its samples as the sources do not say for the engine's layer: use slices and a resize"},
    {"reduce_prod", "is read of constants only: the graph has no product over axes"},
};

ANEMONE_INLINE std::string why_refused(std::string_view operation) {
    for (const auto& [name, why] : refused_operations) {
        if (name == operation) {
            return std::string(why);
        }
    }
    return "is no operation that the graph has, and none that it composes exactly";
}

} // namespace ane::readers::inline ANEMONE_WAY
