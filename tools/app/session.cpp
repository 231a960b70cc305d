#include "session.hpp"

#include <anemone/base/error.hpp>

#include <algorithm>
#include <functional>
#include <list>
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

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
    const std::less<const std::byte*> before;
    return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

void require_outputs(const std::vector<output_array>& outputs, const std::vector<port>& ports,
                     const std::vector<input_array>& inputs) {
    for (const output_array& each : outputs) {
        require_takes(each, named(ports, each.name, "output"));
        for (const input_array& in : inputs) {
            if (overlap(each.bytes, in.bytes)) {
                throw ane::error(ane::errc::port, each.name, "shares memory with the input " + in.name);
            }
        }
        for (const output_array& other : outputs) {
            if (&other != &each && overlap(each.bytes, other.bytes)) {
                throw ane::error(ane::errc::port, each.name, "shares memory with the output " + other.name);
            }
        }
    }
}

} // namespace

session::session(app::model of, const compile_options& how, const caller& who)
    : model_(std::move(of)), ports_(model_.ports()), program_(compile(model_, how, who)) {}

void session::run(const std::vector<input_array>& inputs, const std::vector<output_array>& outputs) {
    const turn mine(busy_);
    require_outputs(outputs, ports_.outputs, inputs);
    const input_memory from(ports_.inputs, inputs);
    std::list<std::vector<std::byte>> owned; // what the caller's memory cannot be used for
    std::vector<std::span<std::byte>> to;
    struct conversion {
        const port* from;
        const std::vector<std::byte>* elements;
        const output_array* to;
    };
    std::vector<conversion> later;
    for (const port& p : ports_.outputs) {
        const output_array* const a = find(outputs, p.name);
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
