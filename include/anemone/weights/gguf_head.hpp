#pragma once

#include "../base/cancellation.hpp"
#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/steady_file.hpp"
#include "../io/unicode.hpp"
#include "formats/ggml_blocks.hpp"
#include "gguf.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The head of a GGUF file, metadata and the list of tensors: every count, length and offset is checked against the bytes
/// that are there before anything is done with it. Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// The types of metadata, under the file's numbers.
enum class gguf_kind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, truth, text, array, u64, i64, f64 };
inline constexpr std::uint32_t gguf_kinds = 13;

struct gguf_kind_facts {
    std::string_view name;
    std::uint64_t bytes; ///< of a value; of a text those of its length
};
inline constexpr gguf_kind_facts gguf_kind_table[gguf_kinds] = {
    {"uint8", 1}, {"int8", 1}, {"uint16", 2}, {"int16", 2},  {"uint32", 4}, {"int32", 4},  {"float32", 4},
    {"bool", 1},  {"text", 8}, {"array", 12}, {"uint64", 8}, {"int64", 8},  {"float64", 8}};
constexpr const gguf_kind_facts& facts_of(gguf_kind kind) { return gguf_kind_table[static_cast<std::uint32_t>(kind)]; }

/// A value of the metadata. The elements of an array stay in the file.
struct gguf_entry {
    std::string key;
    gguf_kind kind = gguf_kind::u8;
    gguf_kind element = gguf_kind::u8; ///< of an array
    std::uint64_t bits = 0;            ///< a number as it stands in the file; of an array, how many elements
    std::uint64_t begin = 0;           ///< of an array's elements
    std::string text = {};
};

struct gguf_head {
    std::uint32_t version = 0;
    std::uint64_t alignment = 32;
    std::vector<gguf_entry> entries;
    std::vector<gguf_tensor> tensors;
    std::vector<std::size_t> keys_by_name, tensors_by_name; ///< positions
};

/// A type of ggml's tensors.
struct ggml_type_facts {
    std::uint32_t number;
    std::string_view name;
    std::uint64_t elements = 0, bytes = 0; ///< of a block; none: not read
};
inline constexpr ggml_type_facts ggml_types[] = {
    {0, "F32", 1, 4},
    {1, "F16", 1, 2},
    {2, "Q4_0", weight_formats::q4_0_block::elements, weight_formats::q4_0_block::bytes},
    {3, "Q4_1"},
    {6, "Q5_0"},
    {7, "Q5_1"},
    {8, "Q8_0", weight_formats::q8_0_block::elements, weight_formats::q8_0_block::bytes},
    {9, "Q8_1"},
    {10, "Q2_K"},
    {11, "Q3_K"},
    {12, "Q4_K", weight_formats::q4_k_block::elements, weight_formats::q4_k_block::bytes},
    {13, "Q5_K"},
    {14, "Q6_K", weight_formats::q6_k_block::elements, weight_formats::q6_k_block::bytes},
    {15, "Q8_K"},
    {16, "IQ2_XXS"},
    {17, "IQ2_XS"},
    {18, "IQ3_XXS"},
    {19, "IQ1_S"},
    {20, "IQ4_NL"},
    {21, "IQ3_S"},
    {22, "IQ2_S"},
    {23, "IQ4_XS"},
    {24, "I8"},
    {25, "I16"},
    {26, "I32"},
    {27, "I64"},
    {28, "F64"},
    {29, "IQ1_M"},
    {30, "BF16", 1, 2},
    {34, "TQ1_0"},
    {35, "TQ2_0"},
    {39, "MXFP4"}};
constexpr const ggml_type_facts* ggml_type_of(std::uint32_t number) {
    for (const ggml_type_facts& each : ggml_types) {
        if (each.number == number) {
            return &each;
        }
    }
    return nullptr;
}
constexpr const ggml_type_facts& facts_of(gguf_type type) { return *ggml_type_of(static_cast<std::uint32_t>(type)); }

/// Reads a file from its begin, in pieces.
class gguf_bytes {
public:
    ANEMONE_INLINE gguf_bytes(const steady_file& file, std::uint64_t at, std::uint64_t end)
        : file_(file), at_(at), end_(end) {}

    std::uint64_t at() const { return at_; }
    /// Bytes that follow, of the head at most.
    std::uint64_t left() const { return end_ - at_; }

