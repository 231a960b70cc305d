// Stored forms of weights: the published bytes, error bounds, malformed bytes, and the two 8-bit floating formats.

#include <anemone/ops/quantization.hpp>
#include <anemone/weights/encode.hpp>
#include <anemone/weights/formats/fp8.hpp>
#include <anemone/weights/formats/packing.hpp>
#include <anemone/weights/formats/scaled_integers.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ane;

namespace {

std::vector<half> halves(const std::vector<double>& values) {
    std::vector<half> result;
    for (const double v : values) {
        result.emplace_back(v);
    }
    return result;
}

std::vector<int> octets(const std::vector<std::byte>& bytes) {
    std::vector<int> result;
    for (const std::byte b : bytes) {
        result.push_back(static_cast<int>(b));
    }
    return result;
}

std::vector<std::uint16_t> patterns(const std::vector<half>& values) {
    std::vector<std::uint16_t> result;
    for (const half v : values) {
        result.push_back(v.bits);
    }
    return result;
}

/// Weights of a seed: Gaussian, of a magnitude of their own for each row, with zeros and a few subnormals.
std::vector<half> random_weights(unsigned seed, std::int64_t count, double deviation) {
    std::mt19937 random(seed);
    std::normal_distribution<double> gaussian(0, deviation);
    std::vector<half> result;
    for (std::int64_t i = 0; i < count; ++i) {
        result.emplace_back(random() % 8 == 0 ? 0.0 : gaussian(random));
    }
    return result;
}

/// Half a unit in the last place of fp16 at this value.
double half_ulp(double value) {
    return std::ldexp(1.0, std::max(std::ilogb(std::max(std::fabs(value), 1e-30)), -14) - 11);
}

constexpr compression asymmetric{.form = weight_form::affine, .bits = 8, .zero_point = true};

} // namespace

TEST_CASE("int8 affine: one scale a row, and the bytes of the facts") {
    const auto w = halves({1, -0.5, 0.25, 0, 2, -4, 1, 0.5});
    const encoded_weight e = encode_weight(w, {2, 4}, affine_int8);
    CHECK(octets(e.scales) == std::vector<int>{0x08, 0x20, 0x08, 0x28});
    CHECK(octets(e.data) == std::vector<int>{0x7F, 0xC0, 0x20, 0x00, 0x40, 0x81, 0x20, 0x10});
    CHECK(e.bytes() == 12);
    const std::vector<half> back = decode_weight(e);
    const double first = 0.00787353515625; // 0x2008
    const double second = 0.031494140625;  // 0x2808
    CHECK(patterns(back) == patterns(halves({127 * first, -64 * first, 32 * first, 0, 64 * second, -127 * second,
                                             32 * second, 16 * second})));
    // A row of zeros has the smallest scale that is none, and decodes to zeros.
    const encoded_weight zeros = encode_weight(halves({0, -0.0, 0, 0}), {2, 2}, affine_int8);
    CHECK(octets(zeros.scales) == std::vector<int>{1, 0, 1, 0});
    CHECK(octets(zeros.data) == std::vector<int>(4, 0));
    // A zero point: q = round(x / s) + z with s = (3 - (-1)) / 254, N130.
    const encoded_weight z = encode_weight(halves({-1, 0, 1, 3}), {1, 4}, asymmetric);
    CHECK(octets(z.zeros) == std::vector<int>{256 - 63}); // -127 - round(-1 / s), and 1 / s is 63.5
    CHECK(octets(z.data) == std::vector<int>{256 - 127, 256 - 63, 1, 127});
}

