#include "onnx_reading.hpp"

#include "input_options.hpp"
#include "option_faults.hpp"
#include <anemone/base/error.hpp>
#include <anemone/readers/unreadable.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

#if defined(ANEMONE_APP_ONNX)
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// How a caller gives the value of an input, if it can.
std::string values_option(const caller& who) {
    return who.by == front_end::command ? spelled(&reading_options::values, who.by) + " NAME=NUMBER"
                                        : "make it a constant of the file";
}

/// A sentence of the reader with the options as the caller knows them, in place of the members of a C++ structure.
std::string for_caller(std::string sentence, const caller& who) {
    replace_all(sentence, "give it in onnx_reader_options::values", "give it: " + values_option(who));
    replace_all(sentence, "onnx_reader_options::values", values_option(who));
    replace_all(sentence, "onnx_reader_options::shapes", spelled(&reading_options::shapes, who.by));
    replace_all(sentence, "max_bytes", spelled(&reading_options::max_memory, who.by));
    return sentence;
}

} // namespace

ane::read_model read_onnx(const std::string& path, const reading_options& how, const caller& who,
                          ane::opened_files& parts) {
    ane::onnx_reader_options options;
    options.opened = &parts;
    options.max_bytes = how.max_memory;
    options.saturates_infinities = how.approximates;
    options.shapes = shapes_in(how, who);
    options.values = values_in(how, who);
    options.allows_missing = allows_missing(how);
    try {
        return ane::read_onnx_file(path, options);
    } catch (const ane::unreadable& refused) {
        std::vector<ane::read_fault> faults = refused.faults();
        for (ane::read_fault& each : faults) {
            each.reason = for_caller(each.reason, who);
        }
        throw ane::unreadable(refused.subject(), std::move(faults));
    }
}
#else
ane::read_model read_onnx(const std::string& path, const reading_options& /*how*/, const caller& /*who*/,
                          ane::opened_files& /*parts*/) {
    throw ane::error(ane::errc::file, path,
                     "this program was built without ONNX (Debian: libonnx-dev libprotobuf-dev)");
}
#endif

} // namespace app
