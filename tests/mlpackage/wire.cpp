// The codec against the encodings that the documentation of Protocol Buffers prints, and against bytes that are none.

#include <anemone/mlpackage/wire.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wire_tests {

using namespace ane::mlpackage;

namespace {

struct inner {
    static constexpr std::string_view name = "inner";
    std::int64_t a = 0;
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.a); }
};

/// A field of every kind.
struct outer {
    static constexpr std::string_view name = "outer";
    std::int64_t integer = 0;
    std::string_view text;
    std::optional<inner> optional;
    std::vector<std::int64_t> packed;
    std::vector<std::string_view> texts;
    std::vector<map_entry<inner>> map;
    std::vector<float> floats;
    std::vector<double> doubles;
    skipped other;
    std::optional<std::string_view> choice;
    std::optional<encoded<inner>> later;
    std::unique_ptr<outer> self;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.integer);
        on(2, m.text);
        on(3, m.optional);
        on(4, m.packed);
        on(5, m.texts);
        on(6, m.map);
        on(7, m.floats);
        on(8, m.doubles);
        on(9, m.other);
        on(10, m.choice);
        on(11, m.later);
        on(12, m.self);
    }
};

std::string bytes(std::initializer_list<int> values) {
    std::string result;
    for (const int v : values) {
        result += static_cast<char>(v);
    }
    return result;
}

outer decoded(const std::string& file) {
    wire_reader in(file);
    return in.decode<outer>(std::string_view(file));
}

/// Where and why bytes are refused; empty where they are not.
std::string refusal_of(const std::string& file) {
    wire_reader in(file);
    try {
        in.decode<outer>(std::string_view(file));
    } catch (const wire_fault& fault) {
        return std::to_string(fault.offset) + ": " + fault.reason;
    }
    return {};
}

} // namespace

