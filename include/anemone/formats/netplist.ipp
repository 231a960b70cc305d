#pragma once

#include "../io/file.hpp"
#include "../passes/validate.hpp"
#include "form_refusal.hpp"
#include "netplist.hpp"
#include "netplist_unit_writers.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY netplist emit_netplist(const graph_view& lowered, const materialized& constants,
                                    std::string_view network_name) {
    validate(lowered);
    require_constants_of(lowered, constants);
    formats::refuse_faults(lowered, netplist_faults(lowered), constants);
    formats::netplist_writer w(lowered, constants, network_name);
    for (int i = 0; i < lowered.size(); ++i) {
        const op kind = lowered[i].kind;
        if (kind != op::input && !constants.known(i)) {
            w.visit(i);
            w.set(i, formats::netplist_unit_writers<void>[kind](w, i, *find_netplist_form(kind)));
        }
    }
    return std::move(w).finish();
}

ANEMONE_BODY std::string write_netplist(const netplist& program, const std::string& directory,
                                        formats::plist_form form) {
    const std::filesystem::path place(directory);
    std::vector<detail::named_bytes> files;
    for (const netplist_blob& blob : program.weights) {
        files.push_back({place / blob.name, blob.bytes});
    }
    std::string document = place / "net.plist";
    const std::string text =
        form == formats::plist_form::xml ? formats::to_xml(program.document) : formats::to_binary(program.document);
    files.push_back({document, std::as_bytes(std::span(text))});
    detail::write_files(files);
    return document;
}

} // namespace ane::inline ANEMONE_WAY
