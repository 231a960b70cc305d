#pragma once

#include "../backend/samples.hpp"
#include "../base/way.hpp"

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace ane::inline ANEMONE_WAY {

/// What compression costs: a number of what the uncompressed model returned and what the compressed one does, 0 for
/// equal results, larger for worse. By default the relative error; a function of a user's own may know labels:
///
///     options.loss = [&](const model_results& want, const model_results& got) {
///         return accuracy(want, labels) - accuracy(got, labels);
///     };
class output_loss {
public:
    output_loss() = default;
    template <class Function>
        requires(!std::same_as<std::remove_cvref_t<Function>, output_loss> &&
                 std::is_invocable_r_v<double, const std::remove_cvref_t<Function>&, const model_results&,
                                       const model_results&>)
    // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload): it is one, and constrained
    output_loss(Function&& function)
        : own_(std::make_shared<holder<std::remove_cvref_t<Function>>>(std::forward<Function>(function))) {}

    bool is_relative_error() const noexcept { return own_ == nullptr; }
    ANEMONE_API_OF(anemone_compress_compress_hpp)
    double operator()(const model_results& want, const model_results& got) const;

private:
    struct interface {
        interface() = default;
        interface(const interface&) = delete;
        interface& operator=(const interface&) = delete;
        virtual ~interface() = default;
        virtual double of(const model_results& want, const model_results& got) const = 0;
    };
    template <class Function> struct holder final : interface {
        explicit holder(Function given) : function(std::move(given)) {}
        double of(const model_results& want, const model_results& got) const override { return function(want, got); }
        Function function;
    };
    std::shared_ptr<const interface> own_;
};

} // namespace ane::inline ANEMONE_WAY
