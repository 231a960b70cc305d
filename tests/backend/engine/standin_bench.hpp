#pragma once

#include "../standin_control.hpp"
#include <anemone/backend/engine/session.hpp>
#include <anemone/backend/engine/temporary_directory.hpp>
#include <anemone/io/file.hpp>
#include <anemone/values/half.hpp>

#include <chrono>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace standin {

template <class Action> ane::error refusal(const Action& action) {
    try {
        action();
    } catch (const ane::error& failure) {
        return failure;
    }
    throw std::logic_error("no ane::error was thrown");
}

/// Programs of four numbers in the stand-in, a gate and a pacing of their own.
struct bench final : ane::e5rt::clock_source, ane::e5rt::release_report {
    bench() {
        options.gate = &gate;
        options.pacing = &pacing;
        options.report = this;
        options.time = this;
        options.target_architecture = "h13";
    }
    bench(const bench&) = delete;
    bench& operator=(const bench&) = delete;
    ~bench() { rt.let_go(); }

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
    /// The same; the session owns the folder of its program.
    ane::e5rt::session open_with_folder() {
        ane::e5rt::session_options with = program("add(x = x, y = x)");
        with.held = std::make_shared<ane::e5rt::temporary_directory>(std::move(folders.back()));
        folders.pop_back();
        return ane::e5rt::session(runtime, ports("x"), ports("y"), std::move(with));
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
        for (duration limit = std::chrono::milliseconds(20);; limit = duration(limit.nanoseconds * 4)) {
            rt.hang(held);
            const ane::error late = refusal([&] { session.execute(limit); });
            if (rt.hung() == 1)
                return late;
            rt.let_go();
            await([&] { return !session.running(); });
        }
    }

    /// Waits, for real, until something holds; fails after ten seconds.
    static void await(const std::function<bool()>& holds) {
        for (int i = 0; !holds(); ++i) {
            if (i == 10000)
                throw std::logic_error("it never happened");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    time_point now() override {
        const std::lock_guard hold(clock);
        return present;
    }
    void sleep(duration span) override {
        const std::lock_guard hold(clock);
        present += span, slept += span;
    }
    void failed(std::string_view step, std::int64_t) override { reported.emplace_back(step); }

    const control& rt = control::instance();
    std::vector<ane::e5rt::temporary_directory> folders;
    std::shared_ptr<const ane::e5rt::library> runtime = ane::e5rt::library::open(path().string());
    ane::e5rt::dispatch_gate gate;
    ane::e5rt::compile_pacing pacing;
    std::mutex clock;
    time_point present;
    duration slept;
    std::vector<std::string> reported;
    ane::e5rt::session_options options;
};

inline bool says(const ane::error& failure, std::string_view part) {
    return std::string_view(failure.what()).find(part) != std::string_view::npos;
}

} // namespace standin
