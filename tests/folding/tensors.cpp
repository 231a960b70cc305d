// Known tensors: elements of every type by their bits, and arithmetic and movement on them against loops over indices.

#include <anemone/folding/arithmetic.hpp>
#include <anemone/folding/movement.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace ane;
using folding::known_tensor;

namespace {

const folding::room any = [](const extents&) {};
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string reason_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const folding::refused& refused) {
        return refused.reason;
    }
    return "";
}

/// A binary floating-point number by its definition; `special`: all ones in the exponent are infinities and NaN.
double decoded(unsigned bits, int exponent_bits, int fraction_bits) {
    const double sign = (bits >> static_cast<unsigned>(exponent_bits + fraction_bits)) != 0 ? -1 : 1;
    const auto exponent = static_cast<int>((bits >> static_cast<unsigned>(fraction_bits)) &
                                           ((1U << static_cast<unsigned>(exponent_bits)) - 1U));
    const double fraction =
        std::ldexp(static_cast<double>(bits & ((1U << static_cast<unsigned>(fraction_bits)) - 1U)), -fraction_bits);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (exponent == (1 << exponent_bits) - 1) {
        return fraction == 0 ? sign * HUGE_VAL : not_a_number;
    }
    return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias));
}

bool same_number(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

std::vector<double> numbers_of(const known_tensor& t) {
    std::vector<double> list;
    for (std::int64_t i = 0; i < t.count(); ++i) {
        list.push_back(t.at(i));
    }
    return list;
}

known_tensor integers(element_type type, const extents& shape, const std::vector<std::int64_t>& values) {
    return folding::known(type, shape, std::span<const std::int64_t>(values));
}

} // namespace

TEST_CASE("16 bits are read as their definitions say, and written as they were read") {
    for (unsigned bits = 0; bits < 1U << 16U; ++bits) {
        const std::byte bytes[] = {static_cast<std::byte>(bits & 0xFFU), static_cast<std::byte>(bits >> 8U)};
        const auto read = [&](element_type type) { return known_tensor{.type = type, .shape = {1}, .bytes = bytes}; };
        const double f16 = decoded(bits, 5, 10);
        const double bf16 = decoded(bits, 8, 7);
        CHECK(same_number(read(element_type::f16).at(0), f16));
        CHECK(same_number(read(element_type::bf16).at(0), bf16));
        CHECK(read(element_type::uint16).at(0) == bits);
        CHECK(read(element_type::int16).integer(0) == (bits < 0x8000U ? int(bits) : int(bits) - 0x10000));
        for (const element_type type : {element_type::f16, element_type::bf16}) {
            const known_tensor again = folding::known(type, read(type).at(0));
            CHECK(same_number(again.at(0), read(type).at(0)));
        }
    }
}

TEST_CASE("numbers are rounded to the nearest element, halves to even") {
    const auto as = [](element_type type, double x) { return folding::known(type, x).at(0); };
    CHECK(as(element_type::bf16, 1 + 0x1p-8) == 1);
    CHECK(as(element_type::bf16, 1 + 3 * 0x1p-8) == 1 + 0x1p-6);
    CHECK(as(element_type::bf16, 0x1.FFp127) == HUGE_VAL);
    CHECK(std::isnan(as(element_type::bf16, not_a_number))); // carried beyond the exponent it would be -0
    CHECK(as(element_type::f16, 65520) == HUGE_VAL);
    CHECK(as(element_type::f16, 1 + 0x1p-11 + 0x1p-40) == 1 + 0x1p-10); // once, not by way of a float
    CHECK(as(element_type::f32, 1 + 0x1p-24) == 1);
    CHECK(as(element_type::f64, 0.1) == 0.1);
    CHECK(as(element_type::boolean, 1) == 1);
}

