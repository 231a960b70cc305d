#pragma once

namespace command {

/// From now on a signal that ends the program (SIGINT, SIGTERM, SIGHUP) first removes what is being written under a
/// temporary name. Called before any thread is made. Signals that are ignored stay so.
void end_without_remains();

} // namespace command
