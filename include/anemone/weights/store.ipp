#pragma once

#include "../base/formatted.hpp"
#include "../values/checked_integer.hpp"
#include "store.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <string_view>
#include <type_traits>

namespace ane::detail::inline ANEMONE_WAY {

/// The number of bytes that a shape needs must be the number that there are.
ANEMONE_INLINE void check_bytes(const std::string& subject, element_type type, const extents& shape,
                                std::size_t bytes) {
    if (shape.rank < 0 || shape.rank > extents::capacity) {
        throw error(errc::weights, subject,
                    formatted("has {} axes, a tensor has at most {}", shape.rank, extents::capacity));
    }
    if (!is_storable(type)) {
        throw error(errc::weights, subject,
                    formatted("has elements of type {}, which no file of weights holds", facts_of(type).mil));
    }
    checked_integer expected = ane::bytes(type, 1);
    for (int axis = 0; axis < shape.rank; ++axis) {
        expected = expected * shape[axis];
        if (shape[axis] < 0 || !expected.is_known()) {
            throw error(
                errc::weights, subject,
                formatted("extent {} of axis {} is negative or makes the size overflow 2^63 bytes", shape[axis], axis));
        }
    }
    if (bytes != static_cast<std::size_t>(expected.value())) {
        throw error(errc::weights, subject,
                    formatted("has {} bytes, its shape and type {} need {}", bytes, facts_of(type).safetensors,
                              expected.value()));
    }
}

template <class Value> std::vector<std::byte> copied_bytes(std::span<const Value> values) {
    const auto bytes = std::as_bytes(values);
    return {bytes.begin(), bytes.end()};
}

/// The elements in the order that axis i of the result is axis `order[i]` of the tensor.
ANEMONE_INLINE std::vector<std::byte> transposed_bytes(const stored_tensor& tensor, const extents& shape,
                                                       const extents& order) {
    const auto size = static_cast<std::size_t>(ane::bytes(tensor.type, 1));
    const extents from = row_major_strides(tensor.shape);
    std::vector<std::byte> bytes(tensor.bytes.size());
    const std::byte* const all = tensor.bytes.data();
    extents at = shape; // the index of the element that is written
    std::fill(std::begin(at.extent), std::end(at.extent), 0);
    std::int64_t offset = 0;
    for (std::size_t written = 0; written < bytes.size(); written += size) {
        std::memcpy(bytes.data() + written, all + static_cast<std::size_t>(offset) * size, size);
        for (int axis = shape.rank - 1; axis >= 0; --axis) {
            const std::int64_t step = from[static_cast<int>(order[axis])];
            offset += step;
            if (++at[axis] < shape[axis]) {
                break;
            }
            offset -= step * shape[axis];
            at[axis] = 0;
        }
    }
    return bytes;
}

/// No two of the names that are not empty may be the same.
ANEMONE_INLINE void require_different(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    for (std::size_t i = 1; i < names.size(); ++i) {
        if (!names[i].empty() && names[i] == names[i - 1]) {
            throw error(errc::weights, names[i], "two tensors of the store would have this name");
        }
    }
}

/// The tensors of a store under other names, without those that get an empty one; `bytes_of(i)` gives the bytes of tensor i.
template <class Bytes>
weight_store under_names(const weight_store& store, std::vector<std::string> names, const Bytes& bytes_of) {
    require_different(names); // before anything is moved
    weight_store result;
    result.set_metadata(store.metadata());
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!names[i].empty()) {
            const stored_tensor& from = store[i];
            result.add({std::move(names[i]), from.type, from.shape, bytes_of(i)});
        }
    }
    return result;
}

/// A prefix of names as it is meant: it ends where a part of a name does.
ANEMONE_INLINE std::string whole_prefix(std::string_view prefix) {
    const bool ends = prefix.empty() || prefix.back() == '.' || prefix.back() == '/';
    return std::string(prefix) + (ends ? "" : ".");
}

