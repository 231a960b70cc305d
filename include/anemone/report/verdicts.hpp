#ifndef ANEMONE_REPORT_VERDICTS_HPP
#define ANEMONE_REPORT_VERDICTS_HPP

#include "../analysis/residency.hpp"
#include "../base/way.hpp"
#include "../cost/cost.hpp"
#include "aside.hpp"
#include "findings.hpp"
#include "report_policy.hpp"

#include <cstdio>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The verdict of every target of a set on one model.
namespace ane::inline ANEMONE_WAY {

/// The verdict of one target on a model.
struct target_verdict {
    ane::target target = target::h13;
    detail::finding_counts counts{};
    std::string first_blocker{};     ///< the sentence of the first error; empty where the target accepts
    std::optional<double> seconds{}; ///< estimated time of one dispatch, where the target accepts and its cost is known
    time_interval interval{};        ///< of `seconds`: what nine of ten dispatches lie in
    double joules = 0;               ///< of one dispatch
    mark seconds_mark = mark::predicted; ///< of `seconds`: a fit to measurements, or a prediction
    bound limit = bound::unknown;        ///< what that time is spent on
    std::int64_t traffic = 0;            ///< bytes that all layers move; 0 where the model has no cost
    held_forms held = held_forms::run;   ///< the forms of weights that the file which is priced holds
    residency_summary residency{};       ///< of the layers as the engine runs them
    std::vector<violation> found{};
    std::vector<std::string> of_file{}; ///< why the file as it stands is refused, though the graph may not be

    bool accepted() const noexcept { return counts.errors == 0; }
};

/// A row for each target of a set, in its order. Keeps its own text: the graph may go away.
class verdict_table {
public:
    ANEMONE_API_OF(anemone_report_verdicts_hpp)
    explicit verdict_table(const graph_view& g, const target_set& targets = macs, const report_policy& p = {});

    const std::vector<target_verdict>& rows() const noexcept { return rows_; }
    /// Refuses the file that the model comes from on a target of the table, for a reason that its graph does not show.
    ANEMONE_API void refuse_file(target t, const std::string& reason);
    /// Remarks that hold on every target and count among the notes of each: that weights are shared, and by which
    /// operations.
    const std::vector<std::string>& remarks() const noexcept { return remarks_; }
    /// The sentence of a violation: rule, values, limit, for an error the first target that takes the layer, the way out.
    const std::string& sentence(std::size_t row, std::size_t violation) const { return sites_[row][violation].message; }
    /// Whether every target accepts.
    ANEMONE_API bool ok() const noexcept;
    /// For a program that ends with it: 0 where every target accepts, 1 otherwise.
    ANEMONE_API int exit_code() const noexcept;

    /// A line for each target, then each distinct blocker once, with the targets that it stops, then the remarks.
    ANEMONE_API std::string str(bool coloured = false) const;

    /// The same as JSON, with every violation: version, accepted, remarks, observations, verdicts of the targets with
    /// cost and residency. `model` is the name shown.
    ANEMONE_API std::string json(std::string_view model = {}, std::span<const aside> observed = {}) const;

    /// Prints to a stream of the C library: coloured on a terminal unless NO_COLOR is set, plain elsewhere.
    ANEMONE_API void print(std::FILE* to = stdout) const;

private:
    /// The texts of a violation that need its graph: its label and its sentence.
    struct site_text {
        std::string label, message;
        std::vector<std::string> suggestions;
        std::optional<target> first{}; ///< of an error: the first target that takes the node
    };

    std::vector<target_verdict> rows_;
    std::vector<std::string> remarks_;
    std::vector<std::vector<site_text>> sites_; ///< for each row and violation
};

ANEMONE_API_OF(anemone_report_verdicts_hpp) std::ostream& operator<<(std::ostream& to, const verdict_table& v);

/// The verdicts of every target of a set on a model: `verdicts(model).print();`
ANEMONE_API_OF(anemone_report_verdicts_hpp)
verdict_table verdicts(const graph_view& g, const target_set& targets = macs, const report_policy& p = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "verdicts.ipp"
#endif
