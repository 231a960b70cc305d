#pragma once

#include "../graph/strided.hpp"
#include "mil_call.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

/// What every compressed weight becomes: elements of fp16. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// fp16 values, worked out element by element, with the form in which they were stored.
class expanded_weight {
public:
    ANEMONE_INLINE expanded_weight(mil_call& c, const extents& shape) : shape_(shape), count_(element_count(shape)) {
        if (count_ < 1) {
            c.refuse(formatted("expands to {}", print(shape)));
        }
        if (!c.reads_missing()) {
            c.scope().spend(2 * count_);
        }
    }
    /// `form`: how the file stores it; nothing where the library has no such form.
    template <class Value>
    std::vector<mil_value> of(mil_call& c, const Value& value, const std::optional<compression>& form) const {
        return written(c, form, [&](const room_for& more) {
            std::byte* const to = more(count_);
            for (std::int64_t i = 0; i < count_; ++i) {
                const half element(static_cast<double>(value(i)));
                std::memcpy(to + 2 * i, &element, 2);
            }
        });
    }
    /// Room for so many elements behind those before: memory is touched when it is needed, so that what is read can go back
    /// meanwhile.
    class room_for {
    public:
        explicit room_for(std::vector<std::byte>& bytes) : bytes_(bytes) {}
        std::byte* operator()(std::int64_t elements) const {
            const std::size_t begin = bytes_.size();
            bytes_.resize(begin + static_cast<std::size_t>(elements) * 2);
            return bytes_.data() + begin;
        }

    private:
        std::vector<std::byte>& bytes_;
    };
    /// `write` gets such room, and asks it for all elements.
    template <class Write>
    std::vector<mil_value> written(mil_call& c, const std::optional<compression>& form, const Write& write) const {
        if (!form) {
            c.scope().note_expanded(
                "compressed weights in forms that the library does not store, such as unsigned integers "
                "with scales, scales along other axes than the first, and palettes of vectors, are read "
                "as fp16, and written so");
        }
        if (c.reads_missing()) {
            mil_value gap;
            gap.form = value_form::known;
            gap.constant = c.scope().blobs.gaps.tensor(element_type::f16, shape_);
            gap.stored = form;
            return c.result(std::move(gap));
        }
        auto bytes = std::make_shared<std::vector<std::byte>>();
        bytes->reserve(static_cast<std::size_t>(count_) * 2);
        write(room_for(*bytes));
        mil_value v;
        v.form = value_form::known;
        v.element = element_type::f16;
        v.constant.type = element_type::f16;
        v.constant.shape = shape_;
        v.constant.bytes = *bytes;
        v.constant.owned = bytes;
        v.decoded = std::move(bytes);
        v.stored = form;
        return c.result(std::move(v));
    }

private:
    extents shape_;
    std::int64_t count_;
};

/// Where element `i` of a tensor lies in one whose extents divide its own: blocks share an entry.
class block_index {
public:
    ANEMONE_INLINE block_index(mil_call& c, const extents& shape, const extents& blocks, std::string_view what)
        : strides_(row_major_strides(shape)), shape_(shape), block_strides_(row_major_strides(blocks)) {
        if (blocks.rank != shape.rank) {
            c.refuse(formatted("has {} {} for a weight {}", what, print(blocks), print(shape)));
        }
        for (int i = 0; i < shape.rank; ++i) {
            if (blocks[i] < 1 || shape[i] % blocks[i] != 0) {
                c.refuse(formatted("has {} {} for a weight {}: axis {} is not divided", what, print(blocks),
                                   print(shape), i));
            }
            size_.append(shape[i] / blocks[i]);
        }
        for (int i = shape.rank - 1; i >= 0; --i) {
            run_ *= size_[i];
            if (blocks[i] > 1) {
                row_ = run_ * blocks[i];
                break;
            }
        }
    }
    /// So many consecutive elements share an entry, from the first on.
    std::int64_t run() const { return run_; }
    /// In so many consecutive elements each run has the entry behind that of the run before it.
    std::int64_t row() const { return std::max(row_, run_); }
    std::int64_t operator()(std::int64_t i) const {
        std::int64_t at = 0;
        for (int a = 0; a < shape_.rank; ++a) {
            at += i / strides_[a] % shape_[a] / size_[a] * block_strides_[a];
        }
        return at;
    }

private:
    extents strides_, shape_, block_strides_, size_;
    std::int64_t run_ = 1;
    std::int64_t row_ = 0;
};

} // namespace ane::readers::inline ANEMONE_WAY
