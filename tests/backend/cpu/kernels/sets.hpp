#pragma once

#include <anemone/backend/cpu/kernels/table.hpp>

#include <string>
#include <vector>

/// The instruction sets whose kernels the tests run.
namespace fixtures {

struct kernel_set {
    std::string name;
    const ane::cpu::kernel_table& kernels;
};

/// Those of this machine, and behind them on x86 with AVX2 the kernels for registers of 512 bits, of which each is two of
/// 256: the same loops and lanes as avx512.
const std::vector<kernel_set>& kernel_sets();

} // namespace fixtures