TEST_CASE("palettes: nibbles low first, 32 and 512 bytes of table, odd widths across bytes") {
    const encoded_weight e = encode_weight(halves({1, 0, 0, 1}), {4}, palette<4>);
    CHECK(octets(e.data) == std::vector<int>{0x01, 0x10}); // N131
    REQUIRE(e.table.size() == 32);                         // N132
    CHECK(octets(e.table)[0] == 0x00);
    CHECK(octets(e.table)[3] == 0x3C);
    CHECK(patterns(decode_weight(e)) == patterns(halves({1, 0, 0, 1})));
    CHECK(encode_weight(halves({1, 0, 0, 1}), {4}, palette<8>).table.size() == 512);
    const std::vector<std::uint8_t> indices{3, 15, 0, 7, 8, 1, 2, 14};
    CHECK(octets(weight_formats::pack(std::span<const std::uint8_t>(indices), 4)) ==
          std::vector<int>{0xF3, 0x70, 0x18, 0xE2});
    const std::vector<std::uint8_t> wide{0x3F, 0, 0x2A};
    CHECK(octets(weight_formats::pack(std::span<const std::uint8_t>(wide), 6)) == std::vector<int>{0x3F, 0xA0, 0x02});
    for (const int width : {1, 2, 3, 4, 6, 8}) {
        CAPTURE(width);
        std::vector<std::uint8_t> values;
        for (unsigned i = 0; i < 100; ++i) {
            values.push_back(static_cast<std::uint8_t>((i * 37U) & ((1U << static_cast<unsigned>(width)) - 1U)));
        }
        const auto packed = weight_formats::pack(std::span<const std::uint8_t>(values), width);
        CHECK(std::ssize(packed) == weight_formats::packed_bytes(100, width));
        for (std::int64_t i = 0; i < 100; ++i) {
            CHECK(weight_formats::packed_at(packed, i, width) == values[static_cast<std::size_t>(i)]);
        }
    }
}

TEST_CASE("a palette of vectors: one index for the values of neighbouring output channels") {
    // Two channels of three columns are three vectors (1, 4), (2, 5), (1, 4): two entries.
    const encoded_weight three =
        encode_weight(halves({1, 2, 1, 4, 5, 4}), {2, 3}, {.form = weight_form::palette, .bits = 1, .vector = 2});
    CHECK(octets(three.data) == std::vector<int>{0b010});
    CHECK(octets(three.table) == std::vector<int>{0, 0x3C, 0, 0x44, 0, 0x40, 0, 0x45});
    CHECK(patterns(decode_weight(three)) == patterns(halves({1, 2, 1, 4, 5, 4})));
    for (const int vector : {1, 2, 4, 5}) { // N134
        CAPTURE(vector);
        const compression form{.form = weight_form::palette, .bits = 4, .vector = vector};
        const std::vector<half> w = random_weights(7, 20 * 6, 0.3);
        const std::vector<half> once = stored_values(w, {20, 6}, form);
        CHECK(patterns(stored_values(once, {20, 6}, form)) == patterns(once));
        const encoded_weight e =
            encode_weight(std::span(w).first(11 * 6), {11, 6}, form); // the last vector is not full
        CHECK(std::ssize(e.data) == ((11 + vector - 1) / vector * 6 * 4 + 7) / 8);
        CHECK(decode_weight(e).size() == 11 * 6);
    }
    CHECK_THROWS_AS(encode_weight(halves({1, 2, 3}), {3}, {.form = weight_form::palette, .bits = 4, .vector = 3}),
                    error);
}

TEST_CASE("sparse: a mask of bits from the lowest on, and what is left in order") {
    const auto w = halves({0, 1.5, 0, 0, -2, 0, 0, 0, 0.5, 0, 0, 3});
    const encoded_weight e = encode_weight(w, {3, 4}, sparse);
    CHECK(octets(e.mask) == std::vector<int>{0x12, 0x09}); // N133
    CHECK(octets(e.data) == std::vector<int>{0x00, 0x3E, 0x00, 0xC0, 0x00, 0x38, 0x00, 0x42});
    CHECK(patterns(decode_weight(e)) == patterns(w));
    CHECK(encode_weight(halves({0, 0}), {2}, sparse).data.empty());
}

TEST_CASE("blockwise: a scale for each block, and the bytes of the facts") {
    const auto w = halves({1, -0.5, 8, 4, 0.5, 0.25, -0.1, 0.2});
    const encoded_weight e = encode_weight(w, {2, 4}, blockwise<2>);
    CHECK(octets(e.scales) == std::vector<int>{0x08, 0x20, 0x08, 0x2C, 0x08, 0x1C, 0x73, 0x16}); // N135
    CHECK(octets(e.data) == std::vector<int>{0x7F, 0xC0, 0x7F, 0x40, 0x7F, 0x40, 0xC0, 0x7F});
    CHECK(encode_weight(w, {2, 4}, blockwise<4>).scales.size() == 4);
    CHECK(encode_weight(w, {2, 4}, blockwise<0>).scales.size() == 4); // without a block one a row
    CHECK_THROWS_AS(encode_weight(w, {2, 4}, blockwise<3>), error);
}

