#ifndef ANEMONE_READERS_MIL_HPP
#define ANEMONE_READERS_MIL_HPP

#include "../base/hidden.hpp"
#include "../base/way.hpp"
#include "../io/opened_files.hpp"
#include "file_lookup.hpp"
#include "input_shape.hpp"
#include "read_model.hpp"
#include "unreadable.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ane::readers::inline ANEMONE_WAY {
class mil_file; // mil_file.hpp
}

namespace ane::inline ANEMONE_WAY {

struct mil_reader_options {
    /// The function to read, by name; without one `main`, or the only one.
    std::string_view function = "";
    /// Bytes that the weights may take in memory, all together: what a hostile file can make a reader use.
    std::uint64_t memory = std::uint64_t{8} << 30U;
    /// Reads constants beyond fp16 as +-65504, with a note, instead of refusing them. Masks before a softmax are read
    /// anyway, as finite ones.
    bool saturates_infinities = false;
    /// Reads what fp16 does not hold as the nearest number that it does, NaN as 0: to judge a file, not to run it.
    bool approximates = false;
    /// Is told each file that is opened, also where the reader throws: what a program must not write over.
    opened_files* opened = nullptr;
    /// Reads a model whose blobs are not there, or too short: its shapes and types, without the values (`missing`).
    bool allows_missing = false;
    /// The shapes of inputs that the file leaves free, by name; `error` (errc::argument) is thrown for one of no input.
    std::vector<input_shape> shapes = {};
};

/// Reads MIL text, of the engine's compilers and of others (facts: mil-ops, mil-dialects, weights; Core ML's public
/// definitions of operations and defaults), into a checked graph and its weights. The graph computes in fp16: ports of
/// fp32 and of wide integers become fp16 ports, booleans bytes, states an input and an output; `notes` says so.
/// Arithmetic on constants is done while reading. `files` gives the blobs by the paths that stand in the text. Throws
/// `unreadable` with all that it found wrong, each with line, column, operation and reason.
ANEMONE_API_OF(anemone_readers_mil_hpp)
read_model read_mil(std::string_view text, file_lookup files, const mil_reader_options& options = {},
                    std::string_view file_name = "model.mil");

/// The same from a file, or from the `model.mil` of a folder; blobs are mapped into memory when something refers to them,
/// `@model_path/` being the folder that the file is in, and nothing outside it is read. They must not change meanwhile.
/// Throws `error` (errc::file) where the text cannot be read.
ANEMONE_API_OF(anemone_readers_mil_hpp)
read_model read_mil_file(const std::string& path, const mil_reader_options& options = {});

/// A function of a file, and the shapes that the file enumerates for its inputs: each a shape for every flexible one.
struct file_function {
    std::string name;
    std::vector<std::vector<input_shape>> enumerated = {};
};

/// A file of MIL text that stays open: several of its functions are read, its text and what it refers to are found once.
class opened_mil_file {
public:
    /// Throws as `mil_functions`, and `error` (errc::file).
    ANEMONE_API_OF(anemone_readers_mil_hpp) explicit opened_mil_file(const std::string& path);

    /// In their order.
    ANEMONE_API_OF(anemone_readers_mil_hpp) std::vector<file_function> functions() const;
    /// One of them. Throws as `read_mil_file`.
    ANEMONE_API_OF(anemone_readers_mil_hpp) read_model read(const mil_reader_options& options = {});

private:
    std::unique_ptr<opened_files> told_; ///< where `file_` tells of blobs, wherever this is moved
    hidden<readers::mil_file> file_;
};

/// The functions of a file of MIL text, in their order. Throws as `mil_functions`, and `error` (errc::file).
ANEMONE_API_OF(anemone_readers_mil_hpp) std::vector<file_function> mil_file_functions(const std::string& path);

/// The names of the functions of a program, in their order. Throws `unreadable` where the text is no program.
ANEMONE_API_OF(anemone_readers_mil_hpp)
std::vector<std::string> mil_functions(std::string_view text, std::string_view file_name = "model.mil");

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "mil.ipp"
#endif
