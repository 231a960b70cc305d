#pragma once

#include "description.hpp"

#include <cstddef>

/// Clock curves of the compiler's cost model: {MHz, effective MHz}, ascending (ANEForge costmodel_curves.json;
/// decompiled). t1 has the curve of h13; h17s, h17c and h17d have that of h16s.
namespace ane::detail::clocks {

inline constexpr frequency_point h11_points[] = {{348, 348}, {456, 456},   {636, 636},
                                                 {816, 816}, {1152, 1152}, {1260, 1260}};
inline constexpr frequency_point h13_points[] = {{396, 396}, {420, 420}, {558, 558},   {606, 606},   {720, 720},
                                                 {816, 816}, {912, 912}, {1104, 1104}, {1284, 1284}, {1428, 1428}};
inline constexpr frequency_point h13g_points[] = {{432, 432},   {492, 492},   {552, 552},   {684, 684},
                                                  {804, 804},   {888, 888},   {996, 996},   {1164, 1164},
                                                  {1236, 1236}, {1320, 1320}, {1380, 1380}, {1464, 1464}};
inline constexpr frequency_point h14_points[] = {{528, 444},  {552, 468},   {744, 600},   {960, 732},  {1128, 840},
                                                 {1200, 888}, {1404, 1044}, {1512, 1128}, {1938, 1452}};
inline constexpr frequency_point h15_points[] = {{408, 348},   {444, 384},   {588, 504},   {636, 540},   {732, 612},
                                                 {864, 696},   {1020, 804},  {1068, 828},  {1128, 864},  {1248, 936},
                                                 {1356, 1008}, {1386, 1032}, {1446, 1068}, {1536, 1128}, {1608, 1176},
                                                 {1716, 1248}, {1788, 1308}, {1884, 1380}, {1944, 1428}, {2064, 1524}};
inline constexpr frequency_point h15c_points[] = {{708, 600},   {984, 780},   {1260, 984}, {1536, 1188},
                                                  {1812, 1380}, {2088, 1584}, {2364, 1776}};
inline constexpr frequency_point h16_points[] = {
    {372, 312},   {444, 372},   {708, 600},   {804, 672},   {864, 720},   {972, 792},   {1092, 876},  {1104, 888},
    {1212, 972},  {1224, 984},  {1320, 1056}, {1344, 1068}, {1428, 1128}, {1452, 1152}, {1512, 1200}, {1560, 1224},
    {1608, 1260}, {1644, 1284}, {1680, 1308}, {1740, 1344}, {1776, 1368}, {1836, 1404}, {1860, 1428}, {1956, 1488},
    {1980, 1500}, {2028, 1524}, {2052, 1548}, {2136, 1596}, {2160, 1620}};
inline constexpr frequency_point h16s_points[] = {{744, 624},   {900, 732},   {924, 744},   {1032, 816},  {1164, 912},
                                                  {1272, 984},  {1356, 1032}, {1500, 1140}, {1524, 1152}, {1668, 1248},
                                                  {1680, 1260}, {1800, 1344}, {1812, 1356}, {1932, 1440}, {1956, 1464},
                                                  {2064, 1536}, {2148, 1608}, {2160, 1608}, {2208, 1656}, {2232, 1668},
                                                  {2256, 1692}, {2292, 1716}, {2304, 1728}, {2328, 1752}, {2364, 1788}};
inline constexpr frequency_point h17_points[] = {
    {396, 360},   {456, 396},   {624, 528},   {708, 600},   {816, 660},   {900, 720},   {972, 780},   {1068, 840},
    {1104, 876},  {1200, 936},  {1236, 960},  {1332, 1032}, {1344, 1044}, {1440, 1116}, {1536, 1188}, {1620, 1248},
    {1656, 1272}, {1716, 1308}, {1764, 1344}, {1812, 1380}, {1860, 1416}, {1908, 1452}, {1944, 1476}, {1992, 1512},
    {2016, 1536}, {2064, 1560}, {2076, 1572}, {2124, 1608}, {2148, 1632}, {2172, 1644}};
inline constexpr frequency_point m11_points[] = {{500, 500}};

template <std::size_t N>
constexpr target_clock clock(const frequency_point (&points)[N], std::int32_t cycle_divisor = 64,
                             std::int32_t perf_multiplier = 1) {
    return {points, static_cast<std::int32_t>(N), points[0].mhz, points[N - 1].mhz, cycle_divisor, perf_multiplier};
}

inline constexpr target_clock h11 = clock(h11_points, 32);
inline constexpr target_clock h13 = clock(h13_points);
inline constexpr target_clock h13g = clock(h13g_points);
inline constexpr target_clock h14 = clock(h14_points);
inline constexpr target_clock h15 = clock(h15_points);
inline constexpr target_clock h15c = clock(h15c_points, 64, 2);
inline constexpr target_clock h16 = clock(h16_points);
inline constexpr target_clock h16s = clock(h16s_points);
inline constexpr target_clock h17 = clock(h17_points);
inline constexpr target_clock m11 = clock(m11_points, 16);
inline constexpr target_clock none{}; ///< no curve is known
inline constexpr target_clock none_m9{.cycle_divisor = 16};

} // namespace ane::detail::clocks
