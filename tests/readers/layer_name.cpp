#include <anemone/base/error.hpp>
#include <anemone/io/unicode.hpp>
#include <anemone/readers/layer_name.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("the name of a layer is fit to be shown, and at most 256 bytes of it are kept") {
    using ane::readers::layer_name;
    CHECK(layer_name("").empty());
    CHECK(layer_name("/stem/Conv") == "/stem/Conv");
    CHECK(layer_name("a\x1b[31mb\n") == "a\\u001b[31mb\\u000a");
    CHECK(layer_name("\xff\xe5\xb1\xa4") == "\\xff\xe5\xb1\xa4");
    CHECK(layer_name(std::string(256, 'a')) == std::string(256, 'a'));
    const std::string name = layer_name(std::string(5'000, 'a') + std::string(5'000, 'z'));
    CHECK(name == std::string(124, 'a') + "..." + std::string(124, 'z'));
    for (int shift = 0; shift < 3; ++shift) { // no character is cut in two
        std::string text(static_cast<std::size_t>(shift), 'x');
        for (int i = 0; i < 400; ++i) {
            text += "\xe5\xb1\xa4";
        }
        CHECK(layer_name(text).find("\\x") == std::string::npos);
    }
}
