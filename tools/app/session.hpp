#pragma once

#include "arrays.hpp"
#include "backends.hpp"
#include "model.hpp"
#include <anemone/backend/any.hpp>

#include <atomic>
#include <string>
#include <vector>

namespace app {

/// A model compiled for a backend, with the states that it keeps. One call at a time: another thread that calls meanwhile
/// gets an error (errc::argument).
class session {
public:
    /// Throws as `compile`.
    session(app::model of, const compile_options& how, const caller& who);

    const app::model& model() const { return model_; }
    const model_ports& ports() const { return ports_; }

    /// Runs once, from arrays for all inputs, by name, to arrays for outputs, of which any may be left out. Numbers are
    /// converted where the array has another type than the port. Throws as `input_memory`, and `ane::error` (errc::port)
    /// that names the output for an array that is unknown, given twice, of another size or shape, that does not hold its
    /// numbers or that shares memory with another.
    void run(const std::vector<input_array>& inputs, const std::vector<output_array>& outputs);

    /// The value of a state, between runs.
    void read_state(const output_array& to);
    void write_state(const input_array& from);
    /// Zeros for all states.
    void reset();

private:
    app::model model_; // a program may read its weights
    model_ports ports_;
    ane::any_program program_;
    std::atomic<bool> busy_{false};
};

} // namespace app
