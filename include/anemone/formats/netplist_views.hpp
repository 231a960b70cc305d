#pragma once

#include "../base/way.hpp"
#include "../graph/border_source.hpp"
#include "netplist_movement.hpp"

#include <cmath>
#include <numeric>

/// Rearrangements of elements as views of the operand that are joined.
namespace ane::formats::inline ANEMONE_WAY {

inline constexpr netplist_order exchange_height_width{
    netplist_axis::batch, netplist_axis::depth, netplist_axis::channel, netplist_axis::width, netplist_axis::height};

/// The elements [begin, begin + size) of an axis other than Width.
ANEMONE_INLINE netplist_value view_of(netplist_writer& w, const netplist_value& x, netplist_axis a, std::int64_t begin,
                                      std::int64_t size) {
    if (size == x.shape[a]) {
        return x;
    }
    netplist_shape shape = x.shape;
    shape[a] = size;
    return w.unit({"InputView", plist_dict{{"Dimension", name(a)}, {"Offset", begin}, {"Size", size}}, false}, {x},
                  shape);
}

ANEMONE_INLINE netplist_value joined(netplist_writer& w, netplist_axis a, std::vector<netplist_value> parts) {
    if (parts.size() == 1) {
        return parts.front();
    }
    netplist_shape shape = parts.front().shape;
    shape[a] = 0;
    for (const netplist_value& part : parts) {
        shape[a] += part.shape[a];
    }
    return w.unit({"Concat", plist_dict{{"Dimension", name(a)}}}, std::move(parts), shape);
}

/// The elements of an axis at some positions, in their order: a view for each run of neighbours. Along Width they are
/// taken from a transposed tensor, since A13 and A14 join Width views with an offset wrongly (R090).
ANEMONE_INLINE netplist_value picked(netplist_writer& w, const netplist_value& x, netplist_axis a,
                                     std::span<const std::int64_t> positions) {
    const auto is_next = [&](std::size_t i) { return positions[i] == positions[i - 1] + 1; };
    std::size_t runs = 1;
    for (std::size_t i = 1; i < positions.size(); ++i) {
        runs += is_next(i) ? 0U : 1U;
    }
    const auto count = static_cast<std::int64_t>(positions.size());
    if (runs == 1 && count == x.shape[a]) {
        return x;
    }
    if (a == netplist_axis::width) {
        const netplist_value turned = w.transpose(x, exchange_height_width);
        return w.transpose(picked(w, turned, netplist_axis::height, positions), exchange_height_width);
    }
    std::vector<netplist_value> parts;
    std::size_t begin = 0;
    for (std::size_t i = 1; i <= positions.size(); ++i) {
        if (i == positions.size() || !is_next(i)) {
            parts.push_back(view_of(w, x, a, positions[begin], static_cast<std::int64_t>(i - begin)));
            begin = i;
        }
    }
    return joined(w, a, std::move(parts));
}

/// Picks along each axis of the graph what `position(axis, i)` says, as many as the result has.
template <class Position> netplist_value picked_along_axes(netplist_writer& w, int index, const Position& position) {
    const extents& shape = w.at(index).shape;
    netplist_value x = w.value(w.operand(index, 0));
    for (int i = 0; i < shape.rank; ++i) {
        std::vector<std::int64_t> positions(static_cast<std::size_t>(shape[i]));
        for (std::size_t k = 0; k < positions.size(); ++k) {
            positions[k] = position(i, static_cast<std::int64_t>(k));
        }
        x = picked(w, x, netplist_axis_of(i, shape.rank), positions);
    }
    return x;
}

ANEMONE_INLINE netplist_value write_strided_slice(netplist_writer& w, int index, const netplist_form&) {
    const strided_window& a = w.at(index).get<strided_window>();
    return picked_along_axes(w, index, [&](int i, std::int64_t k) { return a.begin[i] + k * a.stride[i]; });
}

ANEMONE_INLINE netplist_value write_reverse(netplist_writer& w, int index, const netplist_form&) {
    const extents& shape = w.at(index).shape;
    const indices& list = w.at(index).get<axes>().list;
    return picked_along_axes(w, index, [&](int i, std::int64_t k) {
        bool turned = false;
        for (int j = 0; j < list.rank; ++j) {
            turned = turned || list[j] == i;
        }
        return turned ? shape[i] - 1 - k : k;
    });
}

/// Mirrored at the outermost elements, behind them, or these themselves again.
ANEMONE_INLINE netplist_value write_border(netplist_writer& w, int index, const netplist_form&) {
    const node& n = w.at(index);
    const pads& amounts = n.get<pads>();
    const extents& in = w.at(w.operand(index, 0)).shape;
    return picked_along_axes(
        w, index, [&](int i, std::int64_t k) { return border_source(n.kind, in[i], k - amounts.before[i]); });
}

/// Axes of one element are repeated by a Broadcast unit.
ANEMONE_INLINE netplist_value write_tile(netplist_writer& w, int index, const netplist_form&) {
    const extents& in = w.at(w.operand(index, 0)).shape;
    netplist_value x = w.value(w.operand(index, 0));
    netplist_shape wider = x.shape;
    const extents& shape = w.at(index).shape;
    for (int i = 0; i < in.rank; ++i) {
        const netplist_axis a = netplist_axis_of(i, in.rank);
        wider[a] = in[i] == 1 ? shape[i] : in[i];
    }
    x = w.broadcast(x, wider);
    for (int i = 0; i < in.rank; ++i) {
        if (in[i] != 1 && shape[i] != in[i]) {
            x = joined(w, netplist_axis_of(i, in.rank),
                       std::vector<netplist_value>(static_cast<std::size_t>(shape[i] / in[i]), x));
        }
    }
    return x;
}

/// A value of the second operand that counts elements.
ANEMONE_INLINE std::int64_t whole_number(const netplist_writer& w, int index, std::size_t at, std::int64_t least,
                                         std::int64_t most) {
    const auto number = static_cast<double>(w.values(w.operand(index, 1))[at]);
    if (!(number >= static_cast<double>(least) && number <= static_cast<double>(most)) ||
        std::trunc(number) != number) {
        throw error(errc::argument, std::string(name(w.at(index).kind)),
                    formatted("index {} is {}, which is not an integer from {} to {}", at, number, least, most));
    }
    return static_cast<std::int64_t>(number);
}
/// The positions of a gather that are known when the file is written; negative ones count from the end.
ANEMONE_INLINE std::vector<std::int64_t> known_positions(const netplist_writer& w, int index, std::int64_t extent) {
    std::vector<std::int64_t> positions(w.values(w.operand(index, 1)).size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::int64_t position = whole_number(w, index, i, -extent, extent - 1);
        positions[i] = position < 0 ? position + extent : position;
    }
    return positions;
}
/// A Gather unit along Width, whose positions are a constant of UInt16.
ANEMONE_INLINE netplist_value gathered(netplist_writer& w, const netplist_value& x,
                                       std::span<const std::int64_t> positions) {
    const std::vector<std::uint16_t> numbers(positions.begin(), positions.end());
    netplist_shape shape = x.shape;
    shape[netplist_axis::width] = static_cast<std::int64_t>(positions.size());
    const netplist_value indices = w.indices(numbers);
    return w.unit({"Gather", plist_dict{{"GatherNDAxes", plist_array{"Width"}}}}, {x, indices}, shape);
}

/// Views that are joined run on every family; the unit takes over where they would be too many.
ANEMONE_INLINE netplist_value write_gather(netplist_writer& w, int index, const netplist_form&) {
    const extents& in = w.at(w.operand(index, 0)).shape;
    const int along = w.at(index).get<axis>().index;
    std::vector<std::int64_t> positions = known_positions(w, index, in[along]);
    positions.resize(static_cast<std::size_t>(w.at(w.operand(index, 1)).shape.count()), positions.front());
    const netplist_value x = w.value(w.operand(index, 0));
    const bool many = static_cast<std::int64_t>(positions.size()) > forms::most_views;
    const netplist_value rows =
        many ? gathered(w, x, positions) : picked(w, x, netplist_axis_of(along, in.rank), positions);
    return w.reshape(rows, netplist_shape_of(w.at(index).shape));
}

/// Two elements of four along Width, which is the form that is known to run.
ANEMONE_INLINE netplist_value write_dynamic_slice(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    netplist_shape shape = x.shape;
    shape[netplist_axis::width] = 2;
    const auto along = [](const char* key, const plist_value& value) {
        plist_dict entry{{"Coordinate", "Width"}};
        entry[key] = value;
        return plist_array{plist_value(std::move(entry))};
    };
    constexpr auto most = static_cast<std::int64_t>(half_max); // any that is finite
    const std::int64_t given = whole_number(w, index, 0, -most, most);
    const indices& begin = w.at(index).get<window>().begin;
    const half first(static_cast<double>(given + (begin.rank == 0 ? 0 : begin[begin.rank - 1])));
    const netplist_value start = w.constant({}, std::span(&first, 1));
    return w.unit({form.unit,
                   plist_dict{{"DynamicSliceAxisOrder", plist_array{"Width"}},
                              {"DynamicSliceInfo", along("SliceSize", 2)},
                              {"CoordinateInfo", along("CoordinateMode", "NonNormalized")},
                              {"CoordinateMode", "NonNormalized"},
                              {"PaddingInfo", along("PaddingMode", "Background")},
                              {"BackgroundValue", 0.0}},
                   false},
                  {x, start}, shape);
}

/// The parts before and behind the window, with the update between them, axis by axis. Width, whose views with an offset
/// have hazards on A13 and A14 (R090), is Height of a transposed tensor.
ANEMONE_INLINE netplist_value updated(netplist_writer& w, const netplist_value& x, const netplist_value& update,
                                      const netplist_shape& begin, int first) {
    for (int i = first; i < 5; ++i) {
        const netplist_axis a = netplist_axes[i];
        const std::int64_t size = update.shape[a];
        if (size == x.shape[a]) {
            continue;
        }
        if (a == netplist_axis::width) {
            netplist_shape turned = begin;
            std::swap(turned[netplist_axis::height], turned[netplist_axis::width]);
            const netplist_value x_turned =
                w.transpose(x, exchange_height_width); // before the next: units are numbered
            const netplist_value update_turned = w.transpose(update, exchange_height_width);
            return w.transpose(updated(w, x_turned, update_turned, turned, 3), exchange_height_width);
        }
        bool spans_the_rest = true; // then no view of x is read behind this axis
        for (int j = i + 1; j < 5; ++j) {
            spans_the_rest = spans_the_rest && update.shape[netplist_axes[j]] == x.shape[netplist_axes[j]];
        }
        const netplist_value inner =
            spans_the_rest ? update : updated(w, view_of(w, x, a, begin[a], size), update, begin, i + 1);
        std::vector<netplist_value> parts;
        if (begin[a] > 0) {
            parts.push_back(view_of(w, x, a, 0, begin[a]));
        }
        parts.push_back(inner);
        const std::int64_t end = begin[a] + size;
        if (end < x.shape[a]) {
            parts.push_back(view_of(w, x, a, end, x.shape[a] - end));
        }
        return joined(w, a, std::move(parts));
    }
    return update;
}
ANEMONE_INLINE netplist_value write_slice_update(netplist_writer& w, int index, const netplist_form&) {
    const strided_window& a = w.at(index).get<strided_window>();
    netplist_shape begin;
    for (int i = 0; i < a.begin.rank; ++i) {
        begin[netplist_axis_of(i, a.begin.rank)] = a.begin[i];
    }
    const netplist_value x = w.value(w.operand(index, 0));
    return updated(w, x, w.value(w.operand(index, 1)), begin, 0);
}

} // namespace ane::formats::inline ANEMONE_WAY
