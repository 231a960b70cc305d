#pragma once

#include <anemone/backend/calibration.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/graph/graph.hpp>
#include <anemone/values/half.hpp>
#include <anemone/weights/store.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

/// Numbers within the promises of a graph, and what the oracle makes of them.
namespace sound {

using namespace ane;

using numbers_by_name = std::map<std::string, std::vector<half>>;

/// Numbers for all inputs and weights of a graph. Those of the weights are shared by points that have the same.
struct point {
    std::shared_ptr<const numbers_by_name> weights;
    numbers_by_name inputs;

    const std::vector<half>* of(const graph_view& g, int source) const {
        const numbers_by_name& all = g[source].kind == op::input ? inputs : *weights;
        const auto found = all.find(std::string(g.name(source)));
        return found == all.end() ? nullptr : &found->second;
    }
};

/// Points of the promises: first their corners, as all combinations of the ends of each source, then mixtures. Inputs
/// change with each, weights more seldom: with these a graph is compiled anew.
class points {
public:
    points(const graph_view& g, unsigned seed) : g_(g), random_(seed) {}

    point next() {
        const auto draw = [this](op kind, unsigned ends) {
            numbers_by_name all;
            for (int i = 0; i < g_.size(); ++i) {
                if (g_[i].kind == kind) {
                    all[std::string(g_.name(i))] = values(g_[i].get<contract>(), g_[i].shape.count(), ends % 2);
                    ends /= 2;
                }
            }
            return all;
        };
        const auto inputs = static_cast<unsigned>(
            std::count_if(g_.nodes.begin(), g_.nodes.end(), [](const node& n) { return n.kind == op::input; }));
        const unsigned ends = turn_++;
        const bool is_corner = turn_ <= corners;
        const unsigned of_weights = inputs < 4 ? ends >> inputs : 0;
        if (weights_ == nullptr || (is_corner ? of_weights != ends_of_weights_ : turn_ % points_of_weights == 0)) {
            const bool has_weights = weights_ == nullptr || !weights_->empty();
            weights_ = has_weights ? std::make_shared<const numbers_by_name>(draw(op::weight, of_weights)) : weights_;
            ends_of_weights_ = of_weights;
        }
        return {weights_, draw(op::input, ends)};
    }

private:
    static constexpr unsigned corners = 16;
    static constexpr unsigned points_of_weights = 3;

    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

    std::vector<half> values(const contract& c, std::int64_t count, unsigned end) {
        const double nearest_zero = std::clamp(0.0, c.low, c.high);
        const unsigned style = turn_ <= corners ? 0 : below(7);
        const double small = special(below(16));
        std::vector<half> all(static_cast<std::size_t>(count));
        for (half& h : all) {
            const double ends[] = {c.high, c.low, nearest_zero};
            switch (style) {
            case 0: h = half(ends[end]); break;
            case 1: h = half(ends[below(2)]); break;
            case 2: h = half(ends[below(8) == 0 ? 2 : below(2)]); break;
            case 3: h = half(ends[below(count < 8 ? 3 : static_cast<unsigned>(count)) == 0 ? 1 - end : end]); break;
            case 4: h = half(special(below(16))); break;
            case 5: h = half(small); break;
            default: h = half(c.low + (c.high - c.low) * static_cast<double>(random_()) / 4294967296.0);
            }
            h = half(std::clamp(static_cast<double>(h), c.low, c.high));
        }
        return all;
    }

    /// Numbers around zero: the ends of fp16, what an epsilon takes to zero, what has a square near the smallest.
    static double special(unsigned k) {
        constexpr double all[] = {0, 0x1p-24, 1e-5, 1e-3, 0x1p-12, 0x1p-10, 0x1p-8, 1};
        return k % 2 == 0 ? all[k / 2] : -all[k / 2];
    }

    graph_view g_;
    std::mt19937 random_;
    unsigned turn_ = 0;
    unsigned ends_of_weights_ = 0;
    std::shared_ptr<const numbers_by_name> weights_;
};

/// A graph on the oracle of a target, compiled anew where a point has other weights than the one before.
class oracle_run {
public:
    oracle_run(const graph_view& g, target t) : g_(g), oracle_(t) {}

    /// Computes a point, of which `values` and `is_infinite` tell then.
    void run(const point& p) {
        if (program_ == nullptr || weights_ != p.weights) {
            weight_store store;
            for (int i = 0; i < g_.size(); ++i) {
                if (g_[i].kind == op::weight && p.of(g_, i) != nullptr) {
                    store.add(std::string(g_.name(i)), g_[i].shape, std::span<const half>(*p.of(g_, i)));
                }
            }
            program_ = std::make_unique<calibration<backend::oracle>>(oracle_, g_, store);
            weights_ = p.weights;
        }
        std::vector<std::span<const std::byte>> inputs;
        for (int i = 0; i < g_.size(); ++i) {
            if (g_[i].kind == op::input) {
                inputs.push_back(std::as_bytes(std::span(*p.of(g_, i))));
            }
        }
        program_->run(inputs);
        last_ = &p;
    }

    /// What a node has at the last point; nothing of what is neither a source nor computed in fp16.
    std::span<const half> values(int node) const {
        if (!is_source(g_[node].kind)) {
            return program_->values(node);
        }
        const std::vector<half>* const given = last_->of(g_, node);
        return given == nullptr ? std::span<const half>{} : std::span<const half>(*given);
    }
    bool is_infinite(int node) const {
        const std::span<const half> all = values(node);
        return std::any_of(all.begin(), all.end(), [](half v) { return !is_finite(v); });
    }

private:
    graph_view g_;
    backend::oracle oracle_;
    std::shared_ptr<const numbers_by_name> weights_;
    std::unique_ptr<calibration<backend::oracle>> program_;
    const point* last_ = nullptr;
};

} // namespace sound
