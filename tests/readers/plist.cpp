#include "../from_environment.hpp"
#include "../sanitized.hpp"
#include <anemone/formats/plist.hpp>
#include <anemone/readers/plist.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <variant>

using namespace ane;
using formats::plist_array;
using formats::plist_dict;
using formats::plist_value;
using readers::parse_plist;

namespace {

std::string in_plist(std::string_view content) { return fmt::format("<plist version=\"1.0\">{}</plist>", content); }

plist_value value_of_text(std::string_view content) { return parse_plist(std::string_view(in_plist(content))); }

template <class T> T as(const plist_value& value) {
    const T* const held = value.get_if<T>();
    REQUIRE(held != nullptr);
    return *held;
}

std::string refusal(std::string_view text) {
    try {
        parse_plist(text, "file");
    } catch (const error& e) {
        CHECK(e.code() == errc::file);
        return e.what();
    }
    return "nothing was refused";
}

bool is_refused(std::string_view text, std::string_view part) {
    const std::string why = refusal(text);
    const bool found = why.find(part) != std::string::npos;
    if (!found) {
        MESSAGE(why);
    }
    return found;
}

/// A binary list out of objects whose references have one byte; object 0 is the root.
std::string binary(const std::vector<std::string>& objects) {
    std::string text = "bplist00";
    std::string table;
    for (const std::string& o : objects) {
        table += static_cast<char>(text.size());
        text += o;
    }
    const auto offset = static_cast<char>(text.size());
    text += table + std::string(6, '\0') + "\1\1" + std::string(7, '\0') + static_cast<char>(objects.size()) +
            std::string(15, '\0') + offset;
    return text;
}

} // namespace

TEST_CASE("XML in all its forms") {
    const plist_value root = parse_plist(std::string_view(
        "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>\r\n<!-- a --><!DOCTYPE plist PUBLIC \"-//Apple\" \"x\">\r\n"
        "<plist version=\"1.0\">\r\n<!-- b -->\t<dict >\r\n  <key>a&amp;b</key><string>1&#x41;&#66;&lt;<![CDATA[<&]]>"
        "<!-- c -->\r\n.</string>\r\n  <key>n</key> <array><integer> 0x1F </integer><integer>-7</integer><real>"
        "1.5e-3</real><real>+infinity</real><real>-INF</real><real>nan</real><true/><false></false><string/><array/>"
        "<dict/></array><key>d</key><data>\n AAEC\r\n/w== </data><key>t</key><date>2001-01-02T00:00:01Z</date>"
        "</dict>\r\n</plist>\r\n<!-- end -->"));
    const auto top = as<plist_dict>(root);
    CHECK(as<std::string>(*top.find("a&b")) == "1AB<<&\n.");
    const auto values = as<plist_array>(*top.find("n"));
    CHECK(as<std::int64_t>(values[0]) == 31);
    CHECK(as<std::int64_t>(values[1]) == -7);
    CHECK(as<double>(values[2]) == 1.5e-3);
    CHECK(as<double>(values[3]) == std::numeric_limits<double>::infinity());
    CHECK(as<double>(values[4]) == -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(as<double>(values[5])));
    CHECK(as<bool>(values[6]));
    CHECK(!as<bool>(values[7]));
    CHECK(as<std::string>(values[8]).empty());
    CHECK(as<plist_array>(values[9]).empty());
    CHECK(as<plist_dict>(values[10]).empty());
    CHECK(as<formats::plist_data>(*top.find("d")).bytes ==
          std::vector<std::byte>{std::byte{0}, std::byte{1}, std::byte{2}, std::byte{255}});
    CHECK(as<formats::plist_date>(*top.find("t")).seconds == 86401);
    CHECK(top.find("n")->place().line == 7);
    CHECK(top.find("n")->place().column == 16);
    CHECK(as<std::int64_t>(parse_plist(std::string_view("<integer>9223372036854775807</integer>"))) ==
          std::numeric_limits<std::int64_t>::max());
    CHECK(as<double>(value_of_text("<real>1e999</real>")) == std::numeric_limits<double>::infinity());
}