TEST_CASE("N136: of a dense identity of 64 by 64 as many bytes are not zero, 3c each") {
    std::vector<half> identity(64 * 64);
    for (std::size_t i = 0; i < 64; ++i) {
        identity[i * 65] = half(1.0);
    }
    const auto bytes = weight_formats::pack_halves(identity);
    CHECK(bytes.size() == 8192);
    CHECK(std::count(bytes.begin(), bytes.end(), std::byte{0}) == 8192 - 64);
    CHECK(std::count(bytes.begin(), bytes.end(), std::byte{0x3C}) == 64);
    // As a sparse weight that is an eighth of them in the mask, and the ones.
    CHECK(encode_weight(identity, {64, 64}, sparse).bytes() == 512 + 128);
}

TEST_CASE("N034: a decoded element is the fp16 product of its integer and its scale, for every pair of them") {
    int wrong = 0;
    for (std::uint16_t bits = 0; bits < 0x7C00; ++bits) {
        const half scale = half::from_bits(bits);
        for (int q = -127; q <= 127; q += 1 + bits % 7) {
            const double exact = static_cast<double>(scale) * q;
            const half got = weight_formats::dequantized(q, 0, scale);
            // The nearest: neither neighbour is nearer, and of two that are as near it is the even one.
            const auto distance = [&](half h) { return std::fabs(static_cast<double>(h) - exact); };
            const half above = half::from_bits(static_cast<std::uint16_t>(got.bits + 1U));
            const half below = half::from_bits(static_cast<std::uint16_t>(got.bits - 1U));
            const bool inside = is_finite(got) && (got.bits & 0x7FFFU) != 0 && is_finite(above);
            const bool odd = (got.bits & 1U) != 0;
            wrong += inside && (distance(above) < distance(got) || distance(below) < distance(got) ||
                                (odd && (distance(above) == distance(got) || distance(below) == distance(got))))
                         ? 1
                         : 0;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("properties: what is decoded is near what was encoded") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const std::int64_t rows = 1 + seed % 7;
        const std::int64_t columns = 12 * (1 + seed % 4);
        // Magnitudes from 2^-24, where scales are subnormal, to the end of fp16.
        const double deviation = std::ldexp(1.0, static_cast<int>(seed % 38) - 24);
        std::vector<half> w = random_weights(seed, rows * columns, deviation);
        for (half& v : w) {
            v = is_finite(v) ? v : half(65504.0);
        }
        const extents shape{rows, columns};
        CHECK(patterns(stored_values(w, shape, sparse)) == patterns(w)); // lossless
        for (const compression& form :
             {affine_int8, asymmetric, compression{blockwise<4>}, compression{blockwise<12, 4>},
              compression{.form = weight_form::affine, .bits = 4, .zero_point = true},
              compression{.form = weight_form::sparse_blockwise, .bits = 8, .block = 6}}) {
            CAPTURE(std::string(name(form.form)));
            CAPTURE(form.bits);
            const encoded_weight e = encode_weight(w, shape, form);
            const std::vector<half> back = decode_weight(e);
            const std::int64_t group = form.block > 0 ? form.block : columns;
            const double steps = form.bits == 8 ? 127 : 7;
            double worst = -1;
            for (std::size_t i = 0; i < w.size(); ++i) {
                const auto stored = static_cast<std::int64_t>(i) / group;
                const auto scale = static_cast<double>(weight_formats::half_at(e.scales, stored));
                // Half a step; the scale's own rounding, up to 2^-11 of it, counts once for each step from zero.
                const double reach = form.zero_point ? 2 * steps : steps;
                const double bound = scale / 2 + (scale >= 0x1p-14 ? reach * scale * 0x1p-11 : 0.0) +
                                     half_ulp(static_cast<double>(back[i]));
                const double error = std::fabs(static_cast<double>(back[i]) - static_cast<double>(w[i]));
                worst = std::max(worst, error - bound);
            }
            CHECK(worst <= 0);
        }
        // A palette takes its values from among the weights, or means of them, and keeps what is already stored.
        for (const compression& form : {compression{palette<4>}, compression{palette<2>}, compression{palette<8>},
                                        compression{.form = weight_form::sparse_palette, .bits = 4}}) {
            const std::vector<half> once = stored_values(w, shape, form);
            CHECK(patterns(stored_values(once, shape, form)) == patterns(once));
            const auto [low, high] = std::minmax_element(w.begin(), w.end());
            for (const half v : once) {
                CHECK((v >= *low && v <= *high));
            }
            std::set<std::uint16_t> distinct;
            for (const half v : once) {
                distinct.insert(v.bits);
            }
            CHECK(distinct.size() <= (std::size_t{1} << static_cast<unsigned>(form.bits)) + 1);
        }
    }
}

TEST_CASE("a palette of Gaussian weights is as near as sixteen values come") {
    std::mt19937 random(3);
    std::normal_distribution<double> gaussian(0, 1);
    std::vector<half> w;
    for (int i = 0; i < 20000; ++i) {
        w.emplace_back(gaussian(random));
    }
    const std::vector<half> back = stored_values(w, {100, 200}, palette<4>);
    double error = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
        const double d = static_cast<double>(w[i]) - static_cast<double>(back[i]);
        error += d * d / 20000;
    }
    // Lloyd and Max: the least mean square error of 16 levels for a unit Gaussian is 0.009497.
    CHECK(error < 1.25 * 0.009497);
    CHECK(error > 0.9 * 0.009497);
    // The same bits wherever this is compiled.
    std::uint64_t hash = 14695981039346656037ULL;
    std::vector<half> fixed;
    for (std::uint32_t i = 0, state = 1; i < 4096; ++i) {
        state = state * 1664525U + 1013904223U;
        fixed.push_back(half(static_cast<double>(static_cast<std::int32_t>(state)) * 0x1p-31));
    }
    for (const compression& form : {compression{palette<4>}, compression{palette<6, 2>}, compression{palette<3, 5>}}) {
        for (const half v : stored_values(fixed, {64, 64}, form)) {
            hash = (hash ^ v.bits) * 1099511628211ULL;
        }
    }
    CHECK(hash == 1177279727066328100ULL);
}

