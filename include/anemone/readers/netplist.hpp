#ifndef ANEMONE_READERS_NETPLIST_HPP
#define ANEMONE_READERS_NETPLIST_HPP

#include "../base/way.hpp"
#include "../formats/netplist_program.hpp"
#include "../formats/plist.hpp"
#include "../io/opened_files.hpp"
#include "../weights/tensor_bytes.hpp"
#include "missing_file.hpp"
#include "read_model.hpp"
#include "unreadable.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ane::inline ANEMONE_WAY {

struct netplist_reader_options {
    std::string_view procedure = ""; ///< by its name, in schema 1.0.9 that of a network; empty: the only one
    /// Is told each file that is opened, also where the reader throws: what a program must not write over.
    opened_files* opened = nullptr;
    /// Bytes that the weight files, and the weights that are made of them, may take in memory, and values of the property
    /// list (which may take 16 MB whatever this says): what a hostile file can make a reader use.
    std::uint64_t memory = std::uint64_t{8} << 30U;
    /// Reads a model whose weight files are not there, or too short: its shapes and types, without the values
    /// (`read_model::missing`).
    bool allows_missing = false;
};

/// Gives the bytes of a weight file by its name in the `Weights` array: any function of a `const std::string&` that
/// returns a `std::vector<std::byte>` or `tensor_bytes`, and throws `missing_file` where there is no such file. Does not own
/// the function.
class blob_lookup {
public:
    template <class Function>
        requires(!std::is_same_v<std::remove_cvref_t<Function>, blob_lookup>)
    blob_lookup(Function&& look_up) // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
        : function_(std::addressof(look_up)), call_([](const void* function, const std::string& name) {
              return tensor_bytes((*static_cast<std::remove_reference_t<Function> const*>(function))(name));
          }) {}

    tensor_bytes operator()(const std::string& name) const { return call_(function_, name); }

private:
    const void* function_;
    tensor_bytes (*call_)(const void*, const std::string&);
};

/// The graph and the weights of a netplist of schema 1.0.10 or 1.0.9. Ports have rank 4, [N, C, H, W], or where the depth
/// is not 1 rank 5, [N, D, C, H, W]; names that the graph cannot hold are changed, and `notes` says so. Weights are named
/// after their unit or constant. Nodes know the line of their unit. Facts: netplist, netplist-units (their marks are in
/// the headers of the units).
///
/// Throws `unreadable` with every unit, key and reference that the graph cannot say; `file` names the document there.
ANEMONE_API_OF(anemone_readers_netplist_hpp)
read_model read_netplist(const formats::plist_value& document, const blob_lookup& blobs,
                         const netplist_reader_options& options = {}, std::string_view file = "net.plist");
/// The same from what `emit_netplist` gives.
ANEMONE_API_OF(anemone_readers_netplist_hpp)
read_model read_netplist(const netplist& program, const netplist_reader_options& options = {});

/// The same from a file, XML or binary, or from the `net.plist` of a folder, with the weight files beside it; of a path in
/// `Weights` only the file's name counts, and a link out of the folder is refused. Throws `error` (errc::file) where the file is no property list.
ANEMONE_API_OF(anemone_readers_netplist_hpp)
read_model read_netplist_file(const std::string& path, const netplist_reader_options& options = {});

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "netplist.ipp"
#endif
