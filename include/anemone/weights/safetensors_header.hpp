#pragma once

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/rapidjson.hpp"
#include "../io/unicode.hpp"
#include "safetensors.hpp"
#include "store.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

/// The header of a safetensors file, read event by event: time and memory grow with its length, however it nests.
namespace ane::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void refuse_file [[noreturn]] (const std::string& source, const std::string& detail) {
    throw error(errc::file, source, detail);
}

/// Where one tensor lies in the data part.
struct safetensors_entry {
    std::string name;
    element_type type = element_type::f32;
    extents shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

struct safetensors_layout {
    std::vector<safetensors_entry> entries;
    weight_store::texts metadata;
};

/// The handler of the parser's events. Containers are three deep: the header, the entry of a tensor, a list of numbers.
class safetensors_header : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, safetensors_header> {
public:
    ANEMONE_INLINE safetensors_header(std::string_view text, const std::string& source)
        : text_(text), source_(source), stream_(text.data(), text.size()) {}

    /// Tensors and metadata in the order of the header.
    ANEMONE_INLINE safetensors_layout parsed() && {
        if (text_.empty() || text_.front() != '{') {
            fail("the header does not begin with '{'");
        }
        if (text_.find('\0') != std::string_view::npos) {
            fail("the header contains a zero byte"); // which the parser would take for its end
        }
        constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
        json_reader reader;
        if (const rapidjson::ParseResult result = reader.Parse<flags>(stream_, *this); result.IsError()) {
            fail_to_parse(result.Offset(), rapidjson::GetParseError_En(result.Code()));
        }
        return std::move(layout_);
    }

    // The events. A number comes as it is written.
    ANEMONE_INLINE bool Null() { return scalar(); }
    ANEMONE_INLINE bool Bool(bool) { return scalar(); }
    ANEMONE_INLINE bool RawNumber(const char*, rapidjson::SizeType, bool) { return scalar(); }
    ANEMONE_INLINE bool String(const char* begin, rapidjson::SizeType size, bool) {
        string_ = utf8(begin, size);
        return scalar();
    }
    ANEMONE_INLINE bool Key(const char* begin, rapidjson::SizeType size, bool) {
        const std::string_view key = utf8(begin, size);
        seen_ = stream_.Tell();
        if (depth_ == 1) {
            name_ = key;
            in_metadata_ = key == "__metadata__";
            if (in_metadata_ && std::exchange(has_metadata_, true)) {
                fail_twice(key);
            }
        } else if (depth_ == 2 && in_metadata_) {
            key_ = key;
        } else if (depth_ == 2) {
            ++keys_;
            field_ = key == "dtype" ? &dtype_ : key == "shape" ? &shape_ : key == "data_offsets" ? &offsets_ : nullptr;
            if (field_ != nullptr && !field_->text.empty()) {
                fail_twice(key);
            }
        }
        return true;
    }
    ANEMONE_INLINE bool StartObject() { return open(); }
    ANEMONE_INLINE bool StartArray() { return open(); }
    ANEMONE_INLINE bool EndObject(rapidjson::SizeType) { return close(); }
    ANEMONE_INLINE bool EndArray(rapidjson::SizeType) { return close(); }

private:
    /// The value of one key of a tensor's entry.
    struct field {
        std::string_view text;                                      ///< as it is written; empty where there is none
        std::string string;                                         ///< what a string says
        std::array<std::string_view, extents::capacity> elements{}; ///< the first ones of a list
        std::size_t size = 0;                                       ///< all of them
    };

    ANEMONE_INLINE void fail [[noreturn]] (const std::string& detail) const { refuse_file(source_, detail); }
    ANEMONE_INLINE void fail_to_parse [[noreturn]] (std::size_t offset, const char* reason) const {
        fail(formatted("the header is not JSON: byte {}: {}", offset, reason));
    }
    ANEMONE_INLINE void fail_twice [[noreturn]] (std::string_view key) const {
        fail(formatted("the header has the key '{}' twice in one object", key));
    }

    /// The parser's own check lets half of a surrogate pair pass.
    ANEMONE_INLINE std::string_view utf8(const char* begin, std::size_t size) const {
        const std::string_view text(begin, size);
        if (!is_utf8(text)) {
            fail_to_parse(stream_.Tell(), "a string is not UTF-8");
        }
        return text;
    }

    /// Where the value or the bracket of the current event starts: the parser tells where it is, in some versions before
    /// a bracket and in others behind it.
    ANEMONE_INLINE std::size_t start() const { return text_.find_first_not_of(" \t\n\r:,", seen_); }

