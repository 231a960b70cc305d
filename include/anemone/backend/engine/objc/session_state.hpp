#pragma once

#include "../../../base/formatted.hpp"
#include "../../../base/way.hpp"
#include "../driver/completed.hpp"
#include "../driver/program_slot.hpp"
#include "../driver/running.hpp"
#include "../driver/within.hpp"
#include "binding.hpp"
#include "calls.hpp"
#include "in_memory.hpp"
#include "model_directory.hpp"
#include "options.hpp"
#include "session.hpp"
#include "surface.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ane::objc::detail::inline ANEMONE_WAY {

/// Ends what a state began; failures are reported.
template <class State> void end_and_report(State& state) noexcept {
    try {
        for (const auto& [step, why] : state.release()) {
            state.options.report->failed(step, -1);
        }
    } catch (...) { // a report that throws, or no memory: destructors and the worker are here
    }
}
/// The same when it goes. A template, as a destructor cannot be one.
template <class State> struct end_at_end {
    State& state;
    ~end_at_end() { end_and_report(state); }
};

/// Everything a session holds. The worker of the gate shares it while a run is submitted.
struct session_state : e5rt::detail::submission {
    ANEMONE_INLINE session_state(std::shared_ptr<const runtime> of, e5rt::session_options with, door_options through)
        : from(std::move(of)), table(from->functions()), options(e5rt::detail::completed(std::move(with))),
          door(through), slot(options.program_limit) {
        run = [](submission& self) noexcept { return static_cast<session_state&>(self).run_once(); };
        end = [](submission& self) noexcept { end_and_report(static_cast<session_state&>(self)); };
    }
    session_state(const session_state&) = delete;
    session_state& operator=(const session_state&) = delete;

    bool is_ours() const noexcept { return process == ::getpid(); }

    /// Compiles a netplist or MIL text, loads it, and binds a surface to each port.
    template <class Program>
    void open(const Program& program, const std::vector<port_spec>& inputs_of, const std::vector<port_spec>& outputs_of,
              const std::vector<resident>& states) {
        const autorelease_pool pool(table);
        empty = make_dictionary(table, {});
        descriptor = describe(table, program);
        model = object_of(table, class_named(table, messages::model), messages::in_memory, descriptor.get());
        const std::string place = directory_of(table, model, program);
        directory = model_directory(place);
        write_files(program, place);
        compile_and_load();
        port_places places = places_of(table, model, program, inputs_of, outputs_of, !states.empty());
        inputs = std::move(places.inputs);
        outputs = std::move(places.outputs);
        for (bound_port& each : inputs) {
            give_surface(each);
        }
        for (bound_port& each : outputs) {
            if (!share_surface(each, states)) {
                give_surface(each);
            }
        }
        request = make_request(table, inputs, outputs);
        evaluate = bind(table, model.get(), messages::evaluate);
        if (door.map_surfaces) {
            map_surfaces();
        }
    }

    ANEMONE_INLINE e5rt::detail::run_result run_once() noexcept {
        try {
            const autorelease_pool pool(table);
            void* reason = nullptr;
            if (evaluate(door.quality_of_service, empty.get(), request.get(), &reason)) {
                return {};
            }
            why = description_of(table, reason);
        } catch (...) { // no memory for the reason
            why.clear();
        }
        return {run_step(), -1};
    }
    ANEMONE_INLINE void conclude(const e5rt::detail::run_result& ended) const {
        if (ended.step != nullptr) {
            throw failure(messages::evaluate, why);
        }
    }
    static const char* run_step() { return "-[_ANEInMemoryModel evaluateWithQoS:options:request:error:]"; }

    /// Ends what was begun, in the reverse order; the failures, each with its message. The second time nothing is called.
    ANEMONE_INLINE std::vector<std::pair<std::string, std::string>> release() {
        std::vector<std::pair<std::string, std::string>> failures;
        if (std::exchange(released, true)) {
            return failures;
        }
        if (!is_ours()) { // nothing of the parent's is ours to release, and the runtime may hang
            forget();
            return failures;
        }
        {
            const autorelease_pool pool(table);
            if (mapped) {
                unmap(request.get());
            }
            if (loaded) {
                if (const std::string refused = refusal_of(table, unload, door.quality_of_service); !refused.empty()) {
                    failures.emplace_back(messages::unload.text(),
                                          refused + "; " + advice_for(messages::unload.selector, refused));
                }
            }
            mapped = loaded = false;
            request.reset();
            for_each_port([](bound_port& each) { each.object.reset(); });
            empty.reset();
            model.reset();
            descriptor.reset();
        }
        for_each_port([](bound_port& each) { each.surface.reset(); });
        directory.leave();
        return failures;
    }

