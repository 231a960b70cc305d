#pragma once

#include "decoder_form.hpp"
#include "model_maker.hpp"
#include "names.hpp"

#include <string_view>
#include <utility>

namespace ane::models {

/// A graph of a decoder under construction: the parts that families share. Values are numbers of nodes; activations stand in
/// the form's layout, heads as [heads, positions, width of a head] in either. Usable in constant expressions.
class decoder_maker : public model_maker {
public:
    constexpr decoder_maker(const decoder_configuration& configuration, const decoder_form& form)
        : c_(configuration), form_(form), names_(names_of(configuration.kind)) {
        const auto layers = static_cast<std::size_t>(end_of(configuration, form) - form.first);
        graph_.nodes.reserve(64 * layers + 64); // compilers count the steps of growing, too
        graph_.operand_pool.reserve(128 * layers + 64);
        graph_.text_pool.reserve(2048 * layers + 1024);
    }

    constexpr const decoder_configuration& configuration() const { return c_; }
    constexpr const decoder_form& form() const { return form_; }
    constexpr const published_names& names() const { return names_; }

    /// What is made from here on belongs to a layer: "layers.3.attention"; below 0 to none of them.
    constexpr void enter(std::int64_t layer, std::string_view part) {
        layer_ = layer;
        sequence<char> text;
        if (layer >= 0) {
            text.append(std::string_view("layers."));
            ane::detail::append_number(text, layer);
            text.push_back('.');
        }
        text.append(part);
        place_ = text;
    }

    /// A port of the present layer, "keys_3".
    constexpr sequence<char> numbered(std::string_view name) const {
        sequence<char> text;
        text.append(name);
        text.push_back('_');
        ane::detail::append_number(text, layer_);
        return text;
    }
    /// A name of the head, with the number of its part behind it where there are several.
    constexpr sequence<char> part_of(std::string_view name, int part) const {
        sequence<char> text;
        text.append(name);
        if (form_.head_parts > 1) {
            text.push_back('_');
            ane::detail::append_number(text, part);
        }
        return text;
    }

    /// A weight by the published name of its part, of the present layer or of the whole.
    constexpr int weight(std::string_view part, std::string_view suffix, const extents& shape) {
        sequence<char> text;
        if (layer_ >= 0) {
            text.append(names_.layers);
            ane::detail::append_number(text, layer_);
            text.push_back('.');
        }
        text.append(part);
        text.append(suffix);
        return model_maker::weight(view(text), shape);
    }

    /// x w^T + b, w [to, from], as a product or as a convolution of one pixel.
    constexpr int product(int x, std::string_view part, std::int64_t from, std::int64_t to, bool has_bias,
                          std::string_view suffix = ".weight") {
        const bool is_rows = form_.layout == activation_layout::rows;
        const int w = weight(part, suffix, is_rows ? extents{to, from} : extents{to, from, 1, 1});
        const op kind = is_rows ? op::linear : op::conv2d;
        const attributes values = is_rows ? attributes() : attributes(conv{});
        if (!has_bias) {
            return emit(kind, values, {x, w});
        }
        return emit(kind, values, {x, w, weight(part, ".bias", {to})});
    }

    /// Makes an input a state, which has a value after each run.
    constexpr void keep(sequence<char> name, int before, int after) {
        name.append(std::string_view("_out"));
        graph_.add_named_output(after, view(name), dynamic_graph::hash_of(view(name)), before);
    }

    /// The family's normalization, along the width of an activation or of a head.
    constexpr int norm(int x, std::string_view part, std::int64_t width, int axis) {
        const stabilizer how{.epsilon = static_cast<float>(c_.norm_epsilon), .axis = axis};
        const int gamma = weight(part, ".weight", {width});
        if (c_.kind != family::gpt2) {
            return emit(op::rms_norm, how, {x, gamma});
        }
        return emit(op::layer_norm, how, {x, gamma, weight(part, ".bias", {width})});
    }
    constexpr int norm(int x, std::string_view part) { return norm(x, part, c_.width, 1); }

    /// Of all texts together.
    constexpr std::int64_t rows() const { return form_.batch * form_.positions; }
    /// An activation of `width`: [texts * positions, width], or [texts, width, 1, positions].
    constexpr extents activation(std::int64_t width) const {
        return form_.layout == activation_layout::rows ? extents{rows(), width}
                                                       : extents{form_.batch, width, 1, form_.positions};
    }
    /// An activation of `heads` heads as [texts * heads, positions, width of a head], and back.
    constexpr int as_heads(int x, std::int64_t heads) {
        const std::int64_t p = form_.positions;
        const extents wanted{form_.batch * heads, p, c_.head_width};
        if (p == 1) {
            return reshape(x, wanted);
        }
        if (form_.layout == activation_layout::channels) {
            return turned(reshape(x, {wanted[0], c_.head_width, p}), {0, 2, 1});
        }
        return reshape(exchanged(x, p, heads), wanted);
    }
    constexpr int from_heads(int x) {
        const extents wanted = activation(c_.heads * c_.head_width);
        if (form_.positions == 1) {
            return reshape(x, wanted);
        }
        if (form_.layout == activation_layout::channels) {
            return reshape(turned(x, {0, 2, 1}), wanted);
        }
        return reshape(exchanged(x, c_.heads, form_.positions), wanted);
    }
    /// [texts, first, second, width of a head], however it is written, with the two axes in the other order.
    constexpr int exchanged(int x, std::int64_t first, std::int64_t second) {
        return form_.batch == 1 ? turned(reshape(x, {first, second, c_.head_width}), {1, 0, 2})
                                : turned(reshape(x, {form_.batch, first, second, c_.head_width}), {0, 2, 1, 3});
    }
    /// [texts * heads, rows, columns] as [texts, heads, rows, columns], where there are several texts: what each of them has for
    /// itself, [texts, 1, ...], then meets all of its heads.
    constexpr int by_text(int x) {
        const extents whole = shape(x);
        return form_.batch == 1 ? x : reshape(x, {form_.batch, whole[0] / form_.batch, whole[1], whole[2]});
    }
    constexpr int back_from_texts(int x, const extents& whole) { return form_.batch == 1 ? x : reshape(x, whole); }

