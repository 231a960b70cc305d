#pragma once

#include "../base/isa.hpp"
#include "../base/way.hpp"
#include "../values/half.hpp"
#include "../weights/formats/eight_lanes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

/// The loops over scaled integers of a byte: eight at a time where the machine has AVX2 and F16C, and the same bits elsewhere.
/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// Runs of codes, one behind the other, each with its zero point and its scale. A zero point has at most 12 bits and fp16 holds
/// the scale, so that scale (q - zero) is exact in float and rounds once.
struct code_runs {
    const std::byte* codes;
    std::int64_t count;  ///< of runs
    std::int64_t length; ///< of each
    const float* zeros;
    const float* scales;
};

/// One by one: codes [begin, length) of a run.
template <class Byte>
ANEMONE_CPU_INLINE void scale_codes(const std::byte* codes, std::int64_t begin, std::int64_t length, float zero,
                                    float scale, std::byte* to) {
    for (std::int64_t i = begin; i < length; ++i) {
        Byte q;
        std::memcpy(&q, codes + i, 1);
        const half element(scale * (static_cast<float>(q) - zero));
        std::memcpy(to + 2 * i, &element, 2);
    }
}

template <class Byte> void scale_runs_anywhere(const code_runs& r, std::byte* to) {
    for (std::int64_t k = 0; k < r.count; ++k) {
        scale_codes<Byte>(r.codes + k * r.length, 0, r.length, r.zeros[k], r.scales[k], to + 2 * k * r.length);
    }
}

#if defined(__x86_64__)

template <class Byte> struct scale_runs_f16c {
    using eight = weight_formats::eight_lanes;
    static constexpr std::int64_t lanes = eight::count;

    __attribute__((target("avx2,f16c"))) static inline void scale(const std::byte* codes, const eight::floats& zero,
                                                                  const eight::floats& by, std::byte* to) {
        eight::floats q;
        eight::of_bytes<Byte>(codes, q);
        eight::halves y;
        eight::narrow(by * (q - zero), y);
        std::memcpy(to, &y, sizeof y);
    }

    __attribute__((target("avx2,f16c"))) static void run(const code_runs& r, std::byte* to) {
        if (r.length == 1) { // a scale each
            std::int64_t k = 0;
            for (; k + lanes <= r.count; k += lanes) {
                eight::floats zero;
                eight::floats by;
                std::memcpy(&zero, r.zeros + k, sizeof zero);
                std::memcpy(&by, r.scales + k, sizeof by);
                scale(r.codes + k, zero, by, to + 2 * k);
            }
            for (; k < r.count; ++k) {
                scale_codes<Byte>(r.codes + k, 0, 1, r.zeros[k], r.scales[k], to + 2 * k);
            }
            return;
        }
        for (std::int64_t k = 0; k < r.count; ++k) {
            const std::byte* const codes = r.codes + k * r.length;
            std::byte* const out = to + 2 * k * r.length;
            const eight::floats zero = r.zeros[k] - eight::floats{}; // -0 stays one
            const eight::floats by = r.scales[k] - eight::floats{};
            std::int64_t i = 0;
            for (; i + lanes <= r.length; i += lanes) {
                scale(codes + i, zero, by, out + 2 * i);
            }
            if (i < r.length && lanes <= r.length) { // the last eight, some of them once more
                i = r.length - lanes;
                scale(codes + i, zero, by, out + 2 * i);
                i = r.length;
            }
            scale_codes<Byte>(codes, i, r.length, r.zeros[k], r.scales[k], out);
        }
    }
};

#endif

/// Writes 2 bytes for each code.
template <class Byte> void scale_runs(const code_runs& r, [[maybe_unused]] isa_level level, std::byte* to) {
#if defined(__x86_64__)
    if (level == isa_level::avx2 || level == isa_level::avx512) {
        scale_runs_f16c<Byte>::run(r, to);
        return;
    }
#endif
    scale_runs_anywhere<Byte>(r, to);
}

} // namespace ane::readers::inline ANEMONE_WAY
