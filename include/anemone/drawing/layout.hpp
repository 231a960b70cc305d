#pragma once

#include "../base/way.hpp"
#include "layout_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

/// Layered layout of directed acyclic graphs (Sugiyama): longest-path layers, points on the layers that an edge
/// crosses, barycentre ordering, positions by least squares under the order. All lengths in pixels, y downward.
namespace ane::drawing::detail::inline ANEMONE_WAY {

/// Positions x in the given order, x[i + 1] - x[i] >= distance[i], that minimise sum w (x - wanted)^2: pooled adjacent
/// violators on the shifted variables.
ANEMONE_INLINE std::vector<double> nearest_in_order(const std::vector<double>& wanted,
                                                    const std::vector<double>& weight,
                                                    const std::vector<double>& distance) {
    struct block {
        double mean, weight;
        std::size_t count;
    };
    std::vector<block> blocks;
    double shift = 0;
    std::vector<double> shifts;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        shift += i > 0 ? distance[i - 1] : 0;
        shifts.push_back(shift);
        blocks.push_back({wanted[i] - shift, weight[i], 1});
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean > blocks.back().mean) {
            const block last = blocks.back();
            blocks.pop_back();
            block& b = blocks.back();
            b.mean = (b.mean * b.weight + last.mean * last.weight) / (b.weight + last.weight);
            b.weight += last.weight;
            b.count += last.count;
        }
    }
    std::vector<double> x;
    for (const block& b : blocks) {
        for (std::size_t k = 0; k < b.count; ++k) {
            x.push_back(b.mean + shifts[x.size()]);
        }
    }
    return x;
}

