#pragma once

#include "../../../base/formatted.hpp"
#include "../../../formats/netplist.hpp"
#include "../session_state.hpp"
#include "binding.hpp"
#include "calls.hpp"
#include "layout.hpp"
#include "session.hpp"
#include "surface.hpp"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <unistd.h>

namespace ane::objc::detail::inline ANEMONE_WAY {

inline std::atomic<int> compile_count{0};

/// File name -> {offset: 0, data: the bytes}.
ANEMONE_INLINE owned weights_of(const api& table, const netplist& program) {
    const owned offset = make_string(table, "offset");
    const owned data = make_string(table, "data");
    const owned zero = make_number(table, 0);
    std::vector<owned> kept;
    std::vector<std::pair<const void*, const void*>> members;
    for (const netplist_blob& blob : program.weights) {
        const owned bytes = make_data(table, blob.bytes);
        kept.push_back(make_string(table, blob.name));
        const void* const key = kept.back().get();
        kept.push_back(make_dictionary(table, {{offset.get(), zero.get()}, {data.get(), bytes.get()}}));
        members.emplace_back(key, kept.back().get());
    }
    return make_dictionary(table, members);
}

} // namespace ane::objc::detail::inline ANEMONE_WAY

namespace ane::objc::inline ANEMONE_WAY {

struct session::members {
    ANEMONE_INLINE members(std::shared_ptr<const runtime> of, e5rt::session_options with, door_options through)
        : from(std::move(of)), table(from->functions()), options(e5rt::detail::completed(std::move(with))),
          door(through), slot(options.program_limit), process(::getpid()) {}
    members(const members&) = delete;
    members& operator=(const members&) = delete;

    std::shared_ptr<const runtime> from;
    const api& table;
    e5rt::session_options options;
    door_options door;
    e5rt::detail::program_slot slot;
    pid_t process;
    std::string directory; ///< that was made for the model; removed at the end
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
    std::vector<std::string> degraded;
    ane::detail::run_flag running{false};

    void (*ending)(members&) = nullptr; ///< a destructor cannot be a template
    ~members() {
        if (ending != nullptr) {
            ending(*this);
        }
    }
};

} // namespace ane::objc::inline ANEMONE_WAY

namespace ane::objc::detail::inline ANEMONE_WAY {

ANEMONE_INLINE void check_process(pid_t process) {
    if (::getpid() != process) {
        throw error(
            errc::argument, "session",
            formatted("belongs to process {}, this is its child {}: a program does not survive fork; compile it "
                      "after the fork",
                      process, ::getpid()));
    }
}

/// Compiles with the pacing that both doors share, counts, and loads.
template <class Members> void compile_and_load(Members& self) {
    const api& table = self.table;
    const auto compile = bind(table, self.model.get(), messages::compile);
    const auto load = bind(table, self.model.get(), messages::load);
    self.unload = bind(table, self.model.get(), messages::unload);
    self.options.pacing->wait(*self.options.time, self.options.compile_backoff);
    if (compile_count.load() >= self.door.compile_limit) {
        throw error(
            errc::engine, "compiles",
            formatted("{} netplists were compiled in this process, the limit is {}: the compiler leaks and fails "
                      "after about {}; start another process, keep programs, or use the e5rt door",
                      compile_count.load(), self.door.compile_limit, compiles_per_process));
    }
    ++compile_count;
    const unsigned quality = self.door.quality_of_service;
    if (const std::string why = refusal_of(table, compile, quality, self.empty.get()); !why.empty()) {
        self.options.pacing->failed(self.options.time->now());
        throw failure(messages::compile, why);
    }
    self.options.pacing->succeeded();
    if (!refusal_of(table, load, quality, self.empty.get()).empty()) {
        self.options.time->sleep(load_retry_delay);
        if (const std::string why = refusal_of(table, load, quality, self.empty.get()); !why.empty()) {
            throw failure(messages::load, "failed twice, " + std::to_string(load_retry_delay.nanoseconds / 1'000'000) +
                                              " ms apart: " + why);
        }
    }
    self.loaded = true;
}

/// Ends what was begun, in the reverse order; the failures, each with its message.
template <class Members> std::vector<std::pair<std::string, std::string>> end(Members& self) {
    std::vector<std::pair<std::string, std::string>> failures;
    if (::getpid() != self.process) { // nothing of the parent's is ours to release, and the runtime may hang
        for (owned* each : {&self.request, &self.empty, &self.model, &self.descriptor}) {
            each->forget();
        }
        for (auto* ports : {&self.inputs, &self.outputs}) {
            for (bound_port& each : *ports) {
                each.object.forget();
                each.surface.forget();
            }
        }
        return failures;
    }
    const api& table = self.table;
    {
        const autorelease_pool pool(table);
        if (self.mapped) {
            self.unmap(self.request.get());
        }
        if (self.loaded) {
            if (const std::string why = refusal_of(table, self.unload, self.door.quality_of_service); !why.empty()) {
                failures.emplace_back(messages::unload.text(), why + "; " + advice_for(messages::unload.selector, why));
            }
        }
        self.mapped = self.loaded = false;
        self.request.reset();
        for (auto* ports : {&self.inputs, &self.outputs}) {
            for (bound_port& each : *ports) {
                each.object.reset();
            }
        }
        self.empty.reset();
        self.model.reset();
        self.descriptor.reset();
    }
    for (auto* ports : {&self.inputs, &self.outputs}) {
        for (bound_port& each : *ports) {
            each.surface.reset();
        }
    }
    if (!self.directory.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(self.directory, ignored);
    }
    return failures;
}

template <class Members> void end_and_report(Members& self) {
    try {
        for (const auto& [step, why] : end(self)) {
            self.options.report->failed(step, -1);
        }
    } catch (...) { // a report that throws, or no memory: this is a destructor
    }
}

/// A directory that was there before is not ours to remove.
ANEMONE_INLINE bool make_directory(const std::string& path) {
    std::error_code failed;
    const bool made = std::filesystem::create_directories(path, failed);
    if (failed) {
        throw error(errc::file, path, "the directory of the program cannot be made: " + failed.message());
    }
    return made;
}

} // namespace ane::objc::detail::inline ANEMONE_WAY

