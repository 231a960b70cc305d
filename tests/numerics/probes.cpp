// The register of the published records (tests/facts/numerics.csv): each is a check that runs here on the generations
// that it names, or is checked in another file, or lies outside of arithmetic, or is not met, with the arithmetic that
// shows it.

#include "probes.hpp"

#include "../../examples/curves/matmul.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/catalogue/engine_path.hpp>

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

using namespace probing;

namespace {

/// A record that a test in another file checks; the file names its id.
struct elsewhere {
    std::string_view id, file; ///< below tests/
};

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
    {"NC6", "numerics/exhaustive_functions.cpp"},
    {"NC10", "numerics/curves.cpp"},
    {"NC_MAC", "numerics/curves.cpp"},
};

/// A record that the arithmetic of single operations does not decide.
struct beyond_arithmetic {
    std::string_view id, reason;
};

constexpr std::string_view training =
    "accuracy of a trained network: images, seeds and training graph are not published";

constexpr beyond_arithmetic others[] = {
    {"N155", training},   {"N156_0", training}, {"N156_1", training},
    {"N156_2", training}, {"N156_3", training}, {"N156_4", training},
    {"N156_5", training}, {"N156_6", training}, {"N207", "a latency: it needs the device"},
};

/// A record that the model does not meet, and why, as a computation: the records it contradicts, or (N020, N089) what
/// meeting it would cost.
struct unmet {
    std::string_view id, reason;
    void (*show)();
};

const generation m1{family::a13, datapath_of(family::a13)};
const generation m5{family::a17, datapath_of(family::a17)};

/// layer_norm or rms_norm of [first, 1, 2, 3, ...] on the oracle.
halves norm_of(op kind, half first) {
    weight_store store;
    store.add("gain", extents{8}, std::vector<float>(8, 1.0F));
    const dynamic_graph graph = build_graph([&](auto& g) {
        using namespace ane::literals;
        auto x = g.input("x"_s, f16<1, 8>);
        auto gain = g.weight("gain"_s, f16<8>);
        if (kind == op::layer_norm) {
            g.output("y"_s, layer_norm(x, gain, g.weight("offset"_s, f16<8>)));
            store.add("offset", extents{8}, std::vector<float>(8, 0.0F));
        } else {
            g.output("y"_s, rms_norm(x, gain));
        }
    });
    halves x = repeated({0, 1, 2, 3}, 2), y(8);
    x[0] = first;
    const std::array<std::span<const std::byte>, 1> in{std::as_bytes(std::span(x))};
    const std::array<std::span<std::byte>, 1> out{std::as_writable_bytes(std::span(y))};
    compile(graph, ane::backend::oracle{h13}, store).run(in, out);
    return y;
}