    ANEMONE_INLINE void refuse [[noreturn]] (const std::string& what) const {
        throw error(errc::file, file_.path(), what);
    }
    /// Throws where fewer bytes follow. `what` is what they are of.
    ANEMONE_INLINE void require(std::uint64_t bytes, std::string_view what) const {
        if (bytes > left()) {
            refuse(formatted("{} takes {} bytes from byte {} on, the {} {} there", what, bytes, at_,
                             end_ < file_.size() ? "limit of the head leaves" : "file has", left()));
        }
    }
    ANEMONE_INLINE void skip(std::uint64_t bytes, std::string_view what) {
        require(bytes, what);
        at_ += bytes;
    }
    ANEMONE_INLINE void read(std::span<std::byte> into, std::string_view what) {
        require(into.size(), what);
        while (!into.empty()) {
            if (at_ < window_begin_ || at_ >= window_begin_ + window_.size()) {
                stop_if_cancelled();
                window_begin_ = at_;
                window_.resize(std::min<std::uint64_t>(std::size_t{64} << 10U, end_ - at_));
                file_.read(at_, window_);
            }
            const std::size_t offset = at_ - window_begin_;
            const std::size_t count = std::min(into.size(), window_.size() - offset);
            std::memcpy(into.data(), window_.data() + offset, count);
            into = into.subspan(count);
            at_ += count;
        }
    }
    template <class Number> Number number(std::string_view what) {
        Number value{};
        read(std::as_writable_bytes(std::span(&value, 1)), what);
        return value;
    }
    /// A text behind its length.
    ANEMONE_INLINE std::string text(std::uint64_t most, const std::string& what) {
        const auto length = number<std::uint64_t>(what);
        if (length > most) {
            refuse(formatted("{} is {} bytes long, the limit is {}", what, length, most));
        }
        require(length, what);
        std::string result(length, '\0');
        read(std::as_writable_bytes(std::span(result)), what);
        return result;
    }

private:
    const steady_file& file_;
    std::uint64_t at_, end_;
    std::uint64_t window_begin_ = 0;
    std::vector<std::byte> window_;
};

/// Reads the head of a file.
class gguf_head_reader {
public:
    static constexpr std::uint64_t most_keys = 100'000, most_tensors = 100'000;
    static constexpr std::uint64_t longest_key = 65535,
                                   longest_name = 127; ///< bytes; ggml's own limits are these and 64

    ANEMONE_INLINE explicit gguf_head_reader(const steady_file& file)
        : file_(file), bytes_(file, 0, std::min(file.size(), gguf_head_limit)) {}

    ANEMONE_INLINE gguf_head read() && {
        std::array<char, 4> magic{};
        bytes_.read(std::as_writable_bytes(std::span(magic)), "the mark of a GGUF file");
        if (std::string_view(magic.data(), magic.size()) != "GGUF") {
            bytes_.refuse("does not begin with GGUF");
        }
        head_.version = bytes_.number<std::uint32_t>("the version");
        if (head_.version != 2 && head_.version != 3) {
            const bool reversed = (head_.version & 0xFFFFU) == 0;
            bytes_.refuse(reversed ? std::string("is big-endian; write it little-endian")
                                   : formatted("has version {}, known are 2 and 3", head_.version));
        }
        const auto tensors = bytes_.number<std::uint64_t>("the number of tensors");
        const auto keys = bytes_.number<std::uint64_t>("the number of keys");
        require_count("keys", keys, most_keys, 13);
        require_count("tensors", tensors, most_tensors, 32);
        for (std::uint64_t i = 0; i < keys; ++i) {
            read_entry();
        }
        head_.keys_by_name = by_name(head_.entries, &gguf_entry::key, "the key");
        read_alignment();
        std::vector<std::uint64_t> offsets;
        for (std::uint64_t i = 0; i < tensors; ++i) {
            offsets.push_back(read_tensor());
        }
        refuse_types();
        head_.tensors_by_name = by_name(head_.tensors, &gguf_tensor::name, "the tensor");
        place(offsets);
        return std::move(head_);
    }

private:
    ANEMONE_INLINE void require_count(std::string_view what, std::uint64_t count, std::uint64_t most,
                                      std::uint64_t least_bytes) const {
        if (count > most) {
            bytes_.refuse(formatted("says that it has {} {}, the limit is {}", count, what, most));
        }
        if (count > bytes_.left() / least_bytes) {
            bytes_.refuse(formatted("says that it has {} {}, the {} bytes that follow hold no more than {}", count,
                                    what, bytes_.left(), bytes_.left() / least_bytes));
        }
    }

