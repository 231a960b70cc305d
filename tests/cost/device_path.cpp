// The shortest path of the placement against the costs of all assignments.

#include "../analysis/random_graph.hpp"
#include "../from_environment.hpp"
#include "placed_models.hpp"
#include <anemone/cost/device_placement.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace ane;

namespace {

// What an assignment costs, by another way than the pass: a segment on the engine is a program of its layers with its own
// ports, found by sets of nodes, and priced as any program is.
class assignment_costs {
public:
    assignment_costs(const graph_view& g, target t, const placement_options& o) : graph_(g), target_(t), options_(o) {
        program_ = demand_of(g, t);
        const sequence<fusion> fused = fuse(g);
        const sequence<char> known = constant_nodes(g);
        std::map<int, int> layer_of_host;
        for (const layer_demand& layer : program_.layers) {
            const int number = static_cast<int>(layer_of_host.size());
            layer_of_host[layer.node] = number;
        }
        // A transpose that only products read, and that swaps the last two axes, is a view as a reshape is.
        const auto is_view = [&](int node) {
            bool view = g[node].kind == op::transpose && known[static_cast<std::size_t>(node)] == 0 &&
                        fused[static_cast<std::size_t>(node)].host == node;
            if (view) {
                const auto& order = g[node].get<permutation>().order;
                for (int i = 0; i < order.rank; ++i) {
                    view = view && order[i] == (i == order.rank - 1   ? order.rank - 2
                                                : i == order.rank - 2 ? order.rank - 1
                                                                      : i);
                }
            }
            for (int i = 0; i < g.size(); ++i) {
                for (const int operand : g.operands(i)) {
                    view = view && (operand != node || g[i].kind == op::matmul);
                }
            }
            for (const output_port& port : g.outputs) {
                view = view && port.node != node;
            }
            return view || g[node].kind == op::reshape;
        };
        const auto base_of = [&](int node) {
            while (is_view(node)) {
                node = g.operands(node)[0];
            }
            return node;
        };
        readers_.resize(program_.layers.size());
        reads_.resize(program_.layers.size());
        leaving_.resize(program_.layers.size());
        const auto producer = [&](int base) {
            return g[base].kind == op::input ? -1 - base : layer_of_host.at(fused[static_cast<std::size_t>(base)].host);
        };
        for (int i = 0; i < g.size(); ++i) {
            if (known[static_cast<std::size_t>(i)] != 0 || is_source(g[i].kind) || is_view(i)) {
                continue;
            }
            const int layer = layer_of_host.at(fused[static_cast<std::size_t>(i)].host);
            for (const int operand : g.operands(i)) {
                const int base = base_of(operand);
                if (known[static_cast<std::size_t>(base)] != 0 || producer(base) == layer) {
                    continue;
                }
                reads_[static_cast<std::size_t>(layer)].emplace(producer(base),
                                                                bytes(g[operand].type, g[operand].shape.count()));
                if (producer(base) >= 0) {
                    readers_[static_cast<std::size_t>(producer(base))].insert(layer);
                }
            }
        }
        for (const output_port& port : g.outputs) {
            const int from = producer(base_of(port.node)); // a view of an input leaves by the layer of the reshape
            const int host = fused[static_cast<std::size_t>(port.node)].host;
            ++leaving_[static_cast<std::size_t>(from >= 0 ? from : layer_of_host.at(host))];
        }
    }

    std::size_t layers() const { return program_.layers.size(); }

    // Time or energy of the layers from `first` to `last` on a device.
    double segment(compute_device on, int first, int last) const {
        const bool energy = options_.goal == placement_goal::energy;
        if (options_.model == placement_model::system) { // the figures of the guide, written again
            const double peak = on == compute_device::engine ? 800e9 : (on == compute_device::gpu ? 120e9 : 20e9);
            const double bandwidth = on == compute_device::engine ? 50e9 : (on == compute_device::gpu ? 40e9 : 10e9);
            double total = on == compute_device::engine ? 0.05e-3 : 0.10e-3;
            const bool first_on_gpu = on == compute_device::gpu && first == 0;
            total += on == compute_device::engine || first_on_gpu ? 0.25e-3 : 0; // small work stays on the CPU
            total += first == 0 ? 0 : (on == compute_device::engine ? 0.09e-3 : 0.23e-3);
            for (int i = first; i <= last; ++i) {
                const layer_demand& layer = program_.layers[static_cast<std::size_t>(i)];
                total += std::max(static_cast<double>(layer.work.flops()) / peak,
                                  static_cast<double>(layer.bytes()) / bandwidth);
            }
            return total;
        }
        if (on != compute_device::engine) {
            const device_rates& r = on == compute_device::gpu ? *options_.gpu : *options_.cpu;
            double total = r.launch * (energy ? r.static_power : 1);
            for (int i = first; i <= last; ++i) {
                const layer_demand& layer = program_.layers[static_cast<std::size_t>(i)];
                if (layer.work.flops() + layer.bytes() == 0) {
                    continue;
                }
                const auto flops = static_cast<double>(layer.work.flops());
                const auto moved = static_cast<double>(layer.bytes());
                const double seconds = r.layer + std::max(flops / r.product, moved / r.bandwidth);
                total += energy ? r.static_power * seconds + r.product_energy * flops + r.byte_energy * moved : seconds;
            }
            return total;
        }
        program_demand part;
        std::set<int> brought;
        for (int i = first; i <= last; ++i) {
            layer_demand layer = program_.layers[static_cast<std::size_t>(i)];
            layer.port_bytes = 0;
            for (const auto& [from, size] : reads_[static_cast<std::size_t>(i)]) {
                if ((from < first || from > last) && brought.insert(from).second) {
                    layer.port_bytes += size;
                }
            }
            const auto& readers = readers_[static_cast<std::size_t>(i)];
            const bool read_later = !readers.empty() && *readers.rbegin() > last;
            const int ports = leaving_[static_cast<std::size_t>(i)];
            layer.port_bytes += ports > 0 || read_later ? layer.output_bytes : 0;
            part.outputs += ports > 0 ? ports : (read_later ? 1 : 0);
            part.layers.push_back(layer);
        }
        part.inputs = static_cast<int>(brought.size());
        const cost c = price(part, rates_of(target_));
        return energy ? c.joules : c.clock.typical;
    }

