/// The published records of numerics.json that no other test of this folder names: what is left to check, and a list
/// of those that this model does not meet, or cannot, with the reason.
#include <anemone/numerics/kernels.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

using namespace ane;
using namespace ane::numerics;

namespace {

using halves = std::vector<half>;

double value(half h) { return static_cast<double>(h); }

double product(const datapath& path, const halves& a, const halves& b) {
    matmul_shape s;
    s.m = 1;
    s.n = 1;
    s.k = static_cast<std::int64_t>(a.size());
    half out{};
    matmul(path, s, a.data(), b.data(), nullptr, &out);
    return value(out);
}

/// A record that the model does not reproduce.
struct unmet {
    std::string_view id;
    std::string_view reason;
};

constexpr std::array unmet_records = {
    unmet{"N019", "an fp32-class accumulator on the matrix path: refuted by N160-N165 (NC10, NC_MAC)"},
    unmet{"N020",
          "one byte sequence for matmul and for mul + reduce_sum: two paths cannot give it for general operands"},
    unmet{"N033", "half to even for every store on every generation: M6 measured half away; kept for A13 elementwise"},
    unmet{"N046",
          "60000 through a one-channel 1x1 convolution: beyond the ceiling; the lowering may turn it to a scale"},
    unmet{"N073", "reduce then square, fused or not: a choice of the compiler, one ulp"},
    unmet{"N075", "a tile boundary near 128: one ulp, too little to place it"},
    unmet{"N089", "NaN is a large finite value in the variance of layer_norm: which one is not published"},
    unmet{"N098", "softplus of infinity is 0: no such operation here"},
    unmet{"N099", "softsign of infinity is 0: no such operation here"},
    unmet{"N100", "infinity times x is -52416: chip and x unknown; -52416 is 2^16 times fp16(-0.8)"},
    unmet{"N101", "cos of infinity: no such operation here"},
    unmet{"N108", "a product of two subnormals survives on M5: at most 2^-28, below the smallest fp16 (NC_N108)"},
    unmet{"N115", "gelu(0) = -0.000754, chip unknown: one knot cannot be this and N113 (NC5)"},
    unmet{"N119", "worst error 0.0059 of gelu on M1: the fit that meets N113 errs by 0.0063"},
    unmet{"N120", "sin, cos, atan near their seams: no such operation here"},
    unmet{"N123", "floor_div on A11, A12: no such operation here"},
    unmet{"NC4", "a cliff at 32758.8 in a sweep: the accumulator ends at 32768 and 32760 comes out as 32768"},
};

} // namespace

TEST_CASE("the unmet records are listed once, each with a reason") {
    for (std::size_t i = 0; i < unmet_records.size(); ++i) {
        CHECK_FALSE(unmet_records[i].reason.empty());
        CHECK((i == 0 || unmet_records[i - 1].id < unmet_records[i].id));
    }
}

TEST_CASE("N040-N043, N047: the ceiling of products, whatever the depth") {
    for (const family f : {family::a13, family::a14, family::a16, family::a17, family::a18}) {
        const datapath path = datapath_of(f);
        for (const std::size_t k : {1U, 2U, 4U, 8U, 32U, 64U, 128U}) {
            CAPTURE(k);
            halves a(k, half(0.0));
            const halves ones(k, half(1.0));
            a[0] = half(32752.0);
            CHECK(product(path, a, ones) == 32752);
            a[0] = half(32768.0);
            CHECK(std::isinf(product(path, a, ones)));
            if (k >= 4) {
                a[0] = a[1] = half(20000.0);
                a[2] = half(-30000.0);
                CHECK(std::isinf(product(path, a, ones))); // the interior partial
                std::swap(a[1], a[2]);
                CHECK(product(path, a, ones) == 10000);
            }
        }
    }
}

TEST_CASE("N046 is not met: a one-channel 1x1 convolution stops at the ceiling") {
    convolution_shape s;
    const half x(60000.0);
    const half one(1.0);
    half out{};
    convolution(datapath_of(family::a13), s, &x, &one, nullptr, &out);
    CHECK(is_infinite(out));
    datapath path = datapath_of(family::a13);
    path.mac_ceiling = false;
    convolution(path, s, &x, &one, nullptr, &out);
    CHECK(value(out) == 60000);
}