namespace ane::objc::inline ANEMONE_WAY {

ANEMONE_BODY session::session(std::shared_ptr<const runtime> from, const netplist& program,
                              const std::vector<port_spec>& inputs, const std::vector<port_spec>& outputs,
                              const std::vector<resident>& states, e5rt::session_options options, door_options door) {
    if (!from) {
        throw error(errc::argument, "runtime", "no library");
    }
    state_ = hidden<members>::of(new members(std::move(from), std::move(options), door));
    members& self = state();
    self.ending = [](members& ended) { detail::end_and_report(ended); };
    const api& table = self.table;
    const autorelease_pool pool(table);

    const std::string document = formats::to_xml(program.document);
    const owned bytes = make_data(table, std::as_bytes(std::span(document)));
    const owned weights = detail::weights_of(table, program);
    self.empty = make_dictionary(table, {});
    void* nothing = nullptr;
    self.descriptor = detail::object_of(table, detail::class_named(table, messages::descriptor), messages::describe,
                                        bytes.get(), weights.get(), nothing);
    self.model = detail::object_of(table, detail::class_named(table, messages::model), messages::in_memory,
                                   self.descriptor.get());
    const owned place = detail::object_of(table, self.model.get(), messages::local_path);
    const std::string directory = text_of(table, place.get());
    if (directory.empty()) {
        throw detail::failure(messages::local_path, "gave an empty path");
    }
    if (detail::make_directory(directory)) {
        self.directory = directory;
    }
    static_cast<void>(write_netplist(program, directory));
    detail::compile_and_load(self);

    const owned kept = detail::object_of(table, self.model.get(), messages::attributes);
    const foundation_value status =
        foundation_value(table, kept.get(), "modelAttributes")["NetworkStatusList"][std::size_t{0}];
    void* const wrapper = detail::class_named(table, messages::surface);
    const auto own_surface = [&](bound_port& port) {
        port.surface = make_surface(table, port.layout.surface, port.name);
        port.object = detail::object_of(table, wrapper, messages::wrap, port.surface.get());
    };
    self.inputs = detail::bound(status["LiveInputList"], inputs, own_surface);
    self.outputs = detail::bound(status["LiveOutputList"], outputs, [&](bound_port& port) {
        for (const resident& each : states) {
            if (each.output == port.name) {
                port.shares = static_cast<std::ptrdiff_t>(input_index(each.input));
                const port_layout& other = input_layout(static_cast<std::size_t>(port.shares));
                if (port.layout != other) {
                    throw error(errc::engine, each.output,
                                formatted("has another layout than '{}', so one surface cannot be both: keep the state "
                                          "outside of the program, as an input and an output",
                                          each.input));
                }
                return;
            }
        }
        own_surface(port);
    });
    self.request = detail::make_request(table, self.inputs, self.outputs);
    self.evaluate = bind(table, self.model.get(), messages::evaluate);
    if (door.map_surfaces) {
        const auto map = find(table, self.model.get(), messages::map);
        self.unmap = find(table, self.model.get(), messages::unmap);
        if (map && self.unmap) {
            if (const std::string why = detail::refusal_of(table, map, self.request.get(), true); !why.empty()) {
                throw detail::failure(messages::map, why);
            }
            self.mapped = true;
        } else {
            self.degraded.push_back(messages::map.text());
        }
    }
}

ANEMONE_BODY session::members& session::state() const {
    if (closed()) {
        throw error(errc::argument, "session", "the session is closed");
    }
    return state_.get("session");
}

ANEMONE_BODY std::size_t session::input_count() const { return state().inputs.size(); }
ANEMONE_BODY std::size_t session::output_count() const { return state().outputs.size(); }

} // namespace ane::objc::inline ANEMONE_WAY