TEST_CASE("XML that is no property list is refused with its place") {
    CHECK(is_refused("", "line 1, column 1: a property list is expected here"));
    CHECK(is_refused("<plist>\n <dict><key>a</key></dict></plist>", "line 2, column 20: a value is expected here"));
    CHECK(is_refused(in_plist("<dict><string/></dict>"), "a key is expected here"));
    CHECK(is_refused(in_plist("<dict><key>a</key><true/><key>a</key><true/></dict>"), "has the key \"a\" twice"));
    CHECK(is_refused(in_plist("<array><true/></dict>"), "</array> is expected here"));
    CHECK(is_refused(in_plist("<integer>9223372036854775808</integer>"), "is no integer of 64 bits"));
    for (const std::string_view bad : {"", "1.5", "0x", "--1", "1 2", "ten"}) {
        CHECK(is_refused(in_plist(fmt::format("<integer>{}</integer>", bad)), "is no integer"));
    }
    for (const std::string_view bad : {"", ".", "e5", "1e", "1.2.3", "0x1p3", "1e+-2", "infin"}) {
        CHECK(is_refused(in_plist(fmt::format("<real>{}</real>", bad)), "is no real"));
    }
    for (const std::string_view bad : {"A", "AA=", "AAA", "=AAA", "AA=A", "A*AA", "AAAA="}) {
        CHECK(is_refused(in_plist(fmt::format("<data>{}</data>", bad)), "is no data"));
    }
    CHECK(is_refused(in_plist("<date>2001-02-29T00:00:00Z</date>"), "is no date"));
    CHECK(is_refused(in_plist("<string>&unknown;</string>"), "is no reference"));
    CHECK(is_refused(in_plist("<string>&#0;</string>"), "is no reference"));
    CHECK(is_refused(in_plist("<string>a<b/></string>"), "string holds text alone"));
    CHECK(is_refused(in_plist("<string>\x01</string>"), "is no character of XML"));
    CHECK(is_refused(in_plist("<string>\xC3(</string>"), "is no character of XML"));
    CHECK(is_refused("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><true/></plist>", "of its own"));
    CHECK(is_refused("<?xml version=\"1.0\" encoding=\"utf-16\"?><plist><true/></plist>", "is in utf-16"));
    CHECK(is_refused("\xFF\xFE<", "UTF-16"));
    CHECK(is_refused("<plist><true/></plist><plist/>", "text follows"));
    CHECK(is_refused("<plist><!-- ", "a comment has no end"));
    CHECK(is_refused("<plist><set/></plist>", "\"set\" is no element"));
    std::string deep;
    for (int i = 0; i < 100000; ++i) {
        deep += "<array>";
    }
    CHECK(is_refused(deep, "containers deep"));
}

