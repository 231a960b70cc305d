#include "comparison.hpp"

#include "../app/by_name.hpp"
#include "terminal_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace command {

namespace {

bool within(double a, double b, const tolerance& allowed) {
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) && std::isnan(b);
    }
    return a == b || (std::isfinite(a) && std::isfinite(b) &&
                      std::abs(a - b) <= allowed.absolute + allowed.relative * std::abs(b));
}

} // namespace

comparison compare_arrays(std::span<const tensor> answers, std::span<const tensor> expected, const tolerance& allowed) {
    comparison result;
    const bool are_alone = answers.size() == 1 && expected.size() == 1;
    const app::by_name<tensor> named(answers);
    for (const tensor& wanted : expected) {
        const tensor* const found = are_alone ? &answers.front() : named.find(wanted.name);
        if (found == nullptr || found->count() != wanted.count()) {
            result.equal = false;
            result.text +=
                fmt::format("{}: {}\n", one_line(wanted.name),
                            found == nullptr ? "is not an output of the model"
                                             : fmt::format("is {}, expected {}", app::shape_text(found->shape),
                                                           app::shape_text(wanted.shape)));
            continue;
        }
        std::size_t different = 0;
        std::size_t worst = 0;
        double largest = 0;
        for (std::size_t i = 0; i < wanted.count(); ++i) {
            const double a = found->values[i];
            const double b = wanted.values[i];
            different += within(a, b, allowed) ? 0 : 1;
            const double gap = a == b || (std::isnan(a) && std::isnan(b)) ? 0 : std::abs(a - b);
            if (!(gap <= largest)) {
                largest = gap;
                worst = i;
            }
        }
        result.equal = result.equal && different == 0;
        result.text +=
            fmt::format("{}: {} of {} elements differ by more than allowed; the largest difference is {:.4g}",
                        one_line(wanted.name), different, wanted.count(), largest);
        result.text += wanted.count() == 0 || largest == 0
                           ? "\n"
                           : fmt::format(", at element {} ({:.6g}, expected {:.6g})\n", worst, found->values[worst],
                                         wanted.values[worst]);
    }
    return result;
}

} // namespace command
