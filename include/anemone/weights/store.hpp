#pragma once

#include "../error.hpp"
#include "../half.hpp"
#include "../shape.hpp"
#include "../way.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Trained parameters by name, as a file or a caller gave them, and their conversion to the storage type of the engine.
namespace ane::inline ANEMONE_WAY {

static_assert(std::endian::native == std::endian::little, "tensors are held as little-endian bytes");

/// Element types that a file of weights may hold. Wider than `dtype`: these never reach the engine.
enum class source_type : std::uint8_t {
    boolean,
    f8_e4m3,
    f8_e5m2,
    u8,
    i8,
    f16,
    bf16,
    u16,
    i16,
    f32,
    u32,
    i32,
    f64,
    u64,
    i64
};

/// Bytes of one element.
constexpr std::int64_t element_bytes(source_type type) noexcept {
    if (type <= source_type::i8) {
        return 1;
    }
    if (type <= source_type::i16) {
        return 2;
    }
    return type <= source_type::i32 ? 4 : 8;
}

/// The token of the safetensors format ("F16", "BF16").
constexpr std::string_view name(source_type type) noexcept {
    constexpr std::string_view names[] = {"BOOL", "F8_E4M3", "F8_E5M2", "U8",  "I8",  "F16", "BF16", "U16",
                                          "I16",  "F32",     "U32",     "I32", "F64", "U64", "I64"};
    return names[static_cast<std::size_t>(type)];
}

/// One tensor: row-major, dense, little-endian; `bytes.size() == shape.count() * element_bytes(type)`.
struct stored_tensor {
    std::string name;
    source_type type = source_type::f32;
    extents shape;
    std::vector<std::byte> bytes;

    friend bool operator==(const stored_tensor&, const stored_tensor&) = default;
};

/// Owns tensors, keeps the order in which they were added, finds them by name. Pointers to tensors stay valid while the
/// store lives and is neither moved from nor assigned to.
class weight_store {
public:
    /// Throws errc::weights on a name already present, an extent below zero, or a byte count that is not that of the
    /// shape.
    void add(stored_tensor tensor) {
        check(tensor);
        index_.emplace(tensor.name, tensors_.size());
        tensors_.push_back(std::move(tensor));
    }
    void add(std::string name, const extents& shape, std::span<const float> values) {
        add({std::move(name), source_type::f32, shape, copy(std::as_bytes(values))});
    }
    void add(std::string name, const extents& shape, std::span<const half> values) {
        add({std::move(name), source_type::f16, shape, copy(std::as_bytes(values))});
    }

    /// The tensor of that name, or nullptr.
    const stored_tensor* find(std::string_view name) const {
        const auto found = index_.find(name);
        return found == index_.end() ? nullptr : &tensors_[found->second];
    }
    bool contains(std::string_view name) const { return find(name) != nullptr; }

    /// The tensor of that name; throws errc::weights when there is none.
    const stored_tensor& at(std::string_view name) const {
        if (const stored_tensor* const tensor = find(name)) {
            return *tensor;
        }
        throw error(errc::weights, std::string(name), fmt::format("no such tensor among {}", size()));
    }

    std::size_t size() const noexcept { return tensors_.size(); }
    bool empty() const noexcept { return tensors_.empty(); }
    auto begin() const noexcept { return tensors_.begin(); }
    auto end() const noexcept { return tensors_.end(); }

    /// Free text that travels with the tensors (`__metadata__` of a safetensors file).
    std::map<std::string, std::string>& metadata() noexcept { return metadata_; }
    const std::map<std::string, std::string>& metadata() const noexcept { return metadata_; }

    friend bool operator==(const weight_store& a, const weight_store& b) {
        return a.tensors_ == b.tensors_ && a.metadata_ == b.metadata_;
    }

private:
    static std::vector<std::byte> copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

    void check(const stored_tensor& tensor) const {
        if (index_.contains(tensor.name)) {
            throw error(errc::weights, tensor.name, "the store already has a tensor of this name");
        }
        std::int64_t expected = element_bytes(tensor.type);
        for (int axis = 0; axis < tensor.shape.rank; ++axis) {
            if (tensor.shape[axis] < 0 || __builtin_mul_overflow(expected, tensor.shape[axis], &expected)) {
                throw error(errc::weights, tensor.name,
                            fmt::format("extent {} of axis {} is negative or makes the size overflow 2^63 bytes",
                                        tensor.shape[axis], axis));
            }
        }
        if (tensor.bytes.size() != static_cast<std::size_t>(expected)) {
            throw error(errc::weights, tensor.name,
                        fmt::format("has {} bytes, its shape and type {} need {}", tensor.bytes.size(),
                                    ane::name(tensor.type), expected));
        }
    }

    std::deque<stored_tensor> tensors_;
    std::map<std::string, std::size_t, std::less<>> index_;
    std::map<std::string, std::string> metadata_;
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

struct bfloat16 {
    std::uint16_t bits;
    explicit operator float() const noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }
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
                        fmt::format("element {} is {}, which fp16 does not hold exactly (all integers to 2048 are)",
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
            throw error(errc::weights, tensor.name,
                        fmt::format("element {} is {}, weights must be finite", index, wide));
        }
        const half result(wide);
        if (!is_finite(result)) {
            throw error(errc::weights, tensor.name,
                        fmt::format("element {} is {}, above the largest fp16 value {}", index, wide, half_max));
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

/// The values as fp16, each rounded once (half to even; subnormals kept). Throws errc::weights, naming the element, on
/// a NaN, an infinity, a value that overflows fp16, or an integer that fp16 does not hold exactly; and on BOOL and F8
/// tensors.
ANEMONE_INLINE std::vector<half> to_half(const stored_tensor& tensor) {
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
    throw error(errc::weights, tensor.name, fmt::format("type {} has no conversion to fp16", name(tensor.type)));
}

} // namespace ane::inline ANEMONE_WAY