const unmet not_met[] = {
    {"N019",
     "sums of fp32 class everywhere, of tiles of four rounded to fp16 or not: their error does not grow with K (N188), "
     "the engine's does (N160-N165)",
     [] {
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
     [] {
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
     [] {
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
     [] {
         for (const op kind : {op::layer_norm, op::rms_norm}) {
             const halves nan = norm_of(kind, not_a_number), infinite = norm_of(kind, plus_infinity);
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
     [] {
         const half largest = half::from_bits(0x03FF);
         CHECK(value(largest) * value(largest) < 0x1p-28);
         CHECK(round_to_half(value(largest) * value(largest), tie_rule::half_away).bits == 0);
         CHECK(dot(m5, halves(512, largest), halves(512, largest)) == 0); // fp16 has their sum, 2^-19
     }},
};

/// id and chip of each line of the facts.
std::map<std::string, std::string> records() {
    std::ifstream file(ANEMONE_TEST_DATA "/facts/numerics.csv");
    REQUIRE(file.good());
    std::map<std::string, std::string> all;
    bool heading = true;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        std::istringstream text(line);
        std::string id, operation, chip;
        std::getline(text, id, ';');
        std::getline(text, operation, ';');
        std::getline(text, chip, ';');
        if (!heading) {
            CAPTURE(id);
            CHECK(all.emplace(id, chip).second);
        }
        heading = false;
    }
    return all;
}

/// The tiers that the text of a chip names: "M1 Max", "M5/H17s", "A13,A14". All measured ones where it names none
/// ("all").
std::set<family> tiers_of(const std::string& chip) {
    std::set<family> tiers;
    for (std::size_t i = 0; i + 1 < chip.size(); ++i) {
        if (chip[i + 1] < '0' || chip[i + 1] > '9') {
            continue;
        }
        const int number = std::atoi(chip.c_str() + i + 1);
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

std::vector<std::span<const probe>> all_probes() {
    return {sum_probes(), value_probes(), system_probes(), conflict_probes()};
}

} // namespace

TEST_CASE("register: every published record has its place, once") {
    std::map<std::string, int> places;
    for (const auto& theme : all_probes()) {
        for (const probe& p : theme) {
            ++places[std::string(p.id)];
        }
    }
    for (const elsewhere& r : references) {
        ++places[std::string(r.id)];
    }
    for (const beyond_arithmetic& r : others) {
        CHECK_FALSE(r.reason.empty());
        ++places[std::string(r.id)];
    }
    for (const unmet& r : not_met) {
        CHECK_FALSE(r.reason.empty());
        ++places[std::string(r.id)];
    }
    const auto known = records();
    CHECK(known.size() == 167);
    for (const auto& record : known) {
        CAPTURE(record.first);
        CHECK(places[record.first] == 1);
    }
    for (const auto& place : places) {
        CAPTURE(place.first);
        CHECK(known.count(place.first) == 1);
    }
}

TEST_CASE("register: what is checked elsewhere is named there") {
    for (const elsewhere& r : references) {
        std::ifstream file(ANEMONE_TEST_DATA "/" + std::string(r.file));
        CAPTURE(std::string(r.file));
        REQUIRE(file.good());
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        CAPTURE(std::string(r.id));
        CHECK(text.find(r.id) != std::string::npos);
    }
}

TEST_CASE("register: the chips of the records") {
    CHECK(tiers_of("M1,M1 Max,M2 Pro,M4,M5 Pro,M6") ==
          std::set<family>{family::a13, family::a14, family::a16, family::a17, family::a18});
    CHECK(tiers_of("M5/H17s") == std::set<family>{family::a17});
    CHECK(tiers_of("M3/A15") == std::set<family>{family::a15});
    CHECK(tiers_of("A11/A12") == std::set<family>{family::older});
    CHECK(tiers_of("H18") == std::set<family>{family::a18});
    CHECK(tiers_of("all").size() == 5);
}

TEST_CASE("register: every probe, on every generation that its record names") {
    const auto known = records();
    for (const auto& theme : all_probes()) {
        for (const probe& p : theme) {
            const auto found = known.find(std::string(p.id));
            REQUIRE(found != known.end());
            for (const family tier : tiers_of(found->second)) {
                CAPTURE(found->first);
                CAPTURE(found->second);
                CAPTURE(static_cast<int>(tier));
                p.check({tier, datapath_of(tier)});
            }
        }
    }
}

TEST_CASE("register: why some records are not met") {
    for (const unmet& r : not_met) {
        CAPTURE(std::string(r.id));
        CAPTURE(std::string(r.reason));
        r.show();
    }
}

TEST_CASE("what section 1 gives for the sums of section 2, which are therefore read as reductions") {
    halves large(1025, half(1.0));
    large[0] = half(4096.0);
    CHECK(dot_with_ones(m1, large) == 5120);                          // N003 published: 5116
    CHECK(dot_with_ones(m1, repeated({16000, -16000, 1}, 16)) == 16); // N01_16000 published: 4
}

TEST_CASE("an arithmetic with a number that no register has is refused") {
    const auto altered = [](int datapath::*member, int value) {
        datapath path;
        path.*member = value;
        return path;
    };
    for (const auto& [member, low, high] :
         {std::tuple{&datapath::mac_exponent_floor, -64, 64}, std::tuple{&datapath::reduction_tile, 1, 1 << 22},
          std::tuple{&datapath::reduction_significand_bits, 1, 63}}) {
        CHECK_THROWS_AS(ane::backend::oracle{altered(member, low - 1)}, error);
        CHECK_THROWS_AS(ane::backend::oracle{altered(member, high + 1)}, error);
        CHECK(checked(altered(member, low)) == altered(member, low));
        CHECK(checked(altered(member, high)) == altered(member, high));
    }
}

TEST_CASE("every operation has a path, contractions the accumulator, reductions the narrow tiles") {
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        CAPTURE(name(kind));
        if (!has_engine_path(kind)) {
            continue;
        }
        const engine_path& row = engine_path_of(kind);
        CHECK((!is_contraction(kind) || row.path == arithmetic_path::multiply_accumulate));
        CHECK_FALSE(name(row.path).empty());
        CHECK_FALSE(name(row.known).empty());
    }
    CHECK(engine_path_of(op::reduce_sum).path == arithmetic_path::reduction);
}
