#include "input_options.hpp"

#include "option_faults.hpp"
#include <anemone/base/error.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace app {

namespace {

/// "x=1,3,224,224"
ane::input_shape shape_in(const std::string& text, const caller& who) {
    const std::size_t equals = text.find('=');
    ane::input_shape result{text.substr(0, equals), {}};
    const char* at = equals == std::string::npos ? nullptr : text.c_str() + equals + 1;
    const char* const end = text.c_str() + text.size();
    while (at != nullptr && at != end && result.shape.rank < ane::extents::capacity) {
        std::int64_t extent = 0;
        const auto read = std::from_chars(at, end, extent);
        if (read.ec != std::errc() || extent < 1) {
            break;
        }
        result.shape[result.shape.rank++] = extent;
        at = read.ptr != end && *read.ptr == ',' && read.ptr + 1 != end ? read.ptr + 1 : read.ptr;
        if (at == read.ptr) {
            break;
        }
    }
    if (result.name.empty() || at != end || result.shape.rank == 0) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::shapes, who.by) + " " + text,
                         "must be like x=1,3,224,224");
    }
    return result;
}

#if defined(ANEMONE_APP_ONNX)
/// "sr=16000", "axes=2,3"
ane::onnx_value value_in(const std::string& text, const caller& who) {
    constexpr std::size_t most = 1000;
    const std::size_t equals = text.find('=');
    ane::onnx_value result{text.substr(0, equals), {}, {}};
    const char* at = equals == std::string::npos ? nullptr : text.c_str() + equals + 1;
    while (at != nullptr && result.values.size() < most) {
        char* end = nullptr;
        const double number = std::strtod(at, &end); // libc++ has no from_chars for it
        if (end == at || !std::isfinite(number)) {
            result.values.clear();
            break;
        }
        result.values.push_back(number);
        if (*end == '\0') {
            if (result.values.size() > 1) {
                result.shape.append(static_cast<std::int64_t>(result.values.size()));
            }
            break;
        }
        if (*end != ',') {
            result.values.clear();
            break;
        }
        at = end + 1;
    }
    if (result.name.empty() || result.values.empty() || result.values.size() == most) {
        throw ane::error(ane::errc::argument, spelled(&reading_options::values, who.by) + " " + text,
                         "must be like sr=16000 or axes=2,3");
    }
    return result;
}
#endif

} // namespace

std::vector<ane::input_shape> shapes_in(const reading_options& how, const caller& who) {
    std::vector<ane::input_shape> all;
    for (const std::string& each : how.shapes) {
        all.push_back(shape_in(each, who));
    }
    return all;
}

#if defined(ANEMONE_APP_ONNX)
std::vector<ane::onnx_value> values_in(const reading_options& how, const caller& who) {
    std::vector<ane::onnx_value> all;
    for (const std::string& each : how.values) {
        all.push_back(value_in(each, who));
    }
    return all;
}
#endif

} // namespace app
