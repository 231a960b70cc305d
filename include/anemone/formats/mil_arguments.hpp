#pragma once

#include "../forms/mil_resize.hpp"
#include "../forms/mil_vocabulary.hpp"
#include "../forms/pool_padding.hpp"
#include "../graph/graph.hpp"
#include "../graph/op_facet.hpp"
#include "../graph/reflection.hpp"
#include "mil_literals.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// The arguments of an operation that are literals: attributes, and what else its form wants. Every argument is written:
/// the engine's parser does not fill in the public defaults (mil-ops section 3).
namespace ane::formats::inline ANEMONE_WAY {

struct mil_argument {
    std::string key;
    std::string literal;
    bool in_place = false; ///< written where it is used; else as a constant with a name
};

/// The top_k_indices that is the second result of a top_k, or -1: it follows, and ranks the same.
ANEMONE_INLINE int indices_beside(const graph_view& g, int index) {
    for (int i = index + 1; g[index].kind == op::top_k && i < g.size(); ++i) {
        if (g[i].kind == op::top_k_indices && g.operands(i)[0] == g.operands(index)[0] &&
            g[i].attributes == g[index].attributes) {
            return i;
        }
    }
    return -1;
}

/// Collects the arguments of one operation.
class mil_arguments {
public:
    ANEMONE_INLINE mil_arguments(const graph_view& g, int index) : graph_(g), node_(g[index]), index_(index) {}

    ANEMONE_INLINE std::vector<mil_argument> of(const mil_form& form) && {
        members(form);
        if (!form.fixed_argument.empty()) {
            add(form.fixed_argument, form.fixed_value);
        }
        further();
        return std::move(list_);
    }

private:
    template <class Value> void add(std::string_view key, const Value& value, bool in_place = false) {
        list_.push_back({std::string(key), mil_literal(value), in_place});
    }
    ANEMONE_INLINE const extents& operand_shape() const { return graph_.operand(node_, 0).shape; }

    /// The members of the attribute struct that the form names. Numbers are written in place, and flags of products.
    ANEMONE_INLINE void members(const mil_form& form) {
        const attributes written = is_pool(node_.kind) ? attributes(padded_out()) : node_.attributes;
        written.visit([&](const auto& values) {
            std::size_t position = 0;
            for_each_member(values, [&](std::string_view, const auto& member) {
                using member_type = std::remove_cvref_t<decltype(member)>;
                const std::string_view key = position < form.members.size() ? form.members[position] : "";
                ++position;
                if constexpr (requires { mil_literal(member); }) {
                    if (!key.empty()) {
                        add(key, member, std::is_same_v<member_type, float> || node_.kind == op::matmul);
                    }
                }
            });
        });
    }

    ANEMONE_INLINE pool padded_out() const {
        pool p = node_.get<pool>();
        p.padding = forms::written_padding(p, operand_shape(), node_.shape);
        p.ceil_mode = false;
        return p;
    }

    /// What a form wants beside the attributes, by operation.
    ANEMONE_INLINE void further() {
        using writer = void (*)(mil_arguments&);
        using self = mil_arguments;
        static constexpr op_facet<writer> writers{
            {op::reshape, [](self& a) { a.add("shape", a.node_.shape); }},
            {op::concat, [](self& a) { a.add("interleave", false); }},
            {op::pad, [](self& a) { a.add("pad", a.interleaved(4)); }},
            {op::reflect_pad, [](self& a) { a.mirrored(); }},
            {op::replicate_pad, [](self& a) { a.mirrored(); }},
            {op::strided_slice, [](self& a) { a.by_index(); }},
            {op::reverse, [](self& a) { a.add("axes", a.axes_or_all()); }},
            {op::layer_norm, [](self& a) { a.add("axes", indices{a.node_.get<stabilizer>().axis}); }},
            {op::pixel_shuffle, [](self& a) { a.add("upscale_factor", a.node_.get<factors>().by.height); }},
            {op::pixel_unshuffle, [](self& a) { a.downscale(); }},
            {op::depth_to_space, [](self& a) { a.add("block_size", a.node_.get<factors>().by.height); }},
            {op::space_to_depth, [](self& a) { a.add("block_size", a.node_.get<factors>().by.height); }},
            {op::space_to_batch, [](self& a) { a.blocks("paddings"); }},
            {op::batch_to_space, [](self& a) { a.blocks("crops"); }},
            {op::resize, [](self& a) { a.resized(); }},
            {op::affine, [](self& a) { a.mapped(); }},
            {op::quantize, [](self& a) { a.add("output_dtype", mil_name(a.node_.type)); }},
            {op::top_k, [](self& a) { a.ranked(); }},
            {op::top_k_indices, [](self& a) { a.ranked(); }},
        };
        if (const writer write = writers[node_.kind]) {
            write(*this);
        } else if (is_reduction(node_.kind)) {
            add("keep_dims", true);
        }
    }

