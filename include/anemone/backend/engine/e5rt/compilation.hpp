#pragma once

#include "../../../base/way.hpp"
#include "../../../targets/table.hpp"
#include "../driver/options.hpp"
#include "../driver/pacing.hpp"
#include "cache.hpp"
#include "handle.hpp"
#include "optional_call.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Refuses a text that cannot reach the runtime whole through a C string.
ANEMONE_INLINE void require_text(errc code, const char* what, const std::string& text) {
    if (text.empty())
        throw error(code, what, "the name is empty");
    if (text.find('\0') != std::string::npos)
        throw error(code, what, "'" + text + "' contains a null character");
}

/// Path of model.mil, absolute: the compile service is another process with a working directory of its own.
ANEMONE_INLINE std::filesystem::path model_file(const std::filesystem::path& directory) {
    std::error_code failure;
    std::filesystem::path file = std::filesystem::absolute(directory / "model.mil", failure);
    if (failure)
        throw error(errc::file, directory.string(), failure.message());
    if (!std::filesystem::is_regular_file(file, failure))
        throw error(errc::file, file.string(), "the program directory has no file model.mil");
    return file;
}

ANEMONE_INLINE void check(const session_options& options) {
    constexpr std::uint64_t all = device::cpu | device::gpu | device::ane;
    if (options.device_mask == 0 || (options.device_mask & ~all) != 0)
        throw error(errc::argument, "device_mask",
                    std::to_string(options.device_mask) + " is not a combination of 1 (CPU), 2 (GPU) and 4 (ANE)");
    if (options.compile_backoff < clock_source::duration::zero())
        throw error(errc::argument, "compile_backoff",
                    std::to_string(options.compile_backoff.nanoseconds) + " ns is negative");
    require_text(errc::argument, "function", options.function);
    if (!options.target_architecture.empty()) {
        require_text(errc::argument, "target_architecture", options.target_architecture);
        if (!find_target(options.target_architecture))
            throw error(errc::argument, "target_architecture",
                        "'" + options.target_architecture +
                            "' is not a known target: the runtime would compile for this machine instead (R175)");
    }
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY

namespace ane::e5rt::inline ANEMONE_WAY {

/// A compiled program and the tools that made it. The order of the calls is the one that was run on M1 and M5 by the
/// authors of the guide (chapter 6; engine-runtime 2.1): configuration, cache location, compiler, options, compile.
/// The tools stay until the operation exists; `release_tools` lets them go.
class compilation {
public:
    /// Compiles `options.directory`/model.mil. `options`, which are `completed`, and `table` must outlive the object.
    /// With a cache (`options.cache`) takes what it holds, unless `anew`. Waits first when a compile failed lately
    /// (pacing.hpp). Throws `error(errc::file)` for the directories,
    /// `error(errc::argument)` for the options and `error(errc::engine)` naming the call that failed.
    ANEMONE_INLINE compilation(const api& table, const session_options& options, bool anew = false) {
        detail::check(options);
        const std::filesystem::path model = detail::model_file(options.directory);
        const bool shared = !options.cache.empty();
        const detail::cache_place place = shared ? detail::shared_cache(options.cache, model, options)
                                                 : detail::cache_place{detail::made(model.parent_path() / "cache"), {}};
        const std::filesystem::path& cache = place.folder;
        warm = shared && !anew;

        const std::string about = "program '" + model.string() + "' for " +
                                  (options.target_architecture.empty() ? "this machine" : options.target_architecture);
        const caller calls{table, *options.report, about};
        config = calls.create<handle_kind::config, &api::e5rt_e5_compiler_config_options_create>();
        calls.call<&api::e5rt_e5_compiler_config_options_set_cache_bundle_location>(config.get(), cache.c_str());
        compiler = calls.create<handle_kind::compiler, &api::e5rt_e5_compiler_create_with_config>(config.get());
        tool_options = calls.create<handle_kind::options, &api::e5rt_e5_compiler_options_create>();
        set_options(calls, options, shared ? anew : options.force_recompilation);
        program = compile(calls, options, model);
    }

    /// Releases options, compiler and configuration, in this order.
    ANEMONE_INLINE void release_tools() noexcept {
        tool_options.reset();
        compiler.reset();
        config.reset();
    }

    handle<handle_kind::config> config;
    handle<handle_kind::compiler> compiler;
    handle<handle_kind::options> tool_options;
    handle<handle_kind::library> program;
    /// Whether the program may be one that the cache held.
    bool warm = false;
    /// Optional steps left out.
    std::vector<degradation> degraded;

private:
    ANEMONE_INLINE void set_options(const caller& calls, const session_options& options, bool force) {
        void* object = tool_options.get();
        calls.call<&api::e5rt_e5_compiler_options_set_compute_device_types_mask>(object, options.device_mask);
        calls.call<&api::e5rt_e5_compiler_options_set_force_recompilation>(object, force ? 1 : 0);
        calls.call<&api::e5rt_e5_compiler_options_set_segmenter>(object, "graph"); // the only value known to work
        if (!options.target_architecture.empty()) {
            const std::string custom = "TargetArchitecture=" + options.target_architecture;
            calls.call<&api::e5rt_e5_compiler_options_set_custom_ane_compiler_options>(object, custom.c_str());
        }
        if (options.enable_profiling)
            try_optional<&api::e5rt_e5_compiler_options_set_enable_profiling>(degraded, calls.table, object, 1);
    }

    ANEMONE_INLINE handle<handle_kind::library> compile(const caller& calls, const session_options& options,
                                                        const std::filesystem::path& model) const {
        options.pacing->wait(*options.time, options.compile_backoff);
        try {
            auto compiled = calls.retain<handle_kind::library, &api::e5rt_e5_compiler_compile>(
                compiler.get(), model.c_str(), tool_options.get());
            options.pacing->succeeded();
            return compiled;
        } catch (...) { // whatever is thrown here follows a failed compile
            options.pacing->failed(options.time->now());
            throw;
        }
    }
};

} // namespace ane::e5rt::inline ANEMONE_WAY