namespace ane::objc::detail::inline ANEMONE_WAY {

ANEMONE_INLINE std::size_t index_of(const std::vector<bound_port>& ports, std::string_view name,
                                    const char* direction) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (ports[i].name == name) {
            return i;
        }
    }
    throw error(errc::port, std::string(name), std::string("no ") + direction + " has this name");
}

ANEMONE_INLINE void check_size(const bound_port& port, std::size_t bytes) {
    if (bytes != static_cast<std::size_t>(port.layout.dense())) {
        throw error(errc::port, port.name, formatted("has {} bytes, the port takes {}", bytes, port.layout.dense()));
    }
}

ANEMONE_INLINE void read_surface(const api& table, const bound_port& port, const bound_port& real,
                                 std::span<std::byte> dense) {
    check_size(port, dense.size());
    surface_lock access(table, real.surface.get(), lock_read_only, port.name);
    gather(port.layout, access.memory(), dense);
    access.end(port.name);
}

} // namespace ane::objc::detail::inline ANEMONE_WAY

namespace ane::objc::inline ANEMONE_WAY {

ANEMONE_BODY std::size_t session::input_index(std::string_view name) const {
    return detail::index_of(state().inputs, name, "input");
}
ANEMONE_BODY std::size_t session::output_index(std::string_view name) const {
    return detail::index_of(state().outputs, name, "output");
}
ANEMONE_BODY const port_layout& session::input_layout(std::size_t index) const {
    return e5rt::detail::port_at(state().inputs, index, "input").layout;
}
ANEMONE_BODY const port_layout& session::output_layout(std::size_t index) const {
    return e5rt::detail::port_at(state().outputs, index, "output").layout;
}

ANEMONE_BODY void session::write(std::size_t input, std::span<const std::byte> dense) {
    members& self = state();
    detail::check_process(self.process);
    const bound_port& port = e5rt::detail::port_at(self.inputs, input, "input");
    detail::check_size(port, dense.size());
    surface_lock access(self.table, port.surface.get(), 0, port.name);
    scatter(port.layout, dense, access.memory());
    access.end(port.name);
}

ANEMONE_BODY void session::read(std::size_t output, std::span<std::byte> dense) const {
    members& self = state();
    detail::check_process(self.process);
    const bound_port& port = e5rt::detail::port_at(self.outputs, output, "output");
    const bound_port& real = port.shares < 0 ? port : self.inputs[static_cast<std::size_t>(port.shares)];
    detail::read_surface(self.table, port, real, dense);
}

ANEMONE_BODY void session::read_input(std::size_t input, std::span<std::byte> dense) const {
    members& self = state();
    detail::check_process(self.process);
    const bound_port& port = e5rt::detail::port_at(self.inputs, input, "input");
    detail::read_surface(self.table, port, port, dense);
}

ANEMONE_BODY void session::execute() {
    members& self = state();
    detail::check_process(self.process);
    const ane::detail::one_run now(self.running, "session");
    const std::lock_guard alone(*self.options.gate);
    const autorelease_pool pool(self.table);
    void* reason = nullptr;
    if (!self.evaluate(self.door.quality_of_service, self.empty.get(), self.request.get(), &reason)) {
        throw detail::failure(messages::evaluate, description_of(self.table, reason));
    }
}

ANEMONE_BODY const std::vector<std::string>& session::degraded() const { return state().degraded; }

ANEMONE_BODY void session::close() {
    if (closed()) {
        return;
    }
    const hidden<members> ending = std::move(state_);
    const auto failures = detail::end(ending.get("session"));
    if (!failures.empty()) {
        std::string all;
        for (const auto& [step, why] : failures) {
            all.append(all.empty() ? "" : "; ").append(step).append(": ").append(why);
        }
        throw error(errc::engine, failures.front().first, "releases failed: " + all);
    }
}

ANEMONE_BODY int compiles() noexcept { return detail::compile_count.load(); }

} // namespace ane::objc::inline ANEMONE_WAY
