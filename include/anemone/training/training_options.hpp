#pragma once

#include "loss_options.hpp"
#include "optimizer.hpp"

#include <cstdint>
#include <span>
#include <string_view>

/// What a training step is made of, beside the model.
namespace ane {

/// What the loss is multiplied by, so that small gradients do not vanish in fp16 (products below 2^-16 count as 0 in the
/// engine's sums); a power of two, so that nothing is rounded by it.
struct loss_scaling {
    double fixed = 1;     ///< up to 65536; ignored where the host gives it
    bool by_host = false; ///< an input `loss_scale`, up to 32768; the host halves it where `finite` is 0
    /// An output `finite`, 1 where all gradients are; where they are not, no state changes in this step.
    bool skips = false;
};
/// One that the host changes in the course of the training.
inline constexpr loss_scaling dynamic_loss_scale{.by_host = true, .skips = true};

/// The options of `make_training_step`. The texts must outlive the call, the spans too.
struct training_options {
    std::string_view prediction{}; ///< the output that is trained; may be left out where there is one
    loss_options loss{};           ///< what of it is to become small
    optimizer by = sgd{};          ///< how
    clipping clip{};               ///< limits of the gradients
    loss_scaling scale{};          ///< of the loss
    std::span<const std::string_view>
        trained{}; ///< patterns of names of weights, `*` and `?` in them; all where there is none
    std::span<const std::string_view> frozen{}; ///< patterns of those that stay, though `trained` has them
    double weight_limit = 0; ///< trained weights are clipped to this magnitude, which they promise then; 0: no limit
    bool pairs = false;      ///< trained weights as two fp16, of which the low one keeps what rounding takes
    /// Convolutions by trained weights as patches and a product, which the engine takes at any batch: as they are, it refuses
    /// them above batch 1 (R044). The CPU is faster without.
    bool unfolds = false;
    bool predicts = false; ///< the prediction is an output too
};

/// What a state of a training step holds.
enum class state_role : std::uint8_t {
    weight,   ///< a trained weight
    low,      ///< what it lacks in fp16
    mean,     ///< the first moment of its gradients, or their momentum
    root,     ///< the root of the second moment
    root_low, ///< what that lacks in fp16
};
/// What follows a weight's name in the name of a state.
inline constexpr std::string_view role_suffixes[] = {"", ".low", ".momentum", ".root", ".root.low"};
constexpr std::string_view suffix(state_role role) { return role_suffixes[static_cast<std::size_t>(role)]; }

/// Why a weight is not trained.
enum class frozen_because : std::uint8_t {
    it_was_asked_for,          ///< by the options
    it_is_stored_compressed,   ///< decode it to train it
    it_is_a_running_statistic, ///< mean and variance of a batch norm
    the_prediction_does_not_depend_on_it,
};
constexpr std::string_view sentence(frozen_because why) {
    constexpr std::string_view sentences[] = {"it is to stay", "it is stored compressed: decode it to train it",
                                              "it is a statistic of a batch norm",
                                              "the prediction does not depend on it in a way that has a derivative"};
    return sentences[static_cast<std::size_t>(why)];
}

namespace detail::training {

/// Whether a name fits a pattern, in which `*` stands for any characters and `?` for one.
constexpr bool fits(std::string_view name, std::string_view pattern) {
    std::size_t n = 0;
    std::size_t p = 0;
    std::size_t star = std::string_view::npos; // the last one, and how far it reaches so far
    std::size_t reach = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            reach = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++reach;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') {
        ++p;
    }
    return p == pattern.size();
}
constexpr bool fits_any(std::string_view name, std::span<const std::string_view> patterns) {
    for (const std::string_view pattern : patterns) {
        if (fits(name, pattern)) {
            return true;
        }
    }
    return false;
}

} // namespace detail::training

} // namespace ane
