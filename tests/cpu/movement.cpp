#include <anemone/backend/cpu/kernels/cast.hpp>
#include <anemone/backend/cpu/kernels/movement.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace ane;

namespace {

std::mt19937& generator() {
    static std::mt19937 random = [] {
        const unsigned seed = std::random_device{}();
        MESSAGE("seed ", seed);
        return std::mt19937(seed);
    }();
    return random;
}

std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator());
}

extents random_extents() {
    extents shape;
    for (std::int64_t rank = between(1, 5); rank > 0; --rank) {
        shape.append(between(1, 6));
    }
    return shape;
}

std::vector<int> counting(const extents& shape) {
    std::vector<int> values(static_cast<std::size_t>(shape.count()));
    std::iota(values.begin(), values.end(), 1);
    return values;
}

/// The multi-index of a flat one.
extents unflat(std::int64_t flat, const extents& shape) {
    extents index = shape;
    for (int axis = shape.rank - 1; axis >= 0; --axis) {
        index[axis] = flat % shape[axis];
        flat /= shape[axis];
    }
    return index;
}

int element(const std::vector<int>& values, const extents& shape, const extents& index) {
    std::int64_t flat = 0;
    for (int axis = 0; axis < shape.rank; ++axis) {
        flat = flat * shape[axis] + index[axis];
    }
    return values[static_cast<std::size_t>(flat)];
}

} // namespace

TEST_CASE("transpose moves each index, its inverse undoes it") {
    for (int round = 0; round < 200; ++round) {
        const extents shape = random_extents();
        std::vector<int> permutation(static_cast<std::size_t>(shape.rank));
        std::iota(permutation.begin(), permutation.end(), 0);
        std::shuffle(permutation.begin(), permutation.end(), generator());
        extents result;
        std::vector<int> inverse(permutation.size());
        for (std::size_t i = 0; i < permutation.size(); ++i) {
            result.append(shape[permutation[i]]);
            inverse[static_cast<std::size_t>(permutation[i])] = static_cast<int>(i);
        }
        const std::vector<int> x = counting(shape);
        std::vector<int> out(x.size());
        std::vector<int> back(x.size());
        cpu::transpose(x.data(), shape, permutation, out.data());
        std::size_t wrong = 0;
        for (std::int64_t flat = 0; flat < shape.count(); ++flat) {
            const extents to = unflat(flat, result);
            extents from = shape;
            for (std::size_t i = 0; i < permutation.size(); ++i) {
                from[permutation[i]] = to[static_cast<int>(i)];
            }
            wrong += out[static_cast<std::size_t>(flat)] != element(x, shape, from);
        }
        CHECK(wrong == 0);
        cpu::transpose(out.data(), result, inverse, back.data());
        CHECK(back == x);
    }
    int x[4] = {};
    int out[4];
    CHECK_THROWS_AS(cpu::transpose(x, {2, 2}, std::vector<int>{0, 0}, out), error);
    CHECK_THROWS_AS(cpu::transpose(x, {2, 2}, std::vector<int>{0, 2}, out), error);
    CHECK_THROWS_AS(cpu::transpose(x, {2, 2}, std::vector<int>{0}, out), error);
}

TEST_CASE("slices of a concatenation are the pieces") {
    for (int round = 0; round < 200; ++round) {
        extents shape = random_extents();
        const int axis = static_cast<int>(between(0, shape.rank - 1));
        std::vector<std::vector<int>> data;
        std::vector<extents> shapes;
        std::int64_t total = 0;
        for (std::int64_t n = between(1, 4); n > 0; --n) {
            shape[axis] = between(0, 5);
            total += shape[axis];
            shapes.push_back(shape);
            data.push_back(counting(shape));
            for (int& value : data.back()) {
                value = value * 10 + static_cast<int>(n);
            }
        }
        std::vector<cpu::piece<int>> pieces;
        for (std::size_t i = 0; i < data.size(); ++i) {
            pieces.push_back({data[i].data(), shapes[i]});
        }
        shape[axis] = total;
        std::vector<int> joined(static_cast<std::size_t>(shape.count()));
        cpu::concat<int>(pieces, axis, joined.data());
        extents begin;
        extents ones;
        for (int i = 0; i < shape.rank; ++i) {
            begin.append(0);
            ones.append(1);
        }
        for (std::size_t i = 0; i < data.size(); ++i) {
            std::vector<int> cut(data[i].size());
            cpu::slice(joined.data(), shape, begin, ones, shapes[i], cut.data());
            CHECK(cut == data[i]);
            begin[axis] += shapes[i][axis];
        }
    }
    const int x[6] = {};
    int out[12];
    const cpu::piece<int> unequal[] = {{x, {2, 3}}, {x, {3, 2}}};
    CHECK_THROWS_AS(cpu::concat<int>(unequal, 0, out), error);
    CHECK_THROWS_AS(cpu::concat<int>({}, 0, out), error);
    CHECK_THROWS_AS(cpu::concat<int>(std::span(unequal).first(1), 2, out), error);
}

