#pragma once

#include "error.hpp"

#include <utility>

namespace ane {

/// Owns an object whose type is complete only in the body that makes it, so that a declaration needs no header of what
/// its class keeps. Move-only.
template <class State> class hidden {
public:
    hidden() = default;
    hidden(hidden&& other) noexcept
        : state_(std::exchange(other.state_, nullptr)), destroy_(std::exchange(other.destroy_, nullptr)) {}
    hidden& operator=(hidden&& other) noexcept {
        hidden moved(std::move(other));
        std::swap(state_, moved.state_);
        std::swap(destroy_, moved.destroy_);
        return *this;
    }
    ~hidden() {
        if (state_ != nullptr) {
            destroy_(state_);
        }
    }

    /// Takes over what `new` made.
    static hidden of(State* made) {
        hidden result;
        result.state_ = made;
        result.destroy_ = [](State* state) { delete state; };
        return result;
    }

    /// Whether there is an object.
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// The object; throws `error` (errc::argument), which names `subject`, when it was moved away.
    State& get(const char* subject) const {
        if (state_ == nullptr) {
            throw error(errc::argument, subject, "was moved from");
        }
        return *state_;
    }

private:
    State* state_ = nullptr;
    void (*destroy_)(State*) = nullptr;
};

} // namespace ane
