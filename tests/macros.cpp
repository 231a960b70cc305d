// A user's macros stay what they are, whatever they are called: the library's own begin with ANEMONE_.
#define ROW(x) ((x) + 1)
#define NAME 2
#define RULE 3

#include <anemone/model.hpp>

#include <doctest/doctest.h>

TEST_CASE("the macros of a file are its own after the library's headers") {
    CHECK(ROW(1) == 2);
    CHECK(NAME + RULE == 5);
}
