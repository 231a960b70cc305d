// Where each published record is: the tables behind the register of probes.cpp.

#include "../../examples/curves/matmul.hpp"
#include "probes.hpp"

#include <doctest/doctest.h>

using namespace probing;

namespace {

const generation m5{family::a17, datapath_of(family::a17)};

int number_at(std::string_view text) {
    int number = 0;
    for (const char digit : text) {
        if (digit < '0' || digit > '9') {
            break;
        }
        number = 10 * number + (digit - '0');
    }
    return number;
}

constexpr elsewhere references[] = {
    {"N065", "backend/kernels/gather.cpp"},
    {"N066", "backend/kernels/gather.cpp"},
    {"N072", "backend/kernels/gather.cpp"},
    {"N076", "backend/compressed.cpp"},
    {"N077", "backend/compressed.cpp"},
    {"N117", "numerics/exhaustive_functions.cpp"},
    {"N118", "numerics/exhaustive_functions.cpp"},
    {"N119", "numerics/exhaustive_functions.cpp"},
    {"N120", "numerics/exhaustive_functions.cpp"},
    {"N130", "weights/formats.cpp"},
    {"N131", "weights/formats.cpp"},
    {"N132", "weights/formats.cpp"},
    {"N133", "weights/formats.cpp"},
    {"N134", "weights/formats.cpp"},
    {"N135", "weights/formats.cpp"},
    {"N136", "weights/formats.cpp"},
    {"N137", "backend/compressed.cpp"},
    {"N138", "weights/formats.cpp"},
    {"N139", "weights/formats.cpp"},
    {"N140", "weights/formats.cpp"},
    // The example runs all rows of these, tests/numerics/curves.cpp those that take little time.
    {"N160", "../examples/curves/matmul.hpp"},
    {"N161", "../examples/curves/matmul.hpp"},
    {"N162", "../examples/curves/matmul.hpp"},
    {"N163", "../examples/curves/matmul.hpp"},
    {"N164", "../examples/curves/matmul.hpp"},
    {"N165", "../examples/curves/matmul.hpp"},
    {"N170", "../examples/curves/matmul.hpp"},
    {"N171", "../examples/curves/matmul.hpp"},
    {"N172", "../examples/curves/matmul.hpp"},
    {"N173", "../examples/curves/matmul.hpp"},
    {"N174", "../examples/curves/matmul.hpp"},
    {"N175", "../examples/curves/matmul.hpp"},
    {"N180", "../examples/curves/matmul.hpp"},
    {"N181", "../examples/curves/matmul.hpp"},
    {"N182", "../examples/curves/matmul.hpp"},
    {"N183", "../examples/curves/fourier.hpp"},
    {"N184", "../examples/curves/grids.hpp"},
    {"N185", "../examples/curves/grids.hpp"},
    {"N186", "../examples/curves/encoder.hpp"},
    {"N187", "../examples/curves/matmul.hpp"},
    {"N188", "../examples/curves/matmul.hpp"},
    {"N189", "numerics/curves.cpp"},
    {"N193", "../examples/curves/fourier.hpp"},
    {"N198", "../examples/curves/matmul.hpp"},
    {"N199", "../examples/curves/overflow.hpp"},
    {"N204", "numerics/exhaustive_functions.cpp"},
    {"N205", "numerics/exhaustive_functions.cpp"},
    {"N206", "numerics/exhaustive_functions.cpp"},
    {"N208", "backend/compressed.cpp"},
    {"N209", "numerics/activation.cpp"},
    {"N210", "backend/quantized.cpp"},
    {"N211", "backend/quantized.cpp"},
    {"N212", "backend/quantized.cpp"},
    {"N213", "numerics/contraction.cpp"},
    {"NC6", "numerics/exhaustive_functions.cpp"},
    {"NC10", "numerics/curves.cpp"},
    {"NC_MAC", "numerics/curves.cpp"},
};

constexpr std::string_view training =
    "accuracy of a trained network: images, seeds and training graph are not published";

constexpr beyond_arithmetic others[] = {
    {"N155", training},   {"N156_0", training}, {"N156_1", training},
    {"N156_2", training}, {"N156_3", training}, {"N156_4", training},
    {"N156_5", training}, {"N156_6", training}, {"N207", "a latency: it needs the device"},
};

/// layer_norm or rms_norm of [first, 1, 2, 3, ...].
halves norm_of(const generation& g, op kind, half first) {
    halves x = repeated({0, 1, 2, 3}, 2);
    x[0] = first;
    std::vector<operand_values> operands{matrix_of(1, 8, x), ones_of({8})};
    if (kind == op::layer_norm) {
        operands.push_back({{8}, halves(8), true});
    }
    return run(g, kind, stabilizer{1e-5F, -1}, operands);
}

const unmet not_met[] = {
    {"N019",
     "sums of fp32 class everywhere, of tiles of four rounded to fp16 or not: their error does not grow with K (N188), "
     "the engine's does (N160-N165)",
     [](const generation&) {
         const curves::product_errors errors = curves::product_error(m5.path, 24, 24, 1024, 1, 1);
         CHECK(errors.fp32_sum < 0.005528 / 10); // N161
         CHECK(errors.engine > 0.005528 / 1.1);
         random_values random{19};
         double error = 0, norm = 0;
         for (int result = 0; result < 200; ++result) {
             const halves a = random.normals(1024, 1.0 / 32), b = random.normals(1024, 1.0 / 32);
             double exact = 0, of_tiles = 0, tile = 0;
             for (std::size_t i = 0; i < a.size(); ++i) {
                 exact += value(a[i]) * value(b[i]);
                 tile += value(a[i]) * value(b[i]);
                 if (i % 4 == 3) {
                     of_tiles += value(half(tile));
                     tile = 0;
                 }
             }
             error += (value(half(of_tiles)) - exact) * (value(half(of_tiles)) - exact);
             norm += exact * exact;
         }
         CHECK(std::sqrt(error / norm) < 0.005528 / 10);
     }},
    {"N020",
     "a product and a multiplication with a sum give equal bytes on M1: as kernels of their own they differ by N041 "
     "and N044, N106 and N107, and are equal where every step is exact. One kernel for a multiplication and the sum "
     "behind it, the guide's explanation, would meet all; for which multiplications that holds is not published",
     [](const generation& m1) {
         random_values random{20};
         for (int round = 0; round < 100; ++round) {
             halves a, b;
             for (int i = 0; i < 64; ++i) {
                 a.emplace_back(static_cast<double>(random.bits() % 17) - 8);
                 b.emplace_back(static_cast<double>(random.bits() % 17) - 8);
             }
             CHECK(dot(m1, a, b) == sum(m1, each(m1, op::mul, a, b))); // whole numbers, below 2048
         }
         const halves x(2, half(16384.0)), ones(2, half(1.0));
         CHECK(dot(m1, x, ones) == inf);                      // N041
         CHECK(sum(m1, each(m1, op::mul, x, ones)) == 32768); // N044
         const half tiny(0x1p-15);
         CHECK(dot_with_ones(m1, {tiny}) == 0);                         // N107
         CHECK(sum(m1, {of(m1, op::mul, tiny, half(1.0))}) == 0x1p-15); // N106
     }},
    {"N033",
     "half to even for every store of every generation: 2049 would be 2048, N031 and N032 have 2050. Kept on M1 but "
     "for products, which are half away on every generation (NC_MAC)",
     [](const generation& m1) {
         CHECK(value(round_to_half(2049, tie_rule::half_even)) == 2048);
         CHECK(value(of(m1, op::add, half(2048.0), half(1.0))) == 2048);
         CHECK(value(of(m1, op::add, half(2050.0), half(1.0))) == 2052);
         CHECK(value(of(m5, op::add, half(2048.0), half(1.0))) == 2050);
         CHECK(dot_with_ones(m1, {half(2048.0), half(1.0)}) == 2050);
     }},
    {"N089",
     "a NaN in the variance of layer_norm is a large finite value, apart from infinity, and is none in rms_norm "
     "(N088). Sums that read exponent 31 as the multiplier does would meet both; a NaN would then have to pass the "
     "input, where it becomes infinity (N080, guide), and a norm of n values could pass sqrt(n)",
     [](const generation& m1) {
         for (const op kind : {op::layer_norm, op::rms_norm}) {
             const halves nan = norm_of(m1, kind, not_a_number), infinite = norm_of(m1, kind, plus_infinity);
             for (std::size_t i = 0; i < nan.size(); ++i) {
                 CHECK(nan[i].bits == infinite[i].bits);
             }
         }
         // That reading, for [first, 0, 0, ...] of 1024 values: the square of the first is stored as infinity, read as
         // 2^16. In rms_norm nothing else of it is left, in layer_norm the mean is.
         const auto later = [](double first) {
             const double mean = first / 1024;
             return half(-mean / std::sqrt((0x1p16 + 1023 * mean * mean) / 1024));
         };
         CHECK(later(1.5 * 0x1p16) != later(0x1p16)); // NaN and infinity
         CHECK(60000 / std::sqrt(0x1p16 / 16) > 4);   // rms_norm of [60000, 0, 0, ...], 16 values
     }},
    {"NC_N108",
     "a product of two subnormals that survives: at most 2^-28, less than half of the smallest fp16 value; a sum of "
     "many is lost by the register of 2^-16 that N160-N165 need",
     [](const generation& m1) {
         const half largest = half::from_bits(0x03FF);
         CHECK(value(largest) * value(largest) < 0x1p-28);
         CHECK(round_to_half(value(largest) * value(largest), tie_rule::half_away).bits == 0);
         for (const generation& g : {m1, m5}) {
             CHECK(dot(g, halves(512, largest), halves(512, largest)) == 0); // fp16 has their sum, 2^-19
         }
     }},
};

} // namespace