TEST_CASE("what section 1 gives for the sums of section 2, which are therefore read as reductions") {
    halves large(1025, half(1.0));
    large[0] = half(4096.0);
    CHECK(product(datapath_of(family::a13), large, halves(1025, half(1.0))) == 5120); // N003 published: 5116
    halves triples;
    for (int i = 0; i < 16; ++i) {
        triples.insert(triples.end(), {half(16000.0), half(-16000.0), half(1.0)});
    }
    CHECK(product(datapath_of(family::a13), triples, halves(48, half(1.0))) == 16); // N01_16000 published: 4
}

TEST_CASE("N107, N108: subnormal operands of a product") {
    const halves tiny = {half::from_bits(0x0200), half::from_bits(0x0100)}; // 2^-15, 2^-16
    const halves ones(2, half(1.0));
    CHECK(product(datapath_of(family::a13), tiny, ones) == 0);
    CHECK(product(datapath_of(family::a17), tiny, ones) == 0x1p-15 + 0x1p-16);
}

TEST_CASE("N153: a row does not depend on the batch around it") {
    std::mt19937_64 engine(153);
    std::normal_distribution<double> normal(0.0, 0.3);
    halves a(6400);
    halves b(1500);
    for (half& v : a) {
        v = half(normal(engine));
    }
    for (half& v : b) {
        v = half(normal(engine));
    }
    matmul_shape s;
    s.n = 30;
    s.k = 50;
    halves first(30);
    s.m = 1;
    matmul(datapath{}, s, a.data(), b.data(), nullptr, first.data());
    for (const std::int64_t rows : {2, 8, 32, 128}) {
        s.m = rows;
        halves out(static_cast<std::size_t>(rows * 30));
        matmul(datapath{}, s, a.data(), b.data(), nullptr, out.data());
        for (std::size_t i = 0; i < 30; ++i) {
            REQUIRE(out[i].bits == first[i].bits);
        }
    }
}

TEST_CASE("N154: another association of a sum of three changes about a third of the bits") {
    std::mt19937_64 engine(154);
    std::normal_distribution<double> normal(0.0, 1.0);
    int different = 0;
    double largest = 0.0;
    for (int i = 0; i < 4096; ++i) {
        const half a(normal(engine));
        const half b(normal(engine));
        const half c(normal(engine));
        const datapath path = datapath_of(family::a13);
        const half left = add(path, add(path, a, b), c);
        const half right = add(path, a, add(path, b, c));
        different += left.bits != right.bits ? 1 : 0;
        largest = std::fmax(largest, std::fabs(value(left) - value(right)));
    }
    CHECK(different / 4096.0 == doctest::Approx(0.31).epsilon(0.2));
    CHECK(largest <= 7.9e-3);
}

TEST_CASE("N200: a resident accumulator counts") {
    half state{};
    for (int i = 1; i <= 4; ++i) {
        state = add(datapath_of(family::a13), state, half(1.0));
        CHECK(value(state) == i);
    }
}

TEST_CASE("N202: M2 repeats M1 in slices and tables; M5 and M6 share one arithmetic") {
    const datapath one = datapath_of(family::a13);
    const datapath two = datapath_of(family::a14);
    CHECK(one.width_slice_gain == two.width_slice_gain);
    CHECK(one.tables == two.tables);
    CHECK(datapath_of(family::a17).elementwise_ties == datapath_of(family::a18).elementwise_ties);
    CHECK(datapath_of(h13g).reduction_ties == tie_rule::half_even);
    CHECK(datapath_of(h17s).reduction_ties == tie_rule::half_away);
}

TEST_CASE("every operation has a path, contractions the accumulator, reductions the narrow tiles") {
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        CAPTURE(name(kind));
        if (!has_path(kind)) {
            continue;
        }
        const path_row& row = path_of(kind);
        CHECK(row.kind == kind);
        CHECK(is_contraction(kind) == (row.path == arithmetic_path::multiply_accumulate));
        CHECK_FALSE(name(row.path).empty());
        CHECK_FALSE(name(row.known).empty());
    }
    CHECK(path_of(op::reduce_sum).path == arithmetic_path::reduction);
}
