#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_weights_gguf_hpp);

#include "../base/cancellation.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../io/open_file.hpp"
#include "../io/steady_file.hpp"
#include "formats/elements.hpp"
#include "formats/ggml_blocks.hpp"
#include "gguf.hpp"
#include "gguf_head.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// Calls `visitor` with the block of a quantized type; of others with void.
template <class Visitor> void with_gguf_block(gguf_type type, const Visitor& visitor) {
    switch (type) {
    case gguf_type::q4_0: visitor.template operator()<weight_formats::q4_0_block>(); return;
    case gguf_type::q8_0: visitor.template operator()<weight_formats::q8_0_block>(); return;
    case gguf_type::q4_k: visitor.template operator()<weight_formats::q4_k_block>(); return;
    case gguf_type::q6_k: visitor.template operator()<weight_formats::q6_k_block>(); return;
    case gguf_type::f32:
    case gguf_type::f16:
    case gguf_type::bf16: visitor.template operator()<void>(); return;
    }
}

/// The type in which the elements of a type are given.
constexpr element_type given_type(gguf_type type) {
    return type == gguf_type::f32    ? element_type::f32
           : type == gguf_type::bf16 ? element_type::bf16
                                     : element_type::f16;
}

/// The elements of a tensor, decoded and with its rows in the published order.
class gguf_elements final : public made_bytes {
public:
    ANEMONE_INLINE gguf_elements(std::shared_ptr<const steady_file> file, const gguf_tensor& tensor,
                                 std::uint64_t head_width)
        : file_(std::move(file)), type_(tensor.type), begin_(tensor.begin), head_width_(head_width),
          block_elements_(facts_of(tensor.type).elements), block_bytes_(facts_of(tensor.type).bytes),
          given_bytes_(static_cast<std::uint64_t>(bytes(given_type(tensor.type), 1))) {
        const auto count = static_cast<std::uint64_t>(tensor.shape.count());
        row_ = head_width == 0 ? count : count / static_cast<std::uint64_t>(tensor.shape[0]);
    }

    inline void read(std::uint64_t at, std::span<std::byte> into) const override { read_all(at, into); }

private:
    static constexpr std::uint64_t most_blocks = 512;

    ANEMONE_INLINE void read_all(std::uint64_t at, std::span<std::byte> into) const {
        std::vector<std::byte> stored;
        std::vector<std::byte> given;
        while (!into.empty()) {
            const std::uint64_t element = at / given_bytes_;
            const std::uint64_t row = element / row_;
            const std::uint64_t first = element % row_ / block_elements_; // block of the row
            const std::uint64_t skipped = at - (row * row_ + first * block_elements_) * given_bytes_;
            const std::uint64_t wanted =
                (skipped + into.size() + block_elements_ * given_bytes_ - 1) / (block_elements_ * given_bytes_);
            const std::uint64_t blocks = std::min({wanted, row_ / block_elements_ - first, most_blocks});
            stored.resize(blocks * block_bytes_);
            file_->read(begin_ + (stored_row(row) * (row_ / block_elements_) + first) * block_bytes_, stored);
            const std::vector<std::byte>& ready = decoded(stored, given);
            const std::size_t count = std::min<std::uint64_t>(into.size(), ready.size() - skipped);
            std::memcpy(into.data(), ready.data() + skipped, count);
            into = into.subspan(count);
            at += count;
        }
    }

    /// The row of the file that is row number `row` of the published tensor.
    std::uint64_t stored_row(std::uint64_t row) const {
        if (head_width_ == 0) {
            return row;
        }
        const std::uint64_t in_head = row % head_width_;
        const std::uint64_t half_width = head_width_ / 2;
        return row - in_head + in_head % half_width * 2 + in_head / half_width;
    }

    ANEMONE_INLINE const std::vector<std::byte>& decoded(const std::vector<std::byte>& stored,
                                                         std::vector<std::byte>& given) const {
        bool is_decoded = false;
        with_gguf_block(type_, [&]<class Block>() {
            if constexpr (!std::is_void_v<Block>) {
                std::vector<half> elements(stored.size() / Block::bytes * Block::elements);
                weight_formats::decode_blocks<Block>(stored, elements);
                const auto as_bytes = std::as_bytes(std::span(elements));
                given.assign(as_bytes.begin(), as_bytes.end());
                is_decoded = true;
            }
        });
        return is_decoded ? given : stored;
    }

    std::shared_ptr<const steady_file> file_;
    gguf_type type_;
    std::uint64_t begin_, head_width_;
    std::uint64_t block_elements_, block_bytes_; ///< of the file
    std::uint64_t given_bytes_;                  ///< of an element
    std::uint64_t row_ = 0;                      ///< elements; the whole tensor where rows stay in order
};

