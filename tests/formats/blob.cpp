#include <anemone/formats/blob.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

using namespace ane;

namespace {

std::uint64_t integer_at(std::span<const std::byte> bytes, std::size_t at, int width) {
    std::uint64_t value = 0;
    for (int i = width - 1; i >= 0; --i) {
        value = value << 8U | std::to_integer<std::uint64_t>(bytes[at + static_cast<std::size_t>(i)]);
    }
    return value;
}

} // namespace

TEST_CASE("blob: the published worked example, byte by byte") {
    blob_writer blob;
    const std::vector<half> values{half(1.0), half(-0.5), half(0.25), half(2.0)};
    CHECK(blob.add(values) == 64);

    std::vector<std::uint8_t> wanted(136);
    const auto put = [&](std::size_t at, std::initializer_list<int> bytes) {
        std::transform(bytes.begin(), bytes.end(), wanted.begin() + static_cast<std::ptrdiff_t>(at),
                       [](int b) { return static_cast<std::uint8_t>(b); });
    };
    put(0, {0x01, 0, 0, 0, 0x02, 0, 0, 0});
    put(64, {0xEF, 0xBE, 0xAD, 0xDE, 0x01, 0, 0, 0});
    put(72, {0x08, 0, 0, 0, 0, 0, 0, 0});
    put(80, {0x80, 0, 0, 0, 0, 0, 0, 0});
    put(128, {0x00, 0x3C, 0x00, 0xB8, 0x00, 0x34, 0x00, 0x40});
    REQUIRE(blob.bytes().size() == wanted.size());
    CHECK(std::memcmp(blob.bytes().data(), wanted.data(), wanted.size()) == 0);
}

TEST_CASE("blob: records stand at the next multiple of 64, for every length") {
    std::mt19937 random(11);
    blob_writer blob;
    CHECK(blob.count() == 0);
    CHECK(blob.bytes().size() == 64);
    std::vector<std::vector<half>> tensors;
    std::vector<std::uint64_t> offsets;
    for (std::size_t length = 1; length <= 130; ++length) {
        std::vector<half> values(length);
        for (half& h : values) {
            h = half::from_bits(static_cast<std::uint16_t>(random()));
        }
        offsets.push_back(blob.add(values));
        tensors.push_back(values);
    }
    const auto bytes = blob.bytes();
    CHECK(integer_at(bytes, 0, 4) == tensors.size());
    CHECK(integer_at(bytes, 4, 4) == 2);
    std::uint64_t next = 64;
    std::uint64_t end = 64;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        CAPTURE(i);
        CHECK(offsets[i] == next);
        CHECK(offsets[i] % 64 == 0);
        CHECK(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(end),
                          bytes.begin() + static_cast<std::ptrdiff_t>(next),
                          [](std::byte b) { return b == std::byte{0}; })); // the filling
        CHECK(integer_at(bytes, next, 4) == 0xDEADBEEF);
        CHECK(integer_at(bytes, next + 4, 4) == 1);
        CHECK(integer_at(bytes, next + 8, 8) == 2 * tensors[i].size());
        CHECK(integer_at(bytes, next + 16, 8) == next + 64);
        for (std::size_t at = next + 24; at < next + 64; at += 8) {
            CHECK(integer_at(bytes, at, 8) == 0);
        }
        CHECK(std::memcmp(bytes.data() + next + 64, tensors[i].data(), 2 * tensors[i].size()) == 0);
        end = next + 64 + 2 * tensors[i].size();
        next = (end + 63) / 64 * 64;
    }
    CHECK(bytes.size() == end);
}

TEST_CASE("blob: what was given out stays valid while more is added") {
    blob_writer blob;
    const std::vector<half> one{half(3.0)};
    const std::uint64_t first = blob.add(one);
    for (int i = 0; i < 1000; ++i) {
        blob.add(one);
    }
    CHECK(integer_at(blob.bytes(), first + 64, 2) == half(3.0).bits);
    CHECK(blob.count() == 1001);
}
