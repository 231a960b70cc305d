#ifndef ANEMONE_REPORT_DIVERGENCE_REPORT_HPP
#define ANEMONE_REPORT_DIVERGENCE_REPORT_HPP

#include "../base/way.hpp"
#include "../rules/divergence.hpp"

#include <cstddef>
#include <cstdio>
#include <iosfwd>
#include <string>
#include <vector>

/// Where two targets can differ, as text.
namespace ane::inline ANEMONE_WAY {

/// The outputs of a model that depend on one of the given nodes.
ANEMONE_API_OF(anemone_report_divergence_report_hpp)
std::vector<std::string> outputs_behind(const graph_view& g, const std::vector<divergent_node>& found);

/// Every node of a model that can give other results on one target than on another, and the outputs that follow.
class divergence_report {
public:
    ANEMONE_API_OF(anemone_report_divergence_report_hpp)
    divergence_report(const graph_view& g, const machine& a, const machine& b);

    /// Whether the two give the same bits, as far as the arithmetic is known.
    bool same() const noexcept { return found_.empty(); }
    const std::vector<divergent_node>& found() const noexcept { return found_; }
    const std::vector<std::string>& outputs() const noexcept { return outputs_; }

    /// The report as text, with the escapes of a terminal if coloured.
    ANEMONE_API std::string str(bool coloured = false) const;

    /// Prints to a stream of the C library: coloured on a terminal unless NO_COLOR is set, plain elsewhere.
    ANEMONE_API void print(std::FILE* to = stdout) const;

private:
    std::string pair_;
    std::vector<divergent_node> found_;
    std::vector<std::string> outputs_;
    std::vector<std::string> lines_;
    std::size_t count_;
};

ANEMONE_API_OF(anemone_report_divergence_report_hpp)
std::ostream& operator<<(std::ostream& to, const divergence_report& r);

/// `differences(model, ane::h13, ane::h17s).print();`
ANEMONE_API_OF(anemone_report_divergence_report_hpp)
divergence_report differences(const graph_view& g, const machine& a, const machine& b);
ANEMONE_API_OF(anemone_report_divergence_report_hpp)
divergence_report differences(const graph_view& g, target a, target b);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "divergence_report.ipp"
#endif
