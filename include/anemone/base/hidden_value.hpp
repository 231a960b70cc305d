#pragma once

#include <utility>

namespace ane {

/// The sibling of `hidden` (hidden.hpp) for what is copied: owns an object whose type is complete only in the body that
/// makes it. Made by default, or moved from, it owns none.
template <class State> class hidden_value {
public:
    hidden_value() = default;
    hidden_value(const hidden_value& other)
        : state_(other.state_ == nullptr ? nullptr : other.copy_(*other.state_)), copy_(other.copy_),
          destroy_(other.destroy_) {}
    hidden_value(hidden_value&& other) noexcept
        : state_(std::exchange(other.state_, nullptr)), copy_(other.copy_), destroy_(other.destroy_) {}
    hidden_value& operator=(hidden_value other) noexcept {
        std::swap(state_, other.state_);
        std::swap(copy_, other.copy_);
        std::swap(destroy_, other.destroy_);
        return *this;
    }
    ~hidden_value() {
        if (state_ != nullptr) {
            destroy_(state_);
        }
    }

    /// The object, or null.
    const State* get() const { return state_; }

    /// The object, made where there is none yet. Only bodies call it: here the type is complete.
    State& make() {
        if (state_ == nullptr) {
            state_ = new State();
            copy_ = [](const State& state) { return new State(state); };
            destroy_ = [](State* state) { delete state; };
        }
        return *state_;
    }

private:
    State* state_ = nullptr;
    State* (*copy_)(const State&) = nullptr;
    void (*destroy_)(State*) = nullptr;
};

} // namespace ane
