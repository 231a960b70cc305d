#include "e5rt_standin.h"
#include "test_session.hpp"
#include "test_support.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <cstring>

using namespace standin_test;

namespace {

struct quiet {
    quiet() { setenv("ANEMONE_STANDIN_QUIET", "1", 1); }
} const silence;

} // namespace

TEST_CASE("stand-in: compile, bind, execute, release") {
    const std::uint64_t before = anemone_standin_live_handles();
    {
        session s(addition);
        REQUIRE(s.status == 0);
        ane::half* const a = s.bind("a", false);
        ane::half* const b = s.bind("b", false);
        ane::half* const y = s.bind("y", true);
        CHECK(ane::is_nan(y[0])); // memory is not zeroed for the caller
        REQUIRE(e5rt_execution_stream_create(&s.stream) == 0);
        put(a, {1, 2, 3, 4});
        put(b, {10, 20, 30, 40});
        CHECK(e5rt_execution_stream_encode_operation(s.stream, s.op) == 0);
        CHECK(e5rt_execution_stream_execute_sync(s.stream) == 0);
        CHECK(got(y, 4) == std::vector<double>{11, 22, 33, 44});
        put(a, {0, 0, 0, 0});
        CHECK(e5rt_execution_stream_execute_sync(s.stream) == 0); // later runs: no reset, no encode
        CHECK(got(y, 4) == std::vector<double>{10, 20, 30, 40});
        std::uint64_t functions = 0;
        CHECK(e5rt_program_library_get_num_functions(s.library, &functions) == 0);
        CHECK(functions == 1);
        const char* name = nullptr;
        CHECK(e5rt_program_library_get_function_names(s.library, 1, &name) == 0);
        CHECK(std::string(name) == "main");
        CHECK(e5rt_program_function_load_for_execution(s.function) == 0);
        std::uint64_t size = 0;
        CHECK(e5rt_buffer_object_get_size(s.buffers[0], &size) == 0);
        CHECK(size == 64);
    }
    CHECK(anemone_standin_live_handles() == before);
}

TEST_CASE("stand-in: an output bound to an input is a state") {
    session s(text("tensor<fp16, [1]> count", line("tensor<fp16, [1]> next", "add(x = count, y = fp16(1.0))"), "next"));
    REQUIRE(s.status == 0);
    ane::half* const state = s.bind("next", true);
    static_cast<void>(s.bind("count", false));
    CHECK(e5rt_io_port_bind_buffer_object(s.ports[1], s.buffers[0]) == 0);
    put(state, {0});
    REQUIRE(e5rt_execution_stream_create(&s.stream) == 0);
    REQUIRE(e5rt_execution_stream_encode_operation(s.stream, s.op) == 0);
    for (int i = 1; i <= 4; ++i) {
        CHECK(e5rt_execution_stream_execute_sync(s.stream) == 0);
        CHECK(static_cast<double>(state[0]) == i);
    }
}

