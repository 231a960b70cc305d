// Every call of a program, by each way into the runtime, is late: its caller gives up, everything that the caller had goes
// at once (model, weights, backend, options, gate, pacing, libraries, buffers), and only then does the call return.
// ../late_calls.cpp has the same of sessions.

#include "../../standin_control.hpp"
#include "../witnesses.hpp"
#include "door.hpp"
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace ane;
using namespace ane::literals;
using namespace std::chrono_literals;

namespace {

constexpr auto scaled_sum = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 2, 3, 5>);
    auto sum = g.state("sum"_s, f16<1, 2, 3, 5>);
    write(sum, read(sum) + x * g.weight("factor"_s, f16<1, 2, 1, 1>));
    g.output("y"_s, read(sum));
});

/// Keeps what it is told.
struct kept_report final : e5rt::release_report {
    void failed(std::string_view step, std::int64_t) override { steps.emplace_back(step); }
    std::vector<std::string> steps;
};

/// All that somebody has who runs a program.
struct whole_caller {
    whole_caller(backend::engine_runtime way, e5rt::time_span limit) : options(objc_standin::options()) {
        options.runtime = way;
        options.objc_library = objc::runtime::open(objc_standin::path());
        options.session.timeout = options.session.setup_timeout = limit;
        options.session.gate = std::make_shared<e5rt::dispatch_gate>();
        options.session.pacing = std::make_shared<e5rt::compile_pacing>();
        options.session.report = report;
        weights.add("factor", {1, 2, 1, 1}, std::span<const float>(factors));
    }

    auto compiled() const { return compile<scaled_sum>(objc_standin::engine(h13, options), weights); }

    /// Compiles, runs twice, and ends.
    void live(bool close) const {
        auto program = compiled();
        ndarray<shape<1, 2, 3, 5>> x;
        for (half& each : x.elements()) {
            each = half(1.5);
        }
        results<scaled_sum> y;
        program.run({"x"_s = x}, y);
        program.run({"x"_s = x}, y);
        CHECK(y["y"_s](0, 1, 2, 4) == half(6.0));
        if (close) {
            program.compiled().in_memory_session().close();
        }
    }

    witnesses seen_by_calls() const {
        witnesses all;
        all.watch(options.objc_library);
        all.watch(options.session.gate);
        all.watch(options.session.pacing);
        all.watch(options.session.report);
        return all;
    }

    std::vector<float> factors{1, 2};
    weight_store weights;
    std::shared_ptr<kept_report> report = std::make_shared<kept_report>();
    backend::engine_options options;
};

/// Every function and message that a life calls: the first call and the last one, and all of what is called a few times.
/// But surfaces are copied on the caller's thread, without a limit: of them only what compiling calls.
std::vector<nth_call> calls_of(backend::engine_runtime way, bool close) {
    const auto& books = objc_standin::books();
    const whole_caller caller(way, objc_standin::ample);
    books.forget_calls();
    static_cast<void>(caller.compiled());
    const auto compiling = [&](const char* call) { return static_cast<int>(books.calls(call)); };
    const std::map<std::string, int> on_surfaces{{"IOSurfaceLock", compiling("IOSurfaceLock")},
                                                 {"IOSurfaceUnlock", compiling("IOSurfaceUnlock")},
                                                 {"IOSurfaceGetBaseAddress", compiling("IOSurfaceGetBaseAddress")}};
    books.forget_calls();
    caller.live(close);
    std::vector<nth_call> all;
    for (const std::string& call : books.called_by_name()) {
        const auto found = on_surfaces.find(call);
        const int times = found != on_surfaces.end() ? found->second : static_cast<int>(books.calls(call.c_str()));
        for (int nth = 1; nth <= times; ++nth) {
            if (times <= 4 || nth == 1 || nth == times) {
                all.push_back({call, nth});
            }
        }
    }
    return all;
}

/// A message names itself; a function is named by the message before it, or by what is done.
bool names(const std::string& given_up, const std::string& call) {
    return !given_up.empty() && (call.find(':') == std::string::npos || given_up.find(call) != std::string::npos);
}

/// One life in which a call is late, within a limit; whether the limit was long enough to come to that call.
bool is_late(backend::engine_runtime way, bool close, const nth_call& late, e5rt::time_span limit) {
    const auto& books = objc_standin::books();
    const long live = books.live();
    auto caller = std::make_unique<whole_caller>(way, limit);
    const witnesses all = caller->seen_by_calls();
    books.hang(late.call.c_str(), late.nth);
    std::string given_up;
    try {
        caller->live(close);
        given_up = caller->report->steps.empty() ? "" : caller->report->steps.front(); // by the destructor
    } catch (const error& failure) {
        CHECK(failure.code() == errc::engine);
        const std::string text = failure.what();
        const bool begun =
            text.find("was not begun") == std::string::npos; // else the machine was too slow for the limit
        CHECK_MESSAGE((!begun || text.find("restart the process") != std::string::npos), text);
        given_up = failure.subject();
    }
    const bool was_long_enough = books.hung() == 1 && names(given_up, late.call);
    caller.reset();
    if (was_long_enough) {
        CHECK(all.all_are_there()); // they are the call's now
    }
    books.let_go();
    all.await_the_end();
    objc_standin::await([&] { return books.live() == live && e5rt::loaded_programs() == 0; });
    return was_long_enough;
}

} // namespace

TEST_CASE("in-memory late calls: what a call of a program uses outlives all that its caller had") {
    for (const backend::engine_runtime way :
         {backend::engine_runtime::netplist, backend::engine_runtime::in_memory_mil}) {
        for (const bool close : {true, false}) {
            const std::vector<nth_call> all = calls_of(way, close);
            REQUIRE(all.size() >= 60);
            make_each_late(
                all, [&](const nth_call& late, e5rt::time_span limit) { return is_late(way, close, late, limit); });
        }
        CHECK(std::string(objc_standin::books().misuse()).empty());
    }
}
