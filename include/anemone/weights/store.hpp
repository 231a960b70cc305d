#pragma once

#include "../error.hpp"
#include "../half.hpp"
#include "../hidden_value.hpp"
#include "../shape.hpp"
#include "../way.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
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
    class iterator;
    /// Texts by key, in the order of the keys.
    using texts = std::vector<std::pair<std::string, std::string>>;

    /// Throws errc::weights on a name already present, an extent below zero, or a byte count that is not that of the
    /// shape.
    ANEMONE_API void add(stored_tensor tensor);
    ANEMONE_API void add(std::string name, const extents& shape, std::span<const float> values);
    ANEMONE_API void add(std::string name, const extents& shape, std::span<const half> values);

    /// The tensor of that name, or nullptr.
    ANEMONE_API const stored_tensor* find(std::string_view name) const;
    ANEMONE_API bool contains(std::string_view name) const;
    /// The tensor of that name; throws errc::weights when there is none.
    ANEMONE_API const stored_tensor& at(std::string_view name) const;

    ANEMONE_API std::size_t size() const noexcept;
    ANEMONE_API bool empty() const noexcept;
    /// The tensor that was added as number `position`, from 0 on; it must be there.
    ANEMONE_API const stored_tensor& operator[](std::size_t position) const;
    ANEMONE_API iterator begin() const noexcept;
    ANEMONE_API iterator end() const noexcept;

    /// Free text that travels with the tensors (`__metadata__` of a safetensors file): all of it, and the text of one
    /// key or nullptr.
    ANEMONE_API const texts& metadata() const;
    ANEMONE_API const std::string* metadata(std::string_view key) const;
    /// Sets the text of one key, or replaces them all: in any order, no key twice (errc::weights).
    ANEMONE_API void set_metadata(std::string_view key, std::string text);
    ANEMONE_API void set_metadata(texts all);

    /// The same tensors in the same order, and the same metadata.
    ANEMONE_API bool operator==(const weight_store& other) const;

private:
    struct state;
    hidden_value<state> state_;
};

/// Walks over the tensors of a store. Stays valid while others are added.
class weight_store::iterator {
public:
    using value_type = stored_tensor;
    using reference = const stored_tensor&;
    using pointer = const stored_tensor*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    iterator() = default;
    iterator(const weight_store& store, std::size_t position) : store_(&store), position_(position) {}

    ANEMONE_INLINE reference operator*() const { return (*store_)[position_]; }
    ANEMONE_INLINE pointer operator->() const { return &(*store_)[position_]; }
    iterator& operator++() {
        ++position_;
        return *this;
    }
    iterator operator++(int) { return {*store_, position_++}; }
    friend bool operator==(const iterator&, const iterator&) = default;

private:
    const weight_store* store_ = nullptr;
    std::size_t position_ = 0;
};

/// The values as fp16, each rounded once (half to even; subnormals kept). Throws errc::weights, naming the element, on
/// a NaN, an infinity, a value that overflows fp16, or an integer that fp16 does not hold exactly; and on BOOL and F8
/// tensors.
ANEMONE_API std::vector<half> to_half(const stored_tensor& tensor);

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "store.ipp"
#endif
