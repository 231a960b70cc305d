#pragma once

#include "../../../base/way.hpp"
#include "../driver/dispatch.hpp"
#include "../driver/run_queue.hpp"
#include "../driver/running.hpp"
#include "../driver/within.hpp"
#include "library.hpp"
#include "loaded_program.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Everything a session or a chain holds: programs, and the stream that they are encoded on, in order. The worker of the
/// gate shares it while a run is submitted.
struct session_state : submission {
    ANEMONE_INLINE session_state(std::shared_ptr<const library> from, session_options with)
        : runtime(std::move(from)), options(completed(std::move(with))), table(runtime->functions()) {
        run = [](submission& self) noexcept { return static_cast<session_state&>(self).run_once(); };
        end = [](submission& self) noexcept { release_all(static_cast<session_state&>(self)); };
    }
    session_state(const session_state&) = delete;
    session_state& operator=(const session_state&) = delete;

    bool is_ours() const noexcept { return process == ::getpid(); }

    /// Compiles and loads a program that is not part of the session yet. The first one makes the stream.
    ANEMONE_INLINE std::unique_ptr<loaded_program> load(const std::vector<port_spec>& inputs,
                                                        const std::vector<port_spec>& outputs, session_options with) {
        check_ports(inputs, outputs);
        auto made = std::make_unique<loaded_program>(runtime, std::move(with));
        made->load(inputs, outputs);
        if (!stream)
            add_stream(made->build.degraded);
        return made;
    }
    /// Makes it the last one of the session.
    ANEMONE_INLINE void add(std::unique_ptr<loaded_program> last) {
        programs.push_back(std::move(last));
        complete = false;
        size = programs.size();
    }

    ANEMONE_INLINE void add_stream(std::vector<degradation>& left_out) {
        stream = caller{table, *options.report}.create<handle_kind::stream, &api::e5rt_execution_stream_create>();
        if (options.quality_of_service)
            try_optional<&api::e5rt_execution_stream_set_quality_of_service>(left_out, table, stream.get(),
                                                                             *options.quality_of_service);
        if (options.execution_priority)
            try_optional<&api::e5rt_execution_stream_set_ane_execution_priority>(left_out, table, stream.get(),
                                                                                 *options.execution_priority);
    }

    /// Encodes what is not encoded yet, and executes. After a run the stream takes more only when it was reset first and
    /// each of its operations prepared (engine-runtime 2.2).
    ANEMONE_INLINE run_result run_once() noexcept {
        try {
            run_result failure;
            const auto fails = [&](const char* step, std::int64_t status) {
                failure = {step, status};
                return status != 0;
            };
            if (!complete) {
                using reset = symbol<&api::e5rt_execution_stream_reset>;
                using prepare = symbol<&api::e5rt_execution_stream_operation_prepare_op_for_encode>;
                using encode = symbol<&api::e5rt_execution_stream_encode_operation>;
                if (executed) {
                    if (fails(reset::name, status_of<reset::member>(table, stream.get())))
                        return failure;
                    executed = false;
                    for (const auto& each : programs)
                        each->prepared = !each->encoded;
                }
                for (const auto& each : programs) {
                    if (each->prepared)
                        continue;
                    if (fails(prepare::name, status_of<prepare::member>(table, each->operation.get())))
                        return failure;
                    each->prepared = true;
                    each->on_stream = false;
                }
                for (const auto& each : programs) {
                    if (each->on_stream)
                        continue;
                    if (fails(encode::name, status_of<encode::member>(table, stream.get(), each->operation.get())))
                        return failure;
                    each->encoded = each->on_stream = true;
                }
                complete = true;
            }
            executed = true;
            using execute = symbol<&api::e5rt_execution_stream_execute_sync>;
            return fails(execute::name, status_of<execute::member>(table, stream.get())) ? failure : run_result{};
        } catch (const error&) { // of status_of: an optional function that a changed chain needs
            return {symbol<&api::e5rt_execution_stream_reset>::name, missing_function};
        } catch (...) { // C functions of the runtime throw nothing that is known
            return {symbol<&api::e5rt_execution_stream_execute_sync>::name, foreign_exception};
        }
    }

    template <class Action> void in_release_order(Action&& action) {
        action(stream);
        for (const auto& each : programs)
            each->in_release_order(action);
    }

    /// Throws what a run ended with.
    ANEMONE_INLINE void conclude(const run_result& ended) {
        if (ended.step == nullptr) {
            last_run = options.time->now();
            return;
        }
        if (ended.status == missing_function)
            throw error(errc::library, ended.step,
                        "the runtime cannot reset or prepare: a chain that has run cannot grow");
        throw call_failure(ended.step, ended.status);
    }
    static const char* run_step() { return symbol<&api::e5rt_execution_stream_execute_sync>::name; }

    static constexpr std::int64_t missing_function = -1001;
    static constexpr std::int64_t foreign_exception = -1002;

    ::pid_t process = ::getpid();
    std::shared_ptr<const library> runtime;
    session_options options; ///< what they hold goes after all handles
    const api& table;
    std::vector<std::unique_ptr<loaded_program>> programs;
    std::atomic<std::size_t> size{0}; ///< of the programs, for those who ask while one more is added
    handle<handle_kind::stream> stream;
    bool complete = false;                                    ///< all that there is, is encoded
    bool executed = false;                                    ///< the stream has run since it was new or reset
    std::vector<std::pair<std::size_t, std::size_t>> aliases; ///< of a session: output and input
    std::optional<clock_source::time_point> last_run;
    release_at_end<session_state> ending{*this}; // last, so that it comes before the handles' own destructors
};

/// Gives up what a session holds. Throws one error with all releases that failed, whose subject is the first of them.
ANEMONE_INLINE void close(const std::shared_ptr<session_state>& ending) {
    end_within(ending, [ending] {
        std::string first;
        std::string failures;
        ending->in_release_order([&](auto& owned) {
            const std::int64_t status = owned.release();
            if (status == 0)
                return;
            if (first.empty())
                first = owned.release_step;
            failures +=
                std::string(failures.empty() ? "" : "; ") + owned.release_step + ": status " + std::to_string(status);
        });
        if (!failures.empty())
            throw error(errc::engine, first, "releases failed: " + failures);
    });
}

/// Binds the buffer of an output to an input as well (engine-runtime 4).
ANEMONE_INLINE void share_buffer(const caller& calls, const loaded_program& reader, bound_port& output,
                                 bound_port& input) {
    const std::string pair = output.spec.name + " -> " + input.spec.name;
    if (reader.encoded)
        throw error(errc::port, pair, "an alias must be made before the first execute");
    if (input.aliased || output.buffer.get() == nullptr)
        throw error(errc::port, pair, "a port is aliased already");
    if (output.spec.bytes != input.spec.bytes)
        throw error(errc::port, pair,
                    "sizes differ: " + std::to_string(output.spec.bytes) + " and " + std::to_string(input.spec.bytes) +
                        " bytes");
    calls.with(pair).call<&api::e5rt_io_port_bind_buffer_object>(input.port.get(), output.buffer.get());
    input.data = output.data;
    input.aliased = output.aliased = true;
    input.buffer.reset();
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
