#pragma once

#include "e5rt_standin.h"
#include "test_support.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace standin_test {

inline const std::string addition =
    text("tensor<fp16, [4]> a, tensor<fp16, [4]> b", line("tensor<fp16, [4]> y", "add(x = a, y = b)"), "y");

/// A compiled program with the handles of the call order of the facts (engine-runtime 2.1), released in the order of
/// 2.3.
struct session {
    explicit session(const std::string& mil, const char* target = nullptr) {
        const std::string path = folder.write("model.mil", mil);
        std::filesystem::create_directories(folder.directory() + "/cache");
        void* config = nullptr;
        void* compiler = nullptr;
        void* options = nullptr;
        REQUIRE(e5rt_e5_compiler_config_options_create(&config) == 0);
        REQUIRE(e5rt_e5_compiler_config_options_set_cache_bundle_location(
                    config, (folder.directory() + "/cache").c_str()) == 0);
        REQUIRE(e5rt_e5_compiler_create_with_config(&compiler, config) == 0);
        REQUIRE(e5rt_e5_compiler_options_create(&options) == 0);
        REQUIRE(e5rt_e5_compiler_options_set_compute_device_types_mask(options, 4) == 0);
        REQUIRE(e5rt_e5_compiler_options_set_force_recompilation(options, 1) == 0);
        REQUIRE(e5rt_e5_compiler_options_set_segmenter(options, "graph") == 0);
        if (target != nullptr) {
            REQUIRE(e5rt_e5_compiler_options_set_custom_ane_compiler_options(options, target) == 0);
        }
        status = e5rt_e5_compiler_compile(compiler, path.c_str(), options, &library);
        if (status == 0) {
            REQUIRE(e5rt_program_library_retain_program_function(library, "main", &function) == 0);
            REQUIRE(e5rt_precompiled_compute_op_create_options_create_with_program_function(&op_options, function) ==
                    0);
            REQUIRE(e5rt_precompiled_compute_op_create_options_set_operation_name(op_options, "main") == 0);
            REQUIRE(e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers(op_options, 1) == 0);
            status = e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(&op, op_options);
        }
        REQUIRE(e5rt_e5_compiler_options_release(&options) == 0);
        REQUIRE(e5rt_e5_compiler_release(&compiler) == 0);
        REQUIRE(e5rt_e5_compiler_config_options_release(&config) == 0);
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    ~session() {
        drop(stream, e5rt_execution_stream_release);
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            drop(buffers[i], e5rt_buffer_object_release);
            drop(ports[i], e5rt_io_port_release);
        }
        drop(op, e5rt_execution_stream_operation_release);
        drop(op_options, e5rt_precompiled_compute_op_create_options_release);
        drop(function, e5rt_program_function_release);
        drop(library, e5rt_program_library_release);
    }

    /// Binds a fresh buffer to a port; its data pointer.
    ane::half* bind(const char* name, bool output, std::uint64_t bytes = 64) {
        void* port = nullptr;
        REQUIRE((output ? e5rt_execution_stream_operation_retain_output_port(op, name, &port)
                        : e5rt_execution_stream_operation_retain_input_port(op, name, &port)) == 0);
        void* buffer = nullptr;
        REQUIRE(e5rt_buffer_object_alloc(&buffer, bytes, 0) == 0);
        void* data = nullptr;
        REQUIRE(e5rt_buffer_object_get_data_ptr(buffer, &data) == 0);
        ports.push_back(port);
        buffers.push_back(buffer);
        bound = e5rt_io_port_bind_buffer_object(port, buffer);
        return static_cast<ane::half*>(data);
    }

    static void drop(void*& handle, std::int64_t (*release)(void**)) {
        if (handle != nullptr) {
            CHECK(release(&handle) == 0);
            CHECK(handle == nullptr);
        }
    }

    scratch folder;
    std::int64_t status = -1;
    std::int64_t bound = -1;
    void* library = nullptr;
    void* function = nullptr;
    void* op_options = nullptr;
    void* op = nullptr;
    void* stream = nullptr;
    std::vector<void*> ports;
    std::vector<void*> buffers;
};

inline void put(ane::half* into, const std::vector<double>& values) {
    for (const double v : values) {
        *into++ = ane::half(v);
    }
}

inline std::vector<double> got(const ane::half* from, int count) {
    std::vector<double> result;
    result.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        result.push_back(static_cast<double>(from[i]));
    }
    return result;
}

} // namespace standin_test
