#pragma once

#include "arrays.hpp"
#include "model.hpp"
#include <anemone/backend/any.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace bindings {

/// A model compiled for a backend, with the states that it keeps. One call at a time: another thread that calls meanwhile
/// gets an error (errc::argument).
class session {
public:
    /// `backend`: "cpu", "oracle:h13", "engine:h13".
    session(std::shared_ptr<const bindings::model> of, const std::string& backend);

    const bindings::model& model() const { return *model_; }

    /// Runs once, from arrays for all inputs, by name, to arrays for outputs, of which any may be left out. Numbers are
    /// converted where the array has another type than the port. Throws `ane::error` (errc::port) that names the port
    /// for an array that is missing, unknown, given twice, of another size or shape, or that shares memory with an output;
    /// and for numbers that the port's type does not hold.
    void run(const std::vector<input_array>& inputs, const std::vector<output_array>& outputs);

    /// The value of a state, between runs.
    void read_state(const output_array& to);
    void write_state(const input_array& from);
    /// Zeros for all states.
    void reset();

private:
    std::shared_ptr<const bindings::model> model_;
    ane::any_program program_;
    std::atomic<bool> busy_{false};
};

} // namespace bindings
