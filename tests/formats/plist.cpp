#include <anemone/formats/plist.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;

namespace {

const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                         "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
                         "<plist version=\"1.0\">\n";

std::string inside(const formats::plist_value& v) {
    const std::string text = formats::to_xml(v);
    REQUIRE(text.substr(0, head.size()) == head);
    const std::string tail = "</plist>\n";
    REQUIRE(text.substr(text.size() - tail.size()) == tail);
    return text.substr(head.size(), text.size() - head.size() - tail.size());
}

} // namespace

TEST_CASE("property list: scalars") {
    CHECK(inside(true) == "<true/>\n");
    CHECK(inside(false) == "<false/>\n");
    CHECK(inside(-7) == "<integer>-7</integer>\n");
    CHECK(inside(15360U) == "<integer>15360</integer>\n");
    CHECK(inside(1.0) == "<real>1.0</real>\n");
    CHECK(inside(0.1) == "<real>0.1</real>\n");
    CHECK(inside(1e-5) == "<real>1e-05</real>\n");
    CHECK(inside(1e16) == "<real>1e+16</real>\n");
    CHECK(inside("") == "<string></string>\n");
    CHECK(inside("a < b & \"c\" > d") == "<string>a &lt; b &amp; \"c\" &gt; d</string>\n");
    CHECK(inside("a\r\nb\rc") == "<string>a\nb\nc</string>\n");
}

TEST_CASE("property list: keys in order, tabs for depth, empty containers in short") {
    formats::plist_dict d{
        {"b", formats::plist_array{1, "x"}}, {"a", formats::plist_dict{}}, {"B", formats::plist_array{}}};
    d["b"].get_if<formats::plist_array>()->emplace_back(formats::plist_dict{{"k", true}});
    CHECK(inside(d) == "<dict>\n"
                       "\t<key>B</key>\n"
                       "\t<array/>\n"
                       "\t<key>a</key>\n"
                       "\t<dict/>\n"
                       "\t<key>b</key>\n"
                       "\t<array>\n"
                       "\t\t<integer>1</integer>\n"
                       "\t\t<string>x</string>\n"
                       "\t\t<dict>\n"
                       "\t\t\t<key>k</key>\n"
                       "\t\t\t<true/>\n"
                       "\t\t</dict>\n"
                       "\t</array>\n"
                       "</dict>\n");
}

TEST_CASE("property list: find and replace") {
    formats::plist_dict d{{"x", 1}};
    d["x"] = 2;
    d["w"] = "text";
    CHECK(d.members().size() == 2);
    REQUIRE(d.find("x") != nullptr);
    CHECK(*d.find("x")->get_if<std::int64_t>() == 2);
    CHECK(d.find("x")->get_if<bool>() == nullptr);
    CHECK(d.find("y") == nullptr);
}

TEST_CASE("property list: a character that XML cannot hold is an error") {
    for (const char c : {'\0', '\x01', '\x08', '\x0b', '\x1f'}) {
        CHECK_THROWS_AS(formats::to_xml(std::string(1, c)), error);
        CHECK_THROWS_AS(formats::to_xml(formats::plist_dict{{std::string(1, c), 1}}), error);
    }
}