    /// before and after of each axis in turn, of the last `most` axes.
    ANEMONE_INLINE indices interleaved(int most) const {
        const pads& amounts = node_.get<pads>();
        indices flat;
        const int first = amounts.before.rank > most ? amounts.before.rank - most : 0;
        for (int i = first; i < amounts.before.rank; ++i) {
            flat.append(amounts.before[i]);
            flat.append(amounts.after[i]);
        }
        return flat;
    }
    /// The value is not used, but an argument.
    ANEMONE_INLINE void mirrored() {
        add("pad", interleaved(2));
        add("constant_val", 0.0F, true);
    }

    /// The end is the one behind the last element that is read.
    ANEMONE_INLINE void by_index() {
        const strided_window& w = node_.get<strided_window>();
        indices end;
        for (int i = 0; i < w.begin.rank; ++i) {
            end.append(w.begin[i] + (node_.shape[i] - 1) * w.stride[i] + 1);
        }
        add("end", end);
        for (const char* const mask : {"begin_mask", "end_mask", "squeeze_mask"}) {
            list_.push_back({mask, mil_flags(end.rank, false)});
        }
    }

    ANEMONE_INLINE indices axes_or_all() const {
        indices all = node_.get<axes>().list;
        for (int i = 0; node_.get<axes>().list.rank == 0 && i < node_.shape.rank; ++i) {
            all.append(i);
        }
        return all;
    }

    /// Unsigned, unlike the factors of the others.
    ANEMONE_INLINE void downscale() {
        list_.push_back({"downscale_factor", formatted("uint32({})", node_.get<factors>().by.height)});
    }

    /// Nothing is padded before, and nothing cropped behind.
    ANEMONE_INLINE void blocks(std::string_view borders) {
        add("block_shape", node_.get<factors>().by);
        list_.push_back({std::string(borders), "tensor<int32, [2, 2]>([[0, 0], [0, 0]])"});
    }

    ANEMONE_INLINE void resized() {
        const sampling& s = node_.get<sampling>();
        if (forms::mil_resize_of(s, operand_shape()) == forms::mil_resize::upsample_nearest) {
            add("scale_factor_height", static_cast<int>(s.extent.height / operand_shape()[2]), true);
            add("scale_factor_width", static_cast<int>(s.extent.width / operand_shape()[3]), true);
            return;
        }
        add("target_size_height", s.extent.height);
        add("target_size_width", s.extent.width);
        if (s.method == sampling_method::bilinear) {
            add("sampling_mode", std::string_view(s.grid == sampling_grid::align_corners ? "ALIGN_CORNERS"
                                                  : s.grid == sampling_grid::asymmetric  ? "DEFAULT"
                                                                                         : "UNALIGN_CORNERS"));
        }
    }

    ANEMONE_INLINE void mapped() {
        const sampling& s = node_.get<sampling>();
        add("output_height", s.extent.height);
        add("output_width", s.extent.width);
        add("sampling_mode", std::string_view("bilinear"));
        add("padding_mode", std::string_view("constant"));
        add("padding_value", 0.0F, true);
        add("coordinates_mode", std::string_view("normalized_minus_one_to_one"));
        add("align_corners", s.grid == sampling_grid::align_corners);
    }

    ANEMONE_INLINE void ranked() {
        add("sort", true);
        add("return_indices", node_.kind == op::top_k_indices || indices_beside(graph_, index_) >= 0);
        add("output_indices_dtype", std::string_view("int32"));
    }

    const graph_view& graph_;
    const node& node_;
    int index_;
    std::vector<mil_argument> list_;
};

/// What the operation is called: its form's name, but of the three that resize images.
ANEMONE_INLINE std::string_view mil_name_of(const graph_view& g, const node& n, const mil_form& form) {
    if (n.kind == op::resize) {
        switch (forms::mil_resize_of(n.get<sampling>(), g.operand(n, 0).shape)) {
        case forms::mil_resize::upsample_nearest: return "upsample_nearest_neighbor";
        case forms::mil_resize::nearest: return "resize_nearest_neighbor";
        default: break;
        }
    }
    return form.name;
}

} // namespace ane::formats::inline ANEMONE_WAY
