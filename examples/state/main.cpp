/// What a program keeps from one run to the next: an accumulator, and the cache of a decoder, whose tokens one by one
/// have the bits of all tokens at once.
#include "accumulator.hpp"
#include "decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace ane::literals;

bool good = true;

template <class Backend> void accumulate(const Backend& place) {
    auto program = ane::compile<accumulator>(place);
    ane::ndarray<ane::shape<1, 64>> ones;
    std::fill(ones.begin(), ones.end(), ane::half(1.0));
    fmt::print("  accumulator:");
    for (int run = 1; run <= 4; ++run) {
        const auto sum = program({"x"_s = ones})["sum"_s];
        fmt::print(" {}", static_cast<double>(sum(0, 0)));
        good = good && sum(0, 63) == ane::half(run);
    }
    program.state("total"_s)(0, 0) = ane::half(100.0); // read and written by name between runs
    fmt::print("; from 100 on {}", static_cast<double>(program({"x"_s = ones})["sum"_s](0, 0)));
    program.reset();
    fmt::print("; after a reset {}\n", static_cast<double>(program({"x"_s = ones})["sum"_s](0, 0)));
}

template <class Backend> void decode(const Backend& place) {
    const ane::weight_store weights = ane::random_weights(whole, 7);
    ane::ndarray<ane::shape<1, length, width>> tokens;
    for (std::size_t i = 0; i < tokens.size; ++i) {
        tokens[i] = ane::half(2 * std::sin(1.7 * static_cast<double>(i)));
    }
    ane::ndarray<ane::shape<length, length>, std::uint8_t> causal;
    for (int query = 0; query < length; ++query) {
        for (int key = 0; key <= query; ++key) {
            causal(query, key) = 1;
        }
    }
    const auto at_once = ane::compile<whole>(place, weights)({"x"_s = tokens, "seen"_s = causal})["y"_s];

    auto program = ane::compile<token>(place, weights);
    int different = 0;
    for (int t = 0; t < length; ++t) {
        ane::ndarray<ane::shape<1, 1, width>> x;
        std::copy_n(tokens.begin() + t * width, width, x.begin());
        const auto y = program({"x"_s = x, "at"_s = ane::ones_at<ane::shape<length, 1>>(t),
                                "seen"_s = ane::ones_at<ane::shape<1, length>>(0, t + 1)})["y"_s];
        for (int i = 0; i < width; ++i) {
            different += y(0, 0, i).bits == at_once(0, t, i).bits ? 0 : 1;
        }
    }
    fmt::print("  decoder: {} of {} numbers differ from all tokens at once\n", different, length * width);
    good = good && different == 0;
}

template <class Backend> void show(const Backend& place) {
    fmt::print("{}\n", place.name());
    accumulate(place);
    decode(place);
}

/// Runs on the engine, where there is one.
template <class Function> void if_there(Function run) {
    try {
        run();
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::library) {
            throw;
        }
        fmt::print("no engine here, it is left out\n  ({})\n", e.what());
    }
}

int main() {
    show(ane::backend::cpu{});
    show(ane::backend::oracle{ane::h13});
    show(ane::backend::oracle{ane::h16});
    if_there([] { show(ane::backend::engine{ane::h13}); });
    if_there([] {
        const ane::backend::engine netplists(ane::h13, {.runtime = ane::backend::engine_runtime::netplist});
        fmt::print("{}, netplists\n", netplists.name());
        accumulate(netplists); // no bytes in netplists: the decoder's masks stay out
    });
    ane::report(token, ane::h13).print();
    return good ? 0 : 1;
}