    ANEMONE_INLINE gguf_kind kind_of(const std::string& what) {
        const auto number = bytes_.number<std::uint32_t>(what);
        if (number >= gguf_kinds) {
            bytes_.refuse(formatted("{} is of type {}, known are 0 to {}", what, number, gguf_kinds - 1));
        }
        return static_cast<gguf_kind>(number);
    }

    ANEMONE_INLINE void read_entry() {
        gguf_entry e;
        e.key = bytes_.text(longest_key, formatted("the name of key number {}", head_.entries.size()));
        if (e.key.empty() || !is_utf8(e.key)) {
            bytes_.refuse(formatted("the name of key number {} is {}", head_.entries.size(),
                                    e.key.empty() ? std::string("empty") : "not UTF-8: " + printable(e.key)));
        }
        const std::string what = "the value of " + printable(e.key);
        e.kind = kind_of(what);
        if (e.kind == gguf_kind::text) {
            e.text = bytes_.text(gguf_head_limit, what);
        } else if (e.kind == gguf_kind::array) {
            read_array(e, what);
        } else {
            std::array<std::byte, 8> raw{};
            bytes_.read(std::span(raw).first(facts_of(e.kind).bytes), what);
            std::memcpy(&e.bits, raw.data(), raw.size());
            if (e.kind == gguf_kind::truth && e.bits > 1) {
                bytes_.refuse(formatted("{} is a bool of {}, not 0 or 1", what, e.bits));
            }
        }
        head_.entries.push_back(std::move(e));
    }

    ANEMONE_INLINE void read_array(gguf_entry& e, const std::string& what) {
        e.element = kind_of(what);
        if (e.element == gguf_kind::array) {
            bytes_.refuse(what + " is an array of arrays, which are not read");
        }
        e.bits = bytes_.number<std::uint64_t>(what);
        const std::uint64_t each = facts_of(e.element).bytes;
        if (e.bits > bytes_.left() / each) {
            bytes_.refuse(formatted("{} is an array of {} elements, the {} bytes that follow hold no more than {}",
                                    what, e.bits, bytes_.left(), bytes_.left() / each));
        }
        e.begin = bytes_.at();
        if (e.element != gguf_kind::text) {
            bytes_.skip(e.bits * each, what);
            return;
        }
        for (std::uint64_t i = 0; i < e.bits; ++i) {
            bytes_.skip(bytes_.number<std::uint64_t>(what), what);
        }
    }

    ANEMONE_INLINE void read_alignment() {
        for (const gguf_entry& e : head_.entries) {
            if (e.key != "general.alignment") {
                continue;
            }
            if (e.kind != gguf_kind::u32) {
                bytes_.refuse(formatted("general.alignment is a {}, not a uint32", facts_of(e.kind).name));
            }
            if (!std::has_single_bit(e.bits) || e.bits > 65536) {
                bytes_.refuse(formatted("general.alignment is {}, not a power of two up to 65536", e.bits));
            }
            head_.alignment = e.bits;
        }
    }

