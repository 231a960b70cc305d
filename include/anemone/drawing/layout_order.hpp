#pragma once

#include "../base/way.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// The first half of a layered layout: which layer each box stands on, and the order on each layer.
namespace ane::drawing::inline ANEMONE_WAY {

struct point {
    double x = 0, y = 0;
};

/// A box of the drawing: give width and height, get the position.
struct box {
    double width = 0, height = 0;
    double left = 0, top = 0;
    int layer = 0;

    constexpr double centre() const { return left + width / 2; }
    constexpr double right() const { return left + width; }
    constexpr double bottom() const { return top + height; }
};

/// An edge: give its ends, get the points it passes, from the bottom of `from` to the top of `to`. Between two points
/// it is either vertical or lies in the gap between two layers.
struct edge {
    int from = 0, to = 0;
    std::vector<point> path;
    bool crosses_layers = false; ///< it skips at least one layer: a residual
};

struct spacing {
    double between_boxes = 26;
    double between_edges = 16;
    double between_layers = 30;
    double between_ports = 14;
};

} // namespace ane::drawing::inline ANEMONE_WAY

namespace ane::drawing::detail::inline ANEMONE_WAY {

/// A place on a layer: a box, or the point where an edge crosses it.
struct place {
    int box = -1;
    double width = 0;
    double x = 0;                                 ///< of the centre
    std::vector<std::pair<int, double>> up, down; ///< neighbours on the layers before and after, with the edge's pull
};

/// Layers by the longest path, a point on every layer that an edge crosses, and barycentre ordering.
class ordering {
public:
    ANEMONE_INLINE ordering(std::vector<box>& boxes, std::vector<edge>& edges) : boxes_(boxes), edges_(edges) {
        assign_layers();
        make_places();
        order();
    }

protected:
    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

    std::vector<box>& boxes_;
    std::vector<edge>& edges_;
    std::vector<place> places_;
    std::vector<std::vector<int>> layers_; ///< places in their order from left to right
    std::vector<std::vector<int>> chains_; ///< the points of each edge

private:
    ANEMONE_INLINE void assign_layers() {
        // Boxes stand in topological order, so one pass finds the longest path; a second one moves sources down to
        // their first reader.
        for (const edge& e : edges_) {
            box& to = boxes_[at(e.to)];
            to.layer = std::max(to.layer, boxes_[at(e.from)].layer + 1);
        }
        std::vector<int> first_reader(boxes_.size(), -1);
        has_operands_.assign(boxes_.size(), 0);
        for (const edge& e : edges_) {
            has_operands_[at(e.to)] = 1;
            int& first = first_reader[at(e.from)];
            first = first < 0 ? boxes_[at(e.to)].layer : std::min(first, boxes_[at(e.to)].layer);
        }
        int count = 1;
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            if (has_operands_[i] == 0 && first_reader[i] > 0) {
                boxes_[i].layer = first_reader[i] - 1;
            }
            count = std::max(count, boxes_[i].layer + 1);
        }
        layers_.resize(at(count));
    }

    ANEMONE_INLINE int add(place p, int layer) {
        places_.push_back(std::move(p));
        layers_[at(layer)].push_back(static_cast<int>(places_.size()) - 1);
        return static_cast<int>(places_.size()) - 1;
    }
    ANEMONE_INLINE void connect(int above, int below, double pull) {
        places_[at(above)].down.emplace_back(below, pull);
        places_[at(below)].up.emplace_back(above, pull);
    }

    ANEMONE_INLINE int crossed_by(const edge& e) const { return boxes_[at(e.to)].layer - boxes_[at(e.from)].layer - 1; }

    /// The layers that an edge may cross and still get a point on each. In a graph of viewable size all edges do; in
    /// one with edges over thousands of layers the longest run straight underneath the boxes, so that there are only a
    /// few points per box.
    ANEMONE_INLINE int longest_with_points() const {
        std::vector<std::size_t> edges_of_length(layers_.size() + 1, 0);
        for (const edge& e : edges_) {
            ++edges_of_length[at(crossed_by(e))];
        }
        const std::size_t most = 10'000 + 8 * boxes_.size();
        std::size_t points = 0;
        for (std::size_t length = 0; length < edges_of_length.size(); ++length) {
            points += length * edges_of_length[length];
            if (points > most) {
                return static_cast<int>(length) - 1;
            }
        }
        return static_cast<int>(layers_.size());
    }

