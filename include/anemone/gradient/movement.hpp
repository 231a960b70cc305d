#pragma once

#include "../graph/border_source.hpp"
#include "tape.hpp"

/// Derivatives of what moves elements: the elements move back, and copies of one are added up.
namespace ane::detail::gradients {

template <> struct derivative<op::reshape> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.reshape(s.dy, s.shape())); }
};
template <> struct derivative<op::identity> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.dy); }
};
/// Bytes and booleans have no cotangent.
template <> struct derivative<op::cast> : constant_result {};

template <> struct derivative<op::transpose> : smooth {
    static constexpr void pull(const step& s) {
        const indices order = s.n.get<permutation>().order;
        indices back = order;
        for (int k = 0; k < order.rank; ++k) {
            back[static_cast<int>(order[k])] = k;
        }
        s.pull(0, s.t.transposed_to(s.dy, back));
    }
};
template <> struct derivative<op::concat> : smooth {
    static constexpr void pull(const step& s) {
        const int along = normalized_axis(s.n.get<axis>().index, s.n.shape.rank);
        std::int64_t begin = 0;
        for (int k = 0; k < s.n.operands.count; ++k) {
            const std::int64_t size = s.shape(k)[along];
            if (s.wants(k)) {
                s.pull(k, s.t.slice(s.dy, along, begin, size));
            }
            begin += size;
        }
    }
};
/// The elements of a window back at their places among zeros: of each axis the `begin`-th, and every `stride`-th from there.
constexpr int among_zeros(tape& t, int value, const indices& begin, const indices& stride, const extents& wanted) {
    for (int k = 0; k < wanted.rank; ++k) {
        if (stride.rank > 0 && stride[k] > 1) {
            value = t.spaced(value, k, stride[k]);
            const std::int64_t room = wanted[k] - begin[k];
            value = t.shape(value)[k] > room ? t.slice(value, k, 0, room) : value;
        }
    }
    pads last{begin, begin}; // of the last two axes at once
    bool any = false;
    for (int k = 0; k < wanted.rank; ++k) {
        const std::int64_t after = wanted[k] - begin[k] - t.shape(value)[k];
        const bool apart = k < wanted.rank - 2;
        value = apart ? t.bordered(value, k, begin[k], after) : value;
        last.before[k] = apart ? 0 : begin[k];
        last.after[k] = apart ? 0 : after;
        any = any || last.before[k] != 0 || last.after[k] != 0;
    }
    return any ? t.emit(op::pad, last, {value, t.number(0)}) : value;
}
template <> struct derivative<op::slice> : smooth {
    static constexpr void pull(const step& s) {
        s.pull(0, among_zeros(s.t, s.dy, s.n.get<window>().begin, {}, s.shape()));
    }
};
template <> struct derivative<op::strided_slice> : smooth {
    static constexpr void pull(const step& s) {
        const strided_window part = s.n.get<strided_window>();
        s.pull(0, among_zeros(s.t, s.dy, part.begin, part.stride, s.shape()));
    }
};
/// (x, update)
template <> struct derivative<op::slice_update> : smooth {
    static constexpr void pull(const step& s) {
        const strided_window part = s.n.get<strided_window>();
        if (s.wants(0)) {
            const int zeros = s.t.filled(s.shape(1), 0);
            s.pull(0, s.t.emit(op::slice_update, part, {s.dy, zeros}));
        }
        if (s.wants(1)) {
            s.pull(1, s.t.emit(op::strided_slice, part, {s.dy}, s.shape(1)));
        }
    }
};

/// (x, value): what the border got is the value's.
template <> struct derivative<op::pad> : smooth {
    static constexpr void pull(const step& s) {
        const window inner{s.n.get<pads>().before, s.shape()};
        const int middle = s.t.emit(op::slice, inner, {s.dy});
        s.pull(0, middle);
        if (s.wants(1)) {
            const axes over = all_axes(s.n.shape.rank);
            const int border = s.t.sub(s.t.sum(s.dy, over), s.t.sum(middle, over));
            s.pull(1, s.t.reshape(border, s.shape(1)));
        }
    }

private:
    static constexpr axes all_axes(int rank) {
        axes over;
        for (int k = 0; k < rank; ++k) {
            over.list.append(k);
        }
        return over;
    }
};

/// What a border of copies gives back, axis by axis: `copied(border, along)` is what the elements before or behind the
/// operand add to it, which begins where the first of the copied elements stands.
template <class Copied> constexpr void pull_border(const step& s, Copied copied) {
    const pads p = s.n.get<pads>();
    int value = s.dy;
    for (int k = 0; k < s.n.shape.rank; ++k) {
        const std::int64_t extent = s.shape()[k];
        int middle = s.t.slice(value, k, p.before[k], extent);
        for (const bool before : {true, false}) {
            const std::int64_t size = before ? p.before[k] : p.after[k];
            if (size > 0) {
                const int part = copied(s.t.slice(value, k, before ? 0 : p.before[k] + extent, size), k);
                // Mirrored, the copy beside the operand is the first of those before it, and the last one of those behind.
                const std::int64_t begin = border_source(s.n.kind, extent, before ? -1 : extent + size - 1);
                middle = s.t.add(middle, s.t.padded(part, k, begin, extent - begin - s.t.shape(part)[k]));
            }
        }
        value = middle;
    }
    s.pull(0, value);
}
struct mirror_derivative : smooth {
    static constexpr void pull(const step& s) {
        pull_border(s, [&](int border, int along) { return s.t.emit(op::reverse, axes{along}, {border}); });
    }
};
template <> struct derivative<op::reflect_pad> : mirror_derivative {};
template <> struct derivative<op::symmetric_pad> : mirror_derivative {};
template <> struct derivative<op::replicate_pad> : smooth {
    static constexpr void pull(const step& s) {
        pull_border(s, [&](int border, int along) { return s.t.sum(border, axes{along}); });
    }
};

/// The sum over the copies.
template <> struct derivative<op::tile> : smooth {
    static constexpr void pull(const step& s) {
        int value = s.dy;
        for (int k = 0; k < s.n.shape.rank; ++k) {
            const std::int64_t extent = s.shape()[k];
            int sum = -1;
            for (std::int64_t begin = 0; begin < s.n.shape[k]; begin += extent) {
                const int copy = extent == s.n.shape[k] ? value : s.t.slice(value, k, begin, extent);
                sum = sum < 0 ? copy : s.t.add(sum, copy);
            }
            value = sum;
        }
        s.pull(0, value);
    }
};
template <> struct derivative<op::reverse> : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.emit(op::reverse, s.n.get<axes>(), {s.dy})); }
};

/// Blocks of pixels, back by the inverse operation.
template <op Inverse> struct moved_back : smooth {
    static constexpr void pull(const step& s) { s.pull(0, s.t.emit(Inverse, s.n.get<factors>(), {s.dy})); }
};
template <> struct derivative<op::pixel_shuffle> : moved_back<op::pixel_unshuffle> {};
template <> struct derivative<op::pixel_unshuffle> : moved_back<op::pixel_shuffle> {};
template <> struct derivative<op::depth_to_space> : moved_back<op::space_to_depth> {};
template <> struct derivative<op::space_to_depth> : moved_back<op::depth_to_space> {};
template <> struct derivative<op::space_to_batch> : moved_back<op::batch_to_space> {};
template <> struct derivative<op::batch_to_space> : moved_back<op::space_to_batch> {};

} // namespace ane::detail::gradients
