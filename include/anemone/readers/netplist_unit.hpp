#pragma once

#include "../base/way.hpp"
#include "netplist_graph.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// One unit on its way into the graph. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Thrown for a unit whose complaints say already why it cannot be read.
struct netplist_unit_unread {};

/// A unit, its parameters and its operands, for the functions of the table.
class netplist_unit_reader {
public:
    netplist_unit_reader(netplist_graph& g, const netplist_unit_text& text, const formats::plist_dict* params,
                         std::string_view variant, bool old, std::vector<std::string>& complaints)
        : graph(g), unit(text.body, complaints), keys(params, complaints), variant_(variant), old_(old), text_(text),
          complaints_(complaints) {
        keys.has("Type");
    }

    netplist_graph& graph;
    netplist_keys unit;                                   ///< of the unit itself
    netplist_keys keys;                                   ///< of its Params
    std::vector<netplist_tensor> bottoms;                 ///< none where one of them could not be read
    std::vector<const netplist_constant_text*> constants; ///< of each bottom, or null

    std::string_view variant() const { return variant_; }
    bool old() const { return old_; }
    ANEMONE_INLINE std::string label(std::string_view part) const { return formatted("{}.{}", text_.name, part); }

    ANEMONE_INLINE void refuse [[noreturn]] (std::string why) {
        complaints_.push_back(std::move(why));
        throw netplist_unit_unread();
    }
    /// All keys are read: stops where one of them cannot be used, or was never asked for, or where an operand is one that
    /// could not be read.
    ANEMONE_INLINE void ready(std::size_t least, std::size_t most) {
        keys.require_no_others();
        const std::size_t count = text_.bottoms.size();
        if (count < least || count > most) {
            complaints_.push_back(
                formatted("reads {} operands, not {}{}", count, least, most == least ? "" : formatted(" to {}", most)));
        }
        if (!complaints_.empty() || bottoms.size() != count) {
            throw netplist_unit_unread();
        }
    }
    ANEMONE_INLINE void ready(std::size_t count = 1) { ready(count, count); }

    const netplist_tensor& x(std::size_t i = 0) const { return bottoms[i]; }
    ANEMONE_INLINE dynamic_tensor whole(std::size_t i = 0) { return graph.whole(bottoms[i]); }
    ANEMONE_INLINE int axis_of(netplist_axis a, std::size_t i = 0) const {
        return graph_axis(a, bottoms[i].tensor.shape().rank);
    }
    ANEMONE_INLINE netplist_tensor value(const dynamic_tensor& y) { return graph.value(y); }

    /// The elements of a bottom that is a constant; nothing where it is computed.
    ANEMONE_INLINE std::optional<std::vector<float>> elements(std::size_t i) {
        return constants[i] == nullptr ? std::nullopt : std::optional(to_float(constant(*constants[i])));
    }
    /// What an entry of `Constants` holds; N, C, H, W.
    ANEMONE_INLINE stored_tensor constant(const netplist_constant_text& entry) {
        netplist_keys held(entry.body, complaints_);
        const std::string_view type = held.text("ConstantType");
        if (type != "Float16" && type != "UInt16" && type != "Float32") {
            held.complain(formatted("ConstantType is {}; Float16, Float32 and UInt16 are read", in_quotes(type)));
        }
        held.only_number("ConstantInterleave", 1);
        const netplist_shape shape{held.extent("ConstantBatchSize", 1), held.extent("ConstantDepth", 1),
                                   held.extent("ConstantChannels"), held.extent("ConstantHeight"),
                                   held.extent("ConstantWidth")};
        if (shape[netplist_axis::depth] != 1 && shape[netplist_axis::channel] != 1) {
            held.complain("has depth and channels, whose order in a constant is not known");
        }
        const std::int64_t index = held.integer("ConstantIndex", 0, most_netplist_extent);
        const std::int64_t offset = held.integer("ConstantByteOffset", 0, std::int64_t{1} << 40U, 0);
        if (!complaints_.empty()) {
            throw netplist_unit_unread();
        }
        return graph.blobs().tensor(index, offset, type, graph_shape(shape));
    }

private:
    std::string_view variant_;
    bool old_;
    const netplist_unit_text& text_;
    std::vector<std::string>& complaints_;
};

/// A row of the table: the unit, its variant ("" where it has none, or where the function tells them apart), the function
/// that reads it, or why it cannot be read.
struct netplist_unit_form {
    std::string_view type;
    std::string_view variant;
    netplist_tensor (*read)(netplist_unit_reader& u, op kind);
    op kind = op::identity;
    std::string_view reason = "";
};

} // namespace ane::readers::inline ANEMONE_WAY