    /// Gives the offset that the file says.
    ANEMONE_INLINE std::uint64_t read_tensor() {
        gguf_tensor t;
        t.name = bytes_.text(longest_name, formatted("the name of tensor number {}", head_.tensors.size()));
        if (t.name.empty() || !is_utf8(t.name)) {
            bytes_.refuse(formatted("the name of tensor number {} is {}", head_.tensors.size(),
                                    t.name.empty() ? std::string("empty") : "not UTF-8: " + printable(t.name)));
        }
        const std::string what = "tensor " + printable(t.name);
        const auto rank = bytes_.number<std::uint32_t>(what);
        if (rank < 1 || rank > 4) {
            bytes_.refuse(formatted("{} has rank {}, known are 1 to 4", what, rank));
        }
        std::array<std::int64_t, 4> reversed{};
        std::int64_t count = 1;
        for (std::uint32_t axis = 0; axis < rank; ++axis) {
            const auto extent = bytes_.number<std::uint64_t>(what);
            if (extent < 1 || extent > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ||
                __builtin_mul_overflow(count, static_cast<std::int64_t>(extent), &count)) {
                bytes_.refuse(extent < 1 ? formatted("{} has an extent of 0 along axis {}", what, axis)
                                         : formatted("{} has more than 2^63 - 1 elements", what));
            }
            reversed[axis] = static_cast<std::int64_t>(extent);
        }
        for (std::uint32_t axis = rank; axis > 0; --axis) {
            t.shape.append(reversed[axis - 1]);
        }
        const auto number = bytes_.number<std::uint32_t>(what);
        const ggml_type_facts* const type = ggml_type_of(number);
        if (type == nullptr || type->elements == 0) {
            if (unknown_.empty()) {
                unknown_ = formatted("{} is of type {}", what,
                                     type != nullptr ? std::string(type->name) : formatted("number {}", number));
            }
            ++unknown_count_;
        } else {
            t.type = static_cast<gguf_type>(number);
            if (reversed[0] % static_cast<std::int64_t>(type->elements) != 0) {
                bytes_.refuse(formatted("{} has rows of {} elements, {} has blocks of {}", what, reversed[0],
                                        type->name, type->elements));
            }
            const std::uint64_t blocks = static_cast<std::uint64_t>(count) / type->elements;
            if (blocks > file_.size() / type->bytes) {
                bytes_.refuse(formatted("{} has {} elements of {}, more than the {} bytes of the file hold", what,
                                        count, type->name, file_.size()));
            }
            t.bytes = blocks * type->bytes;
        }
        head_.tensors.push_back(std::move(t));
        return bytes_.number<std::uint64_t>(what);
    }

    ANEMONE_INLINE void refuse_types() const {
        if (unknown_count_ == 0) {
            return;
        }
        std::string known;
        for (const ggml_type_facts& each : ggml_types) {
            known += each.elements == 0 ? std::string() : (known.empty() ? "" : ", ") + std::string(each.name);
        }
        bytes_.refuse(unknown_ +
                      (unknown_count_ > 1 ? formatted(" ({} tensors are of such types)", unknown_count_) : "") +
                      ": known are " + known + "; quantize the model to one of them");
    }

    /// Positions in the order of the names. Throws where two are equal.
    template <class Item>
    std::vector<std::size_t> by_name(const std::vector<Item>& items, std::string Item::*name,
                                     std::string_view what) const {
        std::vector<std::size_t> order(items.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return items[a].*name < items[b].*name; });
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (items[order[i]].*name == items[order[i - 1]].*name) {
                bytes_.refuse(formatted("has {} {} twice", what, printable(items[order[i]].*name)));
            }
        }
        return order;
    }

    /// Where the tensors lie: behind the head, aligned, inside the file, and none over another.
    ANEMONE_INLINE void place(const std::vector<std::uint64_t>& offsets) {
        const std::uint64_t data = (bytes_.at() + head_.alignment - 1) / head_.alignment * head_.alignment;
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            gguf_tensor& t = head_.tensors[i];
            if (offsets[i] % head_.alignment != 0) {
                bytes_.refuse(formatted("tensor {} begins at offset {}, which is no multiple of the alignment, {}",
                                        printable(t.name), offsets[i], head_.alignment));
            }
            if (data > file_.size() || offsets[i] > file_.size() - data || t.bytes > file_.size() - data - offsets[i]) {
                bytes_.refuse(formatted("tensor {} has {} bytes from offset {} on, the file has {} behind its head",
                                        printable(t.name), t.bytes, offsets[i],
                                        data > file_.size() ? 0 : file_.size() - data));
            }
            t.begin = data + offsets[i];
            order.push_back(i);
        }
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return head_.tensors[a].begin < head_.tensors[b].begin; });
        for (std::size_t i = 1; i < order.size(); ++i) {
            const gguf_tensor& before = head_.tensors[order[i - 1]];
            const gguf_tensor& t = head_.tensors[order[i]];
            if (t.begin < before.begin + before.bytes) {
                bytes_.refuse(formatted("tensor {} begins at byte {}, inside of {}, which ends at {}",
                                        printable(t.name), t.begin, printable(before.name),
                                        before.begin + before.bytes));
            }
        }
    }

    const steady_file& file_;
    gguf_bytes bytes_;
    gguf_head head_;
    std::string unknown_; ///< the first tensor of a type that is not read
    std::size_t unknown_count_ = 0;
};

} // namespace ane::detail::inline ANEMONE_WAY
