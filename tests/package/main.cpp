/// The smallest program that uses the library.
#include <anemone/half.hpp>

#include <cstdio>

static_assert(ane::half(65520.0) == std::numeric_limits<ane::half>::infinity());

int main() {
    const ane::half third(1.0 / 3.0);
    std::printf("one third in binary16 is %.10f\n", static_cast<double>(third));
    return third.bits == 0x3555 ? 0 : 1;
}