TEST_CASE("integers of every width are kept exactly between their limits and refused beyond them") {
    for (const element_facts& facts : element_types) {
        if (!folding::is_exact(facts.type)) {
            continue;
        }
        INFO(facts.mil);
        const bool with_sign = facts.kind == number_kind::with_sign;
        const int digits = facts.kind == number_kind::boolean ? 1 : facts.bits - (with_sign ? 1 : 0);
        const auto largest = digits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << digits) - 1;
        const std::int64_t least = with_sign ? -largest - 1 : 0;
        const known_tensor both = integers(facts.type, {3}, {least, largest, 0});
        CHECK(both.integer(0) == least);
        CHECK(both.integer(1) == largest);
        CHECK(both.integer(2) == 0);
        CHECK(static_cast<std::int64_t>(both.bytes.size()) == bytes(facts.type, 3));
        if (digits < 63) {
            CHECK(reason_of([&] { integers(facts.type, {1}, {largest + 1}); }) ==
                  std::to_string(largest + 1) + " is no " + std::string(facts.mil));
            CHECK(reason_of([&] { integers(facts.type, {1}, {least - 1}); }) != "");
        } else if (!with_sign) {
            CHECK(reason_of([&] { integers(facts.type, {1}, {-1}); }) == "-1 is no uint64");
        }
        for (const double wrong : {0.5, not_a_number, HUGE_VAL, -HUGE_VAL, 0x1p64, -0x1p64}) {
            CHECK(reason_of([&] { folding::known(facts.type, wrong); }) != "");
        }
    }
    const known_tensor huge = folding::known(element_type::uint64, 0x1p63);
    CHECK(huge.at(0) == 0x1p63);
    CHECK(reason_of([&] { (void)huge.integer(0); }) == "reads 9223372036854775808 as an integer of 64 bits");
    CHECK(reason_of([&] { (void)folding::known(element_type::f32, not_a_number).integer(0); }) ==
          "reads nan as an integer of 64 bits");
    CHECK(folding::known(element_type::f32, -2.75).integer(0) == -2);
    const std::byte three[] = {std::byte{3}};
    CHECK(known_tensor{.type = element_type::boolean, .shape = {1}, .bytes = three}.at(0) == 1);
}

TEST_CASE("arithmetic is exact in integers beyond 2^53 and rounded once in real numbers") {
    constexpr std::int64_t odd = (std::int64_t{1} << 60) + 1;
    const known_tensor a = integers(element_type::int64, {2, 1}, {odd, -odd});
    const known_tensor b = integers(element_type::int64, {3}, {1, 2, -3});
    const known_tensor sums = folding::paired(any, folding::pair_function_of(op::add), a, b, element_type::int64);
    CHECK(sums.shape == extents{2, 3});
    for (std::int64_t i = 0; i < 6; ++i) {
        CHECK(sums.integer(i) == (i < 3 ? odd : -odd) + (i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : -3));
    }
    const known_tensor equal = folding::paired(any, folding::pair_function_of(op::equal), a,
                                               integers(element_type::int64, {1}, {odd - 1}), element_type::boolean);
    CHECK(numbers_of(equal) == std::vector<double>{0, 0});
    // (1 + 2^-12)^2 is just above a tie of fp16; a float in between would make it one, which goes to 1.
    const known_tensor half_result =
        folding::paired(any, folding::pair_function_of(op::mul), folding::known(element_type::f32, 1 + 0x1p-12),
                        folding::known(element_type::f32, 1 + 0x1p-12), element_type::f16);
    CHECK(half_result.at(0) == 1 + 0x1p-10);
    CHECK(reason_of([&] {
              folding::paired(any, folding::pair_function_of(op::add), folding::known(element_type::uint8, 200.0),
                              folding::known(element_type::uint8, 100.0), element_type::uint8);
          }) == "300 is no uint8");
    CHECK(reason_of([&] {
              folding::paired(any, folding::pair_function_of(op::add), integers(element_type::int64, {2}, {1, 2}),
                              integers(element_type::int64, {3}, {1, 2, 3}), element_type::int64);
          }).find("do not broadcast") != std::string::npos);
    const known_tensor none = integers(element_type::int64, {0}, {});
    CHECK(
        folding::paired(any, folding::pair_function_of(op::add), none, b.reshaped({3, 1}), element_type::int64).shape ==
        extents{3, 0});
}

TEST_CASE("casts cut off, and refuse what the type does not hold") {
    const known_tensor reals = folding::known(element_type::f32, {4}, std::vector<double>{-1.75, 0.25, 2.5, 255.9});
    CHECK(numbers_of(folding::cast(any, reals, element_type::int16)) == std::vector<double>{-1, 0, 2, 255});
    CHECK(numbers_of(folding::cast(any, reals, element_type::boolean)) == std::vector<double>{1, 1, 1, 1});
    CHECK(reason_of([&] { folding::cast(any, reals, element_type::uint8); }) == "-1 is no uint8");
    CHECK(reason_of([&] {
              folding::cast(any, folding::known(element_type::f32, not_a_number), element_type::int64);
          }) == "nan is no int64");
    const auto big = std::numeric_limits<std::int64_t>::max();
    CHECK(folding::cast(any, integers(element_type::int64, {1}, {big}), element_type::uint64).integer(0) == big);
}

