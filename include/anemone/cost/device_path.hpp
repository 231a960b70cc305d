#pragma once

#include "device_plan.hpp"
#include "engine_starts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::detail {

/// One placement to be found: what each layer costs on each device, and the shortest path through them.
class placement_problem {
public:
    constexpr placement_problem(const graph_view& g, const target_description& d, const placement_options& o,
                                const sequence<char>& barred)
        : target_(d), options_(o), measured_(o.model == placement_model::measured), flow_(flow_of(g, d)) {
        check(o, d);
        if (!barred.empty() && barred.size() != g.nodes.size()) {
            refuse_placement("a length of the barred nodes of", static_cast<std::int64_t>(barred.size()),
                             "where the nodes are", g.size());
        }
        gpu_ = rates_for(o, d, compute_device::gpu);
        cpu_ = rates_for(o, d, compute_device::cpu);
        engine_ = measured_ ? rates_of(d) : cost_rates{};
        const sequence<fusion> fused = fuse(g);
        for (int l = 0; l < flow_.layers(); ++l) {
            const auto at = static_cast<std::size_t>(l);
            const layer_demand& layer = flow_.program.layers[at];
            bool refused = flow_.lacking[at] != 0 || (!measured_ && flow_.treeless[at] != 0);
            for (int i = layer.node; !barred.empty() && i <= layer.last; ++i) {
                refused = refused || (barred[static_cast<std::size_t>(i)] != 0 &&
                                      fused[static_cast<std::size_t>(i)].host == layer.node);
            }
            layers_.push_back({layer.node, layer.last, compute_device::engine, seconds_of(layer)});
            if (refused) {
                layers_.back().seconds[0] = -1;
            }
        }
    }

    /// The devices of the layers for which the goal is least.
    constexpr sequence<compute_device> shortest() const {
        const std::size_t count = layers_.size();
        sequence<step> steps(count);
        engine_starts starts(flow_, engine_, for_energy());
        for (std::size_t i = 0; i < count; ++i) {
            if (measured_) {
                relax_engine(steps, starts, i);
            }
            for (std::size_t d = measured_ ? 1 : 0; d < compute_device_count; ++d) {
                const double own = layer_cost_on(i, d);
                if (own < 0) {
                    continue;
                }
                const double kept = i > 0 ? steps[i - 1].least[d] : unreachable;
                const double entered = i > 0 ? steps[i - 1].least_but(d) : 0;
                const double fresh = entered < unreachable ? entered + entry_cost(d, i > 0) : unreachable;
                const double best = kept <= fresh ? kept : fresh;
                if (best < unreachable) {
                    steps[i].least[d] = best + own;
                    steps[i].start[d] = kept <= fresh ? steps[i - 1].start[d] : i;
                }
            }
            if (steps[i].least[steps[i].best()] >= unreachable) {
                refuse_placement("no device takes the layer of node", layers_[i].node);
            }
        }
        sequence<compute_device> devices(count);
        for (std::size_t end = count, last = compute_device_count; end > 0;) {
            const step& s = steps[end - 1];
            last = s.best(last);
            const std::size_t first = s.start[last];
            for (std::size_t i = first; i < end; ++i) {
                devices[i] = static_cast<compute_device>(last);
            }
            end = first;
        }
        return devices;
    }

    constexpr void check_assignment(const sequence<compute_device>& devices) const {
        if (devices.size() != layers_.size()) {
            refuse_placement("devices for", static_cast<std::int64_t>(devices.size()), "layers, where there are",
                             flow_.layers());
        }
        for (std::size_t i = 0; i < devices.size(); ++i) {
            if (static_cast<std::size_t>(devices[i]) >= compute_device_count || !layers_[i].can_be_on(devices[i])) {
                refuse_placement("a device that cannot take it is given to the layer of node", layers_[i].node);
            }
        }
    }

    /// All layers on one device.
    constexpr device_total whole_on(compute_device d) const {
        engine_run run(flow_, engine_);
        return whole_on(d, run);
    }

    /// The figures of an assignment.
    constexpr device_plan plan(const graph_view& g, const sequence<compute_device>& devices) const {
        device_plan p;
        p.model = options_.model;
        p.target = target_.runtime;
        p.product = target_.product;
        p.layers = layers_;
        p.regime = regime_of(g, flow_.program);
        p.known_by = measured_ ? (engine_.known_by == mark::measured ? gpu_.known_by : mark::predicted)
                               : mark_of_system(devices);
        engine_run run(flow_, engine_);
        bool energy = measured_;
        for (std::size_t i = 0; i < devices.size();) {
            std::size_t end = i;
            while (end < devices.size() && devices[end] == devices[i]) {
                p.layers[end].on = devices[i];
                ++end;
            }
            p.segments.push_back(segment(run, devices[i], i, end));
            p.seconds += p.segments.back().seconds;
            p.joules += p.segments.back().joules;
            energy = energy && p.segments.back().joules > 0;
            i = end;
        }
        p.joules = energy ? p.joules : 0;
        for (const compute_device d : all_devices) {
            p.whole[static_cast<std::size_t>(d)] = whole_on(d, run);
        }
        judge(p);
        return p;
    }

private:
    static constexpr double unreachable = least_sums::none;

    /// The least cost of all layers up to one that is on a device, and where its segment starts.
    struct step {
        std::array<double, compute_device_count> least{unreachable, unreachable, unreachable};
        std::array<std::size_t, compute_device_count> start{};