TEST_CASE("stand-in: calls in the wrong order fail") {
    session s(addition);
    REQUIRE(s.status == 0);
    REQUIRE(e5rt_execution_stream_create(&s.stream) == 0);
    CHECK(e5rt_execution_stream_reset(s.stream) != 0);                       // a fresh stream
    CHECK(e5rt_execution_stream_execute_sync(s.stream) != 0);                // nothing encoded
    CHECK(e5rt_execution_stream_operation_prepare_op_for_encode(s.op) != 0); // never encoded
    CHECK(e5rt_execution_stream_encode_operation(s.stream, s.op) != 0);      // no buffers
    static_cast<void>(s.bind("a", false));
    static_cast<void>(s.bind("b", false));
    CHECK(e5rt_execution_stream_encode_operation(s.stream, s.op) != 0); // one still missing
    static_cast<void>(s.bind("y", true));
    void* event = nullptr;
    REQUIRE(e5rt_async_event_create(&event, "done", 0) == 0);
    CHECK(e5rt_execution_stream_operation_bind_completion_event(s.op, event) == 0);
    CHECK(e5rt_execution_stream_operation_bind_dependent_events(s.op, &event, 1) == 0);
    CHECK(e5rt_execution_stream_encode_operation(s.stream, s.op) == 0);
    CHECK(e5rt_execution_stream_encode_operation(s.stream, s.op) != 0);    // twice
    CHECK(e5rt_io_port_bind_buffer_object(s.ports[0], s.buffers[1]) != 0); // after encode
    CHECK(e5rt_execution_stream_operation_bind_completion_event(s.op, event) != 0);
    CHECK(e5rt_execution_stream_operation_bind_dependent_events(s.op, &event, 1) != 0);
    CHECK(e5rt_execution_stream_execute_sync(s.stream) == 0);
    std::uint64_t signalled = 7;
    CHECK(e5rt_async_event_get_last_signaled_value(event, &signalled) == 0);
    CHECK(signalled == 0);                                                   // not under execute_sync
    CHECK(e5rt_async_event_sync_wait(event) != 0);                           // would hang
    CHECK(e5rt_execution_stream_operation_prepare_op_for_encode(s.op) != 0); // reset comes first
    CHECK(e5rt_execution_stream_reset(s.stream) == 0);
    CHECK(e5rt_execution_stream_execute_sync(s.stream) != 0);
    CHECK(e5rt_execution_stream_encode_operation(s.stream, s.op) != 0); // not prepared
    CHECK(e5rt_execution_stream_operation_prepare_op_for_encode(s.op) == 0);
    CHECK(e5rt_io_port_bind_buffer_object(s.ports[0], s.buffers[1]) != 0); // still not
    CHECK(e5rt_execution_stream_encode_operation(s.stream, s.op) == 0);
    CHECK(e5rt_execution_stream_execute_sync(s.stream) == 0);
    CHECK(e5rt_execution_stream_async_submit(s.stream) != 0); // Use submit_async
    CHECK(e5rt_execution_stream_submit_async(s.stream, nullptr) != 0);
    CHECK(e5rt_async_event_release(&event) == 0);
}

TEST_CASE("stand-in: adding an operation to a stream that has run needs a reset") {
    session s(addition);
    session other(addition);
    for (session* const one : {&s, &other}) {
        REQUIRE(one->status == 0);
        put(one->bind("a", false), {1, 1, 1, 1});
        put(one->bind("b", false), {1, 1, 1, 1});
        static_cast<void>(one->bind("y", true));
    }
    REQUIRE(e5rt_execution_stream_create(&s.stream) == 0);
    CHECK(e5rt_execution_stream_encode_operation(s.stream, s.op) == 0);
    CHECK(e5rt_execution_stream_execute_sync(s.stream) == 0);
    CHECK(e5rt_execution_stream_encode_operation(s.stream, other.op) != 0);
    CHECK(e5rt_execution_stream_reset(s.stream) == 0);
    CHECK(e5rt_execution_stream_operation_prepare_op_for_encode(s.op) == 0);
    CHECK(e5rt_execution_stream_encode_operation(s.stream, s.op) == 0);
    CHECK(e5rt_execution_stream_encode_operation(s.stream, other.op) == 0);
    CHECK(e5rt_execution_stream_execute_sync(s.stream) == 0);
}

