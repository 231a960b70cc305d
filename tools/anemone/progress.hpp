#pragma once

#include "../app/front_end.hpp"

namespace command {

/// Who asks: the user of the command. What takes more than a second is a line on standard error, what is done, how much of
/// it, for how long; only on a terminal that can erase a line (TERM is set and not "dumb"); without colours. A task within
/// another has no line of its own.
const app::caller& user();

} // namespace command