TEST_CASE("binary: widths, texts, and what is refused") {
    using std::string_literals::operator""s;
    const auto value = parse_plist(std::string_view(binary(
        {"\xAA\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A"s, "\x10\xFF"s, "\x11\xFF\xFF"s, "\x12\xFF\xFF\xFF\xFF"s,
         "\x13\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"s, "\x14"s + std::string(8, '\0') + "\0\0\0\0\0\0\1\0"s,
         "\x22\x3F\xC0\0\0"s, "\x23\x3F\xF8\0\0\0\0\0\0"s, "\x62\xD8\x3D\xDE\x00"s, "\x5F\x10\x01z"s, "\x09"s})));
    const auto list = as<plist_array>(value);
    REQUIRE(list.size() == 10);
    const std::int64_t integers[] = {255, 65535, 4294967295, -2, 256};
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(as<std::int64_t>(list[i]) == integers[i]);
    }
    CHECK(as<double>(list[5]) == 1.5);
    CHECK(as<double>(list[6]) == 1.5);
    CHECK(as<std::string>(list[7]) == "\xF0\x9F\x98\x80");
    CHECK(as<std::string>(list[8]) == "z");
    CHECK(as<bool>(list[9]));

    CHECK(is_refused(binary({"\xA1\x01"s, "\xA1\x00"s}), "holds itself"));
    CHECK(is_refused(binary({"\xA1\x07"s}), "refers to object 7 of 1"));
    CHECK(is_refused(binary({"\x80\x01"s}), "is a UID"));
    CHECK(is_refused(binary({"\xC0"s}), "there are none in a property list"));
    CHECK(is_refused(binary({"\x00"s}), "there are none in a property list"));
    CHECK(is_refused(binary({"\xD1\x01\x01"s, "\x09"s}), "a key is no text"));
    CHECK(is_refused(binary({"\xD2\x01\x01\x02\x02"s, "\x51k"s, "\x09"s}), "has the key \"k\" twice"));
    CHECK(is_refused(binary({"\x51\x80"s}), "is no character of ASCII"));
    CHECK(is_refused(binary({"\x61\xDC\x00"s}), "half a character"));
    CHECK(is_refused(binary({"\x14\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0"s}), "is no integer of 64 bits"));
    CHECK(is_refused(binary({"\x5F\x13\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s}), "does not end before the offsets"));
    CHECK(is_refused(binary({"\xAF\x13\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s}), "does not end before the offsets"));
    CHECK(is_refused(binary({"\x5F\x10"s}), "does not end before the offsets"));
    CHECK(is_refused("bplist00", "is too short"));
    CHECK(is_refused("bplist15" + std::string(64, '\0'), "of another version"));
    for (const auto& [place, byte] : {std::pair{26, 0}, {26, 9}, {25, 0}, {24, 0x7F}, {8, 0x7F}, {1, 0x7F}, {16, 1}}) {
        std::string broken = binary({"\x09"s});
        broken[broken.size() - static_cast<std::size_t>(place)] = static_cast<char>(byte);
        CHECK(refusal(broken) != "nothing was refused");
    }
    // Lists that each hold the next one twenty times: 20^10 values in 300 bytes.
    std::vector<std::string> doubling;
    for (int i = 0; i < 10; ++i) {
        doubling.push_back("\xAF\x10\x0A"s + std::string(10, static_cast<char>(i + 1)));
    }
    doubling.push_back("\x09"s);
    CHECK(is_refused(binary(doubling), "holds more than 2097152 values"));
}

TEST_CASE("a hostile file of 100 MB is refused") {
    CHECK(is_refused(std::string(std::size_t{100} << 20U, '<'), "a property list may have"));
}

TEST_CASE("both forms hold the same values") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    const auto any = [&](const auto& self, int depth) -> plist_value {
        switch (std::uniform_int_distribution<>(depth > 4 ? 2 : 0, 7)(random)) {
        case 0: {
            plist_dict members;
            for (int i = 0; i < 20; ++i) {
                members[fmt::format("k{}\u00e9", random() % 50)] = self(self, depth + 1);
            }
            return members;
        }
        case 1: {
            plist_array values;
            for (int i = 0; i < 20; ++i) {
                values.push_back(self(self, depth + 1));
            }
            return values;
        }
        case 2: return static_cast<std::int64_t>(random()) << (random() % 33U);
        case 3: return -static_cast<std::int64_t>(random());
        case 4: return std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 2000U) - 1000);
        case 5: return formats::plist_data{std::vector<std::byte>(random() % 100U, std::byte{0x5A})};
        case 6: return formats::plist_date{static_cast<double>(random()) * (random() % 2U == 0 ? 50 : -14)};
        default: return random() % 2U == 0 ? plist_value(random() % 2U == 0) : plist_value("<&>\"\u00e9 \U0001f600");
        }
    };
    for (int i = 0; i < (sanitized ? 10 : 30); ++i) {
        const plist_value value = any(any, 0);
        const std::string xml = formats::to_xml(value);
        const std::string bytes = formats::to_binary(value);
        CHECK(formats::to_xml(parse_plist(std::string_view(xml))) == xml);
        CHECK(formats::to_xml(parse_plist(std::string_view(bytes))) == xml);
        CHECK(formats::to_binary(parse_plist(std::string_view(xml))) == bytes);
    }
    CHECK_THROWS_AS(formats::to_binary("\xC3("), error);
}