TEST_CASE("stand-in: null, wrong and stale handles fail and crash nothing") {
    session s(addition);
    REQUIRE(s.status == 0);
    int local = 0;
    void* out = &local;
    void* const untouched = out;
    for (void* const bad : std::initializer_list<void*>{nullptr, &local, s.library, reinterpret_cast<void*>(16)}) {
        CHECK(e5rt_execution_stream_execute_sync(bad) != 0);
        CHECK(e5rt_execution_stream_encode_operation(bad, s.op) != 0);
        CHECK(e5rt_io_port_bind_buffer_object(bad, bad) != 0);
        CHECK(e5rt_buffer_object_get_data_ptr(bad, &out) != 0);
        CHECK(e5rt_execution_stream_operation_retain_input_port(bad, "a", &out) != 0);
        CHECK(e5rt_precompiled_compute_op_create_options_create_with_program_function(&out, bad) != 0);
        CHECK(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(&out, bad) != 0);
        CHECK(e5rt_e5_compiler_compile(bad, "x", bad, &out) != 0);
        CHECK(e5rt_async_event_signal(bad) != 0);
    }
    CHECK(e5rt_execution_stream_create(nullptr) != 0);
    CHECK(e5rt_buffer_object_alloc(nullptr, 64, 0) != 0);
    CHECK(e5rt_buffer_object_release(nullptr) != 0);
    void* none = nullptr;
    CHECK(e5rt_buffer_object_release(&none) != 0);
    CHECK(e5rt_async_event_create(&out, nullptr, 0) != 0);
    CHECK(e5rt_buffer_object_alloc(&out, 64, 3) != 0);
    CHECK(e5rt_buffer_object_alloc(&out, 0, 0) != 0);
    CHECK(e5rt_execution_stream_operation_retain_input_port(s.op, "y", &out) != 0);  // an output
    CHECK(e5rt_execution_stream_operation_retain_output_port(s.op, "a", &out) != 0); // an input
    CHECK(e5rt_execution_stream_operation_retain_input_port(s.op, nullptr, &out) != 0);
    CHECK(e5rt_program_library_retain_program_function(s.library, "other", &out) != 0);
    CHECK(out == untouched); // nothing is written on failure

    void* buffer = nullptr;
    REQUIRE(e5rt_buffer_object_alloc(&buffer, 64, 2) == 0);
    void* const stale = buffer;
    CHECK(e5rt_buffer_object_release(&buffer) == 0);
    void* again = stale;
    CHECK(e5rt_buffer_object_release(&again) != 0);
    CHECK(e5rt_buffer_object_get_data_ptr(stale, &out) != 0);
}

TEST_CASE("stand-in: a buffer must hold its port") {
    session s(addition);
    REQUIRE(s.status == 0);
    static_cast<void>(s.bind("a", false, 7));
    CHECK(s.bound != 0);
    static_cast<void>(s.bind("a", false, 8));
    CHECK(s.bound == 0);
}

TEST_CASE("stand-in: swapped arguments are answered like the real ones") {
    session s(addition);
    REQUIRE(s.status == 0);
    void* out = nullptr;
    // The path where the handle should go, and the other way round.
    std::string path = s.folder.directory();
    CHECK(e5rt_program_library_create(reinterpret_cast<void**>(path.data()), reinterpret_cast<const char*>(&out)) != 0);
    CHECK(path == s.folder.directory());
    CHECK(e5rt_precompiled_compute_op_create_options_create_with_program_function(static_cast<void**>(s.function),
                                                                                  &out) != 0);
}

TEST_CASE("stand-in: the bundle is written and opened again in this process") {
    session s(addition);
    REQUIRE(s.status == 0);
    namespace fs = std::filesystem;
    const fs::path root = fs::path(s.folder.directory()) / "cache" / "com.apple.e5rt.e5bundlecache" / "standin";
    REQUIRE(fs::is_directory(root));
    const fs::path bundle = fs::directory_iterator(root)->path();
    void* again = nullptr;
    CHECK(e5rt_program_library_create(&again, bundle.c_str()) == 0);
    void* function = nullptr;
    CHECK(e5rt_program_library_retain_program_function(again, "main", &function) == 0);
    CHECK(e5rt_program_function_release(&function) == 0);
    CHECK(e5rt_program_library_release(&again) == 0);
    CHECK(e5rt_program_library_create(&again, root.c_str()) != 0);
    std::ofstream(bundle / "standin.bundle") << "0123456789abcdef0123456789abcdef\n"; // of another process
    CHECK(e5rt_program_library_create(&again, bundle.c_str()) != 0);
    std::ifstream placement(bundle / "analytics.mil");
    const std::string all(std::istreambuf_iterator<char>(placement), {});
    CHECK(contains(all, "SelectedBackend = string(\"ane\")"));
}

