#pragma once

#include "op_set.hpp"

#include <cstddef>
#include <initializer_list>

namespace ane {

/// What one layer knows of some operations: a row for each of them, and what holds of the others. In a constant
/// expression a second row of an operation does not compile.
template <class Value> class op_facet {
public:
    struct row {
        op kind;
        Value value;
    };

    constexpr op_facet(std::initializer_list<row> rows, const Value& others = {}) {
        for (Value& value : values_) {
            value = others;
        }
        for (const row& r : rows) {
            kinds_.contains(r.kind) ? an_operation_has_two_rows() : kinds_.insert(r.kind);
            values_[static_cast<std::size_t>(r.kind)] = r.value;
        }
    }

    constexpr const Value& operator[](op kind) const { return values_[static_cast<std::size_t>(kind)]; }
    /// The operations that have a row.
    constexpr const op_set& kinds() const { return kinds_; }

private:
    static void an_operation_has_two_rows() {} // not constexpr: reaching it is the error

    Value values_[op_count]{};
    op_set kinds_{};
};

} // namespace ane