    const bound_port& real(const bound_port& port) const {
        return port.shares < 0 ? port : inputs[static_cast<std::size_t>(port.shares)];
    }

    std::shared_ptr<const runtime> from;
    const api& table;
    e5rt::session_options options;
    door_options door;
    e5rt::detail::program_slot slot;
    ::pid_t process = ::getpid();
    model_directory directory;
    owned descriptor;
    owned model;
    owned empty; ///< a dictionary without members
    std::vector<bound_port> inputs;
    std::vector<bound_port> outputs;
    owned request;
    bound_message<bool(unsigned, void*, void*, void**)> evaluate;
    bound_message<void(void*)> unmap; ///< like the next looked up before it is needed: an end must not fail for that
    bound_message<bool(unsigned, void**)> unload;
    bool loaded = false;
    bool mapped = false;
    bool released = false;
    std::string why; ///< the last run failed
    std::vector<std::string> degraded;
    end_at_end<session_state> ending{*this}; // last, so that it comes before the owners' own destructors

private:
    template <class Action> void for_each_port(const Action& action) {
        for (auto* ports : {&inputs, &outputs}) {
            for (bound_port& each : *ports) {
                action(each);
            }
        }
    }

    ANEMONE_INLINE void forget() noexcept {
        for (owned* each : {&request, &empty, &model, &descriptor}) {
            each->forget();
        }
        directory.forget();
        for_each_port([](bound_port& each) {
            each.object.forget();
            each.surface.forget();
        });
    }

    /// Compiles with the pacing that both doors share, counts, and loads.
    ANEMONE_INLINE void compile_and_load() {
        const auto compile = bind(table, model.get(), messages::compile);
        const auto load = bind(table, model.get(), messages::load);
        unload = bind(table, model.get(), messages::unload);
        options.pacing->wait(*options.time, options.compile_backoff);
        std::atomic<std::int32_t>& compiles = e5rt::detail::state_of_process().compiles;
        if (const int before = compiles++; before >= door.compile_limit) {
            --compiles;
            throw error(
                errc::engine, "compiles",
                formatted("{} netplists were compiled in this process, the limit is {}: the compiler leaks and fails "
                          "after about {}; start another process, keep programs, or use the e5rt door",
                          before, door.compile_limit, compiles_per_process));
        }
        const unsigned quality = door.quality_of_service;
        if (const std::string refused = refusal_of(table, compile, quality, empty.get()); !refused.empty()) {
            options.pacing->failed(options.time->now());
            throw failure(messages::compile, refused);
        }
        options.pacing->succeeded();
        if (!refusal_of(table, load, quality, empty.get()).empty()) {
            options.time->sleep(load_retry_delay);
            if (const std::string refused = refusal_of(table, load, quality, empty.get()); !refused.empty()) {
                throw failure(messages::load, formatted("failed twice, {} ms apart: {}",
                                                        load_retry_delay.nanoseconds / 1'000'000, refused));
            }
        }
        loaded = true;
    }

    ANEMONE_INLINE void give_surface(bound_port& port) const {
        port.surface = make_surface(table, port.layout.surface, port.name);
        port.object = object_of(table, class_named(table, messages::surface), messages::wrap, port.surface.get());
    }

    /// Lets an output that is a state's next value be the surface of its input; whether it is one.
    ANEMONE_INLINE bool share_surface(bound_port& port, const std::vector<resident>& states) const {
        for (const resident& each : states) {
            if (each.output != port.name) {
                continue;
            }
            port.shares = static_cast<std::ptrdiff_t>(index_of(inputs, each.input, "input"));
            if (port.layout != real(port).layout) {
                throw error(errc::engine, each.output,
                            formatted("has another layout than '{}', so one surface cannot be both: keep the state "
                                      "outside of the program, as an input and an output",
                                      each.input));
            }
            return true;
        }
        return false;
    }

    ANEMONE_INLINE void map_surfaces() {
        const auto map = find(table, model.get(), messages::map);
        unmap = find(table, model.get(), messages::unmap);
        if (!map || !unmap) {
            degraded.push_back(messages::map.text());
            return;
        }
        if (const std::string refused = refusal_of(table, map, request.get(), true); !refused.empty()) {
            throw failure(messages::map, refused);
        }
        mapped = true;
    }
};

} // namespace ane::objc::detail::inline ANEMONE_WAY
