#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_formats_netplist_hpp);

#include "../base/formatted.hpp"
#include "../io/folder.hpp"
#include "../passes/validate.hpp"
#include "form_refusal.hpp"
#include "netplist.hpp"
#include "netplist_unit_writers.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF netplist emit_netplist(const graph_view& lowered, const folded_constants& constants,
                                       std::string_view network_name, const netplist_options& options) {
    validate(lowered);
    require_constants_of(lowered, constants);
    formats::refuse_faults(lowered, netplist_faults(lowered), constants);
    formats::netplist_writer w(lowered, constants, network_name, options);
    for (int i = 0; i < lowered.size(); ++i) {
        const op kind = lowered[i].kind;
        if (kind != op::input && !constants.known(i)) {
            w.visit(i);
            w.set(i, formats::netplist_unit_writer_of(kind)(w, i, *find_netplist_form(kind)));
        }
    }
    return std::move(w).finish();
}

ANEMONE_BODY_OF netplist join_netplists(std::span<const netplist> parts) {
    netplist joined;
    formats::plist_dict document{{"Version", "1.0.10"}};
    formats::plist_array networks;
    formats::plist_array procedures;
    for (const netplist& part : parts) {
        // the files of this part among all of them
        std::vector<std::string> files;
        for (const netplist_blob& blob : part.weights) {
            std::size_t at = 0;
            while (at < joined.weights.size() && joined.weights[at].bytes != blob.bytes) {
                ++at;
            }
            if (at == joined.weights.size()) {
                joined.weights.push_back({formatted("weights.{}", at), blob.bytes});
            }
            files.push_back(joined.weights[at].name);
        }
        const formats::plist_dict& root = *part.document.get_if<formats::plist_dict>();
        for (const formats::plist_value& named : *root.find("Networks")->get_if<formats::plist_array>()) {
            const std::string& network = *named.get_if<std::string>();
            if (document.find(network) != nullptr) {
                throw error(errc::argument, network, "is the name of two networks of one document");
            }
            formats::plist_dict body = *root.find(network)->get_if<formats::plist_dict>();
            body["Weights"] = formats::plist_array(files.begin(), files.end());
            document[network] = std::move(body);
            networks.emplace_back(network);
        }
        for (const formats::plist_value& procedure : *root.find("ProcedureList")->get_if<formats::plist_array>()) {
            procedures.push_back(procedure);
        }
    }
    document["Networks"] = std::move(networks);
    document["ProcedureList"] = std::move(procedures);
    joined.document = std::move(document);
    return joined;
}

ANEMONE_BODY_OF std::string write_netplist(const netplist& program, const std::string& directory,
                                           formats::plist_form form) {
    std::vector<detail::named_bytes> files;
    for (const netplist_blob& blob : program.weights) {
        files.push_back({blob.name, blob.bytes});
    }
    std::string document = std::filesystem::path(directory) / "net.plist";
    const std::string text =
        form == formats::plist_form::xml ? formats::to_xml(program.document) : formats::to_binary(program.document);
    files.push_back({"net.plist", std::as_bytes(std::span(text))});
    detail::write_folder(directory, files);
    return document;
}

} // namespace ane::inline ANEMONE_WAY
