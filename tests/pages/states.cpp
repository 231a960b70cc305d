// The snippets of docs/states.md, line by line, which tests/python/pages.py compares.

#include <anemone/anemone.hpp>

#include <doctest/doctest.h>

using namespace ane::literals;

namespace states_page {
namespace {

constexpr auto token = ane::graph([](auto& g) {
    auto row = g.input("row"_s, ane::f16<1, 1, 64>, ane::within(-4, 4));
    auto at = g.input("at"_s, ane::u8<256, 1>);                                // a byte for each row of the cache
    auto cache = g.state("cache"_s, ane::f16<1, 256, 64>, ane::within(-4, 4)); // zeros before the first run
    write_where(cache, at, row);
    g.output("sum"_s, reduce_sum<ane::axes{1}>(read(cache)));
});

ane::half kept_of_a_token(const ane::ndarray<ane::shape<1, 1, 64>>& row, int position) {
    auto program = ane::compile<token>(ane::backend::oracle{ane::h13});
    program({"row"_s = row, "at"_s = ane::ones_at<ane::shape<256, 1>>(position)});
    ane::half kept = program.state("cache"_s)(0, position, 0); // read, or written: the next run reads it
    program.reset();                                           // zeros again
    return program.state("cache"_s)(0, position, 0) == ane::half(0.0) ? kept : ane::half(-1.0);
}

} // namespace

TEST_CASE("the page of the states runs") {
    ane::ndarray<ane::shape<1, 1, 64>> row;
    row(0, 0, 0) = ane::half(2.5);
    CHECK(kept_of_a_token(row, 7) == ane::half(2.5));
}

} // namespace states_page