    ANEMONE_INLINE bool scalar() {
        const std::size_t begin = start();
        seen_ = stream_.Tell();
        value(text_.substr(begin, seen_ - begin));
        return true;
    }
    ANEMONE_INLINE bool open() {
        if (depth_ == opened_.size()) {
            fail("the header nests deeper than a list in a tensor's entry");
        }
        const std::size_t begin = start();
        seen_ = begin + 1;
        if (depth_ == 1) {
            dtype_ = shape_ = offsets_ = field();
            field_ = nullptr;
            keys_ = 0;
        }
        opened_[depth_++] = begin;
        return true;
    }
    ANEMONE_INLINE bool close() {
        seen_ = start() + 1;
        const std::size_t begin = opened_[--depth_];
        value(text_.substr(begin, seen_ - begin));
        return true;
    }

    /// Takes a value that is complete, at its depth.
    ANEMONE_INLINE void value(std::string_view text) {
        if (depth_ == 1 && in_metadata_) {
            metadata(text);
        } else if (depth_ == 1) {
            entry(text);
        } else if (depth_ == 2 && text_[opened_[1]] == '{') {
            in_metadata_ ? metadata_text(text) : set_field(text);
        } else if (depth_ == 3 && field_ != nullptr && text_[opened_[2]] == '[') {
            if (field_->size < field_->elements.size()) {
                field_->elements[field_->size] = text;
            }
            ++field_->size;
        }
    }

    ANEMONE_INLINE void metadata(std::string_view text) const {
        if (text.front() != '{') {
            fail("__metadata__ is not an object");
        }
    }
    ANEMONE_INLINE void metadata_text(std::string_view text) {
        if (text.front() != '"') {
            fail(formatted("__metadata__ entry '{}' is not a string", key_));
        }
        if (layout_.metadata.size() == safetensors_metadata_limit) {
            fail(formatted("__metadata__ has more than {} entries", safetensors_metadata_limit));
        }
        layout_.metadata.emplace_back(std::move(key_), std::move(string_));
    }

    ANEMONE_INLINE void set_field(std::string_view text) {
        if (field_ != nullptr) {
            field_->text = text;
            field_->string = text.front() == '"' ? string_ : std::string();
        }
    }

    ANEMONE_INLINE void entry(std::string_view text) {
        if (text.front() != '{') {
            fail(formatted("the entry of tensor '{}' is {}, not an object", name_, shown(text)));
        }
        if (keys_ != 3) {
            fail(formatted("the entry of tensor '{}' has {} keys, not the 3 of dtype, shape and data_offsets", name_,
                           keys_));
        }
        require(dtype_, "dtype");
        require(shape_, "shape");
        require(offsets_, "data_offsets");
        safetensors_entry result;
        result.name = name_;
        result.type = type();
        const std::uint64_t bytes = shape(result);
        if (offsets_.text.front() != '[' || offsets_.size != 2) {
            fail(formatted("tensor '{}': data_offsets is {}, not two integers", name_, shown(offsets_.text)));
        }
        result.begin = number(offsets_, "data_offsets", 0);
        result.end = number(offsets_, "data_offsets", 1);
        if (result.end < result.begin) {
            fail(formatted("tensor '{}' ends at {}, before its begin {}", name_, result.end, result.begin));
        }
        if (result.end - result.begin != bytes) {
            fail(formatted("tensor '{}' spans {} bytes, its shape and type {} need {}", name_,
                           result.end - result.begin, facts_of(result.type).safetensors, bytes));
        }
        layout_.entries.push_back(std::move(result));
    }

    ANEMONE_INLINE void require(const field& f, const char* key) const {
        if (f.text.empty()) {
            fail(formatted("tensor '{}' has no \"{}\"", name_, key));
        }
    }

    ANEMONE_INLINE element_type type() const {
        const element_type found = find_element(&element_facts::safetensors, dtype_.string);
        if (found == element_type::undefined) {
            fail(formatted("tensor '{}': dtype is {}, which is unknown", name_, shown(dtype_.text)));
        }
        return found;
    }

    /// Fills the shape, returns its bytes. Extents of zero are left out of the overflow check's product on purpose:
    /// strides of such a shape must not overflow either.
    ANEMONE_INLINE std::uint64_t shape(safetensors_entry& result) const {
        if (shape_.text.front() != '[') {
            fail(formatted("tensor '{}': shape is {}, not a list", name_, shown(shape_.text)));
        }
        if (shape_.size > shape_.elements.size()) {
            fail(formatted("tensor '{}' has rank {}, the limit is {}", name_, shape_.size, extents::capacity));
        }
        std::int64_t product = bytes(result.type, 1);
        for (std::size_t axis = 0; axis < shape_.size; ++axis) {
            const auto e = static_cast<std::int64_t>(number(shape_, "shape", axis));
            if (e != 0 && __builtin_mul_overflow(product, e, &product)) {
                fail(formatted("tensor '{}': shape {} needs more than 2^63 - 1 bytes", name_, shown(shape_.text)));
            }
            result.shape.append(e);
        }
        return static_cast<std::uint64_t>(result.shape.count() == 0 ? 0 : product);
    }

