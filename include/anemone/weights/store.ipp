#pragma once

#include "../formatted.hpp"
#include "store.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <type_traits>

namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void check_tensor(const stored_tensor& tensor) {
    std::int64_t expected = element_bytes(tensor.type);
    for (int axis = 0; axis < tensor.shape.rank; ++axis) {
        if (tensor.shape[axis] < 0 || __builtin_mul_overflow(expected, tensor.shape[axis], &expected)) {
            throw error(errc::weights, tensor.name,
                        formatted("extent {} of axis {} is negative or makes the size overflow 2^63 bytes",
                                  tensor.shape[axis], axis));
        }
    }
    if (tensor.bytes.size() != static_cast<std::size_t>(expected)) {
        throw error(
            errc::weights, tensor.name,
            formatted("has {} bytes, its shape and type {} need {}", tensor.bytes.size(), name(tensor.type), expected));
    }
}

template <class Value> std::vector<std::byte> copied_bytes(std::span<const Value> values) {
    const auto bytes = std::as_bytes(values);
    return {bytes.begin(), bytes.end()};
}

/// Where the text of a key stands, or would.
template <class Texts> auto text_of(Texts& texts, std::string_view key) {
    return std::lower_bound(texts.begin(), texts.end(), key,
                            [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

struct weight_store::state {
    std::deque<stored_tensor> tensors;
    std::map<std::string, std::size_t, std::less<>> index;
    texts metadata;
};

ANEMONE_BODY void weight_store::add(stored_tensor tensor) {
    detail::check_tensor(tensor);
    state& self = state_.make();
    if (!self.index.emplace(tensor.name, self.tensors.size()).second) {
        throw error(errc::weights, tensor.name, "the store already has a tensor of this name");
    }
    self.tensors.push_back(std::move(tensor));
}

ANEMONE_BODY void weight_store::add(std::string name, const extents& shape, std::span<const float> values) {
    add({std::move(name), source_type::f32, shape, detail::copied_bytes(values)});
}

ANEMONE_BODY void weight_store::add(std::string name, const extents& shape, std::span<const half> values) {
    add({std::move(name), source_type::f16, shape, detail::copied_bytes(values)});
}

ANEMONE_BODY const stored_tensor* weight_store::find(std::string_view name) const {
    if (empty()) {
        return nullptr;
    }
    const state& self = *state_.get();
    const auto found = self.index.find(name);
    return found == self.index.end() ? nullptr : &self.tensors[found->second];
}

ANEMONE_BODY bool weight_store::contains(std::string_view name) const { return find(name) != nullptr; }

ANEMONE_BODY const stored_tensor& weight_store::at(std::string_view name) const {
    if (const stored_tensor* const tensor = find(name)) {
        return *tensor;
    }
    throw error(errc::weights, std::string(name), formatted("no such tensor among {}", size()));
}

ANEMONE_BODY std::size_t weight_store::size() const noexcept {
    return state_.get() == nullptr ? 0 : state_.get()->tensors.size();
}

ANEMONE_BODY bool weight_store::empty() const noexcept { return size() == 0; }

ANEMONE_BODY const stored_tensor& weight_store::operator[](std::size_t position) const {
    return state_.get()->tensors[position];
}

ANEMONE_BODY weight_store::iterator weight_store::begin() const noexcept { return {*this, 0}; }
ANEMONE_BODY weight_store::iterator weight_store::end() const noexcept { return {*this, size()}; }

ANEMONE_BODY const weight_store::texts& weight_store::metadata() const {
    static const texts none;
    return state_.get() == nullptr ? none : state_.get()->metadata;
}

ANEMONE_BODY const std::string* weight_store::metadata(std::string_view key) const {
    const texts& all = metadata();
    const auto place = detail::text_of(all, key);
    return place == all.end() || place->first != key ? nullptr : &place->second;
}

ANEMONE_BODY void weight_store::set_metadata(std::string_view key, std::string text) {
    texts& all = state_.make().metadata;
    const auto place = detail::text_of(all, key);
    if (place == all.end() || place->first != key) {
        all.emplace(place, key, std::move(text));
    } else {
        place->second = std::move(text);
    }
}

ANEMONE_BODY void weight_store::set_metadata(texts all) {
    if (!std::is_sorted(all.begin(), all.end())) { // a long list is one of a file, and in order
        std::sort(all.begin(), all.end());
    }
    const auto twice =
        std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice != all.end()) {
        throw error(errc::weights, twice->first, "the metadata has this key twice");
    }
    state_.make().metadata = std::move(all);
}

ANEMONE_BODY bool weight_store::operator==(const weight_store& other) const {
    return metadata() == other.metadata() && std::equal(begin(), end(), other.begin(), other.end());
}

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

struct bfloat16 {
    std::uint16_t bits;
    constexpr explicit operator float() const noexcept {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
    }
};

/// One element to fp16, rounded once, half to even. Floating values must stay finite, integers must stay exact.
template <class Source> half converted_element(const stored_tensor& tensor, std::size_t index) {
    Source value;
    std::memcpy(&value, tensor.bytes.data() + index * sizeof(Source), sizeof(Source));
    if constexpr (std::is_integral_v<Source>) {
        const half result(static_cast<double>(value));
        // Every integer that fp16 holds is far inside the range where double is exact, so this comparison decides.
        if (!is_finite(result) || static_cast<double>(result) != static_cast<double>(value)) {
            throw error(errc::weights, tensor.name,
                        formatted("element {} is {}, which fp16 does not hold exactly (all integers to 2048 are)",
                                  index, +value));
        }
        return result;
    } else {
        double wide = 0;
        if constexpr (std::is_same_v<Source, double>) {
            wide = value;
        } else {
            wide = static_cast<double>(static_cast<float>(value));
        }
        if (!std::isfinite(wide)) {
            throw error(errc::weights, tensor.name, formatted("element {} is {}, weights must be finite", index, wide));
        }
        const half result(wide);
        if (!is_finite(result)) {
            throw error(errc::weights, tensor.name,
                        formatted("element {} is {}, above the largest fp16 value {}", index, wide, half_max));
        }
        return result;
    }
}

template <class Source> std::vector<half> converted(const stored_tensor& tensor) {
    std::vector<half> result(tensor.bytes.size() / sizeof(Source));
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = converted_element<Source>(tensor, i);
    }
    return result;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::vector<half> to_half(const stored_tensor& tensor) {
    switch (tensor.type) {
    case source_type::f16: return detail::converted<half>(tensor);
    case source_type::bf16: return detail::converted<detail::bfloat16>(tensor);
    case source_type::f32: return detail::converted<float>(tensor);
    case source_type::f64: return detail::converted<double>(tensor);
    case source_type::i8: return detail::converted<std::int8_t>(tensor);
    case source_type::u8: return detail::converted<std::uint8_t>(tensor);
    case source_type::i16: return detail::converted<std::int16_t>(tensor);
    case source_type::u16: return detail::converted<std::uint16_t>(tensor);
    case source_type::i32: return detail::converted<std::int32_t>(tensor);
    case source_type::u32: return detail::converted<std::uint32_t>(tensor);
    case source_type::i64: return detail::converted<std::int64_t>(tensor);
    case source_type::u64: return detail::converted<std::uint64_t>(tensor);
    case source_type::boolean:
    case source_type::f8_e4m3:
    case source_type::f8_e5m2: break;
    }
    throw error(errc::weights, tensor.name, formatted("type {} has no conversion to fp16", name(tensor.type)));
}

} // namespace ane::inline ANEMONE_WAY
