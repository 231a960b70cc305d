#pragma once

#include "../graph/merge_sort.hpp"
#include "device_flow.hpp"
#include "least_sums.hpp"

#include <cstddef>
#include <cstdint>

namespace ane::detail {

/// All programs on the engine that end at the layer that was added last, by the layer that they start at: what
/// `engine_run` says of each, in (layers + reads) log layers steps for all of them. What a layer adds is the same for all
/// starts between two of its reads: a value comes in by a port where the start is behind both the layer that makes it and
/// the last reader before.
class engine_starts {
public:
    constexpr engine_starts(const device_flow& flow, const cost_rates& rates, bool energy)
        : flow_(flow), rates_(rates), energy_(energy), second_(energy ? rates.static_power : 1),
          byte_(energy ? rates.byte_energy + rates.memory_energy : 0), costs_(flow.program.layers.size()),
          leaving_(flow.program.layers.size(), 0) {
        sequence<int> reader(flow.outputs.size(), -1);
        for (int l = 0; l < flow.layers(); ++l) {
            sequence<crossing> of_layer;
            for (int r = flow.first_read[at(l)]; r < flow.first_read[at(l + 1)]; ++r) {
                const layer_read& read = flow.reads[at(r)];
                const int made = read.value < flow.layers() ? read.value : -1;
                const int before = reader[at(read.value)];
                of_layer.push_back({made > before ? made : before, flow.is_state[at(read.value)] == 0, read.bytes});
                reader[at(read.value)] = l;
            }
            merge_sort(of_layer, [](const crossing& a, const crossing& b) { return a.after < b.after; });
            for (const crossing& each : of_layer) {
                crossings_.push_back(each);
            }
        }
    }

    /// A layer that the engine does not take: no program goes beyond it.
    constexpr void skip() { first_ = ++next_; }

    /// The next layer. `before` is what all in front of it costs where a program may start here, else `least_sums::none`.
    constexpr void add(double before) {
        const int l = next_++;
        costs_.set(at(l), before < least_sums::none
                              ? before + (rates_.floor - rates_.port) * second_ + (energy_ ? rates_.host_energy : 0)
                              : least_sums::none);
        without_inputs_.push_back(l);
        const int ports = flow_.outputs[at(l)] > 0 ? flow_.outputs[at(l)] : (flow_.last_reader[at(l)] > l ? 1 : 0);
        leaving_[at(l)] = ports > 0 ? 1 : 0;
        if (ports > 0) {
            leavers_.push_back(l);
        }
        add_to(first_, l, ports * rates_.port * second_);
        for_each_piece(
            l, l, [&](int from, int to, const layer_demand& layer) { add_to(from, to, cost_of(layer, ports > 0)); });
        for (int r = flow_.first_read[at(l)]; r < flow_.first_read[at(l + 1)]; ++r) {
            bring(crossings_[at(r)], l);
        }
        for (int r = flow_.first_read[at(l)]; r < flow_.first_read[at(l + 1)]; ++r) {
            const int v = flow_.reads[at(r)].value;
            if (v < flow_.layers() && v >= first_ && flow_.last_reader[at(v)] == l && flow_.outputs[at(v)] == 0) {
                keep(v);
            }
        }
    }

    /// What everything up to the last layer costs at least, and where the program starts that ends there.
    constexpr least_sums::place least() {
        while (!leavers_.empty() && leaving_[at(leavers_.back())] == 0) {
            leavers_.pop_back();
        }
        const int last = next_ - 1;
        const int leaver = leavers_.empty() || leavers_.back() < first_ ? first_ - 1 : leavers_.back();
        const least_sums::place some = leaver >= first_ ? costs_.least(at(first_), at(leaver)) : least_sums::place{};
        if (leaver == last) {
            return some;
        }
        least_sums::place nothing =
            costs_.least(at(leaver + 1), at(last)); // leaves them: the first port that costs nothing
        nothing.value += rates_.port * second_;
        return nothing.value < some.value ? nothing : some;
    }

private:
    /// A value that a layer reads: it comes in by a port where a program starts behind `after`.
    struct crossing {
        int after = -1;
        bool is_port = true; ///< a state is none
        std::int64_t bytes = 0;
    };

    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

    constexpr void add_to(int from, int to, double cost) {
        from = from > first_ ? from : first_;
        if (from <= to) {
            costs_.add(at(from), at(to), cost);
        }
    }

    /// Calls with each range of starts up to `end` for which the layer has the same ports in, and with the layer.
    template <class Piece> constexpr void for_each_piece(int l, int end, const Piece& piece) const {
        layer_demand layer = flow_.program.layers[at(l)];
        layer.port_bytes = 0;
        layer.spilled_bytes = layer.large_bytes;
        int from = 0;
        for (int r = flow_.first_read[at(l)]; r < flow_.first_read[at(l + 1)]; ++r) {
            const crossing& c = crossings_[at(r)];
            if (c.after + 1 > from) {
                piece(from, c.after, layer);
                from = c.after + 1;
            }
            become_port(layer, c.is_port ? c.bytes : 0);
        }
        piece(from, end, layer);
    }
    constexpr void become_port(layer_demand& layer, std::int64_t bytes) const {
        layer.port_bytes += bytes;
        layer.spilled_bytes -= flow_.program.is_large(bytes) ? bytes : 0;
    }
    constexpr double cost_of(layer_demand layer, bool leaves) const {
        become_port(layer, leaves ? layer.output_bytes : 0);
        const double seconds = rates_.ports > 0 ? priced(layer, rates_).seconds() : 0;
        const double moved = static_cast<double>(layer.weight_bytes) * weight_reads(layer, rates_) +
                             static_cast<double>(layer.port_bytes);
        return second_ * seconds + (energy_ ? flop_joules(layer, rates_) : 0) + byte_ * moved;
    }

    /// A value comes in: by a port, of which the first of a program costs nothing.
    constexpr void bring(const crossing& c, int l) {
        if (!c.is_port) {
            return;
        }
        const double port = rates_.port * second_;
        add_to(c.after + 1, l, port);
        while (!without_inputs_.empty() && without_inputs_.back() > c.after) {
            add_to(without_inputs_.back(), without_inputs_.back(), -port);
            without_inputs_.pop_back();
        }
    }
    /// A layer's value does not leave after all, by a program that starts at the layer or before it.
    constexpr void keep(int v) {
        leaving_[at(v)] = 0;
        add_to(first_, v, -rates_.port * second_);
        for_each_piece(v, v, [&](int from, int to, const layer_demand& layer) {
            add_to(from, to, cost_of(layer, false) - cost_of(layer, true));
        });
    }

    const device_flow& flow_;
    const cost_rates& rates_;
    bool energy_;
    double second_; // what a second is worth, a byte that moves
    double byte_;
    least_sums costs_;             // by start
    sequence<crossing> crossings_; // of each layer as in `reads`, in the order of `after`
    sequence<char> leaving_;       // by layer: read by one that is yet to be added
    sequence<int> leavers_;        // those, and some that are no longer
    sequence<int> without_inputs_; // starts of programs that nothing has come into
    int first_ = 0;                // the first start that no layer is in the way of
    int next_ = 0;
};

} // namespace ane::detail
