#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_formats_mil_hpp);

#include "../forms/mil_faults.hpp"
#include "../forms/system_floor.hpp"
#include "../io/folder.hpp"
#include "../passes/validate.hpp"
#include "form_refusal.hpp"
#include "mil.hpp"
#include "mil_writer.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace ane::formats::inline ANEMONE_WAY {

/// Throws `error` (errc::lowering) for what the system's Core ML does not know.
ANEMONE_INLINE void require_system(const graph_view& lowered, const mil_options& options) {
    const sequence<node_port> ports = node_ports(lowered);
    for (int i = 0; i < lowered.size() && options.system != operating_system::any; ++i) {
        const bool is_port = lowered[i].kind == op::input && !options.core_ml_states;
        const operating_system needed =
            is_port ? operating_system::any
                    : first_system_of(lowered[i], false, ports[static_cast<std::size_t>(i)].next >= 0);
        if (needed > options.system) {
            throw error(
                errc::lowering, formatted("{} #{}", ane::name(lowered[i].kind), i),
                formatted("needs {}, the file is for {}", describe(needed).product, describe(options.system).product));
        }
    }
}

} // namespace ane::formats::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF mil_program emit_mil(const graph_view& lowered, const folded_constants& constants,
                                     const mil_options& options) {
    validate(lowered);
    require_constants_of(lowered, constants);
    formats::refuse_faults(lowered, mil_faults(lowered), constants);
    formats::require_system(lowered, options);
    return formats::mil_writer(lowered, constants, options).write();
}

ANEMONE_BODY_OF std::string write_mil(const mil_program& program, const std::string& directory) {
    std::string text = std::filesystem::path(directory) / "model.mil";
    const detail::named_bytes files[]{{"weights.bin", program.weights.bytes()},
                                      {"model.mil", std::as_bytes(std::span(program.text))}};
    detail::write_folder(directory, files);
    return text;
}

} // namespace ane::inline ANEMONE_WAY
