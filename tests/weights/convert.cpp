#include <anemone/weights/convert.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace ane;

namespace {

template <class T> std::vector<float> floats(element_type type, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return to_float({"t", type, extents{static_cast<std::int64_t>(values.size())}, {bytes.begin(), bytes.end()}});
}

constexpr float infinity = std::numeric_limits<float>::infinity();

} // namespace

TEST_CASE("every element type gives floats") {
    CHECK(floats<float>(element_type::f32, {0.1F, -infinity}) == std::vector<float>{0.1F, -infinity});
    CHECK(floats<half>(element_type::f16, {half(0.5), half::from_bits(1)}) == std::vector<float>{0.5F, 0x1p-24F});
    CHECK(floats<std::uint16_t>(element_type::bf16, {0x3F80, 0xC040, 0x7F80}) == std::vector<float>{1, -3, infinity});
    CHECK(floats<std::uint8_t>(element_type::boolean, {0, 1, 255}) == std::vector<float>{0, 1, 1});
    CHECK(floats<std::uint8_t>(element_type::f8_e5m2, {0x3C, 0x7C, 0xC0}) == std::vector<float>{1, infinity, -2});
    CHECK(floats<std::uint8_t>(element_type::f8_e4m3, {0x38, 0x7E, 0x81}) == std::vector<float>{1, 448, -0x1p-9F});
    CHECK(floats<std::uint8_t>(element_type::uint8, {0, 255}) == std::vector<float>{0, 255});
    CHECK(floats<std::int8_t>(element_type::int8, {-128, 127}) == std::vector<float>{-128, 127});
    CHECK(floats<std::uint16_t>(element_type::uint16, {65535}) == std::vector<float>{65535});
    CHECK(floats<std::int16_t>(element_type::int16, {-32768}) == std::vector<float>{-32768});
    CHECK(floats<std::int32_t>(element_type::int32, {-2147483647 - 1}) == std::vector<float>{-2147483648.0F});
    CHECK(floats<std::uint64_t>(element_type::uint64, {std::uint64_t{1} << 63U}) == std::vector<float>{0x1p63F});
    CHECK(std::isnan(floats<float>(element_type::f32, {std::numeric_limits<float>::quiet_NaN()})[0]));
    CHECK(floats<float>(element_type::f32, {}).empty());
}

TEST_CASE("what float does not hold is rounded once, half to even") {
    CHECK(floats<double>(element_type::f64, {0.1, 1e300, 1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-50}) ==
          std::vector<float>{0.1F, infinity, 1.0F, 1 + 0x1p-23F});
    CHECK(floats<std::uint32_t>(element_type::uint32, {16777217, 16777219}) == std::vector<float>{16777216, 16777220});
    CHECK(floats<std::int64_t>(element_type::int64, {-16777217}) == std::vector<float>{-16777216});
}

TEST_CASE("floats and their upper halves become fp16 as doubles do, in tensors of every length") {
    std::vector<float> singles;
    std::vector<std::uint16_t> upper;
    for (unsigned bits = 0; bits <= 0xFFFFU;
         ++bits) { // every number of bfloat16 that fp16 holds, and what is beside it
        const auto value = std::bit_cast<float>(bits << 16U);
        if (std::fabs(value) < 65520) {
            upper.push_back(static_cast<std::uint16_t>(bits));
            for (const unsigned low : {0U, 1U, 0x0FFFU, 0x1000U, 0x1001U, 0x7FFFU, 0x8000U, 0xFFFFU}) {
                const auto beside = std::bit_cast<float>(bits << 16U | low);
                if (std::fabs(beside) < 65520) {
                    singles.push_back(beside);
                }
            }
        }
    }
    const auto bytes_of = [](const auto& values, std::size_t begin, std::size_t count) {
        const auto all = std::as_bytes(std::span(values).subspan(begin, count));
        return std::vector<std::byte>(all.begin(), all.end());
    };
    const auto judge = [](const std::vector<half>& made, const auto& want) {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < made.size(); ++i) {
            wrong += made[i].bits == half(want(i)).bits ? 0U : 1U;
        }
        CHECK(wrong == 0);
    };
    for (std::size_t count = 1; count <= 40; ++count) {
        for (const std::size_t begin : {std::size_t{0}, singles.size() / 3, singles.size() - count}) {
            const stored_tensor t{
                "w", element_type::f32, {static_cast<std::int64_t>(count)}, bytes_of(singles, begin, count)};
            judge(to_half(t), [&](std::size_t i) { return static_cast<double>(singles[begin + i]); });
        }
    }
    const stored_tensor all{
        "w", element_type::f32, {static_cast<std::int64_t>(singles.size())}, bytes_of(singles, 0, singles.size())};
    judge(to_half(all), [&](std::size_t i) { return static_cast<double>(singles[i]); });
    const stored_tensor brain{
        "w", element_type::bf16, {static_cast<std::int64_t>(upper.size())}, bytes_of(upper, 0, upper.size())};
    judge(to_half(brain), [&](std::size_t i) {
        return static_cast<double>(std::bit_cast<float>(static_cast<unsigned>(upper[i]) << 16U));
    });
    // What is not finite is named wherever it stands.
    for (std::size_t at = 0; at < 19; ++at) {
        for (const float wrong : {65520.0F, -std::numeric_limits<float>::infinity(), std::nanf("")}) {
            std::vector<float> values(19, 1);
            values[at] = wrong;
            const stored_tensor t{"w", element_type::f32, {19}, bytes_of(values, 0, 19)};
            std::string said;
            try {
                to_half(t);
            } catch (const error& e) {
                said = e.what();
            }
            CHECK(said.find("element " + std::to_string(at) + " is") != std::string::npos);
        }
    }
}

TEST_CASE("an element type of no meaning is an error") {
    CHECK_THROWS_AS((void)to_float({"t", static_cast<element_type>(99), {0}, {}}), error);
}