TEST_CASE("slice with steps, forwards and backwards; indices outside are refused") {
    for (int round = 0; round < 200; ++round) {
        const extents shape = random_extents();
        extents begin = shape;
        extents step = shape;
        extents size = shape;
        for (int axis = 0; axis < shape.rank; ++axis) {
            begin[axis] = between(0, shape[axis] - 1);
            step[axis] = between(0, 1) == 0 ? between(1, 3) : -between(1, 3);
            const std::int64_t room = step[axis] > 0 ? shape[axis] - 1 - begin[axis] : begin[axis];
            size[axis] = between(0, 3) == 0 ? 1 : room / std::abs(step[axis]) + 1;
        }
        const std::vector<int> x = counting(shape);
        std::vector<int> out(static_cast<std::size_t>(size.count()));
        cpu::slice(x.data(), shape, begin, step, size, out.data());
        std::size_t wrong = 0;
        for (std::int64_t flat = 0; flat < size.count(); ++flat) {
            extents from = unflat(flat, size);
            for (int axis = 0; axis < shape.rank; ++axis) {
                from[axis] = begin[axis] + from[axis] * step[axis];
            }
            wrong += out[static_cast<std::size_t>(flat)] != element(x, shape, from);
        }
        CHECK(wrong == 0);
    }
    const int x[6] = {};
    int out[6];
    CHECK_THROWS_WITH_AS(cpu::slice(x, {6}, {2}, {2}, {3}, out),
                         "argument: slice: indices 2 to 6 of axis 0 leave its extent 6", error);
    CHECK_THROWS_AS(cpu::slice(x, {6}, {-1}, {1}, {1}, out), error);
    CHECK_THROWS_AS(cpu::slice(x, {6}, {1}, {-1}, {3}, out), error);
}

TEST_CASE("pad surrounds, and a slice gives the middle back") {
    for (int round = 0; round < 200; ++round) {
        const extents shape = random_extents();
        extents before = shape;
        extents after = shape;
        extents padded = shape;
        extents ones = shape;
        for (int axis = 0; axis < shape.rank; ++axis) {
            before[axis] = between(0, 2);
            after[axis] = between(0, 2);
            padded[axis] += before[axis] + after[axis];
            ones[axis] = 1;
        }
        const std::vector<int> x = counting(shape);
        std::vector<int> out(static_cast<std::size_t>(padded.count()));
        cpu::pad(x.data(), shape, before, after, -5, out.data());
        CHECK(std::count(out.begin(), out.end(), -5) == padded.count() - shape.count());
        std::vector<int> middle(x.size());
        cpu::slice(out.data(), padded, before, ones, shape, middle.data());
        CHECK(middle == x);
    }
    const int x[1] = {};
    int out[4];
    CHECK_THROWS_AS(cpu::pad(x, {1}, {-1}, {1}, 0, out), error);
    cpu::copy(x, out, 1);
    CHECK(out[0] == 0);
}

TEST_CASE("casts: truncation, rounding, and values that do not fit") {
    const cpu::kernel_table& table = cpu::best_kernels();
    const half values[] = {half(2.75), half(-2.75), half(255), half(-0.5)};
    std::int16_t shorts[4];
    cpu::cast(table, dtype::f16, values, dtype::int16, shorts, 4);
    CHECK(shorts[0] == 2);
    CHECK(shorts[1] == -2);
    CHECK(shorts[2] == 255);
    CHECK(shorts[3] == 0);
    std::uint8_t bytes[2] = {9, 9};
    cpu::cast(&values[3], bytes, 1); // -0.5 truncates to 0, which fits
    CHECK(bytes[0] == 0);
    CHECK_THROWS_WITH_AS(cpu::cast(values, bytes, 2), "argument: cast: element 1 is -2.75, outside 0 to 255", error);
    std::int8_t small = 0;
    CHECK_THROWS_WITH_AS(cpu::cast(&values[2], &small, 1), "argument: cast: element 0 is 255, outside -128 to 127",
                         error);
    const half nan = std::numeric_limits<half>::quiet_NaN();
    CHECK_THROWS_AS(cpu::cast(&nan, &small, 1), error);

    const float edges[] = {0x1p63F, -0x1p63F, 0x1p31F, -0x1p31F, 0x1p64F};
    std::int64_t wide = 0;
    std::int32_t word = 0;
    std::uint64_t natural = 0;
    CHECK_THROWS_AS(cpu::cast(&edges[0], &wide, 1), error);
    cpu::cast(&edges[1], &wide, 1);
    CHECK(wide == std::numeric_limits<std::int64_t>::min());
    CHECK_THROWS_AS(cpu::cast(&edges[2], &word, 1), error);
    cpu::cast(&edges[3], &word, 1);
    CHECK(word == std::numeric_limits<std::int32_t>::min());
    CHECK_THROWS_AS(cpu::cast(&edges[4], &natural, 1), error);
    cpu::cast(&edges[0], &natural, 1);
    CHECK(natural == std::uint64_t{1} << 63U);

    const std::int32_t integers[] = {2049, 70000, -1};
    half halves[3];
    cpu::cast(table, dtype::int32, integers, dtype::f16, halves, 3);
    CHECK(static_cast<float>(halves[0]) == 2048); // half to even
    CHECK(is_infinite(halves[1]));
    std::uint32_t unsigned_word = 0;
    CHECK_THROWS_AS(cpu::cast(&integers[2], &unsigned_word, 1), error);

    const float floats[] = {1.5F, 1e9F};
    cpu::cast(table, dtype::f32, floats, dtype::f16, halves, 2);
    CHECK(halves[0].bits == 0x3E00);
    CHECK(is_infinite(halves[1]));
    float widened = 0;
    cpu::cast(table, dtype::f16, halves, dtype::f32, &widened, 1);
    CHECK(widened == 1.5F);
    CHECK_THROWS_AS(cpu::cast(table, dtype::int4, integers, dtype::f16, halves, 1), error);
}
