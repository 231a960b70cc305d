#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_formats_mil_hpp);

#include "../forms/mil_faults.hpp"
#include "../io/file.hpp"
#include "../passes/validate.hpp"
#include "form_refusal.hpp"
#include "mil.hpp"
#include "mil_writer.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF mil_program emit_mil(const graph_view& lowered, const folded_constants& constants,
                                     const mil_options& options) {
    validate(lowered);
    require_constants_of(lowered, constants);
    formats::refuse_faults(lowered, mil_faults(lowered), constants);
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
