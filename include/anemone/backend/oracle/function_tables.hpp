#pragma once

#include "../../base/way.hpp"
#include "../../numerics/elementwise.hpp"
#include "../../values/half.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

/// The values of functions of one fp16 number for all its 65,536 patterns, computed once for an arithmetic: the same
/// bits as the function itself, and an indexed load where that takes hundreds of instructions.
class function_tables {
public:
    /// Number of elements from which building a table pays off within a single run.
    static constexpr std::int64_t worth = 32768;

    /// The table of numerics::unary, or null where there is none yet and `elements` are too few for one.
    template <op Kind>
    const half* unary(const numerics::datapath& path, float first, float second, std::int64_t elements) {
        table* const t = entry(path, Kind, first, second, elements);
        if (t != nullptr && t->values.empty()) {
            t->values.resize(patterns);
            for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
                const half x = half::from_bits(static_cast<std::uint16_t>(pattern));
                t->values[pattern] = numerics::unary<Kind>(path, x, first, second);
            }
        }
        return t == nullptr ? nullptr : t->values.data();
    }

private:
    static constexpr std::uint32_t patterns = 0x10000;

    struct table {
        op kind;
        float first;
        float second;
        std::vector<half> values;
    };

    /// That of a function, empty where it is new; null where there is none, and none is worth it.
    ANEMONE_INLINE table* entry(const numerics::datapath& path, op kind, float first, float second,
                                std::int64_t elements) {
        if (!(path == arithmetic_)) {
            arithmetic_ = path;
            tables_.clear();
        }
        const auto bits = [](float number) { return std::bit_cast<std::uint32_t>(number); }; // distinguishes -0 from +0
        for (table& t : tables_) {
            if (t.kind == kind && bits(t.first) == bits(first) && bits(t.second) == bits(second)) {
                return &t;
            }
        }
        return elements < worth ? nullptr : &tables_.emplace_back(table{kind, first, second, {}});
    }

    numerics::datapath arithmetic_; ///< that of all tables
    std::vector<table> tables_;
};

} // namespace ane::oracle::inline ANEMONE_WAY
