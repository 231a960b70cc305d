#pragma once

#include <anemone/anemone.hpp>
#include <anemone/trainer/history.hpp>
#include <anemone/trainer/trainer.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// How much of a training is wanted: all of it, a few steps to see that it learns, or a few in a chip's arithmetic.
struct amount {
    bool is_full = false;
    std::string curves; ///< a folder for drawings; empty: none
};

/// What was reached, and what had to be.
struct reached {
    std::string name;
    double value = 0;
    double least = 0;
    bool is_enough() const { return value >= least; }
};

/// Random numbers by SplitMix64, the same on every machine.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}
    std::uint64_t bits() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
        return z ^ z >> 31U;
    }
    /// Uniform in [low, high).
    double within(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11U) * 0x1p-53; }
    int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }

private:
    std::uint64_t state_;
};

/// A line now and then: where a training is.
inline std::function<void(const ane::training_moment&)> told(const std::string& name) {
    return [name](const ane::training_moment& m) {
        if (m.validation != nullptr) {
            fmt::print("  {}: step {} of {}, loss {:.4f}, held out {:.4f}{}, {:.1f} steps/s\n", name, m.step.step,
                       m.steps, m.step.loss, m.validation->loss,
                       m.validation->accuracy < 0 ? "" : fmt::format(" ({:.4f} right)", m.validation->accuracy),
                       m.steps_per_second);
        }
    };
}

/// Writes the curves of a training, where they are wanted.
inline void draw(const ane::training_result& r, const amount& wanted, const std::string& name,
                 const std::string& title) {
    if (!wanted.curves.empty()) {
        ane::write_file(wanted.curves + "/training_" + name + ".svg", ane::draw_training(r.history, title));
    }
}

reached train_digits(const amount& wanted);
reached train_residual(const amount& wanted);
reached train_transformer(const amount& wanted);
reached train_llama(const amount& wanted);
reached train_text(const amount& wanted);
/// Some steps of the digits in the arithmetic of chips, beside the CPU's.
reached compare_chips(const amount& wanted);
/// How many digits are right after 300 steps in the arithmetic of chips with equal seeds, as guide chapter 15 compares them.
reached compare_accuracies(const amount& wanted);