/// A number of the metadata or of an array as `Number` holds it.
template <class Number> Number gguf_number(gguf_kind kind, std::uint64_t bits) {
    switch (kind) {
    case gguf_kind::i8: return static_cast<Number>(static_cast<std::int8_t>(bits));
    case gguf_kind::i16: return static_cast<Number>(static_cast<std::int16_t>(bits));
    case gguf_kind::i32: return static_cast<Number>(static_cast<std::int32_t>(bits));
    case gguf_kind::i64: return static_cast<Number>(static_cast<std::int64_t>(bits));
    case gguf_kind::f32: return static_cast<Number>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case gguf_kind::f64: return static_cast<Number>(std::bit_cast<double>(bits));
    case gguf_kind::u8:
    case gguf_kind::u16:
    case gguf_kind::u32:
    case gguf_kind::u64:
    case gguf_kind::truth:
    case gguf_kind::text:
    case gguf_kind::array: break;
    }
    return static_cast<Number>(bits);
}

constexpr bool is_integer(gguf_kind kind) {
    return kind <= gguf_kind::i32 || kind == gguf_kind::u64 || kind == gguf_kind::i64;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

struct gguf_file::state {
    std::shared_ptr<const detail::steady_file> file;
    std::shared_ptr<const detail::gguf_head> head;

    /// The entry of a key, or nullptr.
    ANEMONE_INLINE const detail::gguf_entry* entry(std::string_view key) const {
        const auto& order = head->keys_by_name;
        const auto at = std::lower_bound(order.begin(), order.end(), key, [&](std::size_t i, std::string_view k) {
            return std::string_view(head->entries[i].key) < k;
        });
        return at != order.end() && head->entries[*at].key == key ? &head->entries[*at] : nullptr;
    }
    ANEMONE_INLINE void refuse [[noreturn]] (const detail::gguf_entry& e, std::string_view wanted) const {
        const bool is_array = e.kind == detail::gguf_kind::array;
        throw error(errc::file, file->path(),
                    formatted("{} is {}{}, not {}", detail::printable(e.key), is_array ? "an array of " : "of type ",
                              detail::facts_of(is_array ? e.element : e.kind).name, wanted));
    }
};

ANEMONE_BODY_OF gguf_file::gguf_file(const std::string& path) {
    auto file = std::make_shared<const detail::steady_file>(detail::opened_to_read(path), path);
    auto head = std::make_shared<const detail::gguf_head>(detail::gguf_head_reader(*file).read());
    state_.make() = {std::move(file), std::move(head)};
}

ANEMONE_BODY_OF const std::string& gguf_file::path() const { return state_.get()->file->path(); }
ANEMONE_BODY_OF std::uint32_t gguf_file::version() const { return state_.get()->head->version; }
ANEMONE_BODY_OF std::uint64_t gguf_file::alignment() const { return state_.get()->head->alignment; }
ANEMONE_BODY_OF std::span<const gguf_tensor> gguf_file::tensors() const { return state_.get()->head->tensors; }

ANEMONE_BODY_OF const gguf_tensor* gguf_file::find(std::string_view name) const {
    const detail::gguf_head& head = *state_.get()->head;
    const auto& order = head.tensors_by_name;
    const auto at = std::lower_bound(order.begin(), order.end(), name, [&](std::size_t i, std::string_view n) {
        return std::string_view(head.tensors[i].name) < n;
    });
    return at != order.end() && head.tensors[*at].name == name ? &head.tensors[*at] : nullptr;
}

ANEMONE_BODY_OF std::vector<std::string> gguf_file::keys() const {
    std::vector<std::string> all;
    for (const detail::gguf_entry& e : state_.get()->head->entries) {
        all.push_back(e.key);
    }
    return all;
}

ANEMONE_BODY_OF std::optional<std::string> gguf_file::text(std::string_view key) const {
    const detail::gguf_entry* const e = state_.get()->entry(key);
    if (e != nullptr && e->kind != detail::gguf_kind::text) {
        state_.get()->refuse(*e, "a text");
    }
    return e == nullptr ? std::nullopt : std::optional(e->text);
}

ANEMONE_BODY_OF std::optional<double> gguf_file::number(std::string_view key) const {
    using detail::gguf_kind;
    const detail::gguf_entry* const e = state_.get()->entry(key);
    if (e == nullptr) {
        return std::nullopt;
    }
    if (!detail::is_integer(e->kind) && e->kind != gguf_kind::f32 && e->kind != gguf_kind::f64) {
        state_.get()->refuse(*e, "a number");
    }
    return detail::gguf_number<double>(e->kind, e->bits);
}

ANEMONE_BODY_OF std::optional<std::int64_t> gguf_file::integer(std::string_view key) const {
    const detail::gguf_entry* const e = state_.get()->entry(key);
    if (e == nullptr) {
        return std::nullopt;
    }
    if (!detail::is_integer(e->kind) || (e->kind == detail::gguf_kind::u64 && e->bits >> 63U != 0)) {
        state_.get()->refuse(*e, "an integer up to 2^63 - 1");
    }
    return detail::gguf_number<std::int64_t>(e->kind, e->bits);
}

ANEMONE_BODY_OF std::optional<bool> gguf_file::truth(std::string_view key) const {
    const detail::gguf_entry* const e = state_.get()->entry(key);
    if (e != nullptr && e->kind != detail::gguf_kind::truth) {
        state_.get()->refuse(*e, "a bool");
    }
    return e == nullptr ? std::nullopt : std::optional(e->bits != 0);
}

ANEMONE_BODY_OF std::optional<std::int64_t> gguf_file::length(std::string_view key) const {
    const detail::gguf_entry* const e = state_.get()->entry(key);
    if (e != nullptr && e->kind != detail::gguf_kind::array) {
        state_.get()->refuse(*e, "an array");
    }
    return e == nullptr ? std::nullopt : std::optional(static_cast<std::int64_t>(e->bits));
}

ANEMONE_BODY_OF std::optional<std::vector<double>> gguf_file::numbers(std::string_view key) const {
    using detail::gguf_kind;
    const detail::gguf_entry* const e = state_.get()->entry(key);
    if (e == nullptr) {
        return std::nullopt;
    }
    if (e->kind != gguf_kind::array || e->element == gguf_kind::text) {
        state_.get()->refuse(*e, "an array of numbers");
    }
    const detail::steady_file& file = *state_.get()->file;
    detail::gguf_bytes from(file, e->begin, file.size());
    std::vector<double> all;
    all.reserve(e->bits);
    for (std::uint64_t i = 0; i < e->bits; ++i) {
        std::array<std::byte, 8> raw{};
        from.read(std::span(raw).first(detail::facts_of(e->element).bytes), key);
        all.push_back(detail::gguf_number<double>(e->element, std::bit_cast<std::uint64_t>(raw)));
    }
    return all;
}

ANEMONE_BODY_OF std::optional<std::vector<std::string>> gguf_file::texts(std::string_view key) const {
    const detail::gguf_entry* const e = state_.get()->entry(key);
    if (e == nullptr) {
        return std::nullopt;
    }
    if (e->kind != detail::gguf_kind::array || e->element != detail::gguf_kind::text) {
        state_.get()->refuse(*e, "an array of texts");
    }
    const detail::steady_file& file = *state_.get()->file;
    detail::gguf_bytes from(file, e->begin, file.size());
    std::vector<std::string> all;
    all.reserve(e->bits);
    for (std::uint64_t i = 0; i < e->bits; ++i) {
        all.push_back(from.text(gguf_head_limit, "an element of " + detail::printable(key)));
    }
    return all;
}

ANEMONE_BODY_OF stored_tensor gguf_file::read(const gguf_tensor& tensor, const gguf_rows& rows) const {
    const std::uint64_t block = detail::facts_of(tensor.type).elements;
    if (rows.head_width != 0) {
        const std::int64_t count = tensor.shape.rank > 0 ? tensor.shape[0] : 0;
        if (rows.head_width < 2 || rows.head_width % 2 != 0 || count % rows.head_width != 0 ||
            (tensor.shape.rank == 1 && block != 1)) {
            throw error(errc::argument, tensor.name,
                        formatted("has {} rows of {}, no heads of {} rows", count, name(tensor.type), rows.head_width));
        }
    }
    const std::shared_ptr<const detail::steady_file>& file = state_.get()->file;
    const element_type given = detail::given_type(tensor.type);
    const auto size = static_cast<std::size_t>(bytes(given, tensor.shape.count()));
    detail::file_part part{file, tensor.begin, size};
    if (block != 1 || rows.head_width != 0) {
        auto elements =
            std::make_shared<const detail::gguf_elements>(file, tensor, static_cast<std::uint64_t>(rows.head_width));
        part = {std::make_shared<const detail::steady_file>(std::move(elements), size, file->path()), 0, size};
    }
    tensor_bytes all = tensor_bytes::in_file(part);
    if (size < detail::least_file_part) {
        all = tensor_bytes(std::move(all).taken());
    }
    return {tensor.name, given, tensor.shape, std::move(all)};
}

ANEMONE_BODY_OF std::int64_t gguf_file::beyond_fp16(const gguf_tensor& tensor) const {
    const stored_tensor stored = read(tensor);
    std::int64_t beyond = 0;
    weight_formats::with_element(stored.type, [&]<class Element>() {
        if constexpr (!std::is_void_v<Element>) {
            std::vector<Element> piece(std::min(stored.bytes.size(), std::size_t{1} << 20U) / sizeof(Element));
            for (std::size_t at = 0; at < stored.bytes.size(); at += piece.size() * sizeof(Element)) {
                detail::stop_if_cancelled();
                piece.resize(std::min(piece.size(), (stored.bytes.size() - at) / sizeof(Element)));
                stored.bytes.read(at, std::as_writable_bytes(std::span(piece)));
                for (const Element value : piece) {
                    beyond += is_finite(half(static_cast<float>(value))) ? 0 : 1;
                }
            }
        }
    });
    return beyond;
}

ANEMONE_BODY_OF weight_store load_gguf(const std::string& path) {
    const gguf_file file(path);
    weight_store store;
    for (const gguf_tensor& each : file.tensors()) {
        store.add(file.read(each));
    }
    return store;
}

} // namespace ane::inline ANEMONE_WAY
