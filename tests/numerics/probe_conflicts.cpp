// The contradictions between published records: where one model meets both sides, or a parameter holds each.

#include "probes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <utility>

using namespace probing;

namespace {

constexpr auto probes = std::to_array<probe>({
    {"NC1", // one triple keeps its one, four of sixteen in a row
     [](const generation& g) {
         CHECK(sum(g, repeated({16000, -16000, 1}, 1)) == 1);
         CHECK(sum(g, repeated({16000, -16000, 1}, 16)) == 4);
     }},
    {"NC2", // wide between tiles, narrow inside
     [](const generation& g) {
         CHECK(sum(g, repeated({4096, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, 1)) == 4100);
         CHECK(sum(g, repeated({4096, 1, 1, 1}, 1)) == 4096);
     }},
    {"NC3", // a parameter
     [](const generation& g) {
         generation other = g;
         other.path.reduction_ties = tie_rule::half_even;
         CHECK(sum(other, repeated({2048, 0, 0, 0, 1}, 1)) == 2048);
         other.path.reduction_ties = tie_rule::half_away;
         CHECK(sum(other, repeated({2048, 0, 0, 0, 1}, 1)) == 2050);
     }},
    {"NC4", // 2^15, or 32758.8 by an interpolated sweep (N042). Its operands are not published; as v / K in fp16
            // against ones they are never between 32752 and 32768, so that its cliff may be anywhere between
     [](const generation& g) {
         for (const double k : {4.0, 8.0, 32.0, 64.0, 128.0}) {
             CAPTURE(k);
             const half last(32752 / k), first(32768 / k);
             CHECK(ulp_distance(last, first) == 1);
             CHECK(value(half(32758.8 / k)) * k == 32752);
             CHECK(dot_with_ones(g, halves(static_cast<std::size_t>(k), last)) == 32752);
             CHECK(dot_with_ones(g, halves(static_cast<std::size_t>(k), first)) == inf);
         }
         // Sums of unequal terms do fall between; the study (M4, M6) has them finite up to 2^15.
         CHECK(dot_with_ones(g, {half(32752.0), half(8.0)}) == 32768);
         CHECK(dot_with_ones(g, {half(32752.0), half(16.0)}) == inf);
     }},
    {"NC5", // a table each
     [](const generation& g) {
         generation other = g;
         other.path.tables = table_variant::m1;
         CHECK(value(of(other, op::gelu, half{})) == doctest::Approx(-0.000543).epsilon(2e-3).scale(0));
         other.path.tables = table_variant::m5;
         CHECK(value(of(other, op::gelu, half{})) == doctest::Approx(-0.000754).epsilon(2e-3).scale(0));
     }},
    {"NC7", // M1 and M5
     [](const generation& g) {
         const halves x = repeated({2048, 0, 0, 0, 1}, 1);
         CHECK(sum({family::a13, datapath_of(family::a13), g.where}, x) == 2048);
         CHECK(sum({family::a17, datapath_of(family::a17), g.where}, x) == 2050);
     }},
    {"NC8", // whole tiles may change places; what shares a tile may not
     [](const generation& g) {
         const halves x = repeated({4096, 1, 1, 1, 0, 0, 0, 0}, 1);
         halves tiles = x, lanes = x;
         std::rotate(tiles.begin(), tiles.begin() + 4, tiles.end());
         for (std::size_t i = 1; i < 4; ++i) {
             std::swap(lanes[i], lanes[i + 4]);
         }
         CHECK(sum(g, tiles) == sum(g, x));
         CHECK(sum(g, lanes) != sum(g, x));
     }},
    {"NC9", // eleven bits in a tile, plain fp16, lose the ones from 2048 on; twelve keep them to 4090
     [](const generation& g) {
         generation plain = g;
         plain.path.reduction_significand_bits = 11;
         CHECK(sum(plain, repeated({4090, -4090, 1}, 16)) < 16);
         CHECK(sum(g, repeated({4090, -4090, 1}, 16)) == 16);
     }},
    {"NC_N046", // a scale on M1 only; the ceiling on every multiply-accumulate
     [](const generation& g) {
         CHECK(g.path.single_tap_scales == (g.tier == family::a13));
         CHECK(dot_with_ones(g, {half(60000.0)}) == inf);
         generation open = g;
         open.path.mac_ceiling = false;
         CHECK(dot_with_ones(open, {half(60000.0)}) == 60000);
     }},
});

} // namespace

std::span<const probe> probing::conflict_probes() { return probes; }
