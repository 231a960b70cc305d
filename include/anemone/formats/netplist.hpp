#pragma once

#include "../way.hpp"
#include "file.hpp"
#include "netplist_vocabulary.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace ane::inline ANEMONE_WAY {

/// Writes a lowered graph as a netplist of schema 1.0.10 with its weight files, deterministically. The network is
/// called `network_<name>`, its procedure `procedure_<name>`; units are called after the operation and its number in
/// the graph. Facts: netplist, netplist-units. Throws `error` (errc::lowering) with the operation and the reason where
/// an operation, an attribute or a shape has no known form. Never run on Apple silicon by this project.
ANEMONE_INLINE netplist emit_netplist(const graph_view& lowered, const materialized& constants,
                                      std::string_view network_name = "anemone") {
    detail::netplist_writer w(lowered, constants, network_name);
    for (int i = 0; i < lowered.size(); ++i) {
        const op kind = lowered[i].kind;
        if (kind == op::input || constants.known(i)) {
            continue;
        }
        w.visit(i);
        const detail::netplist_form* const form = detail::find_netplist_form(kind);
        if (form == nullptr) {
            w.refuse(kind == op::cast
                         ? "has no netplist form: no unit is known that turns one element type into another"
                         : "has no netplist form; lower() takes composed operations apart");
        }
        w.set(i, form->write(w, i, *form));
    }
    return std::move(w).finish();
}

/// Writes `net.plist` (XML) and the weight files into a directory, which is made where it is missing; returns the path
/// of the property list. Throws `error` (errc::file).
ANEMONE_INLINE std::filesystem::path write_netplist(const netplist& program, const std::filesystem::path& directory) {
    std::filesystem::path document = directory / "net.plist";
    for (const netplist_blob& blob : program.weights) {
        write_file(directory / blob.name, std::span<const std::byte>(blob.bytes));
    }
    write_file(document, plist::to_xml(program.document));
    return document;
}

} // namespace ane::inline ANEMONE_WAY
