#include "written_model.hpp"

#include <anemone/backend/cpu/constants.hpp>
#include <anemone/base/error.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/formats/netplist_program.hpp>
#include <anemone/mlpackage/mlpackage.hpp>
#include <anemone/passes/lowering.hpp>

namespace command {

std::string write_model(const ane::read_model& model, const std::string& to, const std::string& folder,
                        bool core_ml_states) {
    if (to != "mil" && to != "netplist" && to != "mlpackage") {
        throw ane::error(ane::errc::argument, "format '" + to + "'", "is none of mil, netplist, mlpackage");
    }
    const ane::lowered_graph lowered = ane::lower(model.graph);
    const ane::materialized constants = ane::materialize(lowered.graph, model.weights);
    if (to == "mil") {
        ane::mil_options how;
        how.core_ml_states = core_ml_states;
        return ane::write_mil(ane::emit_mil(lowered.graph, constants, how), folder);
    }
    if (to == "mlpackage") {
        const ane::mil_options for_core_ml{.every_stored_form = true, .core_ml_states = true};
        return ane::write_mlpackage(ane::emit_mil(lowered.graph, constants, for_core_ml), folder);
    }
    return ane::write_netplist(ane::emit_netplist(lowered.graph, constants), folder);
}

} // namespace command
