#pragma once

#include "reading.hpp"
#include <anemone/readers/input_shape.hpp>

#if defined(ANEMONE_APP_ONNX)
#include <anemone/onnx/onnx.hpp>
#endif

#include <vector>

/// What options say of a model's inputs. Each throws `ane::error` (errc::argument) for a text of another form.
namespace app {

/// "x=1,3,224,224"
std::vector<ane::input_shape> shapes_in(const reading_options& how, const caller& who);

#if defined(ANEMONE_APP_ONNX)
/// "sr=16000", "axes=2,3"
std::vector<ane::onnx_value> values_in(const reading_options& how, const caller& who);
#endif

} // namespace app