    ANEMONE_INLINE void make_places() {
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            place p;
            p.box = static_cast<int>(i);
            p.width = boxes_[i].width;
            add(p, boxes_[i].layer);
        }
        // A box and its successor are aligned, and so are the points of a long edge. Where a long edge starts or ends
        // it gives way, and so do boxes without predecessors: weights and inputs are placed beside the line.
        const int longest = longest_with_points();
        for (edge& e : edges_) {
            const int last = boxes_[at(e.to)].layer;
            int above = e.from;
            std::vector<int> chain;
            e.crosses_layers = crossed_by(e) > 0;
            if (crossed_by(e) > longest) {
                chains_.emplace_back();
                continue;
            }
            for (int layer = boxes_[at(e.from)].layer + 1; layer < last; ++layer) {
                const int p = add({}, layer);
                connect(above, p, above == e.from ? 0.05 : 8.0);
                chain.push_back(p);
                above = p;
            }
            connect(above, e.to, !chain.empty() ? 0.05 : has_operands_[at(e.from)] != 0 ? 2.0 : 0.1);
            chains_.push_back(std::move(chain));
        }
    }

    // Every second neighbour order is tried; the one with the fewest crossings stays.
    ANEMONE_INLINE void order() {
        set_indices();
        auto best = layers_;
        long fewest = crossings();
        for (int sweep = 0; sweep < 16 && fewest > 0; ++sweep) {
            const bool down = sweep % 2 == 0;
            for (std::size_t k = 1; k < layers_.size(); ++k) {
                sort_by_barycentre(layers_[down ? k : layers_.size() - 1 - k], down);
            }
            const long now = crossings();
            if (now < fewest) {
                fewest = now;
                best = layers_;
            }
        }
        layers_ = best;
        set_indices();
    }
    ANEMONE_INLINE void set_indices() {
        index_.assign(places_.size(), 0);
        for (const auto& layer : layers_) {
            set_indices(layer);
        }
    }
    ANEMONE_INLINE void set_indices(const std::vector<int>& layer) {
        for (std::size_t i = 0; i < layer.size(); ++i) {
            index_[at(layer[i])] = static_cast<double>(i);
        }
    }
    ANEMONE_INLINE void sort_by_barycentre(std::vector<int>& layer, bool from_above) {
        std::vector<std::pair<double, int>> keys;
        for (const int p : layer) {
            const auto& neighbours = from_above ? places_[at(p)].up : places_[at(p)].down;
            double sum = 0;
            for (const auto& [other, pull] : neighbours) {
                sum += index_[at(other)];
            }
            const double key = neighbours.empty() ? index_[at(p)] : sum / static_cast<double>(neighbours.size());
            keys.emplace_back(key, p);
        }
        std::sort(keys.begin(), keys.end(), [this](const auto& a, const auto& b) {
            return a.first != b.first ? a.first < b.first : index_[at(a.second)] < index_[at(b.second)];
        });
        for (std::size_t i = 0; i < layer.size(); ++i) {
            layer[i] = keys[i].second;
        }
        set_indices(layer);
    }
    ANEMONE_INLINE long crossings() const {
        long count = 0;
        for (const auto& layer : layers_) {
            std::vector<std::pair<double, double>> segments;
            for (const int p : layer) {
                for (const auto& [below, pull] : places_[at(p)].down) {
                    segments.emplace_back(index_[at(p)], index_[at(below)]);
                }
            }
            std::sort(segments.begin(), segments.end());
            std::vector<double> below;
            below.reserve(segments.size());
            for (const auto& segment : segments) {
                below.push_back(segment.second);
            }
            count += inversions(below);
        }
        return count;
    }
    /// Counts the pairs that are in the wrong order, and sorts them by merging longer and longer runs.
    static long inversions(std::vector<double>& values) {
        long count = 0;
        std::vector<double> merged(values.size());
        for (std::size_t run = 1; run < values.size(); run *= 2) {
            for (std::size_t first = 0; first < values.size(); first += 2 * run) {
                const std::size_t middle = std::min(first + run, values.size());
                const std::size_t last = std::min(first + 2 * run, values.size());
                std::size_t a = first, b = middle;
                for (std::size_t to = first; to < last; ++to) {
                    const bool takes_b = a == middle || (b < last && values[b] < values[a]);
                    count += takes_b ? static_cast<long>(middle - a) : 0;
                    merged[to] = values[takes_b ? b++ : a++];
                }
            }
            values.swap(merged);
        }
        return count;
    }

    std::vector<char> has_operands_;
    std::vector<double> index_; ///< of each place on its layer
};

} // namespace ane::drawing::detail::inline ANEMONE_WAY
