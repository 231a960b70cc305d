#ifndef ANEMONE_REPORT_ERROR_REPORT_HPP
#define ANEMONE_REPORT_ERROR_REPORT_HPP

#include "../analysis/error_envelope.hpp"
#include "../base/way.hpp"
#include "../targets/description.hpp"

#include <cstdio>
#include <iosfwd>
#include <string>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The errors of a model's multiply-accumulates on the engine, attention's two products among them.
class error_report {
public:
    ANEMONE_API_OF(anemone_report_error_report_hpp)
    error_report(const graph_view& model, const numerics::datapath& path);

    /// In the order of the lowered graph, whose nodes they name.
    const std::vector<contraction_error>& errors() const noexcept { return errors_; }

    /// A row for each, and what to do about those that a scale makes at least twice as exact.
    ANEMONE_API std::string str() const;

    /// Prints to a stream of the C library.
    ANEMONE_API void print(std::FILE* to = stdout) const;

private:
    std::vector<contraction_error> errors_;
    std::vector<std::string> names_;
};

ANEMONE_API_OF(anemone_report_error_report_hpp) std::ostream& operator<<(std::ostream& to, const error_report& r);

/// What the accumulator of a target costs a model: `ane::report_errors(model, ane::h13).print();`
ANEMONE_API_OF(anemone_report_error_report_hpp)
error_report report_errors(const graph_view& model, const target_description& t);
ANEMONE_API_OF(anemone_report_error_report_hpp) error_report report_errors(const graph_view& model, target t);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "error_report.ipp"
#endif