/// Computes positions and routes once the order is fixed.
class positioning : ordering {
public:
    ANEMONE_INLINE positioning(std::vector<box>& boxes, std::vector<edge>& edges, const spacing& gaps)
        : ordering(boxes, edges), gaps_(gaps) {
        position();
        write_back();
    }

private:
    ANEMONE_INLINE void position() {
        for (auto& layer : layers_) {
            place_layer(layer, [&](const place&) { return std::pair{0.0, 0.0}; });
        }
        const auto pulled = [&](const auto& neighbours, double& sum, double& weight) {
            for (const auto& [other, pull] : neighbours) {
                sum += pull * places_[at(other)].x;
                weight += pull;
            }
        };
        // Sweeps until neither direction moves anything. Graphs too large to view get fewer sweeps.
        const int sweeps = std::clamp(static_cast<int>(2'000'000 / places_.size()), 8, 160);
        int still = 0;
        for (int sweep = 0; sweep < sweeps && still < 2; ++sweep) {
            const bool down = sweep % 2 == 0;
            moved_ = false;
            for (std::size_t k = 0; k < layers_.size(); ++k) {
                place_layer(layers_[down ? k : layers_.size() - 1 - k], [&](const place& p) {
                    double sum = 0, weight = 0;
                    pulled(p.up, sum, weight);
                    pulled(p.down, sum, weight);
                    return std::pair{sum, weight};
                });
            }
            still = moved_ ? 0 : still + 1;
        }
        straighten();
    }
    /// Straightens lines with small bends: a box almost below its strongest neighbour moves exactly there if the layer
    /// has room.
    ANEMONE_INLINE void straighten() {
        constexpr double almost = 14;
        for (const auto& layer : layers_) {
            for (std::size_t i = 0; i < layer.size(); ++i) {
                place& p = places_[at(layer[i])];
                const auto strongest = std::max_element(
                    p.up.begin(), p.up.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
                if (strongest == p.up.end() || strongest->second < 1) {
                    continue;
                }
                const double x = places_[at(strongest->first)].x;
                const bool near = x - p.x < almost && p.x - x < almost;
                const bool room_left = i == 0 || x - places_[at(layer[i - 1])].x >= apart(layer[i - 1], layer[i]);
                const bool room_right =
                    i + 1 == layer.size() || places_[at(layer[i + 1])].x - x >= apart(layer[i], layer[i + 1]);
                p.x = near && room_left && room_right ? x : p.x;
            }
        }
    }
    /// The least distance between the centres of two neighbours on a layer.
    ANEMONE_INLINE double apart(int left, int right) const {
        const place& a = places_[at(left)];
        const place& b = places_[at(right)];
        return (a.width + b.width) / 2 + (a.box < 0 && b.box < 0 ? gaps_.between_edges : gaps_.between_boxes);
    }
    /// `pull(place)` gives the weighted sum of the wanted positions and the weight.
    template <class Pull> void place_layer(const std::vector<int>& layer, Pull pull) {
        std::vector<double> wanted, weight, distance;
        for (std::size_t i = 0; i < layer.size(); ++i) {
            const place& p = places_[at(layer[i])];
            const auto [sum, total] = pull(p);
            wanted.push_back(total > 0 ? sum / total : p.x);
            weight.push_back(total > 0 ? total : 0.01);
            if (i > 0) {
                distance.push_back(apart(layer[i - 1], layer[i]));
            }
        }
        const std::vector<double> x = nearest_in_order(wanted, weight, distance);
        for (std::size_t i = 0; i < layer.size(); ++i) {
            double& now = places_[at(layer[i])].x;
            moved_ = moved_ || now != x[i];
            now = x[i];
        }
    }

    ANEMONE_INLINE void write_back() {
        double leftmost = 1e30;
        for (const place& p : places_) {
            leftmost = std::min(leftmost, p.x - p.width / 2);
        }
        for (place& p : places_) {
            p.x -= leftmost;
        }
        std::vector<double> top(layers_.size()), bottom(layers_.size());
        double y = 0;
        for (std::size_t k = 0; k < layers_.size(); ++k) {
            double height = 0, reach = 0;
            for (const int p : layers_[k]) {
                const place& here = places_[at(p)];
                height = std::max(height, here.box >= 0 ? boxes_[at(here.box)].height : 0.0);
                for (const auto& [below, pull] : here.down) {
                    const double dx = places_[at(below)].x - here.x;
                    reach = std::max(reach, dx < 0 ? -dx : dx);
                }
            }
            top[k] = y;
            bottom[k] = y + height;
            y += height + gaps_.between_layers + std::min(40.0, reach * 0.08); // room for bends
        }
        for (const place& p : places_) {
            if (p.box >= 0) {
                box& b = boxes_[at(p.box)];
                b.left = p.x - p.width / 2;
                b.top = (top[at(b.layer)] + bottom[at(b.layer)] - b.height) / 2;
            }
        }
        route(top, bottom);
    }

    ANEMONE_INLINE void route(const std::vector<double>& top, const std::vector<double>& bottom) {
        std::vector<double> start(edges_.size()), end(edges_.size());
        spread_ports(true, start);
        spread_ports(false, end);
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            edge& e = edges_[i];
            const box& from = boxes_[at(e.from)];
            const box& to = boxes_[at(e.to)];
            // An almost straight edge between boxes that overlap horizontally becomes straight.
            if (chains_[i].empty() && std::abs(start[i] - end[i]) < 10) {
                start[i] = end[i] = (start[i] + end[i]) / 2;
            }
            e.path = {{start[i], from.bottom()}, {start[i], bottom[at(from.layer)]}};
            int layer = from.layer;
            for (const int p : chains_[i]) {
                ++layer;
                e.path.push_back({places_[at(p)].x, top[at(layer)]});
                e.path.push_back({places_[at(p)].x, bottom[at(layer)]});
            }
            e.path.push_back({end[i], top[at(to.layer)]});
            e.path.push_back({end[i], to.top});
        }
    }
    /// Where the edges leave (or reach) each box: toward their next point, in the order of those, apart from each
    /// other.
    ANEMONE_INLINE void spread_ports(bool leaving, std::vector<double>& x) {
        std::vector<std::vector<std::size_t>> of_box(boxes_.size());
        const auto next = [&](std::size_t i) {
            const auto& chain = chains_[i];
            const int other =
                chain.empty() ? (leaving ? edges_[i].to : edges_[i].from) : (leaving ? chain.front() : chain.back());
            return places_[at(other)].x;
        };
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            of_box[at(leaving ? edges_[i].from : edges_[i].to)].push_back(i);
        }
        for (std::size_t b = 0; b < boxes_.size(); ++b) {
            auto& list = of_box[b];
            std::sort(list.begin(), list.end(),
                      [&](std::size_t i, std::size_t k) { return std::pair(next(i), i) < std::pair(next(k), k); });
            const double inset = std::min(16.0, boxes_[b].width / 4);
            const double low = boxes_[b].left + inset;
            const double high = boxes_[b].right() - inset;
            std::vector<double> wanted;
            for (const std::size_t i : list) {
                // A long edge runs straight down where it can; a short one keeps near the middle.
                const double share = chains_[i].empty() ? 0.3 : 1.0;
                wanted.push_back(std::clamp(boxes_[b].centre() + share * (next(i) - boxes_[b].centre()), low, high));
            }
            const double room = list.size() > 1 ? (high - low) / static_cast<double>(list.size() - 1) : 0;
            const std::vector<double> gaps(list.size(), std::min(gaps_.between_ports, room));
            const std::vector<double> weights(list.size(), 1.0);
            const std::vector<double> placed = nearest_in_order(wanted, weights, gaps);
            const double over = placed.empty() ? 0 : std::max(0.0, placed.back() - high);
            const double under = placed.empty() ? 0 : std::max(0.0, low - placed.front());
            for (std::size_t k = 0; k < list.size(); ++k) {
                x[list[k]] = std::clamp(placed[k] - over + under, low, high);
            }
        }
    }

    const spacing& gaps_;
    bool moved_ = false; ///< whether a place was moved
};

} // namespace ane::drawing::detail::inline ANEMONE_WAY

namespace ane::drawing::inline ANEMONE_WAY {

/// Places the boxes and routes the edges. Boxes come in topological order and edges in the order of their `to`; the
/// drawing starts at (0, 0). Every box lies on its layer, no two boxes overlap, and no edge crosses a box.
ANEMONE_INLINE void lay_out(std::vector<box>& boxes, std::vector<edge>& edges, const spacing& gaps = {}) {
    if (!boxes.empty()) {
        detail::positioning(boxes, edges, gaps);
    }
}

} // namespace ane::drawing::inline ANEMONE_WAY
