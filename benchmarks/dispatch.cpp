/// What the driver adds to one run on the engine: `session::execute` over a runtime whose functions do nothing, beside
/// the bare call of such a function. On the caller's thread, and on the worker (with a timeout).

#include <anemone/backend/engine/driver/temporary_directory.hpp>
#include <anemone/backend/engine/e5rt/api.hpp>
#include <anemone/backend/engine/e5rt/session.hpp>
#include <anemone/io/file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace ane;
using namespace std::chrono_literals;

namespace {

alignas(64) std::array<std::byte, 4096> memory{};

void answer(void** out) {
    if (*out == nullptr) { // a release gives the address of an object instead
        *out = memory.data();
    }
}
void answer(std::uint64_t* out) { *out = memory.size(); }
template <class Other> void answer(Other&&) {}

template <class Symbol,
          class Function =
              std::remove_cv_t<std::remove_reference_t<decltype(std::declval<e5rt::api&>().*Symbol::member)>>>
struct nothing;
template <class Symbol, class... Arguments> struct nothing<Symbol, std::int64_t (*)(Arguments...)> {
    static std::int64_t call(Arguments... arguments) {
        (answer(arguments), ...);
        return 0;
    }
};

void* find(const char* wanted) {
    void* found = nullptr;
    e5rt::for_each_symbol([&](auto entry) {
        if (std::string_view(decltype(entry)::name) == wanted) {
            found = reinterpret_cast<void*>(&nothing<decltype(entry)>::call);
        }
    });
    return found;
}

/// Median over 21 rounds, in nanoseconds for each call.
template <class Work> double nanoseconds(int calls, const Work& work) {
    std::vector<double> times;
    for (int round = 0; round < 22; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) {
            work();
        }
        const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
        if (round > 0) {
            times.push_back(time.count() / calls);
        }
    }
    std::nth_element(times.begin(), times.begin() + 10, times.end());
    return times[10];
}

} // namespace

int main() {
    const e5rt::temporary_directory folder("anemone-dispatch");
    write_file((folder.path() / "model.mil").string(), "nothing");
    const auto runtime = e5rt::library::from_resolver([](const char* name) { return find(name); }, "nothing");
    e5rt::session_options options;
    options.directory = folder.path();
    e5rt::session session(runtime, {{"x", 64}}, {{"y", 64}}, options);
    const auto function = runtime->functions().e5rt_execution_stream_execute_sync;
    const double bare = nanoseconds(10000, [&] { function(nullptr); });
    const double here = nanoseconds(10000, [&] { session.execute(); });
    const double worker = nanoseconds(200, [&] { session.execute(10s); });
    fmt::print("a bare call              {:10.1f} ns\n", bare);
    fmt::print("on the caller's thread   {:10.1f} ns\n", here);
    fmt::print("on the worker            {:10.1f} ns   ratio to the caller's thread {:.1f}\n", worker, worker / here);
}