TEST_CASE("stand-in: targets of a compile and of the host") {
    setenv("ANEMONE_STANDIN_HOST", "h13", 1);
    CHECK(session(addition, "TargetArchitecture=h13g").status == 0);
    CHECK(session(addition, "TargetArchitecture=zzz").status == 0); // silently the host
    CHECK(session(addition, "TargetArchitecture=h12").status != 0); // no MIL
    const session foreign(addition, "TargetArchitecture=h17s");
    CHECK(foreign.library != nullptr); // compiles
    CHECK(foreign.status != 0);        // but does not load
    setenv("ANEMONE_STANDIN_HOST", "H17s", 1);
    CHECK(session(addition, "TargetArchitecture=h17s").status == 0);
    CHECK(session(addition).status == 0);
    CHECK(session(addition, "TargetArchitecture=h13").status != 0);
    setenv("ANEMONE_STANDIN_RUN_FOREIGN", "1", 1);
    CHECK(session(addition, "TargetArchitecture=h13").status == 0);
    unsetenv("ANEMONE_STANDIN_RUN_FOREIGN");
    unsetenv("ANEMONE_STANDIN_HOST");
}

TEST_CASE("stand-in: at most 128 programs are loaded") {
    session s(addition);
    REQUIRE(s.status == 0);
    std::vector<void*> loaded(127, nullptr);
    for (void*& op : loaded) {
        REQUIRE(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(&op, s.op_options) ==
                0);
    }
    void* more = nullptr;
    CHECK(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(&more, s.op_options) != 0);
    CHECK(e5rt_execution_stream_operation_release(&loaded[5]) == 0);
    CHECK(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(&loaded[5], s.op_options) ==
          0);
    for (void*& op : loaded) {
        CHECK(e5rt_execution_stream_operation_release(&op) == 0);
    }
}

TEST_CASE("stand-in: failures on demand, and the count of calls") {
    CHECK(anemone_standin_fail("e5rt_no_such_function", 1, 1) != 0);
    CHECK(anemone_standin_fail("e5rt_buffer_object_alloc", 0, 1) != 0);
    CHECK(anemone_standin_fail("e5rt_buffer_object_alloc", 2, 42) == 0);
    const std::uint64_t before = anemone_standin_calls("e5rt_buffer_object_alloc");
    std::array<void*, 3> buffers{};
    CHECK(e5rt_buffer_object_alloc(buffers.data(), 64, 0) == 0);
    CHECK(e5rt_buffer_object_alloc(&buffers[1], 64, 0) == 42);
    CHECK(buffers[1] == nullptr);
    CHECK(e5rt_buffer_object_alloc(&buffers[2], 64, 0) == 0);
    CHECK(anemone_standin_calls("buffer_object_alloc") == before + 3);
    CHECK(anemone_standin_fail("buffer_object_release", 1, -1) == 0);
    CHECK(anemone_standin_fail(nullptr, 0, 0) == 0);
    CHECK(e5rt_buffer_object_release(buffers.data()) == 0);
    CHECK(e5rt_buffer_object_release(&buffers[2]) == 0);
}

TEST_CASE("stand-in: compiles too soon after a failure are counted") {
    static double now = 100;
    anemone_standin_set_clock([] { return now; });
    const std::uint64_t before = anemone_standin_early_compiles();
    const std::string broken = text("fp16 x", "", "x");
    CHECK(session(broken).status != 0);
    now += 14;
    CHECK(session(addition).status == 0);
    CHECK(anemone_standin_early_compiles() == before + 1);
    CHECK(session(broken).status != 0); // the success cleared it
    CHECK(anemone_standin_early_compiles() == before + 1);
    now += 15;
    CHECK(session(addition).status == 0);
    CHECK(anemone_standin_early_compiles() == before + 1);
    anemone_standin_set_clock(nullptr);
}

