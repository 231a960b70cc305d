// The loops for registers of 16 numbers, compiled for registers of 8. ./run test leaves them out on a machine that has the
// registers of 16 themselves (tests/CMakeLists.txt).
#include "fixtures.hpp"
#include "sets.hpp"
#include <anemone/backend/cpu/kernels/conv.hpp>
#include <anemone/backend/cpu/kernels/elementwise.hpp>
#include <anemone/backend/cpu/kernels/gemm.hpp>
#include <anemone/backend/cpu/kernels/levels.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#if defined(__x86_64__) && !defined(ANEMONE_TEST_WHOLE_REGISTERS)

ANEMONE_CPU_UNFUSED_BEGIN

#define ANEMONE_SET avx512_in_halves
#define ANEMONE_SET_LEVEL avx512
#define ANEMONE_SET_LANES 16
#define ANEMONE_SET_NATIVE_LANES 8
#define ANEMONE_SET_F16C 1
#define ANEMONE_SET_NEON 0
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif
#include <anemone/backend/cpu/simd/floats.inl>
// before all that is written over them
#include <anemone/backend/cpu/simd/lanes.inl>
// before the kernels
#include <anemone/backend/cpu/kernels/families.inl>
// before their loops
#include <anemone/backend/cpu/kernels/level.inl>
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef ANEMONE_SET
#undef ANEMONE_SET_LEVEL
#undef ANEMONE_SET_LANES
#undef ANEMONE_SET_NATIVE_LANES
#undef ANEMONE_SET_F16C
#undef ANEMONE_SET_NEON

ANEMONE_CPU_UNFUSED_END

#endif

namespace fixtures {

const std::vector<kernel_set>& kernel_sets() {
    static const std::vector<kernel_set> sets = [] {
        std::vector<kernel_set> all;
        for (const ane::cpu::isa_level level : ane::cpu::available_levels()) {
            all.push_back({std::string(ane::cpu::name(level)), ane::cpu::kernels_for(level)});
        }
#if defined(__x86_64__) && !defined(ANEMONE_TEST_WHOLE_REGISTERS)
        if (ane::cpu::is_available(ane::cpu::isa_level::avx2)) {
            all.push_back({"avx512 in halves", ane::cpu::detail::avx512_in_halves::kernels<ane::cpu::every_kernel>()});
        }
#endif
        return all;
    }();
    return sets;
}

} // namespace fixtures

TEST_CASE("instruction sets of the kernels that are tested") {
    std::string names;
    for (const fixtures::kernel_set& set : fixtures::kernel_sets()) {
        names += (names.empty() ? "" : ", ") + set.name;
    }
    MESSAGE("run on this machine: ", names);
    CHECK(fixtures::kernel_sets().front().name == "generic");
}

#if defined(__x86_64__) && !defined(ANEMONE_TEST_WHOLE_REGISTERS)
TEST_CASE("kernels for registers of 512 bits have the same bits in halves as in whole ones") {
    using namespace ane;
    const cpu::kernel_table* whole = nullptr;
    const cpu::kernel_table* halves = nullptr;
    for (const fixtures::kernel_set& set : fixtures::kernel_sets()) {
        whole = set.name == "avx512" ? &set.kernels : whole;
        halves = set.name == "avx512 in halves" ? &set.kernels : halves;
    }
    if (whole == nullptr || halves == nullptr) {
        MESSAGE("not compared: this machine has no AVX-512");
        return;
    }
    const numerics::matmul_shape product{1, 30, 70, 90};
    const auto a = fixtures::random_halves(30 * 90);
    const auto b = fixtures::random_halves(90 * 70);
    const numerics::convolution_shape window{1, 20, 9, 9, 40, 9, 9, 3, 3, 1, 1, 1, 1, 1, 1, 1};
    const auto x = fixtures::random_halves(20 * 81);
    const auto w = fixtures::random_halves(40 * 20 * 9);
    std::vector<half> products[2];
    std::vector<half> windows[2];
    std::vector<half> functions[2];
    int at = 0;
    for (const cpu::kernel_table* const table : {whole, halves}) {
        products[at].resize(30 * 70);
        windows[at].resize(40 * 81);
        functions[at].resize(a.size());
        cpu::matmul(*table, product, a.data(), b.data(), nullptr, products[at].data());
        cpu::convolution(*table, window, x.data(), w.data(), nullptr, windows[at].data());
        cpu::unary(*table, op::gelu, a.data(), functions[at].data(), static_cast<std::int64_t>(a.size()), 0, 0);
        ++at;
    }
    CHECK(fixtures::same_bits(products[0], products[1]));
    CHECK(fixtures::same_bits(windows[0], windows[1]));
    CHECK(fixtures::same_bits(functions[0], functions[1]));
}
#endif
