#pragma once

#include <anemone/readers/read_model.hpp>
#include <anemone/report/aside.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace command {

/// Promises of a model's weights what their values are, and of its inputs what `ranges` says: "x=-1,1" declares one,
/// "data.npz" or "x=data.npy" measures those that arrays are named after. `most` bounds the bytes of arrays. Observed is
/// what no promise can hold: weights and data that are not finite, or lose digits as fp16. Throws `ane::error`
/// (errc::argument) for a range that is none, a name that is no input, and data with no array of an input's name.
std::vector<ane::aside> promise(ane::read_model& model, const std::vector<std::string>& ranges, std::uint64_t most);

/// What the reader of the file says: its notes, and its doubts.
std::vector<ane::aside> observed_while_reading(const ane::read_model& model);

} // namespace command
