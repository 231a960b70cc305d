#include "model.hpp"

#include <cstdio>

#if !defined(ANEMONE_COMPILED)
#error "this file is compiled for anemone::compiled"
#endif

outcome run_header_only();

/// Both ways in one program: side by side, and with the same bits.
int main() {
    const outcome here = run_shared_model();
    const outcome there = run_header_only();
    if (here.cpu.empty() || !(here == there)) {
        std::fputs("the two ways differ\n", stderr);
        return 1;
    }
    std::puts("the same bits in both ways");
}
