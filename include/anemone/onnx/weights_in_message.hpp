#pragma once

#include "../io/steady_file.hpp"
#include "../readers/mapped_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Weights that a model's own file holds, left where they are. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// An initializer of the top graph whose bytes stay in the file.
struct initializer_in_file {
    int number; ///< among the initializers
    ane::detail::file_part part;
};

/// The bytes of a ModelProto without those `raw_data` of initializers that are worth leaving in the file: Protocol Buffers
/// decodes a message whole. Of the file no more is read than is kept.
class message_without_weights {
public:
    /// Where the file is no message of that form, or says a field twice which this would have to join, nothing is left out:
    /// `bytes` is empty.
    ANEMONE_INLINE explicit message_without_weights(readers::mapped_file& file) : file_(file) {
        if (std::optional<std::string> made = model({0, file.size()})) {
            bytes = *std::move(made);
        } else {
            left_in_file.clear();
        }
    }

    std::string bytes;
    std::vector<initializer_in_file> left_in_file;

private:
    // Numbers of fields in onnx.proto.
    static constexpr std::uint64_t graph_of_model = 7;
    static constexpr std::uint64_t initializer_of_graph = 5;
    static constexpr std::uint64_t raw_data_of_tensor = 9;

    struct range {
        std::uint64_t begin;
        std::uint64_t end;
    };
    /// A field, and of one with a length its content.
    struct field {
        std::uint64_t number;
        bool has_length;
        range content;
    };

    ANEMONE_INLINE std::span<const std::byte> bytes_of(range r) {
        std::uint64_t any = readers::mapped_file::no_limit;
        return file_.part(r.begin, r.end - r.begin, any);
    }
    ANEMONE_INLINE void copy(range r, std::string& to) {
        const std::span<const std::byte> from = bytes_of(r);
        to.append(reinterpret_cast<const char*>(from.data()), from.size());
    }

    /// An integer of 7 bits a byte, which `at` is behind afterwards.
    ANEMONE_INLINE std::optional<std::uint64_t> integer(std::uint64_t& at, std::uint64_t end) {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
            const auto byte = std::to_integer<std::uint64_t>(bytes_of({at, at + 1})[0]);
            ++at;
            value |= (byte & 0x7FU) << shift;
            if (byte < 0x80U) {
                return value;
            }
        }
        return std::nullopt;
    }
    ANEMONE_INLINE static void put_integer(std::uint64_t value, std::string& to) {
        for (; value >= 0x80U; value >>= 7U) {
            to.push_back(static_cast<char>(static_cast<unsigned char>(value | 0x80U)));
        }
        to.push_back(static_cast<char>(static_cast<unsigned char>(value)));
    }

    /// The field at `at`, which is behind it afterwards.
    ANEMONE_INLINE std::optional<field> next(std::uint64_t& at, std::uint64_t end) {
        const auto tag = integer(at, end);
        if (!tag) {
            return std::nullopt;
        }
        const std::uint64_t form = *tag & 7U;
        const std::uint64_t begin = at;
        std::uint64_t size = form == 1 ? 8 : 4;
        if (form == 0) {
            const auto value = integer(at, end);
            return value ? std::optional(field{*tag >> 3U, false, {begin, at}}) : std::nullopt;
        }
        if (form == 2) {
            const auto length = integer(at, end);
            if (!length) {
                return std::nullopt;
            }
            size = *length;
        } else if (form != 1 && form != 5) { // groups, which ONNX has none of
            return std::nullopt;
        }
        if (size > end - at) {
            return std::nullopt;
        }
        const range content{at, at + size};
        at = content.end;
        return field{*tag >> 3U, form == 2, content};
    }

    /// A message whose fields of a number `inner` writes anew, in place of the content; nothing where `inner` gives nothing.
    template <class Inner> std::optional<std::string> rewritten(range all, std::uint64_t number, const Inner& inner) {
        std::string made;
        std::uint64_t copied = all.begin;
        for (std::uint64_t at = all.begin; at < all.end;) {
            const std::uint64_t begin = at;
            const auto found = next(at, all.end);
            if (!found) {
                return std::nullopt;
            }
            if (found->number != number || !found->has_length) {
                continue;
            }
            const std::optional<std::string> content = inner(found->content);
            if (!content) {
                return std::nullopt;
            }
            copy({copied, begin}, made);
            put_integer(number << 3U | 2U, made);
            put_integer(content->size(), made);
            made += *content;
            copied = at;
        }
        copy({copied, all.end}, made);
        return made;
    }

    ANEMONE_INLINE std::optional<std::string> model(range all) {
        int graphs = 0;
        return rewritten(all, graph_of_model, [&](range graph_range) -> std::optional<std::string> {
            int initializers = 0;
            return ++graphs > 1 ? std::nullopt : rewritten(graph_range, initializer_of_graph, [&](range tensor_range) {
                return tensor(tensor_range, initializers++);
            });
        });
    }

    /// A tensor without its `raw_data` where they are many.
    ANEMONE_INLINE std::optional<std::string> tensor(range all, int number) {
        std::string made;
        bool has_raw_data = false;
        for (std::uint64_t at = all.begin; at < all.end;) {
            const std::uint64_t begin = at;
            const auto found = next(at, all.end);
            const bool is_raw_data = found && found->number == raw_data_of_tensor;
            if (!found || (is_raw_data && (has_raw_data || !found->has_length))) {
                return std::nullopt;
            }
            has_raw_data = has_raw_data || is_raw_data;
            const std::uint64_t size = found->content.end - found->content.begin;
            if (is_raw_data && size >= ane::detail::least_file_part) {
                left_in_file.push_back({number, {file_.file(), found->content.begin, static_cast<std::size_t>(size)}});
            } else {
                copy({begin, at}, made);
            }
        }
        return made;
    }

    readers::mapped_file& file_;
};

} // namespace ane::onnx::inline ANEMONE_WAY