TEST_CASE("reductions are those of all elements along the axes") {
    const known_tensor x = integers(element_type::int32, {2, 3}, {1, -2, 3, 4, 5, -6});
    axes last;
    last.list.append(1);
    const auto reduced = [&](const folding::reduction& f, bool mean = false) {
        return numbers_of(folding::reduced(any, f, x, last, mean));
    };
    CHECK(reduced(folding::sums()) == std::vector<double>{2, 3});
    CHECK(reduced(folding::products()) == std::vector<double>{-6, -120});
    CHECK(reduced(folding::maxima()) == std::vector<double>{3, 5});
    CHECK(reduced(folding::minima()) == std::vector<double>{-2, -6});
    CHECK(reduced(folding::sums(), true) == std::vector<double>{0, 1}); // 2 / 3 and 3 / 3, cut off
    axes both;
    both.list.append(0);
    both.list.append(1);
    CHECK(folding::reduced(any, folding::sums(), x, both).shape == extents{1, 1});
    CHECK(numbers_of(folding::reduced(any, folding::sums(), x, axes())) == numbers_of(x));
    const known_tensor real = folding::known(element_type::f32, {2}, std::vector<double>{not_a_number, 1});
    axes first;
    first.list.append(0);
    CHECK(std::isnan(folding::reduced(any, folding::maxima(), real, first).at(0)));
    const known_tensor none = folding::known(element_type::f32, {0}, std::vector<double>());
    CHECK(folding::reduced(any, folding::maxima(), none, first).at(0) == -HUGE_VAL);
    CHECK(folding::reduced(any, folding::products(), none, first).at(0) == 1);
    CHECK(std::isnan(folding::reduced(any, folding::sums(), none, first, true).at(0)));
    CHECK(reason_of([&] { folding::reduced(any, folding::minima(), integers(element_type::int8, {0}, {}), first); }) ==
          "inf is no int8");
}

TEST_CASE("elements of every type move bit by bit") {
    constexpr std::uint32_t seed = 5501;
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    for (const element_facts& facts : element_types) {
        if (facts.kind == number_kind::none) {
            continue;
        }
        INFO(std::string(facts.mil), " ", std::string(facts.onnx));
        for (int round = 0; round < 30; ++round) {
            extents shape;
            for (int i = 0; i < 3; ++i) {
                shape.append(1 + static_cast<std::int64_t>(random() % 4));
            }
            std::vector<std::byte> memory(static_cast<std::size_t>(bytes(facts.type, shape.count())));
            for (std::byte& b : memory) {
                b = static_cast<std::byte>(random() & 0xFFU); // NaN of every kind among them
            }
            const known_tensor x{.type = facts.type, .shape = shape, .bytes = memory};
            const auto bit = [&](const known_tensor& t, std::int64_t element, int b) {
                const auto at = static_cast<std::size_t>(element * facts.bits + b);
                return (std::to_integer<unsigned>(t.bytes[at / 8]) >> (at % 8)) & 1U;
            };
            const auto is = [&](const known_tensor& y, std::int64_t at, std::int64_t from) {
                for (int b = 0; b < facts.bits; ++b) {
                    if (bit(y, at, b) != bit(x, from, b)) {
                        return false;
                    }
                }
                return true;
            };
            const auto of_x = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
                return (i * shape[1] + j) * shape[2] + k;
            };
            // transposed, y[k][i][j] = x[i][j][k]
            const known_tensor t = folding::transposed(any, x, {2, 0, 1});
            REQUIRE(t.shape == extents{shape[2], shape[0], shape[1]});
            // every second element of the last axis, from the end
            const std::int64_t halves = (shape[2] + 1) / 2;
            const known_tensor s =
                folding::sliced(any, x, {0, 0, shape[2] - 1}, {shape[0], shape[1], halves}, {1, 1, -2});
            const known_tensor tiled = folding::tiled(any, x, {shape[0], 2 * shape[1], shape[2]});
            const known_tensor wide = folding::expanded(any, x, {2, shape[0], shape[1], shape[2]});
            const known_tensor joined = folding::joined(any, {&x, &x}, 2);
            REQUIRE(joined.shape == extents{shape[0], shape[1], 2 * shape[2]});
            const std::int64_t last = static_cast<std::int64_t>(random()) % shape[1];
            const known_tensor g =
                folding::gathered(any, x, integers(element_type::int64, {2, 1}, {last, last - shape[1]}), 1);
            REQUIRE(g.shape == extents{shape[0], 2, 1, shape[2]});
            for (std::int64_t i = 0; i < shape[0]; ++i) {
                for (std::int64_t j = 0; j < shape[1]; ++j) {
                    for (std::int64_t k = 0; k < shape[2]; ++k) {
                        const std::int64_t from = of_x(i, j, k);
                        CHECK(is(t, (k * shape[0] + i) * shape[1] + j, from));
                        CHECK(
                            (k >= halves || is(s, (i * shape[1] + j) * halves + k, of_x(i, j, shape[2] - 1 - 2 * k))));
                        CHECK(is(tiled, (i * 2 * shape[1] + j) * shape[2] + k, from));
                        CHECK(is(tiled, (i * 2 * shape[1] + shape[1] + j) * shape[2] + k, from));
                        CHECK(is(wide, shape.count() + from, from));
                        CHECK(is(joined, (i * shape[1] + j) * 2 * shape[2] + k, from));
                        CHECK(is(joined, (i * shape[1] + j) * 2 * shape[2] + shape[2] + k, from));
                        CHECK(is(g, (i * 2 + j % 2) * shape[2] + k, of_x(i, last, k)));
                    }
                }
            }
        }
    }
}

