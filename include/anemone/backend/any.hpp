#pragma once

#include "../base/hidden.hpp"
#include "../base/way.hpp"
#include "../weights/verify.hpp"
#include "backend.hpp"
#include "one_run.hpp"

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

namespace ane::inline ANEMONE_WAY {

/// A compiled program of any backend. Move-only; a moved-from one throws `error` (errc::argument) on use, and so does a
/// run while another thread is running the program.
///
///     any_program p = backend::cpu{}.compile(model, weights);
class any_program {
public:
    template <class Executable>
        requires(!std::same_as<Executable, any_program> && executable<Executable>)
    any_program(Executable made) // NOLINT(google-explicit-constructor): it is one
        : state_(hidden<interface>::of(new holder<Executable>(std::move(made)))) {}

    /// Throws what the program throws.
    void run(input_buffers inputs, output_buffers outputs) { state_.get("program").run(inputs, outputs); }

    /// The value of a state, and zeros for all of them, where the program keeps states.
    std::span<std::byte> state(std::string_view name) { return state_.get("program").state(name); }
    void reset() { state_.get("program").reset(); }

private:
    struct interface {
        interface() = default;
        interface(const interface&) = delete;
        interface& operator=(const interface&) = delete;
        virtual ~interface() = default;
        virtual void run(input_buffers inputs, output_buffers outputs) = 0;
        virtual std::span<std::byte> state(std::string_view name) = 0;
        virtual void reset() = 0;
    };
    template <class Executable> struct holder final : interface {
        explicit holder(Executable made) : program(std::move(made)) {}
        void run(input_buffers inputs, output_buffers outputs) override {
            const detail::one_run now(running, "program");
            program.run(inputs, outputs);
        }
        std::span<std::byte> state(std::string_view name) override {
            if constexpr (keeps_states<Executable>) {
                return program.state(name);
            } else {
                throw error(errc::port, std::string(name), "the program keeps no states");
            }
        }
        void reset() override {
            if constexpr (keeps_states<Executable>) {
                program.reset();
            }
        }
        Executable program;
        detail::run_flag running{false};
    };
    hidden<interface> state_;
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

/// Any backend, chosen while the program runs: `compile<model>` gives the same type whichever it is. Copied like the
/// backend that it holds; a moved-from one throws `error` (errc::argument) on use.
///
///     backend::any place = backend::cpu{};
///     if (exact) { place = backend::oracle{h13}; }
///     auto program = compile<model>(place, weights); // ane::program<model, any_program>
class any {
public:
    template <class Backend>
        requires(!std::same_as<Backend, any> && runnable_backend<Backend> && std::copy_constructible<Backend>)
    any(Backend place) // NOLINT(google-explicit-constructor): it is one
        : state_(hidden<interface>::of(new holder<Backend>(std::move(place)))) {}
    any(const any& other) : state_(other.state_ ? hidden<interface>::of(other.held().copy()) : hidden<interface>()) {}
    any(any&& other) noexcept = default;
    any& operator=(any other) noexcept {
        state_ = std::move(other.state_);
        return *this;
    }
    ~any() = default;

    static constexpr bool verifies_weights = true;

    std::string name() const { return held().name(); }
    bool supports(op kind) const { return held().supports(kind); }
    any_program compile(const graph_view& model, const weight_store& weights) const {
        return held().compile(model, weights);
    }

private:
    struct interface {
        interface() = default;
        interface(const interface&) = delete;
        interface& operator=(const interface&) = delete;
        virtual ~interface() = default;
        virtual interface* copy() const = 0;
        virtual std::string name() const = 0;
        virtual bool supports(op kind) const = 0;
        virtual any_program compile(const graph_view& model, const weight_store& weights) const = 0;
    };
    template <class Backend> struct holder final : interface {
        explicit holder(Backend given) : place(std::move(given)) {}
        interface* copy() const override {
            return new holder(place);
        }
        std::string name() const override { return place.name(); }
        bool supports(op kind) const override { return place.supports(kind); }
        any_program compile(const graph_view& model, const weight_store& weights) const override {
            if constexpr (!ane::detail::verifies_weights<Backend>) {
                verify_weights(model, weights);
            }
            return place.compile(model, weights);
        }
        Backend place;
    };
    const interface& held() const { return state_.get("backend"); }

    hidden<interface> state_;
};

} // namespace ane::backend::inline ANEMONE_WAY
