#ifndef ANEMONE_FORMATS_NETPLIST_HPP
#define ANEMONE_FORMATS_NETPLIST_HPP

#include "../base/way.hpp"
#include "../weights/fold_constants.hpp"
#include "netplist_options.hpp"
#include "netplist_program.hpp"

#include <span>
#include <string>
#include <string_view>

namespace ane::inline ANEMONE_WAY {

/// Writes a lowered graph as a netplist of schema 1.0.10 with its weight files, deterministically. The network is
/// called `network_<name>`, its procedure `procedure_<name>`; units are called after the operation and its number in
/// the graph. Facts: netplist, netplist-units. Throws `error` (errc::lowering) with the operation and the reason where
/// an operation, an attribute or a shape has no known form. Never run on Apple silicon by this project.
ANEMONE_API_OF(anemone_formats_netplist_hpp)
netplist emit_netplist(const graph_view& lowered, const folded_constants& constants,
                       std::string_view network_name = "anemone", const netplist_options& options = {});

/// Several netplists of `emit_netplist` as one document: a network and a procedure for each, called as they are there, and
/// their weight files, equal ones once. No file with several procedures is known (netplist facts, section 11), so this is
/// predicted. Throws `error` (errc::argument) where two have one name.
ANEMONE_API_OF(anemone_formats_netplist_hpp) netplist join_netplists(std::span<const netplist> parts);

/// Writes `net.plist` and the weight files into a directory, which is made where it is missing; returns the path of the
/// property list. Throws `error` (errc::file).
ANEMONE_API_OF(anemone_formats_netplist_hpp)
std::string write_netplist(const netplist& program, const std::string& directory,
                           formats::plist_form form = formats::plist_form::xml);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "netplist.ipp"
#endif
