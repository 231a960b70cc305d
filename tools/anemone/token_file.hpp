#pragma once

#include <anemone/decoder/sampling.hpp>

#include <string>
#include <vector>

namespace command {

/// The texts of a file: the rows of an array of numbers in .npy or .npz, [tokens] or [texts, tokens]; or of any other file
/// the numbers in it, with commas, blanks or lines between them, as one. Throws `ane::error` (errc::file) for what is no token,
/// and for other arrays.
std::vector<std::vector<ane::token_id>> texts_in(const std::string& file);

/// "1,2,3", or the tokens of a file: "prompt.npy", "prompt.txt". ("@prompt.txt" too where it is no argument of its own, which
/// would stand for the arguments in it.)
std::vector<ane::token_id> tokens_given(const std::string& given);

} // namespace command
