#pragma once

#include "../contract.hpp"
#include "../shape.hpp"
#include "refusal.hpp"

#include <cstdint>
#include <type_traits>

/// The attributes of operations: plain structs, usable as template arguments where they decide a shape.
namespace ane {

/// A height and a width; one number means both.
struct size2 {
    int height = 1;
    int width = 1;

    constexpr size2() = default;
    constexpr size2(int both) : height(both), width(both) {} // NOLINT(google-explicit-constructor): `.stride = 2`
    constexpr size2(int h, int w) : height(h), width(w) {}
    friend constexpr bool operator==(const size2&, const size2&) = default;
};

enum class padding_mode : std::uint8_t { explicit_amount, same, valid };

/// Spatial padding. In a graph it is always resolved to explicit amounts.
struct padding2 {
    padding_mode mode = padding_mode::explicit_amount;
    int top = 0;
    int bottom = 0;
    int left = 0;
    int right = 0;

    constexpr padding2() = default;
    constexpr padding2(padding_mode m) : mode(m) {}                               // NOLINT
    constexpr padding2(int all) : top(all), bottom(all), left(all), right(all) {} // NOLINT
    constexpr padding2(int vertical, int horizontal)
        : top(vertical), bottom(vertical), left(horizontal), right(horizontal) {}
    constexpr padding2(int t, int b, int l, int r) : top(t), bottom(b), left(l), right(r) {}
    friend constexpr bool operator==(const padding2&, const padding2&) = default;
};

/// Output extent = ceil(input / stride); an odd amount puts the extra row or column at the end, as ONNX SAME_UPPER does.
inline constexpr padding2 same{padding_mode::same};
/// No padding.
inline constexpr padding2 valid{padding_mode::valid};

/// Attributes of `conv2d`. The kernel's extents come from the weight, [O, I / groups, kH, kW].
struct conv {
    size2 stride = 1;
    size2 dilation = 1;
    padding2 padding{};
    int groups = 1;
    friend constexpr bool operator==(const conv&, const conv&) = default;
};

/// Attributes of `conv_transpose2d`. The kernel's extents come from the weight, [I, O / groups, kH, kW].
struct conv_transpose {
    size2 stride = 1;
    size2 dilation = 1;
    padding2 padding{};
    int groups = 1;
    friend constexpr bool operator==(const conv_transpose&, const conv_transpose&) = default;
};

/// Attributes of `max_pool` and `avg_pool`. A stride of zero means the kernel's extents.
struct pool {
    size2 kernel = 1;
    size2 stride = 0;
    padding2 padding{};
    bool ceil_mode = false;       ///< round the output extents up instead of down
    bool exclude_padding = false; ///< average over real elements only
    friend constexpr bool operator==(const pool&, const pool&) = default;
};

/// Which operands of `matmul` are transposed in their last two axes.
struct transposed {
    bool a = false;
    bool b = false;
    friend constexpr bool operator==(const transposed&, const transposed&) = default;
};

/// One axis; negative counts from the last.
struct axis {
    int index = -1;
    friend constexpr bool operator==(const axis&, const axis&) = default;
};

/// Indices, one per axis: permutations, begins, sizes, lists of axes.
using indices = extents;

/// The axes that a reduction removes (they stay as extents of one).
struct axes {
    indices list{};

    constexpr axes() = default;
    template <class... Index> constexpr axes(Index... index) : list{static_cast<std::int64_t>(index)...} {} // NOLINT
    friend constexpr bool operator==(const axes&, const axes&) = default;
};

/// Output axis i is input axis `order[i]`.
struct permutation {
    indices order{};