std::set<family> probing::tiers_of(std::string_view chip) {
    std::set<family> tiers;
    for (std::size_t i = 0; i + 1 < chip.size(); ++i) {
        if (chip[i + 1] < '0' || chip[i + 1] > '9') {
            continue;
        }
        const int number = number_at(chip.substr(i + 1));
        const int tier = chip[i] == 'M' ? number + 12 : chip[i] == 'A' || chip[i] == 'H' ? number : 0;
        switch (tier) {
        case 11:
        case 12: tiers.insert(family::older); break;
        case 13: tiers.insert(family::a13); break;
        case 14: tiers.insert(family::a14); break;
        case 15: tiers.insert(family::a15); break;
        case 16: tiers.insert(family::a16); break;
        case 17: tiers.insert(chip[i] == 'A' || chip[i] == 'H' || number == 5 ? family::a17 : family::a18); break;
        case 18: tiers.insert(family::a18); break;
        default: break;
        }
    }
    if (tiers.empty()) {
        tiers = {family::a13, family::a14, family::a16, family::a17, family::a18};
    }
    return tiers;
}

std::span<const elsewhere> probing::records_elsewhere() { return references; }
std::span<const beyond_arithmetic> probing::records_beyond() { return others; }
std::span<const unmet> probing::records_unmet() { return not_met; }

std::vector<probe> probing::all_probes() {
    std::vector<probe> all;
    for (const auto& theme : {sum_probes(), value_probes(), system_probes(), conflict_probes()}) {
        all.insert(all.end(), theme.begin(), theme.end());
    }
    return all;
}
