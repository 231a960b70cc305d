#include "session.hpp"

#include "by_name.hpp"
#include <anemone/base/error.hpp>

#include <algorithm>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <utility>

namespace app {

namespace {

/// Held while a session is used.
class turn {
public:
    explicit turn(std::atomic<bool>& busy) : busy_(busy) {
        if (busy_.exchange(true)) {
            throw ane::error(ane::errc::argument, "program", "is in use by another thread");
        }
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() { busy_ = false; }

private:
    std::atomic<bool>& busy_;
};

/// The memory of a port, by which nothing else may be meant.
struct claimed {
    const std::byte* begin;
    const std::byte* end;
    std::string_view name;
    bool is_output;
};

/// Refuses an output that shares memory with another port; inputs may share theirs. By a walk over all memory in order.
void require_apart(const std::vector<output_array>& outputs, const std::vector<input_array>& inputs) {
    std::vector<claimed> all;
    const auto claim = [&](std::string_view name, std::span<const std::byte> bytes, bool is_output) {
        if (!bytes.empty()) {
            all.push_back({bytes.data(), bytes.data() + bytes.size(), name, is_output});
        }
    };
    for (const output_array& each : outputs) {
        claim(each.name, each.bytes, true);
    }
    for (const input_array& each : inputs) {
        claim(each.name, each.bytes, false);
    }
    const std::less<const std::byte*> before;
    std::stable_sort(all.begin(), all.end(),
                     [&](const claimed& a, const claimed& b) { return before(a.begin, b.begin); });
    const claimed* output = nullptr; // that ends last, of those that were met
    const claimed* input = nullptr;
    for (const claimed& each : all) {
        const auto meets = [&](const claimed* other) { return other != nullptr && before(each.begin, other->end); };
        const claimed* const other = meets(output) ? output : each.is_output && meets(input) ? input : nullptr;
        if (other != nullptr) {
            const claimed& mine = each.is_output ? each : *other;
            const claimed& its = each.is_output ? *other : each;
            throw ane::error(ane::errc::port, std::string(mine.name),
                             std::string("shares memory with the ") + (its.is_output ? "output " : "input ") +
                                 std::string(its.name));
        }
        const claimed*& last = each.is_output ? output : input;
        last = last == nullptr || before(last->end, each.end) ? &each : last;
    }
}

void require_outputs(const std::vector<output_array>& outputs, const std::vector<port>& ports) {
    const by_name<port> known(ports);
    for (const output_array& each : outputs) {
        const port* const p = known.find(each.name);
        require_takes(each, p != nullptr ? *p : named(ports, each.name, "output"));
    }
}

} // namespace

session::session(app::model of, const compile_options& how, const caller& who)
    : model_(std::move(of)), ports_(model_.ports()), program_(compile(model_, how, who)) {}

void session::run(const std::vector<input_array>& inputs, const std::vector<output_array>& outputs) {
    const turn mine(busy_);
    require_outputs(outputs, ports_.outputs);
    const input_memory from(ports_.inputs, inputs);
    require_apart(outputs, inputs);          // all of which have the bytes of their ports now
    std::list<std::vector<std::byte>> owned; // what the caller's memory cannot be used for
    std::vector<std::span<std::byte>> to;
    struct conversion {
        const port* from;
        const std::vector<std::byte>* elements;
        const output_array* to;
    };
    std::vector<conversion> later;
    const by_name<output_array> given(outputs);
    for (const port& p : ports_.outputs) {
        const output_array* const a = given.find(p.name);
        if (a != nullptr && is_direct(p, a->type, a->bytes.data())) {
            to.push_back(a->bytes);
            continue;
        }
        std::vector<std::byte>& own = owned.emplace_back(p.bytes());
        to.emplace_back(own);
        if (a != nullptr) {
            later.push_back({&p, &own, a});
        }
    }
    program_.run(from.spans(), to);
    for (const conversion& each : later) {
        give(*each.elements, *each.from, *each.to);
    }
}

void session::read_state(const output_array& to) {
    const turn mine(busy_);
    const port& p = named(ports_.states, to.name, "state");
    require_takes(to, p);
    give(program_.state(p.inner), p, to);
}

void session::write_state(const input_array& from) {
    const turn mine(busy_);
    const port& p = named(ports_.states, from.name, "state");
    const std::vector<std::byte> elements = stored(from, p);
    const std::span<std::byte> now = program_.state(p.inner);
    std::copy(elements.begin(), elements.end(), now.begin());
}

void session::reset() {
    const turn mine(busy_);
    program_.reset();
}

} // namespace app
