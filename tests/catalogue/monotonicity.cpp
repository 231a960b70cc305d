// What the catalogue says of a function's monotonicity, against all finite fp16 numbers.

#include "../numbers.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/catalogue/monotonicity.hpp>
#include <anemone/dynamic_builder.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// Every finite fp16 number, in order.
std::vector<half> every_number() {
    std::vector<half> all;
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        const half h = half::from_bits(static_cast<std::uint16_t>(bits));
        if (is_finite(h)) {
            all.push_back(h);
        }
    }
    std::sort(all.begin(), all.end(), [](half a, half b) { return static_cast<double>(a) < static_cast<double>(b); });
    return all;
}

struct function {
    op kind;
    attributes values;

    monotonicity grows() const {
        node n;
        n.kind = kind;
        n.attributes = values;
        return monotonicity_of(n);
    }
};

template <class Backend>
std::vector<double> values_of(const function& f, const std::vector<half>& x, const Backend& on) {
    dynamic_builder g;
    g.output("y", g.add(f.kind, {g.input("x", {static_cast<std::int64_t>(x.size())})}, f.values));
    std::vector<half> y(x.size());
    const std::span<const std::byte> read[] = {std::as_bytes(std::span(x))};
    const std::span<std::byte> written[] = {std::as_writable_bytes(std::span(y))};
    compile(g.finish(), on).run(read, written);
    std::vector<double> all;
    for (const half h : y) {
        all.push_back(static_cast<double>(h));
    }
    return all;
}

/// How far the results sink below the highest before them, in parts of what `allowed` gives for it.
template <class Allowed>
double deepest_dent(const std::vector<double>& y, const std::vector<char>& counts, double sense,
                    const Allowed& allowed) {
    double deepest = 0;
    double top = -HUGE_VAL;
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (counts[i] != 0) {
            const double v = sense * y[i];
            deepest = std::isfinite(top) && v < top ? std::fmax(deepest, (top - v) / allowed(top)) : deepest;
            top = std::fmax(top, v);
        }
    }
    return deepest;
}

} // namespace

TEST_CASE("functions rise and fall as the catalogue says, on the CPU and but for the steps of tables on the engine") {
    const std::vector<half> x = every_number();
    std::vector<function> functions;
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        if (!is_unary(kind)) {
            node n;
            n.kind = kind;
            CHECK(monotonicity_of(n) == monotonicity::neither);
        } else if (numbers::has_own(kind)) {
            for (const auto& [a, b] : {std::pair{0.5F, 1.5F}, {-0.5F, 1.5F}, {-0.75F, -0.25F}}) {
                functions.push_back({kind, numbers::of(kind, {a, b})});
            }
        } else {
            functions.push_back({kind, attributes::of(signature(kind).attributes)});
        }
    }
    int rising = 0;
    for (const function& f : functions) {
        CAPTURE(std::string(name(f.kind)));
        const std::vector<double> cpu = values_of(f, x, backend::cpu{});
        std::vector<char> counts; // where it is defined
        for (const double y : cpu) {
            counts.push_back(std::isfinite(y) ? 1 : 0);
        }
        const auto ulp = [](double y) {
            return std::ldexp(1.0, std::max(std::ilogb(std::fabs(y) + 0x1p-24), -14) - 10);
        };
        const auto table = [](double y) { return std::fabs(y) / 128 + 0x1p-8; };
        if (f.grows() == monotonicity::neither) {
            const double falls = deepest_dent(cpu, counts, 1, ulp);
            const double rises = deepest_dent(cpu, counts, -1, ulp);
            CHECK(((rises > 1 && falls > 1) || (rises == 0 && falls == 0))); // clamped below both: a constant
            continue;
        }
        ++rising;
        const double sense = f.grows() == monotonicity::increasing ? 1 : -1;
        CHECK(deepest_dent(cpu, counts, sense, ulp) <= 1);
        for (const target t : {h13, h16}) {
            CHECK(deepest_dent(values_of(f, x, backend::oracle{t}), counts, sense, table) <= 1);
        }
    }
    CHECK(rising > 20);
}
