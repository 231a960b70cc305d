#pragma once

#include "reading.hpp"

namespace app {

/// Whether the values of weights that are not there come from a file: not zeros, not random.
bool has_weights_file(const reading_options& how);

/// Gives the weights whose values are not there others, as `how.weights` says, with a note. Throws `ane::error` (errc::weights)
/// that names one which the file of others has not, or has of another shape.
void fill_missing(ane::read_model& read, const reading_options& how, ane::opened_files& parts);

} // namespace app
