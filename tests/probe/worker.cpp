#include "worker.hpp"

#include "journal.hpp"
#include "tasks.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <optional>
#include <thread>
#include <unistd.h>

namespace kit {
namespace {

/// A process takes about 119 compiles (engine-runtime 7.3); the task that runs into this may make 40 more.
constexpr int compiles_of_a_worker = 70;

constexpr ane::e5rt::time_span pause_after_a_failed_compile = ane::e5rt::default_compile_backoff;

void end_with_the_parent(int held) {
    std::thread([held] {
        char byte = 0;
        while (::read(held, &byte, 1) > 0) {}
        ::_exit(4);
    }).detach();
}

verdict run(const task& t, std::optional<open_door>& door, const errand& what) {
    try {
        if (!door) {
            door.emplace(what.door, what.chip, pause_after_a_failed_compile);
        }
        return t.run(*door);
    } catch (const ane::error& e) {
        tell(e.what());
        if (e.code() == ane::errc::lowering) { // the rules of the door, before any call
            return verdict::unposed;
        }
    } catch (const std::exception& e) {
        tell(e.what());
    } catch (...) {
        tell("an exception that is not of C++: Objective-C's");
    }
    journal::instance().say(line::failure, "");
    return verdict::failed;
}

} // namespace

std::vector<std::string> errand::arguments() const {
    std::vector<std::string> all{worker_option, std::to_string(out), std::to_string(held), std::string(name(door)),
                                 describe(chip).runtime};
    all.insert(all.end(), ids.begin(), ids.end());
    return all;
}

errand errand::from(const std::vector<std::string>& arguments) {
    return {std::stoi(arguments.at(1)),
            std::stoi(arguments.at(2)),
            arguments.at(3) == name(engine_door::e5rt) ? engine_door::e5rt : engine_door::netplist,
            ane::find_target(arguments.at(4)).value(),
            {arguments.begin() + 5, arguments.end()}};
}

int work(const errand& what) {
    std::signal(SIGPIPE, SIG_IGN);
    journal::instance().open(what.out);
    end_with_the_parent(what.held);
    std::optional<open_door> door;
    const std::vector<task> tasks = all_tasks();
    for (const std::string& id : what.ids) {
        const auto t = std::find_if(tasks.begin(), tasks.end(), [&](const task& each) { return each.id == id; });
        journal::instance().say(line::begins, id);
        const verdict v = run(*t, door, what);
        journal::instance().say(line::verdict, std::to_string(static_cast<int>(v)));
        if (door && door->compiles() >= compiles_of_a_worker) {
            break;
        }
    }
    return 0;
}

} // namespace kit
