#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/lender.hpp"
#include "../io/steady_file.hpp"
#include "../values/element_type.hpp"
#include "../values/shape.hpp"
#include "../weights/formats/element_scan.hpp"
#include "../weights/formats/elements.hpp"

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::folding::inline ANEMONE_WAY {

/// Why a value cannot be computed; who catches it adds place and operation.
struct refused {
    std::string reason;
};

/// Elements that stay in their file until somebody asks for all of them, once.
class elements_in_file {
public:
    /// `read` gives them in memory that outlives this; it throws `error` (errc::file).
    elements_in_file(ane::detail::file_part part, std::function<std::span<const std::byte>()> read)
        : part_(std::move(part)), read_(std::move(read)) {}

    /// Into memory that is given back with this.
    ANEMONE_INLINE explicit elements_in_file(const ane::detail::file_part& part)
        : elements_in_file(part, [part, own = std::make_shared<std::vector<std::byte>>()] {
              own->resize(part.count);
              ane::detail::read_part(part, 0, *own);
              return std::span<const std::byte>(*own);
          }) {}

    const ane::detail::file_part& part() const { return part_; }
    /// Throws `refused`.
    ANEMONE_INLINE std::span<const std::byte> all() const {
        if (all_.empty()) {
            try {
                all_ = read_();
            } catch (const error& e) {
                throw refused{formatted("its data cannot be read: {}", e.what())};
            }
        }
        return all_;
    }
    /// `each_piece` of them. Throws `refused`, and what `take` does.
    template <class Take> void each_piece(const Take& take) const {
        try {
            ane::detail::each_piece(part_, take);
        } catch (const error& e) {
            throw refused{formatted("its data cannot be read: {}", e.what())};
        }
    }

private:
    ane::detail::file_part part_;
    std::function<std::span<const std::byte>()> read_;
    mutable std::span<const std::byte> all_;
};

/// A tensor whose elements are known before anything runs, as a file packs them: little-endian and without gaps.
struct known_tensor {
    element_type type = element_type::f32;
    extents shape = {};
    std::span<const std::byte> bytes = {};                         ///< of a file, or of `owned`; none of `in_file`
    std::shared_ptr<const std::vector<std::byte>> owned = nullptr; ///< null: borrowed
    bool is_missing = false; ///< a file that is not there has the elements; these are zeros, in their place
    std::shared_ptr<detail::lender> lender = nullptr;          ///< of bytes of a file that may go back
    std::shared_ptr<const elements_in_file> in_file = nullptr; ///< many elements, which are not read yet

    std::int64_t count() const { return shape.count(); }
    bool is_borrowed() const { return owned == nullptr; }
    std::size_t size_in_bytes() const { return in_file != nullptr ? in_file->part().count : bytes.size(); }
    /// All of them, read where they are not yet. Throws `refused`.
    ANEMONE_INLINE std::span<const std::byte> elements() const { return in_file != nullptr ? in_file->all() : bytes; }

    /// Element `i` as a number; exact but for 64-bit integers beyond 2^53.
    ANEMONE_INLINE double at(std::int64_t i) const { return weight_formats::element_as<double>(elements(), type, i); }

    /// The same of as many elements from `begin` on as there is room for.
    ANEMONE_INLINE void numbers(std::int64_t begin, std::span<double> to) const {
        weight_formats::elements_as<double>(elements(), type, begin, to);
    }

    /// The number of the first element for which `holds` (weight_formats::first_where). Elements of a file are not kept.
    template <class Element, class Holds> std::optional<std::int64_t> first_where(const Holds& holds) const {
        if (in_file == nullptr) {
            return weight_formats::first_where<Element>(bytes, count(), holds);
        }
        std::optional<std::int64_t> found;
        in_file->each_piece([&](std::size_t at, std::span<const std::byte> piece) {
            const auto size = static_cast<std::int64_t>(sizeof(Element));
            const auto number = static_cast<std::int64_t>(piece.size()) / size;
            if (const auto here = found ? std::nullopt : weight_formats::first_where<Element>(piece, number, holds)) {
                found = static_cast<std::int64_t>(at) / size + *here;
            }
        });
        return found;
    }

    /// Element `i` as an integer: exactly, real numbers cut off. Throws `refused` for one beyond 64 bits with a sign.
    ANEMONE_INLINE std::int64_t integer(std::int64_t i) const {
        const auto beyond = [](auto value) { return refused{formatted("reads {} as an integer of 64 bits", value)}; };
        if (is_floating(type)) {
            const double value = at(i);
            if (!(value > -0x1p63 && value < 0x1p63)) {
                throw beyond(value);
            }
            return static_cast<std::int64_t>(value);
        }
        if (type == element_type::uint64) {
            const auto value = weight_formats::element_as<std::uint64_t>(elements(), type, i);
            if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
                throw beyond(value);
            }
        }
        return weight_formats::element_as<std::int64_t>(elements(), type, i);
    }

    /// The same elements under another shape of as many.
    ANEMONE_INLINE known_tensor reshaped(const extents& to) const {
        known_tensor same = *this;
        same.shape = to;
        return same;
    }
};

