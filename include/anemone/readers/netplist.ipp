#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_readers_netplist_hpp);

#include "../base/formatted.hpp"
#include "../base/text.hpp"
#include "../io/open_file.hpp"
#include "../io/steady_file.hpp"
#include "missing_file.hpp"
#include "model_folder.hpp"
#include "netplist.hpp"
#include "netplist_assembly.hpp"
#include "plist.hpp"

#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF read_model read_netplist(const formats::plist_value& document, const blob_lookup& blobs,
                                         const netplist_reader_options& options, std::string_view file) {
    readers::netplist_faults faults(file);
    readers::netplist_document_reader reader(document, options.procedure, faults);
    const readers::netplist_document declared = reader.read();
    readers::netplist_assembly assembly(declared, blobs, options.memory, options.allows_missing, file, faults);
    return assembly.assemble();
}

ANEMONE_BODY_OF read_model read_netplist(const netplist& program, const netplist_reader_options& options) {
    const auto look_up = [&](const std::string& name) {
        for (const netplist_blob& blob : program.weights) {
            if (blob.name == name) {
                return blob.bytes;
            }
        }
        throw missing_file(name, "is in Weights, and is not among the weight files");
    };
    return read_netplist(program.document, look_up, options);
}

} // namespace ane::inline ANEMONE_WAY

namespace ane::readers::inline ANEMONE_WAY {

/// Every weight file that a document names: those that no unit reads are parts of the model, too.
ANEMONE_INLINE void tell_of_weights(const formats::plist_value& value, const model_folder& home,
                                    std::set<std::string>& names) {
    const auto* const dict = value.get_if<formats::plist_dict>();
    for (std::size_t i = 0; dict != nullptr && i < dict->members().size(); ++i) {
        const formats::plist_member& each = dict->members()[i];
        const auto* const list = each.content.get_if<formats::plist_array>();
        for (std::size_t k = 0; each.key == "Weights" && list != nullptr && k < list->size(); ++k) {
            if (const auto* const name = (*list)[k].get_if<std::string>()) {
                if (const auto [beside, is_new] = names.emplace(ane::detail::base_name(*name)); is_new) {
                    home.tell_of(*beside);
                }
            }
        }
        tell_of_weights(each.content, home, names); // a network of the document
    }
}

} // namespace ane::readers::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF read_model read_netplist_file(const std::string& path, const netplist_reader_options& options) {
    readers::model_place place = readers::model_at(path, "net.plist", options.opened);
    const ane::detail::file_reader text(std::move(place.file), place.path);
    const formats::plist_value document = readers::load_plist(text, place.path, options.memory);
    if (options.opened != nullptr) {
        std::set<std::string> names;
        readers::tell_of_weights(document, place.home, names);
    }
    std::map<std::string, std::string> read; // by the file's name: as Weights has it
    std::uint64_t left = options.memory;
    const auto look_up = [&](const std::string& blob) {
        const std::string beside(ane::detail::base_name(blob));
        if (const auto other = read.try_emplace(beside, blob).first; other->second != blob) {
            throw error(errc::file, blob,
                        formatted("and {} are both the file {} beside the netplist", other->second, beside));
        }
        const auto file = std::make_shared<const ane::detail::steady_file>(place.home.file(beside).taken(blob), blob);
        if (file->size() > left) {
            throw error(
                errc::file, blob,
                formatted("takes more memory than the reader may use: {} bytes more, {} are left", file->size(), left));
        }
        left -= file->size();
        tensor_bytes bytes = tensor_bytes::in_file({file, 0, static_cast<std::size_t>(file->size())});
        constexpr std::size_t most_open = 32; // not all of a thousand files
        const bool stays = bytes.size() >= ane::detail::least_file_part && read.size() <= most_open;
        return stays ? bytes : tensor_bytes(std::move(bytes).taken());
    };
    return read_netplist(document, look_up, options, place.path);
}

} // namespace ane::inline ANEMONE_WAY
