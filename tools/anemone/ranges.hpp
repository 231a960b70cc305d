#pragma once

#include "../app/model.hpp"
#include "../app/promises.hpp"
#include <anemone/report/aside.hpp>

#include <string>
#include <vector>

namespace command {

/// What is known of the values of inputs.
struct input_ranges {
    std::vector<app::input_range> ranges;
    std::vector<ane::aside> observed; ///< data that are not finite: nothing is known of such an input
};

/// What the arguments of `--ranges` say of a model: "x=-1,1" declares a range, "data.npz" or "x=data.npy" measures the
/// inputs that arrays are named after. Throws `ane::error`: errc::port for a name that is no input, errc::argument for data
/// with no array of an input's name, and as `read_arrays`.
input_ranges ranges_in(const std::vector<std::string>& arguments, const app::model& of);

} // namespace command