    constexpr permutation() = default;
    template <class... Index>
    constexpr permutation(Index... index) : order{static_cast<std::int64_t>(index)...} {} // NOLINT
    friend constexpr bool operator==(const permutation&, const permutation&) = default;
};

/// The window [begin, begin + size) of every axis.
struct window {
    indices begin{};
    indices size{};
    friend constexpr bool operator==(const window&, const window&) = default;
};

/// Elements added before and after every axis.
struct pads {
    indices before{};
    indices after{};
    friend constexpr bool operator==(const pads&, const pads&) = default;
};

/// Scalar coefficients of an operation; their meaning is the operation's: leaky_relu: alpha the slope; clamp: alpha the
/// low and beta the high end; pad: alpha the value; attention: alpha the scale.
struct coefficients {
    float alpha = 0;
    float beta = 0;
    friend constexpr bool operator==(const coefficients&, const coefficients&) = default;
};

/// The small number that keeps a logarithm, a root or a division away from zero; for the norms also the axis.
struct stabilizer {
    float epsilon = 0;
    int axis = -1;
    friend constexpr bool operator==(const stabilizer&, const stabilizer&) = default;
};

/// A constant of the graph: `count` values in the graph's payload from `offset`; one value fills the whole tensor.
struct literal {
    int offset = 0;
    int count = 0;
    friend constexpr bool operator==(const literal&, const literal&) = default;
};

struct no_attributes {
    friend constexpr bool operator==(const no_attributes&, const no_attributes&) = default;
};

/// Which member of `attributes` is in use.
enum class attribute_kind : std::uint8_t {
    none,
    contract,
    literal,
    conv,
    conv_transpose,
    pool,
    transposed,
    axis,
    axes,
    permutation,
    window,
    pads,
    coefficients,
    stabilizer
};

/// The attributes of one node: one of the structs above. `get<T>()` of another than the stored one throws, which in a
/// constant expression is a compile error.
class attributes {
public:
    constexpr attributes() : kind_(attribute_kind::none), none_{} {}
    constexpr attributes(const no_attributes&) : attributes() {}                               // NOLINT
    constexpr attributes(const contract& a) : kind_(attribute_kind::contract), contract_(a) {} // NOLINT
    constexpr attributes(const literal& a) : kind_(attribute_kind::literal), literal_(a) {}    // NOLINT
    constexpr attributes(const conv& a) : kind_(attribute_kind::conv), conv_(a) {}             // NOLINT
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr attributes(const conv_transpose& a) : kind_(attribute_kind::conv_transpose), transpose_conv_(a) {}
    constexpr attributes(const pool& a) : kind_(attribute_kind::pool), pool_(a) {}                         // NOLINT
    constexpr attributes(const transposed& a) : kind_(attribute_kind::transposed), transposed_(a) {}       // NOLINT
    constexpr attributes(const axis& a) : kind_(attribute_kind::axis), axis_(a) {}                         // NOLINT
    constexpr attributes(const axes& a) : kind_(attribute_kind::axes), axes_(a) {}                         // NOLINT
    constexpr attributes(const permutation& a) : kind_(attribute_kind::permutation), permutation_(a) {}    // NOLINT
    constexpr attributes(const window& a) : kind_(attribute_kind::window), window_(a) {}                   // NOLINT
    constexpr attributes(const pads& a) : kind_(attribute_kind::pads), pads_(a) {}                         // NOLINT
    constexpr attributes(const coefficients& a) : kind_(attribute_kind::coefficients), coefficients_(a) {} // NOLINT
    constexpr attributes(const stabilizer& a) : kind_(attribute_kind::stabilizer), stabilizer_(a) {}       // NOLINT

    constexpr attribute_kind kind() const { return kind_; }

    template <class T> constexpr const T& get() const;

    /// Calls `visitor` with the stored struct.
    template <class Visitor> constexpr decltype(auto) visit(Visitor&& visitor) const {
        switch (kind_) {
        case attribute_kind::contract: return visitor(contract_);
        case attribute_kind::literal: return visitor(literal_);
        case attribute_kind::conv: return visitor(conv_);
        case attribute_kind::conv_transpose: return visitor(transpose_conv_);
        case attribute_kind::pool: return visitor(pool_);
        case attribute_kind::transposed: return visitor(transposed_);
        case attribute_kind::axis: return visitor(axis_);
        case attribute_kind::axes: return visitor(axes_);
        case attribute_kind::permutation: return visitor(permutation_);
        case attribute_kind::window: return visitor(window_);
        case attribute_kind::pads: return visitor(pads_);
        case attribute_kind::coefficients: return visitor(coefficients_);
        case attribute_kind::stabilizer: return visitor(stabilizer_);
        case attribute_kind::none: break;
        }
        return visitor(none_);
    }

    friend constexpr bool operator==(const attributes& a, const attributes& b) {
        return a.kind_ == b.kind_ && a.visit([&](const auto& mine) {
            using mine_type = std::remove_cvref_t<decltype(mine)>;
            return mine == b.get<mine_type>();
        });
    }

private:
    attribute_kind kind_;
    union {
        no_attributes none_;
        contract contract_;
        literal literal_;
        conv conv_;
        conv_transpose transpose_conv_;
        pool pool_;
        transposed transposed_;
        axis axis_;
        axes axes_;
        permutation permutation_;
        window window_;
        pads pads_;
        coefficients coefficients_;
        stabilizer stabilizer_;
    };
};

namespace detail {
[[noreturn]] inline void wrong_attribute_kind() {
    refuse_graph("attributes", "an operation was asked for attributes that it does not have");
}
} // namespace detail

template <class T> constexpr const T& attributes::get() const {
    const T* found = nullptr;
    bool matches = false; // not `found != nullptr`: g++ 12 does not compare an address of a temporary in a constant
    visit([&](const auto& stored) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(stored)>, T>) {
            found = &stored;
            matches = true;
        }
    });
    if (!matches) {
        detail::wrong_attribute_kind();
    }
    return *found;
}

} // namespace ane
