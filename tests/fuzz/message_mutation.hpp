#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Messages of Protocol Buffers as trees, and other messages made of them: fields are dropped, doubled, exchanged, emptied
/// or get numbers and words that readers know. What comes out is well-formed, so a reader gets as far as the model, which
/// flipped bytes hardly do. Without a schema: a field of bytes that can be read as a message is one.
namespace message_mutation {

struct field {
    std::uint64_t number = 0;
    unsigned wire = 0; ///< 0 a number, 1 eight bytes, 2 bytes or a message, 5 four bytes
    std::uint64_t value = 0;
    std::string bytes{};
    std::vector<field> inner{};
    bool is_message = false;
};
using message = std::vector<field>;
using generator = std::minstd_rand;

inline std::optional<std::uint64_t> taken_number(std::string_view& text) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(text.front());
        text.remove_prefix(1);
        value |= std::uint64_t{byte & 0x7FU} << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    return std::nullopt;
}

inline std::optional<message> parsed(std::string_view text, int depth = 0) {
    message all;
    while (!text.empty()) {
        const auto key = taken_number(text);
        if (!key || *key >> 3U == 0 || *key >> 3U > 5000) {
            return std::nullopt;
        }
        field f;
        f.number = *key >> 3U;
        f.wire = static_cast<unsigned>(*key & 7U);
        std::size_t size = f.wire == 1 ? 8 : f.wire == 5 ? 4 : 0;
        if (f.wire == 0 || f.wire == 2) {
            const auto value = taken_number(text);
            if (!value) {
                return std::nullopt;
            }
            f.value = *value;
            size = f.wire == 2 ? static_cast<std::size_t>(*value) : 0;
        } else if (size == 0) {
            return std::nullopt;
        }
        if (size > text.size()) {
            return std::nullopt;
        }
        f.bytes = text.substr(0, size);
        text.remove_prefix(size);
        if (f.wire == 2 && depth < 12 && size > 1) {
            if (auto inside = parsed(f.bytes, depth + 1)) {
                f.inner = std::move(*inside);
                f.is_message = true;
            }
        }
        all.push_back(std::move(f));
    }
    return all;
}

inline void put_number(std::string& out, std::uint64_t value) {
    for (; value > 127; value >>= 7U) {
        out += static_cast<char>(value | 128U);
    }
    out += static_cast<char>(value);
}

inline std::string written(const message& all) {
    std::string out;
    for (const field& f : all) {
        put_number(out, f.number << 3U | f.wire);
        if (f.wire == 0) {
            put_number(out, f.value);
        } else if (f.wire == 2) {
            const std::string bytes = f.is_message ? written(f.inner) : f.bytes;
            put_number(out, bytes.size());
            out += bytes;
        } else {
            out += f.bytes;
        }
    }
    return out;
}

/// Where each field of a tree is: the list that it is in, and its place.
struct place {
    message* in;
    std::size_t at;
};

inline void collect(message& all, std::vector<place>& places) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        places.push_back({&all, i});
        collect(all[i].inner, places);
    }
}

/// Makes one change. `words` are texts that the reader knows.
inline void change(message& all, generator& random, std::span<const std::string> words) {
    constexpr std::uint64_t numbers[] = {0,  1,   2,     3,          4,          7,     8,
                                         16, 255, 65535, 0x7FFFFFFF, 0x80000000, ~0ULL, 1ULL << 62U};
    std::vector<place> places;
    collect(all, places);
    if (places.empty()) {
        return;
    }
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const place at = places[below(places.size())];
    field& f = (*at.in)[at.at];
    switch (below(9)) {
    case 0: at.in->erase(at.in->begin() + static_cast<std::ptrdiff_t>(at.at)); return;
    case 1: {
        const field copy = f;
        at.in->insert(at.in->begin() + static_cast<std::ptrdiff_t>(at.at), copy);
        return;
    }
    case 2: std::swap(f, (*at.in)[below(at.in->size())]); return;
    case 3: f.value = numbers[below(std::size(numbers))]; return;
    case 4: f.value += random() % 5 - 2; return;
    case 5: { // what another field of this number holds
        std::vector<const field*> same;
        for (const place& each : places) {
            const field& other = (*each.in)[each.at];
            if (other.number == f.number && other.wire == f.wire && &other != &f) {
                same.push_back(&other);
            }
        }
        if (!same.empty()) {
            const field copy = *same[below(same.size())];
            f = copy;
        }
        return;
    }
    case 6:
        if (f.wire == 2 && !f.is_message && !words.empty()) {
            f.bytes = words[below(words.size())];
        }
        return;
    case 7:
        if (f.wire == 2) { // empty, or shorter
            f.bytes.resize(f.bytes.size() * below(2) / 2);
            f.inner.resize(f.inner.size() * below(2) / 2);
        }
        return;
    default:
        if (!f.bytes.empty() && !f.is_message) {
            f.bytes[below(f.bytes.size())] = static_cast<char>(random());
        }
    }
}

/// Another message of at most `most` bytes, in place; the bytes as they are where they are no message, or it grew too much.
inline std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                          std::span<const std::string> words) {
    generator random(seed + 1);
    auto tree = parsed({reinterpret_cast<const char*>(data), size});
    if (!tree) {
        return size;
    }
    for (auto left = 1 + random() % 4; left > 0; --left) {
        change(*tree, random, words);
    }
    const std::string made = written(*tree);
    if (made.size() > most) {
        return size;
    }
    std::copy(made.begin(), made.end(), data);
    return made.size();
}

} // namespace message_mutation
