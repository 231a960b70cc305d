#pragma once

#include <anemone/graph/op.hpp>
#include <anemone/graph/reflection.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Values of attributes, for any attribute struct: its members are found by reflection.
namespace catalogue {

using namespace ane;

/// Lists of indices that mean something for a tensor of this shape: one for each axis, and lists of one or two.
inline std::vector<indices> lists_for(const extents& x) {
    indices zeros;
    indices ones;
    indices upwards;
    indices downwards;
    indices last = x;
    for (int i = 0; i < x.rank; ++i) {
        zeros.append(0);
        ones.append(1);
        upwards.append(i);
        downwards.append(x.rank - 1 - i);
    }
    indices inner = zeros;
    if (x.rank > 1) {
        inner[x.rank - 1] = inner[x.rank - 2] = last[x.rank - 1] = 1;
    }
    return {{}, zeros, ones, upwards, downwards, x, last, inner, {0}, {1}};
}

/// What an operation on a tensor of this shape would ordinarily be given.
inline std::vector<int> ordinary(int standard, const extents&) { return {standard, 1, 2, 3}; }
inline std::vector<float> ordinary(float standard, const extents&) { return {standard, 0.5F}; }
inline std::vector<double> ordinary(double standard, const extents&) { return {standard}; }
inline std::vector<bool> ordinary(bool standard, const extents&) { return {standard}; }
inline std::vector<size2> ordinary(size2 standard, const extents&) { return {standard, 2, {1, 2}}; }
inline std::vector<padding2> ordinary(const padding2& standard, const extents&) { return {standard, 1}; }
inline std::vector<indices> ordinary(const indices&, const extents& x) { return lists_for(x); }
template <class Enum>
    requires std::is_enum_v<Enum> std::vector<Enum> ordinary(Enum standard, const extents&) {
        return {standard, static_cast<Enum>(1)};
    }

/// Its edges, and what lies beyond them.
inline std::vector<int> extreme(int, const extents&) {
    return {0,
            1,
            2,
            3,
            4,
            5,
            8,
            16,
            -1,
            -2,
            1 << 24,
            (1 << 24) + 1,
            1 << 30,
            std::numeric_limits<int>::max(),
            std::numeric_limits<int>::min()};
}
template <class Real>
    requires std::is_floating_point_v<Real> std::vector<Real> extreme(Real, const extents&) {
        constexpr auto limits = std::numeric_limits<Real>();
        return {Real(0),           Real(-0.0),         Real(1),           Real(-1),
                Real(0.5),         Real(1.5),          Real(1e-3),        Real(6e-8),
                Real(2.9e-8),      Real(-6e-8),        Real(255),         Real(65504),
                Real(-65504),      Real(65520),        limits.max(),      limits.denorm_min(),
                limits.infinity(), -limits.infinity(), limits.quiet_NaN()};
    }
inline std::vector<bool> extreme(bool, const extents&) { return {false, true}; }
inline std::vector<size2> extreme(size2, const extents&) {
    constexpr int most = std::numeric_limits<int>::max();
    constexpr int least = std::numeric_limits<int>::min();
    return {0,      1,      2,       3,         {1, 3},    {5, 1},       {4, 4},
            {0, 1}, {1, 0}, {-1, 1}, {1, 4096}, {most, 1}, {1 << 24, 1}, {1, least}};
}
inline std::vector<padding2> extreme(const padding2&, const extents&) {
    constexpr int most = std::numeric_limits<int>::max();
    constexpr int least = std::numeric_limits<int>::min();
    return {0,
            1,
            2,
            {0, 1, 2, 0},
            {1, 0},
            {0, 0, 3, 1},
            same,
            valid,
            -1,
            {most, 0, 0, 0},
            {0, 0, 0, least},
            {1 << 24},
            static_cast<padding_mode>(3)};
}
inline std::vector<indices> extreme(const indices&, const extents& x) {
    std::vector<indices> all = lists_for(x);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    for (int length = 1; length <= max_rank; ++length) {
        for (const std::int64_t value : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{-1},
                                         std::int64_t{1} << 30, most, least}) {
            indices list;
            while (list.rank < length) {
                list.append(value);
            }
            all.push_back(list);
        }
    }
    for (const std::int64_t value : {std::int64_t{2}, std::int64_t{3}, std::int64_t{-1}, most, least}) {
        for (int i = 0; i < x.rank; ++i) { // one axis alone
            for (const std::int64_t others : {0, 1}) {
                indices list;
                for (int k = 0; k < x.rank; ++k) {
                    list.append(k == i ? value : others);
                }
                all.push_back(list);
            }
        }
    }
    for (const int rank : {-1, extents::capacity + 1}) {
        indices list{1, 1};
        list.rank = rank;
        all.push_back(list);
    }
    return all;
}
template <class Enum>
    requires std::is_enum_v<Enum> std::vector<Enum> extreme(Enum, const extents&) {
        std::vector<Enum> all;
        for (int i = 0; i <= 12; ++i) { // the longest enumeration has twelve; the others are beyond the shorter ones
            all.push_back(static_cast<Enum>(i));
        }
        all.push_back(static_cast<Enum>(255));
        return all;
    }

