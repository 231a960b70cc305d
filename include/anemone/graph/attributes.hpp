#pragma once

#include "../values/contract.hpp"
#include "attribute_structs.hpp"
#include "refusal.hpp"

#include <cstdint>
#include <string_view>
#include <type_traits>

/// What a node carries of its operation: one of the attribute structs.
namespace ane {

// The attribute structs that a node may carry; `none` comes first and stands for no_attributes.
#define ANEMONE_ATTRIBUTES(ROW)                                                                                        \
    ROW(contract)                                                                                                      \
    ROW(literal)                                                                                                       \
    ROW(conv)                                                                                                          \
    ROW(conv_transpose)                                                                                                \
    ROW(pool)                                                                                                          \
    ROW(transposed)                                                                                                    \
    ROW(axis)                                                                                                          \
    ROW(axes)                                                                                                          \
    ROW(permutation)                                                                                                   \
    ROW(window)                                                                                                        \
    ROW(strided_window)                                                                                                \
    ROW(pads)                                                                                                          \
    ROW(repeats)                                                                                                       \
    ROW(factors)                                                                                                       \
    ROW(leakage)                                                                                                       \
    ROW(clip_range)                                                                                                    \
    ROW(relu_threshold)                                                                                                \
    ROW(clamped_leakage)                                                                                               \
    ROW(saturation)                                                                                                    \
    ROW(clamped_line)                                                                                                  \
    ROW(tanh_scaling)                                                                                                  \
    ROW(score_scaling)                                                                                                 \
    ROW(drop_ratio)                                                                                                    \
    ROW(uniform_range)                                                                                                 \
    ROW(search_radius)                                                                                                 \
    ROW(stabilizer)                                                                                                    \
    ROW(grouping)                                                                                                      \
    ROW(response_norm_shape)                                                                                           \
    ROW(cumulation)                                                                                                    \
    ROW(sampling)                                                                                                      \
    ROW(quantization)                                                                                                  \
    ROW(compression)                                                                                                   \
    ROW(selection)                                                                                                     \
    ROW(item_count)                                                                                                    \
    ROW(scaling)

/// Which member of `attributes` is in use.
enum class attribute_kind : std::uint8_t {
    none,
#define ANEMONE_ROW(name) name,
    ANEMONE_ATTRIBUTES(ANEMONE_ROW)
#undef ANEMONE_ROW
};

/// The name of the attribute struct.
constexpr std::string_view name(attribute_kind kind) {
    switch (kind) {
#define ANEMONE_ROW(name)                                                                                              \
    case attribute_kind::name: return #name;
        ANEMONE_ATTRIBUTES(ANEMONE_ROW)
#undef ANEMONE_ROW
    case attribute_kind::none: break;
    }
    return "no_attributes";
}

namespace detail {
template <class T> inline constexpr attribute_kind kind_of = attribute_kind::none;
#define ANEMONE_ROW(name) template <> inline constexpr attribute_kind kind_of<name> = attribute_kind::name;
ANEMONE_ATTRIBUTES(ANEMONE_ROW)
#undef ANEMONE_ROW

[[noreturn]] inline void wrong_attribute_kind() {
    refuse_graph("attributes", "these are not the attributes of the operation");
}
} // namespace detail

/// The attributes of one node: one of the structs above. `get<T>()` of another than the stored one throws, which in a
/// constant expression is a compile error.
class attributes {
public:
    constexpr attributes() : kind_(attribute_kind::none), none_{} {}
    constexpr attributes(const no_attributes&) : attributes() {} // NOLINT(google-explicit-constructor)
#define ANEMONE_ROW(name)                                                                                              \
    constexpr attributes(const name& a) : kind_(attribute_kind::name), name##_(a) {} // NOLINT
    ANEMONE_ATTRIBUTES(ANEMONE_ROW)
#undef ANEMONE_ROW

    /// The struct of a kind, with its default values.
    static constexpr attributes of(attribute_kind kind) {
        switch (kind) {
#define ANEMONE_ROW(name)                                                                                              \
    case attribute_kind::name: return name{};
            ANEMONE_ATTRIBUTES(ANEMONE_ROW)
#undef ANEMONE_ROW
        case attribute_kind::none: break;
        }
        return {};
    }

    constexpr attribute_kind kind() const { return kind_; }

    template <class T> constexpr const T& get() const {
        if (kind_ != detail::kind_of<T>) {
            detail::wrong_attribute_kind();
        }
        return stored(static_cast<const T*>(nullptr));
    }

    /// Calls `visitor` with the stored struct. The result's type is given, not deduced: to deduce it a compiler would
    /// instantiate the visitor for every struct wherever a call stands, used or not.
    template <class Result = void, class Visitor> constexpr Result visit(Visitor&& visitor) const {
        switch (kind_) {
#define ANEMONE_ROW(name)                                                                                              \
    case attribute_kind::name: return visitor(name##_);
            ANEMONE_ATTRIBUTES(ANEMONE_ROW)
#undef ANEMONE_ROW
        case attribute_kind::none: break;
        }
        return visitor(none_);
    }

    /// Calls `visitor(member...)` with all members of the stored struct (base/members.hpp).
    template <class Result = void, class Visitor> constexpr Result visit_members(const Visitor& visitor) const {
        switch (kind_) {
#define ANEMONE_ROW(name)                                                                                              \
    case attribute_kind::name: return name::visit_members(name##_, visitor);
            ANEMONE_ATTRIBUTES(ANEMONE_ROW)
#undef ANEMONE_ROW
        case attribute_kind::none: break;
        }
        return visitor();
    }

    friend constexpr bool operator==(const attributes& a, const attributes& b) {
        return a.kind_ == b.kind_ && a.visit<bool>([&](const auto& mine) {
            using mine_type = std::remove_cvref_t<decltype(mine)>;
            return mine == b.get<mine_type>();
        });
    }

private:
    // The argument only picks the overload.
    constexpr const no_attributes& stored(const no_attributes*) const { return none_; }
#define ANEMONE_ROW(name)                                                                                              \
    constexpr const name& stored(const name*) const { return name##_; }
    ANEMONE_ATTRIBUTES(ANEMONE_ROW)
#undef ANEMONE_ROW

    attribute_kind kind_;
    union {
        no_attributes none_;
#define ANEMONE_ROW(name) name name##_;
        ANEMONE_ATTRIBUTES(ANEMONE_ROW)
#undef ANEMONE_ROW
    };
};

#undef ANEMONE_ATTRIBUTES

} // namespace ane
