#include "conductor.hpp"

#include "child.hpp"
#include "journal.hpp"
#include "machine.hpp"
#include "worker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kit {
namespace {

/// MIL text by the classes of the netplist door is asked what both doors are.
bool is_for(const task& t, engine_runtime door) {
    return (door == engine_runtime::netplist || t.direct) && (door == engine_runtime::e5rt || t.netplist);
}

} // namespace

std::vector<record> conductor::run(const std::vector<task>& tasks) {
    std::vector<record> all;
    for (const engine_runtime door : how_.doors) {
        std::vector<task> left;
        for (const task& t : tasks) {
            if (t.run == nullptr) {
                record r{t.id, door, t.about, {}, verdict::unposed};
                done_(r);
                all.push_back(std::move(r));
            } else if (is_for(t, door)) {
                left.push_back(t);
            }
        }
        while (!left.empty()) {
            if (has_to_wait_) {
                pause(15); // the driver's pacing is each process's own
                has_to_wait_ = false;
            }
            one_worker(door, left, all);
        }
    }
    const auto place = [&](const record& r) {
        const auto of = [&](const task& t) { return t.id == r.id; };
        return std::find_if(tasks.begin(), tasks.end(), of) - tasks.begin();
    };
    std::stable_sort(all.begin(), all.end(), [&](const record& a, const record& b) { return place(a) < place(b); });
    return all;
}

void conductor::finish(record& r, verdict v, std::vector<task>& left, std::vector<record>& all) {
    r.outcome = v;
    left.erase(left.begin());
    if (r.id == library_task && !is_good(v)) { // nobody is there to be asked
        left.clear();
    }
    done_(r);
    all.push_back(r);
}

void conductor::one_worker(engine_runtime door, std::vector<task>& left, std::vector<record>& all) {
    errand what{-1, -1, door, how_.chip.value_or(ane::h13), {}};
    for (const task& t : left) {
        what.ids.push_back(t.id);
    }
    child worker(program_, [&](int out, int held) {
        what.out = out;
        what.held = held;
        return what.arguments();
    });
    const auto fresh = [&] { return record{left[0].id, door, left[0].about, {}, {}}; };
    record now = fresh();
    listener hears(now);
    bool within = false, real = false;
    for (;;) {
        const child::heard heard = worker.listen(how_.silence);
        using kind = child::heard::kind;
        if (heard.from == kind::error) {
            hears.error_text(heard.text);
        } else if (heard.from == kind::journal) {
            const std::string said = heard.text.substr(1);
            switch (static_cast<line>(heard.text[0])) {
            case line::begins: within = true; break;
            case line::text: hears.text(said); break;
            case line::call: hears.called(said); break;
            case line::answer: hears.answered(said); break;
            case line::failure: hears.show_calls(); break;
            case line::pause:
                real = real || said == "1";
                has_to_wait_ = has_to_wait_ || said == "1";
                break;
            case line::verdict:
                finish(now, static_cast<verdict>(said[0] - '0'), left, all);
                within = false;
                if (left.empty()) {
                    worker.wait();
                    return;
                }
                now = fresh();
                hears = listener(now);
                break;
            }
        } else {
            const bool silent = heard.from == kind::silence;
            if (silent) {
                worker.kill();
            }
            const std::string end = worker.wait();
            if (silent || within || !end.empty()) { // else it has done its share
                now.lines.push_back(silent
                                        ? fmt::format("no sign of life for {} s: the process was ended", how_.silence)
                                        : "the process ended: " + (end.empty() ? "exit 0" : end));
                hears.show_calls();
                finish(now, silent ? verdict::hung : verdict::died, left, all);
                has_to_wait_ = has_to_wait_ || real;
            }
            return;
        }
    }
}

} // namespace kit