/// A value of an attribute, as text.
inline std::string text_of(bool value) { return value ? "true" : "false"; }
inline std::string text_of(int value) { return std::to_string(value); }
template <class Real>
    requires std::is_floating_point_v<Real> std::string text_of(Real value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.7g", static_cast<double>(value));
        return text;
    }
inline std::string text_of(size2 value) {
    return value.height == value.width ? text_of(value.height) : text_of(value.height) + " x " + text_of(value.width);
}
inline std::string text_of(const padding2& value) {
    if (value.mode != padding_mode::explicit_amount) {
        return value.mode == padding_mode::same ? "same" : value.mode == padding_mode::valid ? "valid" : "no mode";
    }
    return value == padding2(value.top) ? text_of(value.top)
                                        : text_of(value.top) + " " + text_of(value.bottom) + " " + text_of(value.left) +
                                              " " + text_of(value.right);
}
inline std::string text_of(const extents& value) {
    std::string text;
    for (int i = 0; i < value.rank && i < extents::capacity; ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(value[i]);
    }
    const bool possible = value.rank >= 0 && value.rank <= extents::capacity;
    return possible ? "{" + text + "}" : "rank " + std::to_string(value.rank);
}
inline std::string text_of(dtype value) {
    return value <= dtype::boolean ? std::string(mil_name(value)) : std::to_string(static_cast<int>(value));
}
template <class Enum>
    requires std::is_enum_v<Enum> std::string text_of(Enum value) { return std::to_string(static_cast<int>(value)); }

/// The members of a node's attributes with their values.
inline std::string text_of(const attributes& values) {
    std::string text;
    values.visit([&](const auto& a) {
        for_each_member(a, [&](std::string_view member, const auto& value) {
            text += (text.empty() ? "" : ", ") + std::string(member) + " " + text_of(value);
        });
    });
    return text;
}

/// The attributes of an operation as its struct's members begin.
inline attributes default_attributes(op kind) { return attributes::of(signature(kind).attributes); }

enum class choice { ordinary, extreme };

/// The values from which each member of these attributes is chosen, for an operand of the shape.
class attribute_choices {
public:
    attribute_choices(const attributes& base, const extents& x, choice which) : base_(base), x_(x), which_(which) {
        base.visit([&](const auto& a) {
            for_each_member(a, [&](std::string_view, const auto& member) {
                sizes_.push_back(which == choice::ordinary ? ordinary(member, x).size() : extreme(member, x).size());
            });
        });
    }

    /// How many values there are for each member.
    const std::vector<std::size_t>& sizes() const { return sizes_; }
    /// How many combinations there are.
    std::size_t combinations() const {
        std::size_t product = 1;
        for (const std::size_t size : sizes_) {
            product *= size;
        }
        return product;
    }
    /// The attributes with one member replaced.
    attributes with(const attributes& before, std::size_t member, std::size_t index) const {
        return before.visit<attributes>([&](auto changed) {
            std::size_t at = 0;
            for_each_member(changed, [&](std::string_view, auto& value) {
                if (at++ == member) {
                    value = which_ == choice::ordinary ? ordinary(value, x_)[index] : extreme(value, x_)[index];
                }
            });
            return attributes(changed);
        });
    }
    /// The combination of this number, in mixed radix.
    attributes combination(std::size_t number) const {
        attributes all = base_;
        for (std::size_t member = 0; member < sizes_.size(); ++member) {
            all = with(all, member, number % sizes_[member]);
            number /= sizes_[member];
        }
        return all;
    }

private:
    attributes base_;
    extents x_;
    choice which_;
    std::vector<std::size_t> sizes_;
};

} // namespace catalogue
