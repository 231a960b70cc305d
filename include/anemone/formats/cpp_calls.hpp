#pragma once

#include "../catalogue/mixing.hpp"
#include "../passes/print.hpp"
#include "cpp_text.hpp"

#include <bit>
#include <string>
#include <vector>

/// What the typed function of an operation is called with besides its operands. Only bodies include this header.
namespace ane::formats::inline ANEMONE_WAY {

/// A call in three parts: `function<constants>(operands, arguments)result`.
struct cpp_call {
    std::string function;
    std::vector<std::string> constants = {};
    std::vector<std::string> arguments = {};
    std::string_view result = ""; ///< a member of what the function returns
    std::string_view fault = "";  ///< why there is no such call
};

/// Attributes that decide a shape are a template argument, left out where it is the default.
template <class Attributes> void add_constant(cpp_call& call, const Attributes& a) {
    call.constants.push_back(cpp_struct(a));
}
template <class Attributes> void add_constant_or_default(cpp_call& call, const Attributes& a) {
    if (!(a == Attributes{})) {
        add_constant(call, a);
    }
}
ANEMONE_INLINE void add_axis(cpp_call& call, int index) { call.constants.push_back(formatted("axis{{{}}}", index)); }
ANEMONE_INLINE void add_list(cpp_call& call, std::string_view type, const indices& list) {
    call.constants.push_back(formatted("{}{{{}}}", type, cpp_list(list)));
}
template <class... Number> void add_arguments(cpp_call& call, Number... number) {
    (call.arguments.push_back(cpp_number(number)), ...);
}

/// By the attribute struct, which says how its operations are written; an operation that differs stands first.
class cpp_attributes {
public:
    cpp_attributes(const graph_view& g, int index, cpp_call& call) : g_(g), n_(g[index]), call_(call) {}

