#ifndef ANEMONE_REPORT_DEVICE_PLACEMENT_REPORT_HPP
#define ANEMONE_REPORT_DEVICE_PLACEMENT_REPORT_HPP

#include "../base/way.hpp"
#include "../cost/device_serving.hpp"
#include "../rules/device_placement_of.hpp"

#include <string>

/// Where the layers of a model belong, as text.
namespace ane::inline ANEMONE_WAY {

/// One line: "measured: all on the engine, 0.80 ms, 8.42 mJ (measured)".
ANEMONE_API_OF(anemone_report_device_placement_report_hpp) std::string placement_line(const device_plan& plan);

/// Which device is best for the whole graph, what the guide measured in its regime, and whether the two agree.
ANEMONE_API_OF(anemone_report_device_placement_report_hpp) std::string placement_verdict(const device_plan& plan);

/// A table with a row for each layer: its time on each device, where the system's model and measured rates put it, and
/// below it both plans and the verdict. The model is lowered first; what the rules refuse is kept from the engine, and by
/// the system's model what its compiler refuses in the file too. For a target whose clock is not known, the system's
/// model alone.
ANEMONE_API_OF(anemone_report_device_placement_report_hpp)
std::string placement_report(const graph_view& model, const target_description& d, const placement_options& o = {},
                             const file_layers& file = {});
ANEMONE_API_OF(anemone_report_device_placement_report_hpp)
std::string placement_report(const graph_view& model, target t, const placement_options& o = {},
                             const file_layers& file = {});

/// "the GPU overtakes the engine in time from 8 on, in energy nowhere from 1 to 256".
ANEMONE_API_OF(anemone_report_device_placement_report_hpp) std::string crossover_line(const device_crossover& c);

/// A row for each batch: time of an item, items a second and energy of an item on the engine and on the GPU.
ANEMONE_API_OF(anemone_report_device_placement_report_hpp) std::string serving_table(const sequence<serving_row>& rows);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "device_placement_report.ipp"
#endif
