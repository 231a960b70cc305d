#pragma once

#include "../../base/way.hpp"
#include "functions.hpp"

#include <cmath>
#include <cstdint>

namespace ane::wide_reference::inline ANEMONE_WAY {

/// Double precision, as an arithmetic of backend/kernels/arithmetic.hpp; sums are compensated.
struct wide_arithmetic {
    using element = double;
    using value = double;

    static value load(element x) { return x; }
    static element store(value x) { return x; }
    static value number(double x) { return x; }
    static double coordinate(double x) { return x; }
    static value add(value a, value b) { return a + b; }
    static value subtract(value a, value b) { return a - b; }
    static value multiply(value a, value b) { return a * b; }
    static value divide(value a, value b) { return a / b; }
    static value power(value a, value b) { return std::pow(a, b); }
    static value square_root(value a) { return std::sqrt(a); }
    static value magnitude(value a) { return std::fabs(a); }
    static bool less(value a, value b) { return a < b; }
    static bool at_most(value a, value b) { return a <= b; }
    static value maximum(value a, value b) { return larger(a, b); }
    static value minimum(value a, value b) { return smaller(a, b); }

    class sum {
    public:
        explicit sum(const wide_arithmetic&) {}
        void add(value x) { total_.add(x); }
        value result() const { return total_.result(); }
        value mean(std::int64_t count) const { return total_.result() / static_cast<double>(count); }

    private:
        exact_sum total_;
    };
    class products {
    public:
        explicit products(const wide_arithmetic&) {}
        void multiply_add(value x, value w) { total_.add(x * w); }
        value result() const { return total_.result(); }

    private:
        exact_sum total_;
    };
    using blend = products;
};

} // namespace ane::wide_reference::inline ANEMONE_WAY
