#include <anemone/io/json.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string_view>

using namespace ane;

TEST_CASE("strings of JSON") {
    CHECK(json_string("") == "\"\"");
    CHECK(json_string("a\"b\\c/") == "\"a\\\"b\\\\c/\"");
    CHECK(json_string("\n\t\r\x01\x1f\x7f") == "\"\\n\\t\\u000d\\u0001\\u001f\\u007f\"");
    CHECK(json_string(std::string_view("a\0b", 3)) == "\"a\\u0000b\"");
    CHECK(json_string("\u5377\U0001F600") == "\"\u5377\U0001F600\"");
    CHECK(json_string("\u2028\u202e") == "\"\\u2028\\u202e\"");
    // Ill-formed: a stray byte, a cut sequence, an overlong form, a surrogate, beyond the last code point.
    CHECK(json_string("\xff") == "\"\uFFFD\"");
    CHECK(json_string("\xe5\x8d") == "\"\uFFFD\uFFFD\"");
    CHECK(json_string("\xc0\xaf") == "\"\uFFFD\uFFFD\"");
    CHECK(json_string("\xe0\x80\xaf") == "\"\uFFFD\uFFFD\uFFFD\"");
    CHECK(json_string("\xed\xa0\x80") == "\"\uFFFD\uFFFD\uFFFD\"");
    CHECK(json_string("\xf4\x90\x80\x80") == "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");
}

TEST_CASE("values, commas and brackets of JSON") {
    json_writer j;
    j.object().member("a", 1).member("b", true).key("c").array().end().key("d").object().end();
    j.key("e").array().value(-1.5).value("x").null().value(std::numeric_limits<double>::infinity()).end().end();
    CHECK(j.str() == "{\n  \"a\": 1,\n  \"b\": true,\n  \"c\": [],\n  \"d\": {},\n  \"e\": [\n    -1.5,\n    \"x\",\n"
                     "    null,\n    null\n  ]\n}\n");
    json_writer numbers;
    numbers.array().value(std::numeric_limits<std::int64_t>::min()).value(1e300).value(0.1).end();
    CHECK(numbers.str() == "[\n  -9223372036854775808,\n  1e+300,\n  0.1\n]\n");
}