    /// The tables of rotary positions, as ports: both, with the sign of the first half in the sines.
    struct tables {
        int cosines = -1;
        int sines = -1;
    };
    constexpr tables rotary_ports(std::string_view cosines, std::string_view sines, double most) {
        const extents shape{rows(), c_.head_width};
        tables t;
        t.cosines = input(cosines, shape, bounded(most));
        t.sines = input(sines, shape, bounded(most));
        return t;
    }
    /// As layers read them: with the signs, and text by text.
    constexpr void prepare(tables& t) {
        sequence<float> signs(static_cast<std::size_t>(c_.head_width), 1.0F);
        for (std::int64_t k = 0; k < c_.head_width / 2; ++k) {
            signs[static_cast<std::size_t>(k)] = -1.0F;
        }
        t.sines = mul(t.sines, vector({signs.data(), signs.size()}));
        const extents whole{form_.batch, 1, form_.positions, c_.head_width};
        t = {back_from_texts(t.cosines, whole), back_from_texts(t.sines, whole)};
    }
    /// x cos + (-x2, x1) sin, where x1 and x2 are the halves of each head. They change places as rows, not along the width,
    /// where slices of large values become infinite (R090).
    constexpr int rotated(int x, const tables& t) {
        const extents heads = shape(x);
        const int halves = reshape(x, {heads[0], heads[1], 2, heads[2] / 2});
        const int first = slice(halves, 2, 0, 1);
        const int second = slice(halves, 2, 1, 1);
        const int swapped = reshape(emit(op::concat, axis{2}, {second, first}), heads);
        const int straight = mul(by_text(x), t.cosines);
        const int crossed = mul(by_text(swapped), t.sines);
        return back_from_texts(add(straight, crossed), heads);
    }

    /// A layer that was made, and what it read and gave.
    struct made_layer {
        std::int64_t layer = -1;
        int first = 0; ///< node
        int inner = 0; ///< first node of the inner layer
        int end = 0;
        std::size_t first_output = 0;
        std::size_t end_output = 0;
        int x = -1;
        int y = -1;
    };
    /// Appends a layer of the same kind under its own names, of which compilers count a tenth of the steps; returns its y.
    constexpr int again(const made_layer& model, std::int64_t layer, int x) {
        enter(layer, "attention");
        const int moved = graph_.view().size() - model.first;
        for (int i = model.first; i < model.end; ++i) {
            if (i == model.inner) {
                enter(layer, "mlp");
            }
            node n = at(i);
            if (n.kind == op::input || n.kind == op::weight) {
                const sequence<char> name = renumbered(n.name, model.layer, layer, n.kind == op::weight);
                graph_.append_named(n, view(name), dynamic_graph::hash_of(view(name)));
                continue;
            }
            if (n.kind == op::constant) {
                const sequence<float> values = copied(graph_.view().values(n));
                n.attributes = graph_.keep({values.data(), values.size()});
            } else {
                n.name = graph_.intern(view(place_));
            }
            int operands[4]{};
            const range_of read = n.operands;
            for (int k = 0; k < read.count && k < 4; ++k) {
                const int from = graph_.operand_pool.data()[read.first + k];
                operands[k] = from == model.x ? x : from >= model.first ? from + moved : from;
            }
            graph_.append(n, std::span<const int>(operands, static_cast<std::size_t>(read.count)));
        }
        for (std::size_t k = model.first_output; k < model.end_output; ++k) {
            const output_port port = graph_.outputs[k];
            const sequence<char> name = renumbered(port.name, model.layer, layer, false);
            graph_.add_named_output(port.node + moved, view(name), dynamic_graph::hash_of(view(name)),
                                    port.is_state() ? port.state + moved : -1);
        }
        return model.y + moved;
    }

private:
    static constexpr std::size_t digits_of(std::int64_t number) { return number < 10 ? 1 : number < 100 ? 2 : 3; }
    /// A name with the number of another layer, which begins at `at`.
    constexpr sequence<char> renumbered_at(range_of text, std::size_t at, std::int64_t from, std::int64_t to) const {
        const std::string_view old = graph_.view().text(text);
        sequence<char> name;
        name.append(old.substr(0, at));
        ane::detail::append_number(name, to);
        name.append(old.substr(at + digits_of(from)));
        return name;
    }
    /// Of a weight, "model_layers_3_mlp", or of a port, "keys_3", "keys_3_out".
    constexpr sequence<char> renumbered(range_of text, std::int64_t from, std::int64_t to, bool is_weight) const {
        std::size_t begin = names_.layers.size();
        if (!is_weight) {
            const std::string_view old = graph_.view().text(text);
            begin = 0;
            while (old[begin] < '0' || old[begin] > '9') {
                ++begin;
            }
        }
        return renumbered_at(text, begin, from, to);
    }
    static constexpr sequence<float> copied(std::span<const float> values) {
        sequence<float> result;
        result.append(values);
        return result;
    }

    decoder_configuration c_;
    decoder_form form_;
    published_names names_;
    std::int64_t layer_ = -1;
};

} // namespace ane::models