/// Where the text of a key stands, or would.
template <class Texts> auto text_of(Texts& texts, std::string_view key) {
    return std::lower_bound(texts.begin(), texts.end(), key,
                            [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

struct weight_store::state {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::deque<stored_tensor> tensors;
    /// Positions in `tensors` by the hash of the name: open addressing, a power of two, at most half full. A table of our
    /// own, since a std::map is among what costs a small header-only program most to compile.
    std::vector<std::size_t> slots;
    texts metadata;

    /// The slot that has the position of a name, or the free one where it would stand. There must be slots.
    ANEMONE_INLINE std::size_t slot_of(std::string_view name) const {
        std::size_t i = std::hash<std::string_view>{}(name) & (slots.size() - 1);
        while (slots[i] != none && tensors[slots[i]].name != name) {
            i = (i + 1) & (slots.size() - 1);
        }
        return i;
    }
    /// After names or positions have changed.
    ANEMONE_INLINE void index_names() {
        std::fill(slots.begin(), slots.end(), none);
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            slots[slot_of(tensors[i].name)] = i;
        }
    }
    ANEMONE_INLINE void make_room() {
        if (2 * (tensors.size() + 1) > slots.size()) {
            std::vector<std::size_t> wider(slots.empty() ? 16 : 2 * slots.size());
            slots.swap(wider);
            index_names();
        }
    }
};

ANEMONE_BODY void weight_store::add(stored_tensor tensor) {
    detail::check_bytes(tensor.name, tensor.type, tensor.shape, tensor.bytes.size());
    state& self = state_.make();
    self.make_room();
    std::size_t& position = self.slots[self.slot_of(tensor.name)];
    if (position != state::none) {
        throw error(errc::weights, tensor.name, "the store already has a tensor of this name");
    }
    self.tensors.push_back(std::move(tensor));
    position = self.tensors.size() - 1;
}

ANEMONE_BODY void weight_store::add(std::string name, const extents& shape, std::span<const float> values) {
    add({std::move(name), element_type::f32, shape, detail::copied_bytes(values)});
}

ANEMONE_BODY void weight_store::add(std::string name, const extents& shape, std::span<const half> values) {
    add({std::move(name), element_type::f16, shape, detail::copied_bytes(values)});
}

ANEMONE_BODY const stored_tensor* weight_store::find(std::string_view name) const {
    if (empty()) {
        return nullptr;
    }
    const state& self = *state_.get();
    const std::size_t position = self.slots[self.slot_of(name)];
    return position == state::none ? nullptr : &self.tensors[position];
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
    if (position >= size()) {
        throw error(errc::weights, "store", formatted("has {} tensors, none has the number {}", size(), position));
    }
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

ANEMONE_BODY void weight_store::add(std::string name, const extents& shape, std::initializer_list<float> values) {
    add(std::move(name), shape, std::span<const float>(values.begin(), values.size()));
}

ANEMONE_BODY void weight_store::merge(weight_store other) {
    for (const stored_tensor& tensor : other) {
        if (contains(tensor.name)) {
            throw error(errc::weights, tensor.name, "the store already has a tensor of this name");
        }
    }
    for (std::size_t i = 0; i < other.size(); ++i) {
        add(std::move(other.state_.make().tensors[i]));
    }
}

ANEMONE_BODY weight_store weight_store::with_names(std::vector<std::string> names) const& {
    return detail::under_names(*this, std::move(names), [&](std::size_t i) { return (*this)[i].bytes; });
}
ANEMONE_BODY weight_store weight_store::with_names(std::vector<std::string> names) && {
    return detail::under_names(*this, std::move(names),
                               [&](std::size_t i) { return std::move(state_.make().tensors[i].bytes); });
}

ANEMONE_BODY std::vector<std::string> weight_store::names_below(std::string_view prefix, bool keep_others) const {
    const std::string whole = detail::whole_prefix(prefix);
    std::vector<std::string> names;
    bool found = false;
    for (const stored_tensor& tensor : *this) {
        const bool below = tensor.name.size() > whole.size() && tensor.name.starts_with(whole);
        names.push_back(below ? tensor.name.substr(whole.size()) : keep_others ? tensor.name : std::string());
        found = found || below;
    }
    if (!found) {
        std::string first;
        for (std::size_t i = 0; i < size() && i < 3; ++i) {
            first += formatted("{}\"{}\"", i == 0 ? ": " : ", ", (*this)[i].name);
        }
        throw error(
            errc::weights, whole,
            formatted("no name of the {} in the store starts with this{}{}", size(), first, size() > 3 ? ", ..." : ""));
    }
    return names;
}

ANEMONE_BODY weight_store weight_store::subset(std::string_view prefix) const& {
    return with_names(names_below(prefix, false));
}
ANEMONE_BODY weight_store weight_store::subset(std::string_view prefix) && {
    return std::move(*this).with_names(names_below(prefix, false));
}
ANEMONE_BODY weight_store weight_store::without_prefix(std::string_view prefix) const& {
    return with_names(names_below(prefix, true));
}
ANEMONE_BODY weight_store weight_store::without_prefix(std::string_view prefix) && {
    return std::move(*this).with_names(names_below(prefix, true));
}
ANEMONE_BODY weight_store weight_store::with_prefix(std::string_view prefix) const& {
    return renamed([&](std::string_view name) { return detail::whole_prefix(prefix) + std::string(name); });
}
ANEMONE_BODY weight_store weight_store::with_prefix(std::string_view prefix) && {
    return std::move(*this).renamed(
        [&](std::string_view name) { return detail::whole_prefix(prefix) + std::string(name); });
}

ANEMONE_BODY stored_tensor& weight_store::writable(std::string_view name) {
    at(name); // throws where there is none
    state& self = state_.make();
    return self.tensors[self.slots[self.slot_of(name)]];
}

ANEMONE_BODY void weight_store::rename(std::string_view from, std::string to) {
    stored_tensor& tensor = writable(from);
    if (tensor.name == to) {
        return;
    }
    if (contains(to)) {
        throw error(errc::weights, to, "the store already has a tensor of this name");
    }
    tensor.name = std::move(to);
    state_.make().index_names();
}

ANEMONE_BODY void weight_store::replace_in_names(std::string_view from, std::string_view to) {
    bool found = false;
    std::vector<std::string> names = names_by([&](std::string_view name) {
        std::string text;
        for (std::size_t at = name.find(from); !from.empty() && at != name.npos; at = name.find(from)) {
            text += name.substr(0, at);
            text += to;
            name.remove_prefix(at + from.size());
            found = true;
        }
        return text + std::string(name);
    });
    if (!found) {
        throw error(errc::weights, std::string(from), formatted("no name of the {} in the store has this", size()));
    }
    *this = std::move(*this).with_names(std::move(names));
}

ANEMONE_BODY void weight_store::transpose(std::string_view name) {
    extents order;
    for (int axis = at(name).shape.rank - 1; axis >= 0; --axis) {
        order.append(axis);
    }
    transpose(name, order);
}
ANEMONE_BODY void weight_store::transpose(std::string_view name, const extents& order) {
    stored_tensor& tensor = writable(name);
    extents shape = tensor.shape;
    bool taken[extents::capacity]{};
    bool good = order.rank == shape.rank;
    for (int axis = 0; good && axis < shape.rank; ++axis) {
        const std::int64_t from = order[axis];
        good = from >= 0 && from < shape.rank && !taken[from];
        if (good) {
            taken[from] = true;
            shape[axis] = tensor.shape[static_cast<int>(from)];
        }
    }
    if (!good) {
        throw error(errc::weights, tensor.name,
                    formatted("the order of a transpose names each of the {} axes once", tensor.shape.rank));
    }
    tensor.bytes = detail::transposed_bytes(tensor, shape, order);
    tensor.shape = shape;
}

ANEMONE_BODY void weight_store::reshape(std::string_view name, const extents& shape) {
    stored_tensor& tensor = writable(name);
    detail::check_bytes(tensor.name, tensor.type, shape, tensor.bytes.size());
    tensor.shape = shape;
}

ANEMONE_BODY void weight_store::replace(stored_tensor tensor) {
    detail::check_bytes(tensor.name, tensor.type, tensor.shape, tensor.bytes.size());
    writable(tensor.name) = std::move(tensor);
}

ANEMONE_BODY stored_tensor weight_store::take(std::string_view name) {
    at(name); // throws where there is none
    state& self = state_.make();
    const std::size_t position = self.slots[self.slot_of(name)];
    stored_tensor taken = std::move(self.tensors[position]);
    self.tensors.erase(self.tensors.begin() + static_cast<std::ptrdiff_t>(position));
    self.index_names();
    return taken;
}
ANEMONE_BODY void weight_store::remove(std::string_view name) { static_cast<void>(take(name)); }

ANEMONE_BODY bool weight_store::operator==(const weight_store& other) const {
    return metadata() == other.metadata() && std::equal(begin(), end(), other.begin(), other.end());
}

} // namespace ane::inline ANEMONE_WAY