TEST_CASE("the examples of the documentation") {
    outer m;
    m.integer = 150;
    CHECK(encode(m) == bytes({0x08, 0x96, 0x01}));
    m = {};
    m.text = "testing";
    CHECK(encode(m) == bytes({0x12, 7}) + "testing");
    m = {};
    m.optional.emplace().a = 150;
    CHECK(encode(m) == bytes({0x1a, 3, 0x08, 0x96, 0x01}));
    m = {};
    m.packed = {3, 270, 86942}; // there field 6
    CHECK(encode(m) == bytes({0x22, 6, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05}));
    m = {};
    m.integer = -2;
    CHECK(encode(m) == bytes({0x08, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}));
    m = {};
    m.floats = {1.0F, -2.5F};
    CHECK(encode(m) == bytes({0x3a, 8, 0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0}));
    m = {};
    m.doubles = {1.0};
    CHECK(encode(m) == bytes({0x42, 8, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
    m = {};
    m.map.emplace_back().key = "k";
    m.map[0].value.a = 1;
    CHECK(encode(m) == bytes({0x32, 7, 0x0a, 1, 'k', 0x12, 2, 0x08, 1}));
    CHECK(encode(outer{}).empty());
    m = {};
    m.choice = ""; // one of several: there, though empty
    CHECK(encode(m) == bytes({0x52, 0}));
}

TEST_CASE("what is written is read") {
    outer m;
    m.integer = INT64_MIN;
    m.text = std::string_view("a\0b", 3);
    m.packed = {0, -1, INT64_MAX, INT64_MIN, 1 << 20};
    m.texts = {"", "x", "yz"};
    m.floats = {0.0F, 1e-45F};
    m.doubles = {-0.0, 5e-324};
    m.self = std::make_unique<outer>();
    m.self->integer = 7;
    const std::string later = bytes({0x08, 5});
    m.later.emplace().bytes = later;
    const std::string file = encode(m);
    wire_reader in(file);
    const auto again = in.decode<outer>(std::string_view(file));
    CHECK(again.integer == m.integer);
    CHECK(again.text == m.text);
    CHECK(again.packed == m.packed);
    CHECK(again.texts == m.texts);
    CHECK(again.floats == m.floats);
    CHECK(again.doubles == m.doubles);
    CHECK(again.self->integer == 7);
    CHECK(in.decode(*again.later).a == 5);
    CHECK(!again.optional);
    CHECK(encode(again) == file);
    CHECK(in.unknown().empty());
}

TEST_CASE("numbers of a list one by one, as older writers have them, and parts in any order") {
    const outer m = decoded(bytes({0x20, 3, 0x08, 9, 0x20, 4, 0x3d, 0, 0, 0x80, 0x3f, 0x22, 2, 5, 6}));
    CHECK(m.packed == std::vector<std::int64_t>{3, 4, 5, 6});
    CHECK(m.floats == std::vector<float>{1.0F});
    CHECK(m.integer == 9);
}

TEST_CASE("fields that are not described are passed over and remembered once") {
    const std::string file =
        bytes({0xF8, 0x3E, 1, 0xF8, 0x3E, 2, 0x08, 5, 0x1a, 2, 0x12, 0, 0x4a, 1, 'x'}); // 1007, and 2
    wire_reader in(file);
    const auto m = in.decode<outer>(std::string_view(file));
    CHECK(m.integer == 5);
    CHECK(m.other.present);
    CHECK(in.unknown() == std::vector<unknown_field>{{"outer", 1007}, {"inner", 2}});
}

TEST_CASE("bytes that are no message are refused at their place") {
    CHECK(refusal_of(bytes({0x08})) == "1: the file ends within a number");
    CHECK(refusal_of(bytes({0x08, 0x80})) == "1: the file ends within a number");
    CHECK(refusal_of(bytes({0x08, 1, 0x12, 200, 1, 'x'})) == "5: 200 bytes are claimed, 1 are left");
    CHECK(refusal_of(bytes({0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01})) ==
          "11: 18446744073709551615 bytes are claimed, 0 are left");
    CHECK(refusal_of(bytes({0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})) ==
          "1: a number has more than ten bytes");
    CHECK(refusal_of(bytes({0x00, 1})) == "0: 0 is no number of a field, in outer");
    CHECK(refusal_of(bytes({0x1a, 2, 0x02, 0})) == "2: 0 is no number of a field, in inner");
    CHECK(refusal_of(bytes({0x0a, 0})) == "0: field 1 of outer has the wire type 2");
    CHECK(refusal_of(bytes({0x10, 0})) == "0: field 2 of outer has the wire type 0");
    CHECK(refusal_of(bytes({0x3a, 3, 0, 0, 0})) == "2: 4 bytes are claimed, 3 are left");
    CHECK(refusal_of(bytes({0x0b})) == "1: has fields of the unknown wire type 3");
}

TEST_CASE("no prefix of a message is read beyond its end") {
    outer m;
    m.integer = 1 << 20;
    m.text = "text";
    m.packed = {1, 300, -1};
    m.doubles = {1, 2};
    m.optional.emplace().a = 1;
    const std::string file = encode(m);
    for (std::size_t size = 0; size < file.size(); ++size) {
        const std::string part(file.data(), size);
        wire_reader in(part);
        try {
            in.decode<outer>(std::string_view(part));
        } catch (const wire_fault& fault) {
            CHECK(fault.offset <= size);
        }
    }
}

TEST_CASE("messages in messages end at a depth, and their number has a limit") {
    const auto nested = [](int depth) {
        std::string file;
        for (int i = 0; i < depth; ++i) {
            outer around;
            std::string inside = bytes({0x62});
            for (std::size_t size = file.size(); true; size >>= 7U) {
                inside += static_cast<char>((size & 0x7FU) | (size >= 0x80 ? 0x80U : 0U));
                if (size < 0x80) {
                    break;
                }
            }
            file = inside + file;
        }
        return file;
    };
    CHECK(refusal_of(nested(wire_reader::deepest)).empty());
    CHECK(refusal_of(nested(wire_reader::deepest + 1)).find("messages are nested more than 64 deep") !=
          std::string::npos);
    std::string many;
    for (std::size_t i = 0; i <= wire_reader::most_memory / sizeof(std::string_view); ++i) {
        many += "\x2a";
        many += '\0';
    }
    CHECK(refusal_of(many).find("take more than 67108864 bytes") != std::string::npos);
}

} // namespace wire_tests
