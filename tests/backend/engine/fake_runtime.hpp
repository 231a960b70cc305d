#pragma once

#include "anemone/backend/engine/e5rt/api.hpp"
#include "anemone/backend/engine/e5rt/session.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

/// A runtime made of recording functions in this process. It knows the protocol from the names alone: a release takes
/// the address of a handle; create and alloc give their result through the first parameter; compile, retain and getters
/// through the last. Each call is logged as text, "name(arguments)", with a label for each handle.
namespace fake {

struct runtime {
    // what to do
    std::map<std::string, std::int64_t> status;    ///< status of every call of a function
    std::int64_t fail_at = -1;                     ///< index of the one call that fails with -7, counted from 0
    std::set<std::string> absent;                  ///< names the resolver does not find
    std::set<std::string> only_underscored;        ///< names found with a leading underscore only
    std::set<std::string> null_results;            ///< functions that succeed and give null
    std::function<void(std::string_view)> on_call; ///< called before each call
    std::uint64_t size_answer = 0;                 ///< bytes that every buffer claims to have; 0: the truth
    bool quiet = false;                            ///< neither logs nor counts (nothing allocated)

    // what was seen
    std::vector<std::string> log;
    std::vector<std::string> names;
    std::vector<std::string> looked_up;
    std::map<void*, std::string> live;            ///< live handles and their labels
    std::map<void*, std::vector<std::byte>> data; ///< the memory of each buffer
    std::map<void*, void*> bound;                 ///< port -> buffer
    std::vector<std::string> misuse;              ///< dead handles used, released twice
    std::map<std::string, int> made;
    std::int64_t calls = 0;
    std::int64_t executed = 0;

    std::string label(void* object) {
        if (object == nullptr)
            return "null";
        const auto known = live.find(object);
        if (known != live.end())
            return known->second;
        misuse.emplace_back("a dead handle is used");
        return "dead";
    }

    void* make(const std::string& kind) {
        void* object = std::malloc(1);
        live[object] = kind + std::to_string(++made[kind]);
        return object;
    }
};

inline runtime* current = nullptr;

inline bool starts(std::string_view text, std::string_view head) { return text.substr(0, head.size()) == head; }
inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The kind of object a function makes; empty when it makes none.
inline std::string product(std::string_view name) {
    if (name == "e5rt_e5_compiler_config_options_create")
        return "config";
    if (name == "e5rt_e5_compiler_create_with_config")
        return "compiler";
    if (name == "e5rt_e5_compiler_options_create")
        return "options";
    if (name == "e5rt_e5_compiler_compile")
        return "library";
    if (name == "e5rt_program_library_retain_program_function")
        return "function";
    if (name == "e5rt_precompiled_compute_op_create_options_create_with_program_function")
        return "op_options";
    if (name == "e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options")
        return "operation";
    if (has(name, "retain_input_port"))
        return "in";
    if (has(name, "retain_output_port"))
        return "out";
    if (name == "e5rt_buffer_object_alloc")
        return "buffer";
    if (name == "e5rt_async_event_create")
        return "event";
    if (name == "e5rt_execution_stream_create")
        return "stream";
    return {};
}

inline std::string text(void* object) { return current->label(object); }
inline std::string text(const char* value) { return value == nullptr ? "null" : "\"" + std::string(value) + "\""; }
inline std::string text(void** place) { return place == nullptr ? "null" : "&"; }
inline std::string text(std::uint64_t* place) { return place == nullptr ? "null" : "&"; }
inline std::string text(std::uint64_t value) { return std::to_string(value); }
inline std::string text(std::uint32_t value) { return std::to_string(value); }
inline std::string text(int value) { return std::to_string(value); }

template <class T> void note_place(void**& place, T argument) {
    if constexpr (std::is_same_v<T, void**>)
        place = argument;
}
template <class T> void note_objects(std::vector<void*>& objects, T argument) {
    if constexpr (std::is_same_v<T, void*>)
        objects.push_back(argument);
}

template <class... Arguments> std::int64_t invoke(const char* name, Arguments... arguments) {
    runtime& self = *current;
    if (self.quiet) {
        ++self.executed;
        return 0;
    }
    if (self.on_call)
        self.on_call(name);
    void** place = nullptr;
    (note_place(place, arguments), ...);
    std::vector<void*> objects;
    (note_objects(objects, arguments), ...);
    const bool releases = has(name, "_release");

    std::string line = std::string(name) + "(";
    const char* separator = "";
    ((line += separator + (releases ? self.label(*place) : text(arguments)), separator = ", "), ...);
    self.log.push_back(line + ")");
    self.names.emplace_back(name);

    const bool fails = self.calls++ == self.fail_at;
    const auto chosen = self.status.find(name);
    const std::int64_t status = fails ? -7 : chosen != self.status.end() ? chosen->second : 0;

    if (releases) { // a release that fails has released all the same: only its report is under test
        if (self.live.erase(*place) == 0)
            self.misuse.push_back(std::string(name) + ": not a live handle");
        self.data.erase(*place);
        self.bound.erase(*place);
        std::free(*place);
        *place = nullptr;
        return status;
    }
    if (status != 0)
        return status;
    if (has(name, "execute_sync"))
        ++self.executed;
    if (has(name, "bind_buffer_object"))
        self.bound[objects.at(0)] = objects.at(1);
    if (place != nullptr) {
        if (self.null_results.count(name) != 0) {
            *place = nullptr;
        } else if (has(name, "get_data_ptr")) {
            *place = self.data[objects.at(0)].data();
        } else {
            *place = self.make(product(name));
        }
    }
    return 0;
}

/// The buffers have real memory, filled with a pattern, so that the sanitizers see a write past the end.
inline std::int64_t allocate(void** out, std::uint64_t size, std::uint32_t type) {
    const std::int64_t status = invoke("e5rt_buffer_object_alloc", out, size, type);
    if (status == 0 && *out != nullptr)
        current->data[*out] = std::vector<std::byte>(static_cast<std::size_t>(size), std::byte{0xAB});
    return status;
}

/// What the buffer has, or what the runtime is told to say.
inline std::int64_t size_of(void* buffer, std::uint64_t* out) {
    const std::int64_t status = invoke("e5rt_buffer_object_get_size", buffer, out);
    if (status == 0)
        *out = current->size_answer != 0 ? current->size_answer : current->data[buffer].size();
    return status;
}

template <class Symbol,
          class Function =
              std::remove_cv_t<std::remove_reference_t<decltype(std::declval<ane::e5rt::api&>().*Symbol::member)>>>
struct thunk;
template <class Symbol, class... Arguments> struct thunk<Symbol, std::int64_t (*)(Arguments...)> {
    static std::int64_t function(Arguments... arguments) { return invoke(Symbol::name, arguments...); }
};

/// What dlsym would give for this runtime.
inline void* find(runtime& self, const char* wanted) {
    self.looked_up.emplace_back(wanted);
    void* found = nullptr;
    ane::e5rt::for_each_symbol([&](auto entry) {
        using described = decltype(entry);
        const std::string name = described::name;
        if (self.absent.count(name) != 0)
            return;
        const bool underscored = self.only_underscored.count(name) != 0;
        if (wanted != (underscored ? "_" + name : name))
            return;
        found = reinterpret_cast<void*>(&thunk<described>::function);
        if (name == "e5rt_buffer_object_alloc")
            found = reinterpret_cast<void*>(&allocate);
        if (name == "e5rt_buffer_object_get_size")
            found = reinterpret_cast<void*>(&size_of);
    });
    return found;
}

/// A clock that never waits: sleeping moves it.
struct clock : ane::e5rt::clock_source {
    time_point present{std::chrono::hours{1}};
    std::vector<duration> slept;