TEST_CASE("weights that are not finite or not of the shape have no stored form") {
    CHECK_THROWS_WITH_AS(encode_weight(halves({1, INFINITY}), {2}, affine_int8),
                         "weights: affine weight: element 1 is inf, weights must be finite", error);
    CHECK_THROWS_WITH_AS(encode_weight(halves({1, 2, 3}), {2}, sparse),
                         "weights: sparse weight: 3 values are given, the shape has 2", error);
    CHECK_THROWS_AS(encode_weight(halves({1}), {std::int64_t{1} << 40, std::int64_t{1} << 40}, sparse), error);
    // A form that there is not has no name either, whatever else is wrong.
    encoded_weight unknown;
    unknown.form.form = static_cast<weight_form>(200);
    unknown.shape = {-1};
    CHECK_THROWS_WITH_AS(decode_weight(unknown), "weights: stored weight: form 200 is none, the last is 5", error);
    // The largest weights of fp16: the scale 516 would make 65532, which is infinite.
    for (const half v : stored_values(halves({65504, -65504, 1000}), {1, 3}, affine_int8)) {
        CHECK(is_finite(v));
    }
}

TEST_CASE("malformed bytes are refused, and every pattern of the right length has values") {
    std::mt19937 random(11);
    const auto below = [&](unsigned end) { return static_cast<int>(random() % end); };
    int refused = 0;
    int decoded = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        CAPTURE(trial);
        encoded_weight e;
        const std::int64_t rows = below(6);
        const std::int64_t columns = below(9);
        const int bits[] = {1, 2, 3, 4, 6, 8, 5};
        const int vectors[] = {1, 2, 4, 5, 3};
        e.form = {.form = static_cast<weight_form>(below(trial % 50 == 0 ? 9 : 6)),
                  .bits = bits[below(7)],
                  .vector = vectors[below(5)],
                  .block = below(4) == 0 ? below(5) : 0,
                  .zero_point = below(2) == 0};
        e.shape = {rows, columns};
        if (below(2) == 0) { // a valid one first
            try {
                e = encode_weight(random_weights(static_cast<unsigned>(random()), rows * columns, 1), e.shape, e.form);
            } catch (const error&) {
                ++refused;
                continue;
            }
        }
        for (auto* part : {&e.data, &e.mask, &e.table, &e.scales, &e.zeros}) {
            if (below(6) == 0) {
                part->resize(static_cast<std::size_t>(below(40)));
            }
            for (std::byte& b : *part) {
                b = below(3) == 0 ? static_cast<std::byte>(below(256)) : b;
            }
        }
        try {
            const std::vector<half> values = decode_weight(e);
            CHECK(std::ssize(values) == rows * columns);
            ++decoded;
        } catch (const error& refusal) {
            CHECK(refusal.code() == errc::weights);
            ++refused;
        }
    }
    CHECK(refused > 500);
    CHECK(decoded > 300);
}

