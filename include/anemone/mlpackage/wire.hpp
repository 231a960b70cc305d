#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Messages of Protocol Buffers, written and read (protobuf.dev, "Encoding"). A message is a struct of plain members that
/// describes itself once: `describe(message, on)` calls `on(number, member)` for each of its fields, in their order.
///
///     integer types, bool            varint; 0 is left out
///     std::string_view               string or bytes; an empty one is left out
///     struct                         message, always written
///     std::optional, std::unique_ptr a field that may be absent
///     std::vector                    repeated; numbers are packed
///     skipped                        a field whose content is of no interest
///     encoded<struct>                message that is decoded later
///
/// Only bodies include this header.
namespace ane::mlpackage::inline ANEMONE_WAY {

/// A field that is passed over. Whether it was there stays known.
struct skipped {
    bool present = false;
};

/// A message as its bytes, so that one of many is in memory at a time.
template <class Message> struct encoded { std::string_view bytes; };

/// An entry of a map.
template <class Value> struct map_entry {
    static constexpr std::string_view name = "an entry of a map";
    std::string_view key;
    Value value;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.key);
        on(2, m.value);
    }
};

/// Why bytes are no message, and where.
struct wire_fault {
    std::size_t offset;
    std::string reason;
};

enum class wire_type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

template <class> inline constexpr bool is_vector = false;
template <class T> inline constexpr bool is_vector<std::vector<T>> = true;
template <class> inline constexpr bool is_encoded = false;
template <class T> inline constexpr bool is_encoded<encoded<T>> = true;
template <class> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_optional<std::unique_ptr<T>> = true;
template <class T>
inline constexpr bool is_number = std::integral<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

/// How a single value is written.
template <class T>
inline constexpr wire_type wire_type_of = std::is_same_v<T, float>    ? wire_type::fixed32
                                          : std::is_same_v<T, double> ? wire_type::fixed64
                                          : std::integral<T>          ? wire_type::varint
                                                                      : wire_type::bytes;

/// Writes messages.
class wire_writer {
public:
    template <class Message> void message(const Message& m) {
        Message::describe(m, [this](int number, const auto& member) { this->field(number, member); });
    }
    const std::string& bytes() const { return bytes_; }

private:
    ANEMONE_INLINE void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7U) {
            bytes_ += static_cast<char>(value | 0x80U);
        }
        bytes_ += static_cast<char>(value);
    }
    ANEMONE_INLINE void key(int number, wire_type type) {
        varint(static_cast<std::uint64_t>(number) << 3U | static_cast<std::uint64_t>(type));
    }
    ANEMONE_INLINE void text(int number, std::string_view value) {
        key(number, wire_type::bytes);
        varint(value.size());
        bytes_ += value;
    }
    template <class Number> void number(Number value) {
        if constexpr (std::integral<Number>) {
            varint(static_cast<std::uint64_t>(value)); // negative ones take ten bytes
        } else {
            using bits = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
            const auto pattern = std::bit_cast<bits>(value);
            for (std::size_t i = 0; i < sizeof(bits); ++i) {
                bytes_ += static_cast<char>(pattern >> (8 * i) & 0xFFU);
            }
        }
    }

    template <class T> void field(int number, const T& member) {
        if constexpr (std::is_same_v<T, skipped>) {
        } else if constexpr (is_vector<T>) {
            repeated(number, member);
        } else if constexpr (is_optional<T>) {
            if (member) {
                one(number, *member);
            }
        } else if constexpr (std::integral<T>) {
            if (member != T{}) {
                one(number, member);
            }
        } else if constexpr (std::is_same_v<T, std::string_view>) {
            if (!member.empty()) {
                one(number, member);
            }
        } else {
            one(number, member);
        }
    }
    template <class T> void one(int number, const T& member) {
        if constexpr (is_number<T>) {
            key(number, wire_type_of<T>);
            this->number(member);
        } else if constexpr (std::is_same_v<T, std::string_view>) {
            text(number, member);
        } else if constexpr (is_encoded<T>) {
            text(number, member.bytes);
        } else {
            wire_writer inner;
            inner.message(member);
            text(number, inner.bytes());
        }
    }
    template <class T> void repeated(int number, const std::vector<T>& members) {
        if constexpr (is_number<T>) {
            wire_writer packed;
            for (const T& each : members) {
                packed.number(each);
            }
            if (!members.empty()) {
                text(number, packed.bytes());
            }
        } else {
            for (const T& each : members) {
                one(number, each);
            }
        }
    }

    std::string bytes_;
};

template <class Message> std::string encode(const Message& m) {
    wire_writer out;
    out.message(m);
    return out.bytes();
}

/// A field that no description has.
struct unknown_field {
    std::string_view message;
    std::uint64_t number;
    friend bool operator==(const unknown_field&, const unknown_field&) = default;
};

/// Reads messages out of one file, whose bytes outlive what is read. Every length is compared with what is left before
/// anything is done with it. Throws `wire_fault` with the place in the file.
class wire_reader {
public:
    static constexpr int deepest = 64;                      ///< of messages in messages
    static constexpr std::size_t most_memory = 1U << 26U;   ///< bytes of the parts of what is decoded at once
    static constexpr std::size_t most_unknown_fields = 100; ///< that are remembered

    ANEMONE_INLINE explicit wire_reader(std::string_view file) : file_(file) {}

    /// `bytes` are a part of the file.
    template <class Message> Message decode(std::string_view bytes) {
        memory_ = 0;
        Message m;
        message(m, bytes, 0);
        return m;
    }
    template <class Message> Message decode(const encoded<Message>& m) { return decode<Message>(m.bytes); }

    /// Each once, in the order of the file.
    const std::vector<unknown_field>& unknown() const { return unknown_; }

