#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_readers_netplist_hpp);

#include "../base/formatted.hpp"
#include "../base/text.hpp"
#include "../io/open_file.hpp"
#include "netplist.hpp"
#include "netplist_assembly.hpp"
#include "plist.hpp"

#include <map>
#include <span>
#include <utility>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF read_model read_netplist(const formats::plist_value& document, const blob_lookup& blobs,
                                         const netplist_reader_options& options, std::string_view file) {
    readers::netplist_faults faults(file);
    readers::netplist_document_reader reader(document, options.procedure, faults);
    const readers::netplist_document declared = reader.read();
    readers::netplist_assembly assembly(declared, blobs, options.allows_missing, file, faults);
    return assembly.assemble();
}

ANEMONE_BODY_OF read_model read_netplist(const netplist& program, const netplist_reader_options& options) {
    const auto look_up = [&](const std::string& name) {
        for (const netplist_blob& blob : program.weights) {
            if (blob.name == name) {
                return blob.bytes;
            }
        }
        throw error(errc::file, name, "is in Weights, and is not among the weight files");
    };
    return read_netplist(program.document, look_up, options);
}

ANEMONE_BODY_OF read_model read_netplist_file(const std::string& path, const netplist_reader_options& options) {
    const std::string_view name = ane::detail::base_name(path);
    const std::string folder = path.substr(0, path.size() - name.size());
    std::map<std::string, std::string> read; // by the file's name: as Weights has it
    const auto look_up = [&](const std::string& blob) {
        const std::string beside(ane::detail::base_name(blob));
        if (const auto other = read.try_emplace(beside, blob).first; other->second != blob) {
            throw error(errc::file, blob,
                        formatted("and {} are both the file {} beside the netplist", other->second, beside));
        }
        const ane::detail::file_reader file(folder + beside);
        std::vector<std::byte> bytes(file.size());
        file.read(bytes);
        return bytes;
    };
    return read_netplist(readers::load_plist(path), look_up, options, path);
}

} // namespace ane::inline ANEMONE_WAY