TEST_CASE("tensors are joined in their order, chosen by a condition, and refused where they do not fit") {
    const known_tensor a = integers(element_type::uint4, {2, 1}, {1, 2});
    const known_tensor b = integers(element_type::uint4, {2, 3}, {3, 4, 5, 6, 7, 8});
    const known_tensor ab = folding::joined(any, {&a, &b, &a}, 1);
    CHECK(ab.shape == extents{2, 5});
    CHECK(numbers_of(ab) == std::vector<double>{1, 3, 4, 5, 1, 2, 6, 7, 8, 2});
    CHECK(reason_of([&] { folding::joined(any, {&a, &b}, 0); }).find("joins [2, 1] and [2, 3]") != std::string::npos);
    const known_tensor flat = b.reshaped({6});
    CHECK(reason_of([&] { folding::joined(any, {&b, &flat}, 1); }).find("joins") != std::string::npos);
    const known_tensor wide = integers(element_type::int32, {2, 1}, {15, 16});
    CHECK(reason_of([&] { folding::joined(any, {&a, &wide}, 1); }) == "16 is no uint4");
    const known_tensor none = integers(element_type::uint4, {2, 0}, {});
    CHECK(numbers_of(folding::joined(any, {&none, &a, &none}, 1)) == std::vector<double>{1, 2});

    const known_tensor where = integers(element_type::boolean, {3}, {1, 0, 1});
    const known_tensor chosen = folding::chosen(any, where, b, a);
    CHECK(chosen.shape == extents{2, 3});
    CHECK(numbers_of(chosen) == std::vector<double>{3, 1, 5, 6, 2, 8});
    CHECK(reason_of([&] { folding::chosen(any, integers(element_type::boolean, {4}, {1, 1, 1, 1}), b, a); }) != "");

    for (const double index : {2.0, -3.0, 0.5, not_a_number}) {
        CHECK(reason_of([&] { folding::gathered(any, a, folding::known(element_type::f64, index), 0); }) != "");
    }
    const extents full{1, 1, 1, 1, 1, 1, 1, 1};
    CHECK(reason_of([&] {
              folding::gathered(any, a.reshaped(full), integers(element_type::int8, {1, 1}, {0}), 0);
          }) == "gives a tensor of 9 axes");
}

TEST_CASE("whoever bounds the memory is asked before any is taken") {
    const folding::room none = [](const extents& shape) {
        throw folding::refused{"no room for " + std::to_string(shape.count())};
    };
    const known_tensor one = integers(element_type::int8, {1}, {1});
    const extents huge{std::int64_t{1} << 40, 1 << 20};
    CHECK(reason_of([&] { folding::expanded(none, one, huge); }) == "no room for 1152921504606846976");
    CHECK(reason_of([&] { folding::tiled(none, one, huge); }) == "no room for 1152921504606846976");
    CHECK(reason_of([&] { folding::computed(none, element_type::f32, huge, [](std::int64_t) { return 1.0; }); }) != "");
    for (const auto& f : std::vector<std::function<void()>>{
             [&] { folding::paired(none, folding::pair_function_of(op::add), one, one, element_type::int8); },
             [&] { folding::mapped(none, folding::negation(), one, element_type::int8); },
             [&] { folding::cast(none, one, element_type::f32); },
             [&] { folding::reduced(none, folding::sums(), one, axes()); },
             [&] { folding::transposed(none, one, {0}); },
             [&] { folding::sliced(none, one, {0}, {1}, {1}); },
             [&] { folding::gathered(none, one, one, 0); },
             [&] {
                 folding::joined(none, {&one, &one}, 0);
             },
             [&] { folding::chosen(none, one, one, one); },
         }) {
        CHECK(reason_of(f).starts_with("no room for"));
    }
}