    ANEMONE_INLINE std::size_t offset_of(std::string_view part) const {
        return static_cast<std::size_t>(part.data() - file_.data());
    }

private:
    /// What is left of a message.
    struct cursor {
        std::string_view left;
    };

    void refuse [[noreturn]] (const cursor& at, std::string reason) const {
        throw wire_fault{offset_of(at.left), std::move(reason)};
    }

    ANEMONE_INLINE std::uint64_t varint(cursor& c) const {
        std::uint64_t value = 0;
        const cursor begin = c;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            if (c.left.empty()) {
                refuse(begin, "the file ends within a number");
            }
            const auto byte = static_cast<unsigned char>(c.left.front());
            c.left.remove_prefix(1);
            value |= shift < 64 ? static_cast<std::uint64_t>(byte & 0x7FU) << shift : 0;
            if (byte < 0x80) {
                return value;
            }
        }
        refuse(begin, "a number has more than ten bytes");
    }
    ANEMONE_INLINE std::string_view part(cursor& c, std::uint64_t size) const {
        if (size > c.left.size()) {
            refuse(c, formatted("{} bytes are claimed, {} are left", size, c.left.size()));
        }
        const std::string_view taken = c.left.substr(0, static_cast<std::size_t>(size));
        c.left.remove_prefix(taken.size());
        return taken;
    }
    ANEMONE_INLINE std::string_view content(cursor& c, wire_type type) const {
        switch (type) {
        case wire_type::varint: {
            const cursor begin = c;
            varint(c);
            return begin.left.substr(0, begin.left.size() - c.left.size());
        }
        case wire_type::fixed64: return part(c, 8);
        case wire_type::fixed32: return part(c, 4);
        case wire_type::bytes: return part(c, varint(c));
        }
        refuse(c, formatted("has fields of the unknown wire type {}", static_cast<int>(type)));
    }

    template <class Message> void message(Message& m, std::string_view bytes, int depth) {
        cursor c{bytes};
        if (depth > deepest) {
            refuse(c, formatted("messages are nested more than {} deep", deepest));
        }
        while (!c.left.empty()) {
            const cursor begin = c;
            const std::uint64_t key = varint(c);
            const std::uint64_t number = key >> 3U;
            if (number == 0 || number > 0x1FFFFFFF) {
                refuse(begin, formatted("{} is no number of a field, in {}", number, Message::name));
            }
            const auto type = static_cast<wire_type>(key & 7U);
            const std::string_view bytes_of_field = content(c, type);
            bool known = false;
            Message::describe(m, [&](int described, auto& member) {
                if (static_cast<std::uint64_t>(described) == number) {
                    known = true;
                    const auto wanted = [&](bool good) {
                        if (!good) {
                            refuse(begin, formatted("field {} of {} has the wire type {}", number, Message::name,
                                                    static_cast<int>(type)));
                        }
                    };
                    this->field(member, bytes_of_field, type, depth, wanted);
                }
            });
            const unknown_field found{Message::name, number};
            if (!known && unknown_.size() < most_unknown_fields &&
                std::find(unknown_.begin(), unknown_.end(), found) == unknown_.end()) {
                unknown_.push_back(found);
            }
        }
    }

    template <class T, class Wanted>
    void field(T& member, std::string_view bytes, wire_type type, int depth, const Wanted& wanted) {
        if constexpr (std::is_same_v<T, skipped>) {
            member.present = true;
        } else if constexpr (is_vector<T>) {
            using element = typename T::value_type;
            if constexpr (is_number<element>) {
                numbers(member, bytes, type, wanted);
            } else {
                spend<element>(bytes);
                field(member.emplace_back(), bytes, type, depth, wanted);
            }
        } else if constexpr (is_optional<T>) {
            if constexpr (requires { member.emplace(); }) {
                field(member.emplace(), bytes, type, depth, wanted);
            } else {
                member = std::make_unique<typename T::element_type>();
                field(*member, bytes, type, depth, wanted);
            }
        } else {
            wanted(type == wire_type_of<T>);
            if constexpr (is_number<T>) {
                cursor c{bytes};
                member = number<T>(c);
            } else if constexpr (std::is_same_v<T, std::string_view>) {
                member = bytes;
            } else if constexpr (is_encoded<T>) {
                member.bytes = bytes;
            } else {
                message(member, bytes, depth + 1);
            }
        }
    }
    /// Takes memory for one more element of a list: two bytes of a file can stand for some hundreds.
    template <class T> void spend(std::string_view at) {
        memory_ += sizeof(T);
        if (memory_ > most_memory) {
            refuse({at}, formatted("the parts of a message take more than {} bytes", most_memory));
        }
    }
    template <class T> T number(cursor& c) const {
        if constexpr (std::integral<T>) {
            return static_cast<T>(varint(c));
        } else {
            using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
            const std::string_view taken = part(c, sizeof(bits));
            bits pattern = 0;
            for (std::size_t i = 0; i < sizeof(bits); ++i) {
                pattern |= static_cast<bits>(static_cast<unsigned char>(taken[i])) << (8 * i);
            }
            return std::bit_cast<T>(pattern);
        }
    }
    /// Packed, or one of them.
    template <class T, class Wanted>
    void numbers(std::vector<T>& members, std::string_view bytes, wire_type type, const Wanted& wanted) {
        wanted(type == wire_type::bytes || type == wire_type_of<T>);
        cursor c{bytes};
        while (!c.left.empty()) {
            spend<T>(c.left);
            members.push_back(number<T>(c));
        }
    }

    std::string_view file_;
    std::size_t memory_ = 0; ///< of the present message
    std::vector<unknown_field> unknown_;
};

} // namespace ane::mlpackage::inline ANEMONE_WAY