    double of(const std::vector<int>& devices) const {
        double total = 0;
        for (std::size_t i = 0; i < devices.size();) {
            std::size_t end = i;
            while (end < devices.size() && devices[end] == devices[i]) {
                ++end;
            }
            total += segment(static_cast<compute_device>(devices[i]), static_cast<int>(i), static_cast<int>(end) - 1);
            i = end;
        }
        return total;
    }

private:
    graph_view graph_;
    target target_;
    placement_options options_;
    program_demand program_;
    std::vector<std::map<int, std::int64_t>> reads_; // by producer: a layer, or -1 - the node of an input
    std::vector<std::set<int>> readers_;
    std::vector<int> leaving_;
};

} // namespace

TEST_CASE("the shortest path is the least of all assignments") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
        return low * std::pow(high / low, std::uniform_real_distribution<>(0, 1)(random));
    };
    int mixed = 0;
    int compared = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const dynamic_graph model = passes_test::random_graph(static_cast<std::uint32_t>(random()), 7);
        const lowered_graph lowered = lower(model);
        const graph_view g = lowered.view();
        // Devices near each other, one better at arithmetic and the other at traffic, so that the best plan is often a
        // mixed one.
        const target t = trial % 2 == 0 ? h17s : h13;
        const double floor = rates_of(t).floor;
        const auto rates = [&] {
            device_rates r;
            r.product = between(1e6, 1e9);
            r.convolution = r.product;
            r.bandwidth = between(1e6, 1e9);
            r.launch = between(0.01, 0.3) * floor;
            r.layer = between(0.01, 0.3) * floor;
            r.static_power = between(0.1, 3);
            r.product_energy = 4e-12;
            r.convolution_energy = 4e-12;
            r.byte_energy = 35e-12;
            return r;
        };
        const device_rates gpu = rates();
        const device_rates cpu = rates();
        placement_options options{.gpu = &gpu, .cpu = &cpu};
        options.model = trial % 5 == 4 ? placement_model::system : placement_model::measured;
        options.goal = trial % 5 == 3 ? placement_goal::energy : placement_goal::time;
        sequence<char> barred(g.nodes.size(), 0);
        for (char& b : std::span(barred.data(), barred.size())) {
            b = random() % 4 == 0 ? 1 : 0;
        }
        const device_plan plan = device_placement(g, t, options, barred);
        const assignment_costs costs(g, t, options);
        const std::size_t count = costs.layers();
        REQUIRE(plan.layers.size() == count);
        if (count == 0 || count > 8) {
            continue;
        }
        double least = std::numeric_limits<double>::infinity();
        std::vector<int> devices(count, 0);
        for (bool more = true; more;) {
            bool allowed = true;
            for (std::size_t i = 0; i < count; ++i) {
                allowed = allowed && plan.layers[i].can_be_on(static_cast<compute_device>(devices[i]));
            }
            least = allowed ? std::min(least, costs.of(devices)) : least;
            std::size_t digit = 0;
            while (digit < count && ++devices[digit] == 3) {
                devices[digit++] = 0;
            }
            more = digit < count;
        }
        std::vector<int> chosen;
        for (const compute_device d : devices_of(plan)) {
            chosen.push_back(static_cast<int>(d));
        }
        const double given = options.goal == placement_goal::energy ? plan.joules : plan.seconds;
        CHECK(given == doctest::Approx(least).epsilon(1e-9));
        CHECK(costs.of(chosen) == doctest::Approx(least).epsilon(1e-9));
        const bool engine = std::count(chosen.begin(), chosen.end(), 0) > 0;
        mixed += engine && plan.segments.size() > 1 ? 1 : 0;
        ++compared;
    }
    CHECK(compared > 200);
    CHECK(mixed > 5); // with the engine
}
