// The snippets of docs/buckets.md, line by line, which tests/python/pages.py compares.

#include <anemone/anemone.hpp>

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using namespace ane::literals;

namespace buckets_page {
namespace {

constexpr auto encoder = [](auto& g, auto length) {
    auto x = g.input("x"_s, ane::f16<1, length, 64>, ane::within(-1, 1));
    auto seen = g.input("seen"_s, ane::u8<1, length>);
    auto scores = matmul(x, transpose<ane::permutation{0, 2, 1}>(x)) * 0.125;
    auto weights = softmax<ane::axis{-1}>(select(not_equal(to_f16(seen), 0), scores, -10000));
    g.output("y"_s, matmul(weights, x));
};

std::size_t values_of(int length, const std::vector<ane::half>& elements, ane::weight_store weights) {
    ane::bucketed<encoder, 64, 128, 256, 512> encode(ane::backend::engine{ane::h13}, std::move(weights));
    auto y = encode(length, "x"_s = elements)["y"_s]; // a span of half: the elements of the sequence alone
    return y.size();
}

} // namespace

TEST_CASE("the page of the buckets runs") { CHECK(values_of(10, std::vector<ane::half>(640), {}) == 640); }

} // namespace buckets_page