    ANEMONE_INLINE std::uint64_t number(const field& f, const char* key, std::size_t i) const {
        const std::string_view text = f.elements[i];
        std::uint64_t result = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), result);
        if (end != text.data() + text.size() || failure != std::errc()) {
            fail(formatted("tensor '{}': {}[{}] is {}, not an integer from 0 to 2^63 - 1", name_, key, i, shown(text)));
        }
        if (result > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            fail(formatted("tensor '{}': {}[{}] is {}, above 2^63 - 1", name_, key, i, result));
        }
        return result;
    }

    ANEMONE_INLINE static std::string shown(std::string_view text) {
        return std::string(text.substr(0, 40)) + (text.size() > 40 ? "..." : "");
    }

    std::string_view text_;
    const std::string& source_;
    rapidjson::MemoryStream stream_;
    safetensors_layout layout_;

    std::size_t depth_ = 0;               ///< containers that are open
    std::array<std::size_t, 3> opened_{}; ///< where they start
    std::size_t seen_ = 0;                ///< the end of the last event
    std::string string_;                  ///< the last string that is no key
    std::string name_;                    ///< the key of the header
    std::string key_;                     ///< the key of the metadata
    bool in_metadata_ = false;            ///< whether `name_` is __metadata__
    bool has_metadata_ = false;
    field dtype_;
    field shape_;
    field offsets_;
    field* field_ = nullptr; ///< the one of these that the last key names, if any
    std::size_t keys_ = 0;   ///< of the entry
};

/// The positions of entries in the order of their keys. Throws where two keys are equal. The first eight bytes of a key,
/// as a number, order most of them without a look at the rest.
template <class Entry, class KeyOf>
std::vector<std::size_t> order_of(const std::vector<Entry>& entries, const KeyOf& key_of, const std::string& source) {
    struct place {
        std::uint64_t head;
        std::size_t position;
    };
    std::vector<place> places;
    places.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string_view key = key_of(entries[i]);
        std::uint64_t head = 0;
        for (std::size_t k = 0; k < 8; ++k) {
            head = head << 8U | (k < key.size() ? static_cast<unsigned char>(key[k]) : 0U);
        }
        places.push_back({head, i});
    }
    std::sort(places.begin(), places.end(), [&](const place& a, const place& b) {
        return a.head != b.head ? a.head < b.head : key_of(entries[a.position]) < key_of(entries[b.position]);
    });
    std::vector<std::size_t> order;
    order.reserve(places.size());
    for (const place& p : places) {
        const std::string_view key = key_of(entries[p.position]);
        if (!order.empty() && key_of(entries[order.back()]) == key) {
            refuse_file(source, formatted("the header has the key '{}' twice in one object", key));
        }
        order.push_back(p.position);
    }
    return order;
}

/// Puts entries into an order, in place: that number i of it becomes number i.
template <class Entry> void put_in_order(std::vector<Entry>& entries, std::vector<std::size_t> order) {
    // Around the cycle of each entry that is not yet placed.
    for (std::size_t begin = 0; begin < order.size(); ++begin) {
        std::size_t place = begin;
        while (order[place] != begin) {
            const std::size_t from = std::exchange(order[place], place);
            std::swap(entries[place], entries[from]);
            place = from;
        }
        order[place] = place;
    }
}

/// Parses the header and proves that the tensors tile `data_bytes` without a hole, an overlap or a rest. Tensors come by
/// offset, metadata by key.
ANEMONE_INLINE safetensors_layout parse_header(std::string_view text, std::uint64_t data_bytes,
                                               const std::string& source) {
    safetensors_layout result = safetensors_header(text, source).parsed();
    order_of(
        result.entries, [](const safetensors_entry& e) -> std::string_view { return e.name; }, source);
    put_in_order(result.metadata,
                 order_of(
                     result.metadata, [](const auto& e) -> std::string_view { return e.first; }, source));
    // The header may list tensors in any order; a file of zero-sized tensors has several at one offset.
    std::sort(result.entries.begin(), result.entries.end(), [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::uint64_t expected = 0;
    for (const safetensors_entry& e : result.entries) {
        if (e.begin != expected) {
            refuse_file(source, formatted("tensor '{}' begins at {}, the one before it ends at {}: {}", e.name, e.begin,
                                          expected, e.begin < expected ? "they overlap" : "there is a hole"));
        }
        expected = e.end;
    }
    if (expected != data_bytes) {
        refuse_file(source, formatted("the tensors end at {}, the data has {} bytes", expected, data_bytes));
    }
    return result;
}

} // namespace ane::detail::inline ANEMONE_WAY