        constexpr std::size_t best(std::size_t but = compute_device_count) const {
            std::size_t found = but == 0 ? 1 : 0;
            for (std::size_t d = found + 1; d < compute_device_count; ++d) {
                found = d != but && least[d] < least[found] ? d : found;
            }
            return found;
        }
        constexpr double least_but(std::size_t but) const { return least[best(but)]; }
    };

    constexpr std::array<double, compute_device_count> seconds_of(const layer_demand& layer) const {
        if (!measured_) {
            std::array<double, compute_device_count> s{};
            for (std::size_t d = 0; d < compute_device_count; ++d) {
                s[d] = layer_seconds(layer, system_devices[d].peak, system_devices[d].bandwidth, 0);
            }
            return s;
        }
        layer_demand inside = layer;
        inside.port_bytes = 0;
        inside.spilled_bytes = inside.large_bytes;
        return {priced(inside, engine_).seconds(), layer_seconds(layer, gpu_), layer_seconds(layer, cpu_)};
    }

    constexpr device_total whole_on(compute_device d, engine_run& run) const {
        if (static_cast<std::size_t>(d) >= compute_device_count) {
            refuse_placement("there is no device", static_cast<std::int64_t>(d));
        }
        for (const placed_layer& layer : layers_) {
            if (!layer.can_be_on(d)) {
                return {};
            }
        }
        if (layers_.empty()) {
            return {};
        }
        const device_segment all = segment(run, d, 0, layers_.size());
        return {true, all.seconds, all.joules};
    }

    constexpr bool for_energy() const { return options_.goal == placement_goal::energy; }
    constexpr const device_rates& rates(std::size_t d) const { return d == 1 ? gpu_ : cpu_; }

    /// What a layer adds to a segment; negative where it cannot be there, or the goal is not known there.
    constexpr double layer_cost_on(std::size_t layer, std::size_t d) const {
        if (for_energy() && layers_[layer].seconds[d] >= 0) {
            const device_rates& r = rates(d);
            return r.has_energy() ? layer_joules(flow_.program.layers[layer], r) : -1;
        }
        return layers_[layer].seconds[d];
    }
    constexpr double entry_cost(std::size_t d, bool from_another) const {
        if (measured_) {
            return rates(d).launch * (for_energy() ? rates(d).static_power : 1);
        }
        return system_entry(d, from_another, options_);
    }

    /// All segments on the engine that end at a layer. None starts behind another on the engine: two programs in a row cost
    /// more than one, by a dispatch and by the ports between them.
    constexpr void relax_engine(sequence<step>& steps, engine_starts& starts, std::size_t end) const {
        if (layers_[end].seconds[0] < 0) {
            starts.skip();
            return;
        }
        const double before = end > 0 ? steps[end - 1].least_but(0) : 0;
        const bool follows = end > 0 && steps[end - 1].least[0] <= before;
        starts.add(follows ? unreachable : before);
        const least_sums::place found = starts.least();
        if (found.value < unreachable) {
            steps[end].least[0] = found.value;
            steps[end].start[0] = found.index;
        }
    }

    constexpr device_segment segment(engine_run& run, compute_device on, std::size_t first, std::size_t end) const {
        device_segment s{on, static_cast<int>(first), static_cast<int>(end) - 1};
        const auto d = static_cast<std::size_t>(on);
        if (measured_ && on == compute_device::engine) {
            run.start(s.first);
            for (std::size_t i = first; i < end; ++i) {
                run.add();
            }
            s.seconds = run.seconds();
            s.joules = run.joules();
            return s;
        }
        s.seconds = entry_cost_in_seconds(d, first > 0);
        s.joules = measured_ ? rates(d).launch * rates(d).static_power : 0;
        for (std::size_t i = first; i < end; ++i) {
            s.seconds += layers_[i].seconds[d];
            s.joules += measured_ ? layer_joules(flow_.program.layers[i], rates(d)) : 0;
        }
        s.joules = measured_ && rates(d).has_energy() ? s.joules : 0;
        return s;
    }
    /// The rates of the segmenter are decompiled; by them alone nothing that the engine takes is on the CPU.
    constexpr mark mark_of_system(const sequence<compute_device>& devices) const {
        for (std::size_t i = 0; i < devices.size(); ++i) {
            if (devices[i] == compute_device::cpu && layers_[i].seconds[0] >= 0) {
                return mark::predicted;
            }
        }
        return mark::decompiled;
    }
    constexpr double entry_cost_in_seconds(std::size_t d, bool from_another) const {
        return measured_ ? rates(d).launch : entry_cost(d, from_another);
    }

    static constexpr void judge(device_plan& p) {
        for (const compute_device d : all_devices) {
            const device_total& whole = p.on(d);
            if (whole.possible && (!p.fastest || whole.seconds < p.on(*p.fastest).seconds)) {
                p.fastest = d;
            }
            if (whole.possible && whole.joules > 0 &&
                (!p.most_efficient || whole.joules < p.on(*p.most_efficient).joules)) {
                p.most_efficient = d;
            }
        }
    }

    target_description target_;
    placement_options options_;
    bool measured_;
    device_flow flow_;
    device_rates gpu_;
    device_rates cpu_;
    cost_rates engine_;
    sequence<placed_layer> layers_;
};

} // namespace ane::detail
