#pragma once

#include "../base/error.hpp"
#include "../base/hidden_value.hpp"
#include "../base/way.hpp"
#include "../values/element_type.hpp"
#include "../values/half.hpp"
#include "../values/shape.hpp"
#include "tensor_bytes.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Trained parameters by name, as a file or a caller gave them, and their conversion to the storage type of the engine.
namespace ane::inline ANEMONE_WAY {

static_assert(std::endian::native == std::endian::little, "tensors are held as little-endian bytes");

/// Whether tensors of a type can be stored: those that safetensors files have. Wider than `dtype`: these never reach the
/// engine.
constexpr bool is_storable(element_type type) noexcept { return !facts_of(type).safetensors.empty(); }

/// One tensor: row-major, dense, little-endian; `bytes.size() == bytes(type, shape.count())`.
struct stored_tensor {
    std::string name;
    element_type type = element_type::f32;
    extents shape;
    tensor_bytes bytes;

    friend bool operator==(const stored_tensor&, const stored_tensor&) = default;
};

/// Owns tensors, keeps the order in which they were added, finds them by name. Pointers to tensors stay valid while the
/// store lives, is neither moved from nor assigned to, and has no tensor taken out.
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
    ANEMONE_API void add(std::string name, const extents& shape, std::initializer_list<float> values);
    /// An ndarray or an ndview, which has its shape in its type.
    template <class Array>
        requires requires { typename Array::shape_type; }
    void add(std::string name, const Array& values) {
        using element = typename Array::element_type;
        add(std::move(name), Array::shape_type::value, std::span<const element>(values.elements()));
    }
    /// All tensors of another store, without its metadata. Throws before the first where a name is present already.
    ANEMONE_API void merge(weight_store other);

    /// The tensor of that name, or nullptr.
    ANEMONE_API const stored_tensor* find(std::string_view name) const;
    ANEMONE_API bool contains(std::string_view name) const;
    /// The tensor of that name; throws errc::weights when there is none.
    ANEMONE_API const stored_tensor& at(std::string_view name) const;

    ANEMONE_API std::size_t size() const noexcept;
    ANEMONE_API bool empty() const noexcept;
    /// The tensor that was added as number `position`, from 0 on; throws errc::weights when there is none.
    ANEMONE_API const stored_tensor& operator[](std::size_t position) const;
    ANEMONE_API iterator begin() const noexcept;
    ANEMONE_API iterator end() const noexcept;

    // A checkpoint is rarely named and laid out as the model is. The following return a store with other names and the
    // same metadata; called on a temporary (`load_safetensors(path).subset("h.0")`) they move the tensors instead of
    // copying them. A prefix ends with '.' or '/'; a dot is added where it has neither. They throw errc::weights where
    // no name has the prefix, or where two tensors would get one name.

    /// The tensors below a prefix, without it: `subset("transformer.h.0")` has "ln_1.weight", and so on.
    ANEMONE_API weight_store subset(std::string_view prefix) const&;
    ANEMONE_API weight_store subset(std::string_view prefix) &&;
    /// All tensors; names that start with the prefix are without it.
    ANEMONE_API weight_store without_prefix(std::string_view prefix) const&;
    ANEMONE_API weight_store without_prefix(std::string_view prefix) &&;
    /// All tensors, the prefix before each name.
    ANEMONE_API weight_store with_prefix(std::string_view prefix) const&;
    ANEMONE_API weight_store with_prefix(std::string_view prefix) &&;
    /// The tensors under the names that `rename` makes of theirs, in a `std::string`; an empty one leaves a tensor out.
    template <class Rename> weight_store renamed(const Rename& rename) const& { return with_names(names_by(rename)); }
    template <class Rename> weight_store renamed(const Rename& rename) && {
        std::vector<std::string> names = names_by(rename);
        return std::move(*this).with_names(std::move(names));
    }

    // Changes of single tensors, in place. All throw errc::weights for a name that is not there.

    /// Gives a tensor another name, which must be free.
    ANEMONE_API void rename(std::string_view from, std::string to);
    /// Puts `to` for each `from` inside any name: `replace_in_names("c_attn", "qkv")`. Throws where there is none.
    ANEMONE_API void replace_in_names(std::string_view from, std::string_view to);
    /// Reverses the axes, so that [in, out] becomes [out, in], without converting elements.
    ANEMONE_API void transpose(std::string_view name);
    /// Axis i becomes what axis `order[i]` was: {3, 2, 0, 1} makes [O, I, H, W] of TensorFlow's [H, W, I, O].
    ANEMONE_API void transpose(std::string_view name, const extents& order);
    /// The same elements in another shape: [O, I] to [O, I, 1, 1].
    ANEMONE_API void reshape(std::string_view name, const extents& shape);
    /// Puts a tensor in the place of the one of its name.
    ANEMONE_API void replace(stored_tensor tensor);
    /// Takes a tensor out of the store, in as many steps as there are tensors: of many, `renamed` leaves all out at once.
    ANEMONE_API stored_tensor take(std::string_view name);
    ANEMONE_API void remove(std::string_view name);

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

    template <class Rename> std::vector<std::string> names_by(const Rename& rename) const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < size(); ++i) {
            names.emplace_back(rename(std::string_view((*this)[i].name)));
        }
        return names;
    }
    /// The tensors under other names, one for each; an empty one leaves a tensor out.
    ANEMONE_API weight_store with_names(std::vector<std::string> names) const&;
    ANEMONE_API weight_store with_names(std::vector<std::string> names) &&;
    ANEMONE_API std::vector<std::string> names_below(std::string_view prefix, bool keep_others) const;
    /// The tensor of that name, mutable; throws if there is none.
    ANEMONE_API stored_tensor& writable(std::string_view name);

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

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "store.ipp"
#endif
