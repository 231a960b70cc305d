#pragma once

namespace command {

/// From now on a signal that ends the program (SIGINT, SIGTERM, SIGHUP) first removes what is being written under a
/// temporary name. Called before any thread is made. Signals that are ignored stay so.
void end_without_remains();

/// Says that there is no memory, without taking any for it. Gives what the program ends with.
int told_without_memory();

/// From now on, and until `memory_may_be_thrown`, the program ends with that sentence at once where memory is asked for and
/// there is none. For code of others that cannot throw, while nothing is written yet: CLI11 looks names up in functions that
/// are noexcept and copies them there, so that a long argument without memory would end in std::terminate.
void end_without_memory();
void memory_may_be_thrown();

} // namespace command