TEST_CASE("fp8 E4M3FN: all codes, ends and rounding") {
    using namespace ane::weight_formats;
    double largest = 0;
    std::map<double, std::uint8_t> positive;
    for (int code = 0; code < 256; ++code) {
        CAPTURE(code);
        const int e = (code >> 3) & 15;
        const int m = code & 7;
        const half value = decode_e4m3fn(static_cast<std::uint8_t>(code));
        if (e == 15 && m == 7) {
            CHECK(is_nan(value));
            CHECK(encode_e4m3fn(value, fp8_overflow::saturate) % 128 == 0x7F);
            continue;
        }
        const double magnitude = e == 0 ? std::ldexp(m, -9) : std::ldexp(1 + m / 8.0, e - 7); // N140
        CHECK(static_cast<double>(value) == (code < 128 ? magnitude : -magnitude));
        CHECK(std::signbit(static_cast<double>(value)) == (code >= 128));
        CHECK(encode_e4m3fn(value, fp8_overflow::not_a_number) == code);
        largest = std::max(largest, magnitude);
        positive[magnitude] = static_cast<std::uint8_t>(code & 0x7F);
    }
    CHECK(largest == 448); // N138
    CHECK(encode_e4m3fn(half::from_bits(0x7C00), fp8_overflow::saturate) == 0x7E);
    CHECK(encode_e4m3fn(half::from_bits(0xFC00), fp8_overflow::not_a_number) == 0xFF);
    CHECK(encode_e4m3fn(half(464.0), fp8_overflow::not_a_number) == 0x7E); // a tie, to the even 448
    CHECK(encode_e4m3fn(half(464.5), fp8_overflow::not_a_number) == 0x7F);
    int wrong = 0; // every fp16 value below the end: the nearest code, the even one of two
    for (unsigned bits = 0; bits <= half(448.0).bits; ++bits) {
        const half value = half::from_bits(static_cast<std::uint16_t>(bits));
        const auto x = static_cast<double>(value);
        const auto above = positive.lower_bound(x);
        std::uint8_t want = above->second;
        if (above->first != x) {
            const auto under = std::prev(above);
            const double up = above->first - x;
            const double down = x - under->first;
            const bool lower = down < up || (down == up && under->second % 2 == 0);
            want = lower ? under->second : above->second;
        }
        wrong += encode_e4m3fn(value, fp8_overflow::saturate) == want ? 0 : 1;
    }
    CHECK(wrong == 0);
}

TEST_CASE("fp8 E5M2 is the high byte of fp16") {
    using namespace ane::weight_formats;
    double largest = 0;
    for (int code = 0; code < 256; ++code) {
        const half value = decode_e5m2(static_cast<std::uint8_t>(code));
        CHECK(value.bits == code << 8);
        if (is_finite(value)) {
            largest = std::max(largest, static_cast<double>(value));
        }
        if (!is_nan(value)) {
            CHECK(encode_e5m2(value) == code);
        }
    }
    CHECK(largest == 57344); // N139
    CHECK(encode_e5m2(half(65504.0)) == 0x7C);
    CHECK(encode_e5m2(half(61440.0)) == 0x7C); // a tie with infinity, whose code is even
    CHECK(encode_e5m2(half(61408.0)) == 0x7B);
    CHECK(is_nan(decode_e5m2(encode_e5m2(half::from_bits(0x7C01)))));
    for (unsigned bits = 0; bits < 0x7C00; ++bits) {
        const auto x = static_cast<double>(half::from_bits(static_cast<std::uint16_t>(bits)));
        const unsigned code = encode_e5m2(half::from_bits(static_cast<std::uint16_t>(bits)));
        const unsigned low = bits >> 8U;
        const unsigned rest = bits & 0xFFU;
        const unsigned want = rest > 128 || (rest == 128 && low % 2 == 1) ? low + 1 : low;
        if (code != want) {
            FAIL_CHECK("E5M2 of " << x);
        }
    }
}
