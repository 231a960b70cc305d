#include "../anemone/progress.hpp"

#include <string>

/// A library shows no progress: the terminal is its user's, and so are the threads.
namespace command {

progress::progress(const std::string& /*what*/) {}
progress::~progress() = default;
void progress::at(double /*part*/) {}
void progress::now(const std::string& /*what*/) {}

} // namespace command