/// Whether elements are integers or truth values, which are computed exactly.
constexpr bool is_exact(element_type type) noexcept { return is_integer(type) || type == element_type::boolean; }

/// The least and the largest integer of an exact type: 0 and 1 of truth values, and at most 2^63 - 1.
struct integer_range {
    std::int64_t least;
    std::int64_t largest;
};
constexpr integer_range range_of(element_type type) noexcept {
    const element_facts& facts = facts_of(type);
    const bool with_sign = facts.kind == number_kind::with_sign;
    const int digits = type == element_type::boolean ? 1 : facts.bits - (with_sign ? 1 : 0);
    const auto largest = digits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << digits) - 1;
    return {with_sign ? -largest - 1 : 0, largest};
}

/// Throws `refused` for a number that is not an element of an exact type. Real types round and take all.
ANEMONE_INLINE void require_element(element_type type, double value) {
    if (is_exact(type)) {
        const integer_range range = range_of(type);
        const double beyond = type == element_type::uint64 ? 0x1p64 : static_cast<double>(range.largest) + 1;
        if (!(value >= static_cast<double>(range.least) && value < beyond) || value != std::floor(value)) {
            throw refused{formatted("{} is no {}", value, facts_of(type).mil)};
        }
    }
}
ANEMONE_INLINE void require_element(element_type type, std::int64_t value) {
    const integer_range range = range_of(type);
    if (is_exact(type) && (value < range.least || value > range.largest)) {
        throw refused{formatted("{} is no {}", value, facts_of(type).mil)};
    }
}

/// A tensor of these elements, doubles or 64-bit integers, as many as the shape has. Throws as `require_element`.
template <class Number> known_tensor known(element_type type, const extents& shape, std::span<const Number> values) {
    for (const Number value : values) {
        require_element(type, value);
    }
    known_tensor t{.type = type, .shape = shape};
    t.owned = std::make_shared<const std::vector<std::byte>>(weight_formats::pack_elements(type, values));
    t.bytes = *t.owned;
    return t;
}
ANEMONE_INLINE known_tensor known(element_type type, const extents& shape, const std::vector<double>& values) {
    return known(type, shape, std::span<const double>(values));
}
/// One number.
ANEMONE_INLINE known_tensor known(element_type type, double value) { return known(type, {}, std::vector{value}); }

/// Where a result finds room: throws `refused` where the reader allows no tensor of this shape more. Memory is taken
/// after it returns.
using room = std::function<void(const extents& shape)>;

/// A tensor, element by element: `at(i)` is a double, or an integer of 64 bits.
template <class At> known_tensor computed(const room& allow, element_type type, const extents& shape, const At& at) {
    using number = std::conditional_t<std::integral<decltype(at(std::int64_t{0}))>, std::int64_t, double>;
    allow(shape);
    std::vector<number> values;
    const std::int64_t count = shape.count();
    values.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        values.push_back(static_cast<number>(at(i)));
    }
    return known(type, shape, std::span<const number>(values));
}

/// The same numbers as elements of another type. Throws `refused` for one that this does not have.
ANEMONE_INLINE known_tensor converted(const room& allow, const known_tensor& x, element_type type) {
    if (x.type == type) {
        return x;
    }
    return is_exact(x.type) ? computed(allow, type, x.shape, [&](std::int64_t i) { return x.integer(i); })
                            : computed(allow, type, x.shape, [&](std::int64_t i) { return x.at(i); });
}

} // namespace ane::folding::inline ANEMONE_WAY