    time_point now() override { return present; }
    void sleep(duration span) override {
        slept.push_back(span);
        present += span;
    }
};

/// Keeps what it is told.
struct report final : ane::e5rt::release_report {
    std::vector<std::string> lines;

    void failed(std::string_view step, std::int64_t status) override {
        lines.push_back(std::string(step) + " " + std::to_string(status));
    }
};

/// A program directory, a runtime and options that touch no process-wide state; everything a test needs.
struct bench {
    bench() {
        current = &rt;
        std::string pattern = (std::filesystem::temp_directory_path() / "anemone-engine-XXXXXX").string();
        directory = ::mkdtemp(pattern.data());
        std::ofstream(directory / "model.mil") << "program(1.0) {}\n";
        options.directory = directory;
        options.target_architecture = "h13";
        options.pacing = pacing;
        options.time = time;
        options.report = report;
    }
    ~bench() {
        std::error_code ignored;
        std::filesystem::remove_all(directory, ignored);
        current = nullptr;
    }
    bench(const bench&) = delete;
    bench& operator=(const bench&) = delete;

    std::shared_ptr<const ane::e5rt::library> library() {
        return ane::e5rt::library::from_resolver([this](const char* name) { return find(rt, name); }, "fake image");
    }
    ane::e5rt::session open() { return ane::e5rt::session(library(), inputs, outputs, options); }

    runtime rt;
    std::filesystem::path directory;
    std::shared_ptr<ane::e5rt::compile_pacing> pacing = std::make_shared<ane::e5rt::compile_pacing>();
    std::shared_ptr<fake::clock> time = std::make_shared<fake::clock>();
    std::shared_ptr<fake::report> report = std::make_shared<fake::report>();
    std::vector<ane::e5rt::port_spec> inputs{{"x", 2}, {"state", 130}};
    std::vector<ane::e5rt::port_spec> outputs{{"y", 64}, {"state_out", 130}};
    ane::e5rt::session_options options;
};

/// The error that `action` throws; fails the test when it throws none.
template <class Action> ane::error thrown(Action&& action) {
    try {
        action();
    } catch (const ane::error& failure) {
        return failure;
    }
    throw std::logic_error("no ane::error was thrown");
}

} // namespace fake
