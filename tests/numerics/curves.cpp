// The published curves come out of the model: examples/curves with fewer outputs. Each row states how near the model
// must be; the notes of each result say why.

#include "../../examples/curves/encoder.hpp"
#include "../../examples/curves/fourier.hpp"
#include "../../examples/curves/grids.hpp"
#include "../../examples/curves/matmul.hpp"
#include "../../examples/curves/overflow.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace {

void check(const curves::result& r) {
    CHECK_FALSE(r.rows.empty());
    CHECK_FALSE(r.notes.empty());
    for (const curves::row& row : r.rows) {
        CAPTURE(row.what);
        CAPTURE(row.source);
        CAPTURE(row.published);
        CAPTURE(row.model);
        CHECK(row.held());
    }
    CHECK(ane::draw_plot(r.figure).find("published") != std::string::npos);
}

} // namespace

TEST_CASE("curves: error of products against K") {
    check(curves::matmul_curve(curves::effort::quick));
    for (const std::int64_t k : {256, 1024}) { // N189: a bound
        CHECK(curves::product_error(ane::numerics::datapath{}, 16, 16, k, 1, 1).engine <=
              std::fmin(1, 1e-3 * std::sqrt(static_cast<double>(k))));
    }
}

TEST_CASE("curves: NC10, NC_MAC: the published growth is that of Q15.16, not of fp32 sums") {
    double before = 0;
    for (const std::int64_t k : {256, 1024, 4096}) {
        const curves::product_errors errors = curves::product_error(ane::numerics::datapath{}, 16, 32, k, 1, 6);
        CHECK(errors.engine > 3.5 * before); // faster than the depth's root, nearly with the depth
        CHECK(errors.fp32_sum == doctest::Approx(3.6e-4).epsilon(0.1).scale(0));
        before = errors.engine;
    }
}

TEST_CASE("curves: records of two chips: N160-N165 are M6's as well, N180 is M1's and M5's") {
    using namespace ane::numerics;
    datapath m6 = datapath_of(ane::family::a18);
    m6.tables = table_variant::m5; // gelu(0) was measured on both and differs (N209): no part of a product
    CHECK(m6 == datapath_of(ane::family::a17));
    for (const ane::family f : {ane::family::a13, ane::family::a17}) {
        CHECK(curves::product_error(datapath_of(f), 40, 40, 256, 1, 1).engine ==
              doctest::Approx(0.0012522854).epsilon(0.05).scale(0));
    }
}

TEST_CASE("curves: Fourier transforms") { check(curves::fourier_curve(curves::effort::quick)); }

TEST_CASE("curves: stencil and Jacobi") {
    check(curves::stencil_curve(curves::effort::quick));
    check(curves::jacobi_curve(curves::effort::quick));
}

TEST_CASE("curves: attention") { check(curves::encoder_curve(curves::effort::quick)); }

TEST_CASE("curves: the sticky ceiling, the slice, the loss scale") {
    check(curves::sticky_curve(curves::effort::quick));
    check(curves::slice_curve(curves::effort::quick));
    check(curves::loss_scale_curve(curves::effort::quick));
}

TEST_CASE("curves: from A15 on the loss scale is free") {
    const double unit = 4094 / 1.383 / (1024.0 * curves::weight_gradient::places / 3);
    for (const ane::target later : {ane::h15, ane::h16, ane::h17s, ane::h18}) {
        CHECK(curves::weight_gradient::infinities(later, 1, 1024, unit, 1) == 0);
    }
}