TEST_CASE("stand-in: an asynchronous submission runs the block, the stream, and signals the completion") {
    session s(addition);
    REQUIRE(s.status == 0);
    put(s.bind("a", false), {1, 2, 3, 4});
    put(s.bind("b", false), {1, 1, 1, 1});
    const ane::half* const y = s.bind("y", true);
    void* event = nullptr;
    REQUIRE(e5rt_async_event_create(&event, "done", 0) == 0);
    REQUIRE(e5rt_execution_stream_operation_bind_completion_event(s.op, event) == 0);
    REQUIRE(e5rt_execution_stream_create(&s.stream) == 0);
    REQUIRE(e5rt_execution_stream_encode_operation(s.stream, s.op) == 0);
    struct block {
        void* isa;
        int flags;
        int reserved;
        std::int64_t (*invoke)(void*);
        int count;
    } counting{nullptr, 0, 0, [](void* self) { return std::int64_t{static_cast<block*>(self)->count++}; }, 0};
    CHECK(e5rt_execution_stream_submit_async(s.stream, &counting) == 0);
    CHECK(e5rt_async_event_sync_wait(event) == 0);
    CHECK(got(y, 4) == std::vector<double>{2, 3, 4, 5});
    CHECK(e5rt_execution_stream_submit_async(s.stream, &counting) == 1); // the block's own status
    std::uint64_t last = 0;
    CHECK(e5rt_async_event_get_last_signaled_value(event, &last) == 0);
    CHECK(last == 1);
    CHECK(e5rt_async_event_release(&event) == 0);
}

TEST_CASE("stand-in: a compile needs the engine among its devices, and its paths") {
    const scratch folder;
    const std::string path = folder.write("model.mil", addition);
    void* config = nullptr;
    void* compiler = nullptr;
    void* options = nullptr;
    void* library = nullptr;
    REQUIRE(e5rt_e5_compiler_config_options_create(&config) == 0);
    REQUIRE(e5rt_e5_compiler_config_options_set_cache_bundle_location(config,
                                                                      (folder.directory() + "/absent").c_str()) == 0);
    REQUIRE(e5rt_e5_compiler_options_create(&options) == 0);
    REQUIRE(e5rt_e5_compiler_create_with_config(&compiler, config) == 0);
    CHECK(e5rt_e5_compiler_compile(compiler, path.c_str(), options, &library) != 0); // no cache directory
    REQUIRE(e5rt_e5_compiler_release(&compiler) == 0);
    REQUIRE(e5rt_e5_compiler_create(&compiler) == 0);
    REQUIRE(e5rt_e5_compiler_options_set_compute_device_types_mask(options, 3) == 0);
    CHECK(e5rt_e5_compiler_compile(compiler, path.c_str(), options, &library) != 0);
    std::uint64_t mask = 0;
    CHECK(e5rt_e5_compiler_options_get_compute_device_types_mask(options, &mask) == 0);
    CHECK(mask == 3);
    REQUIRE(e5rt_e5_compiler_options_set_compute_device_types_mask(options, 4) == 0);
    CHECK(e5rt_e5_compiler_compile(compiler, (folder.directory() + "/absent.mil").c_str(), options, &library) != 0);
    CHECK(e5rt_e5_compiler_compile(compiler, folder.directory().c_str(), options, &library) != 0);
    CHECK(e5rt_e5_compiler_compile(compiler, nullptr, options, &library) != 0);
    REQUIRE(e5rt_e5_compiler_options_set_segmenter(options, "other") == 0);
    CHECK(e5rt_e5_compiler_compile(compiler, path.c_str(), options, &library) != 0);
    REQUIRE(e5rt_e5_compiler_options_set_segmenter(options, "graph") == 0);
    CHECK(e5rt_e5_compiler_compile(compiler, path.c_str(), options, &library) == 0);
    CHECK(e5rt_program_library_release(&library) == 0);
    CHECK(e5rt_e5_compiler_release(&compiler) == 0);
    CHECK(e5rt_e5_compiler_options_release(&options) == 0);
    CHECK(e5rt_e5_compiler_config_options_release(&config) == 0);
}