    ANEMONE_INLINE void operator()(const no_attributes&) const {
        if (n_.kind == op::reshape) {
            call_.constants.push_back(cpp_list(n_.shape));
        }
    }
    ANEMONE_INLINE void operator()(const contract&) const {} // sources are not called
    ANEMONE_INLINE void operator()(const literal&) const {}
    ANEMONE_INLINE void operator()(const conv& a) const { add_constant_or_default(call_, a); }
    ANEMONE_INLINE void operator()(const conv_transpose& a) const { add_constant_or_default(call_, a); }
    ANEMONE_INLINE void operator()(const transposed& a) const { add_constant_or_default(call_, a); }
    ANEMONE_INLINE void operator()(const pool& a) const { add_constant(call_, a); }
    ANEMONE_INLINE void operator()(const pads& a) const { add_constant(call_, a); }
    ANEMONE_INLINE void operator()(const cumulation& a) const { add_constant(call_, a); }
    ANEMONE_INLINE void operator()(const compression& a) const {
        compression named{.form = weight_form::palette, .bits = a.bits}; // by its name, where the form has one
        std::string text = formatted("palette<{}>", a.bits);
        if (a.form == weight_form::affine || a.form == weight_form::sparse) {
            const bool sparse = a.form == weight_form::sparse;
            named = {.form = a.form, .bits = sparse ? 16 : 8};
            text = sparse ? "sparse" : "affine_int8";
        } else if (a.form == weight_form::blockwise) {
            named = {.form = a.form, .bits = a.bits, .block = a.block};
            text = formatted("blockwise<{}, {}>", a.block, a.bits);
        }
        call_.constants.push_back(a == named ? text : cpp_struct(a));
    }
    ANEMONE_INLINE void operator()(const axis& a) const { add_axis(call_, a.index); }
    ANEMONE_INLINE void operator()(const axes& a) const { add_list(call_, "axes", a.list); }
    ANEMONE_INLINE void operator()(const permutation& a) const { add_list(call_, "permutation", a.order); }
    ANEMONE_INLINE void operator()(const repeats& a) const { add_list(call_, "repeats", a.count); }
    ANEMONE_INLINE void operator()(const factors& a) const {
        call_.constants.push_back(a.by.height == a.by.width ? cpp_value(a.by)
                                                            : formatted("factors{}", cpp_value(a.by)));
    }
    ANEMONE_INLINE void operator()(const window& a) const {
        if (n_.kind == op::dynamic_slice) {
            return moving_window(a);
        }
        add_constant(call_, a);
    }
    ANEMONE_INLINE void operator()(const strided_window& a) const {
        if (n_.kind == op::slice_update) {
            return add_constant(call_, a);
        }
        indices end;
        bool steps = false;
        for (int i = 0; i < a.begin.rank; ++i) { // just behind the last element that is taken
            end.append(a.begin[i] + (n_.shape[i] - 1) * a.stride[i] + 1);
            steps = steps || a.stride[i] != 1;
        }
        call_.constants.push_back(formatted("index_range{{.begin = {}, .end = {}{}}}", cpp_value(a.begin),
                                            cpp_value(end),
                                            steps ? formatted(", .stride = {}", cpp_value(a.stride)) : std::string()));
    }
    ANEMONE_INLINE void operator()(const leakage& a) const { add_arguments(call_, a.alpha); }
    ANEMONE_INLINE void operator()(const clip_range& a) const { add_arguments(call_, a.min, a.max); }
    ANEMONE_INLINE void operator()(const relu_threshold& a) const { add_arguments(call_, a.alpha); }
    ANEMONE_INLINE void operator()(const clamped_leakage& a) const { add_arguments(call_, a.alpha, a.beta); }
    ANEMONE_INLINE void operator()(const saturation& a) const { add_arguments(call_, a.alpha); }
    ANEMONE_INLINE void operator()(const clamped_line& a) const { add_arguments(call_, a.alpha, a.beta); }
    ANEMONE_INLINE void operator()(const tanh_scaling& a) const { add_arguments(call_, a.alpha, a.beta); }
    ANEMONE_INLINE void operator()(const score_scaling& a) const { add_arguments(call_, a.scale); }
    ANEMONE_INLINE void operator()(const drop_ratio& a) const { add_arguments(call_, a.ratio); }
    ANEMONE_INLINE void operator()(const search_radius& a) const { add_arguments(call_, a.radius); }
    ANEMONE_INLINE void operator()(const uniform_range& a) const {
        call_.arguments = {"g", cpp_type(n_.type, n_.shape)};
        add_arguments(call_, a.low, a.high);
    }
    ANEMONE_INLINE void operator()(const stabilizer& a) const {
        if (signature(n_.kind).group == op_group::normalization && std::has_single_bit(mixed_axes(n_))) {
            add_axis(call_, a.axis);
        }
        add_arguments(call_, a.epsilon);
    }
    ANEMONE_INLINE void operator()(const grouping& a) const {
        call_.constants.push_back(cpp_value(a.groups));
        add_arguments(call_, a.epsilon);
    }
    ANEMONE_INLINE void operator()(const response_norm_shape& a) const {
        call_.constants.push_back(cpp_value(a.size));
        add_arguments(call_, a.alpha, a.beta, a.k);
    }
    ANEMONE_INLINE void operator()(const sampling& a) const {
        if (n_.kind == op::resample) { // its extent is that of the grid
            call_.constants = {cpp_value(a.method), cpp_value(a.border), cpp_value(a.grid)};
            return;
        }
        add_constant(call_, a);
    }
    ANEMONE_INLINE void operator()(const quantization& a) const {
        if (n_.kind == op::dequantize) { // its type is that of the operand
            return add_axis(call_, a.axis);
        }
        add_constant(call_, a);
    }
    ANEMONE_INLINE void operator()(const selection& a) const {
        const bool first = n_.kind == op::top_k || n_.kind == op::top_k_indices;
        if (first) {
            call_.function = "top_k";
            call_.constants.push_back(cpp_value(a.k));
            call_.result = n_.kind == op::top_k ? ".values" : ".indices";
        }
        add_axis(call_, a.axis);
        call_.constants.push_back(cpp_value(a.ascending));
    }
    ANEMONE_INLINE void operator()(const item_count& a) const { call_.constants.push_back(cpp_value(a.count)); }
    ANEMONE_INLINE void operator()(const scaling& a) const {
        call_.constants.push_back(cpp_value(a.function));
        add_arguments(call_, a.scale);
    }

private:
    /// The typed function moves a window along one axis, from its start on.
    ANEMONE_INLINE void moving_window(const window& w) const {
        const extents& x = g_.operand(n_, 0).shape;
        int along = 0;
        for (int i = 0; i < w.size.rank; ++i) {
            along = w.size[i] < x[i] ? i : along;
            if (w.begin[i] != 0) {
                call_.fault = "its window begins elsewhere than at 0, which the typed function cannot say";
            }
        }
        if (w.size.rank == 0) {
            call_.fault = "its operand has no axis, along which the typed function moves its window";
            return;
        }
        add_axis(call_, along);
        call_.constants.push_back(formatted("{}", w.size[along]));
    }

    const graph_view& g_;
    const node& n_;
    cpp_call& call_;
};

/// The call that computes a node.
ANEMONE_INLINE cpp_call cpp_call_of(const graph_view& g, int index) {
    const node& n = g[index];
    cpp_call call{.function = n.kind == op::cast ? "to_f16" : std::string(name(n.kind))};
    n.attributes.visit(cpp_attributes(g, index, call));
    return call;
}

} // namespace ane::formats::inline ANEMONE_WAY
