#pragma once

#include "../standin_control.hpp"
#include <anemone/backend/engine/driver/temporary_directory.hpp>
#include <anemone/backend/engine/e5rt/session.hpp>
#include <anemone/io/file.hpp>
#include <anemone/values/half.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace standin {

/// A limit that no load makes a quick call miss. What is to miss its limit is held, and has one of milliseconds.
inline constexpr ane::e5rt::time_span ample = std::chrono::hours(1);

template <class Action> ane::error refusal(const Action& action) {
    try {
        action();
    } catch (const ane::error& failure) {
        return failure;
    }
    throw std::logic_error("no ane::error was thrown");
}

/// Waits, for real, until something holds: for as long as it takes, as ctest has a limit.
inline void await(const std::function<bool()>& holds) {
    while (!holds())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// The clock of a bench, which never waits, as sleeping moves it, and its report. Any thread may use both.
class instruments final : public ane::e5rt::clock_source, public ane::e5rt::release_report {
public:
    time_point now() override {
        const std::lock_guard hold(mutex_);
        return present_;
    }
    void sleep(duration span) override {
        const std::lock_guard hold(mutex_);
        present_ += span;
        slept_ += span;
    }
    void failed(std::string_view step, std::int64_t) override {
        const std::lock_guard hold(mutex_);
        reported_.emplace_back(step);
    }

    duration slept() {
        const std::lock_guard hold(mutex_);
        return slept_;
    }
    /// The releases that failed since the last question.
    std::vector<std::string> reported() {
        const std::lock_guard hold(mutex_);
        return std::exchange(reported_, {});
    }

    /// The stand-in's clock as well, until it is null again.
    static void set(const std::shared_ptr<instruments>& clock) {
        static std::shared_ptr<instruments> present;
        control::instance().set_clock(nullptr); // first: the stand-in's lock orders the change
        present = clock;
        if (clock)
            control::instance().set_clock([] { return static_cast<double>(present->now().nanoseconds) * 1e-9; });
    }

private:
    std::mutex mutex_;
    time_point present_;
    duration slept_;
    std::vector<std::string> reported_;
};

/// Programs of four numbers in the stand-in, a gate and a pacing of their own.
struct bench {
    bench() {
        options.gate = gate;
        options.pacing = std::make_shared<ane::e5rt::compile_pacing>();
        options.time = watch;
        options.report = watch;
        options.target_architecture = "h13";
    }
    bench(const bench&) = delete;
    bench& operator=(const bench&) = delete;
    ~bench() {
        if (lets_go)
            rt.let_go();
    }

    /// y = statement, on h13.
    ane::e5rt::session_options program(const std::string& call) {
        folders.emplace_back("anemone-bench");
        ane::write_file((folders.back().path() / "model.mil").string(),
                        "program(1.3)\n[buildInfo = dict<string, string>({{\"coremlc-component-MIL\", \"3520.4.1\"}, "
                        "{\"coremlc-version\", \"3520.5.1\"}})]\n{\n    func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
                        "        tensor<fp16, [1, 4]> y = " +
                            call + "[name = string(\"y\")];\n    } -> (y);\n}\n");
        ane::e5rt::session_options with = options;
        with.directory = folders.back().path();
        return with;
    }
    ane::e5rt::session open(const std::string& call = "add(x = x, y = x)") {
        return ane::e5rt::session(runtime, ports("x"), ports("y"), program(call));
    }
    /// The options of a session that owns the folder of its program.
    ane::e5rt::session_options program_with_folder() {
        ane::e5rt::session_options with = program("add(x = x, y = x)");
        with.held = std::make_shared<ane::e5rt::temporary_directory>(std::move(folders.back()));
        folders.pop_back();
        return with;
    }
    ane::e5rt::session open_with_folder() {
        return ane::e5rt::session(runtime, ports("x"), ports("y"), program_with_folder());
    }
    static std::vector<ane::e5rt::port_spec> ports(const char* name) { return {{name, 8}}; }

    static void set(std::span<std::byte> port, float value) {
        for (std::size_t i = 0; i != 4; ++i)
            reinterpret_cast<ane::half*>(port.data())[i] = static_cast<ane::half>(value);
    }
    static float get(std::span<const std::byte> port) {
        return static_cast<float>(reinterpret_cast<const ane::half*>(port.data())[3]);
    }

    /// What a run answers whose call is held from now on: with a timeout that is as long as this machine needs to come so
    /// far.
    template <class Session> ane::error run_into(Session& session, const char* held) const {
        for (ane::e5rt::time_span limit = std::chrono::milliseconds(20);;
             limit = ane::e5rt::time_span(limit.nanoseconds * 4)) {
            rt.hang(held, 1);
            const ane::error late = refusal([&] { session.execute(limit); });
            if (rt.hung() == 1)
                return late;
            rt.let_go();
            await([&] { return !session.running(); });
        }
    }

    const control& rt = control::instance();
    bool lets_go = true; ///< at its end, of a call that is held
    std::vector<ane::e5rt::temporary_directory> folders;
    std::shared_ptr<const ane::e5rt::library> runtime = ane::e5rt::library::open(path().string());
    std::shared_ptr<ane::e5rt::dispatch_gate> gate = std::make_shared<ane::e5rt::dispatch_gate>();
    std::shared_ptr<instruments> watch = std::make_shared<instruments>();
    ane::e5rt::session_options options;
};

inline bool says(const ane::error& failure, std::string_view part) {
    return std::string_view(failure.what()).find(part) != std::string_view::npos;
}

} // namespace standin
