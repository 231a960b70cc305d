#include "advised_layer_parts.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace advised_layers {

namespace {

/// A shape with what a suggestion on tensors as a whole changes of it; nothing where it is another suggestion.
template <class Breaks>
std::optional<extents> reshaped(const extents& from, const std::string& s, target t, const Breaks& breaks_with) {
    extents e = from;
    const int last = e.rank - 1;
    const auto halved = [&](int axis) {
        while (axis >= 0 && e[axis] > 1 && breaks_with(e)) {
            e[axis] = (e[axis] + 1) / 2;
        }
    };
    const std::int64_t granule = describe(t).memory.dma_width_granule / 2; // elements
    if (begins(s, "tile the last axis")) {
        halved(last);
    } else if (begins(s, "tile the axis before the last")) {
        halved(last - 1);
    } else if (begins(s, "split the channels")) {
        halved(last - 2);
    } else if (begins(s, "split the batch")) {
        halved(0);
    } else if (begins(s, "fold the depth into the batch")) { // [N, C, D, H, W]
        e = {e[0] * e[2], e[1], 1, e[3], e[4]};
    } else if (begins(s, "reshape or split")) { // the first axes are one
        extents made;
        made.append(e[0] * e[1]);
        for (int i = 2; i < e.rank; ++i) {
            made.append(e[i]);
        }
        e = made;
    } else if (begins(s, "tile the batch or the image") || begins(s, "keep it under") ||
               begins(s, "make them smaller")) {
        const bool is_image = begins(s, "tile the batch");
        for (int axis = 0; axis < e.rank; ++axis) { // the width last
            if (!is_image || axis != last - 2 || e.rank < 4) {
                halved(axis);
            }
        }
    } else if (begins(s, "use widths")) {
        e[last] = up_to_multiple(e[last], 8);
    } else if (begins(s, "a width that is an odd")) {
        const std::int64_t granules = (e[last] + granule - 1) / granule;
        e[last] = (granules | 1) * granule;
    } else if (begins(s, "move a longer axis last")) {
        int longest = last;
        for (int i = 0; i < last; ++i) {
            longest = e[i] > e[longest] ? i : longest;
        }
        std::swap(e[longest], e[last]);
    } else if (begins(s, "use a channel count")) {
        e[last - 2] = up_to_multiple(e[last - 2], 8);
    } else if (begins(s, "pad the last axis of the state")) {
        e[last] = up_to_multiple(e[last], 32);
    } else {
        return std::nullopt;
    }
    return e;
}

/// One of so many parts, a multiple of 8 where it may be.
std::int64_t part_of(std::int64_t extent, std::int64_t parts) {
    const std::int64_t part = (extent + parts - 1) / parts;
    return part > 8 ? up_to_multiple(part, 8) : part;
}

} // namespace

// ---- functions of a tensor ---------------------------------------------------------------------------------------------

dynamic_graph whole_tensor::built() const {
    dynamic_builder b;
    const tensor x = b.input("x", shape, bounded(1));
    if (keeps_first) {
        const tensor first = b.add(op::relu, {x});
        const tensor second = b.add(op::sigmoid, {first});
        b.output("y", b.add(op::add, {b.add(op::relu, {second}), first}));
        return b.finish();
    }
    std::vector<tensor> parts;
    for (int i = 0; i < branches; ++i) {
        parts.push_back(b.add(op::relu, {x}));
    }
    while (parts.size() > 1) {
        std::vector<tensor> sums;
        if (as_tree) {
            for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
                sums.push_back(b.add(op::add, {parts[i], parts[i + 1]}));
            }
            if (parts.size() % 2 == 1) {
                sums.push_back(parts.back());
            }
        } else {
            sums.push_back(b.add(op::add, {parts[0], parts[1]}));
            sums.insert(sums.end(), parts.begin() + 2, parts.end());
        }
        parts = sums;
    }
    b.output("y", parts.front());
    return b.finish();
}

std::string whole_tensor::text() const {
    std::ostringstream s;
    s << branches << " functions of " << print(shape) << (as_tree ? ", as a tree" : "")
      << (keeps_first ? ", the first of them read last" : "");
    return s.str();
}

std::optional<whole_tensor> whole_tensor::follow(const whole_tensor& from, rule of, const std::string& s, target t) {
    whole_tensor made = from;
    if (begins(s, "join them as a tree")) {
        made.as_tree = true;
        return made;
    }
    if (begins(s, "read long-lived values sooner")) {
        made.keeps_first = false;
        return from.keeps_first ? std::optional(made) : std::nullopt;
    }
    const auto breaks_with = [&](const extents& e) {
        made.shape = e;
        return breaks(made.built(), of, t);
    };
    if (const auto e = reshaped(from.shape, s, t, breaks_with)) {
        made.shape = *e;
        return made;
    }
    return unknown(of, s);
}

std::vector<whole_tensor> whole_tensor::some(bool all) {
    std::vector<whole_tensor> layers;
    int turn = 0;
    const auto add = [&](const whole_tensor& one) {
        if (one.shape.count() <= std::int64_t{1} << 27 && (all || ++turn % 7 == 0)) {
            layers.push_back(one);
        }
    };
    for (const std::int64_t width : {1, 5, 8, 511, 512, 1000, 1024, 16384, 16390, 40000}) {
        for (const std::int64_t height : {1, 7, 64, 1140, 2048, 16390}) {
            for (const std::int64_t channels : {1, 5, 8, 70000}) {
                for (const std::int64_t batch : {1, 3, 5000}) {
                    add({.shape = {batch, channels, height, width}});
                    add({.shape = {batch, channels, height, width}, .keeps_first = true});
                }
                add({.shape = {channels, height, width}, .branches = 12});
            }
            add({.shape = {height, width}});
            add({.shape = {2, 3, 4, 1, height, width}});
            add({.shape = {2, 3, 20000, height, width}});
        }
        add({.shape = {width}});
    }
    return layers;
}

// ---- states ------------------------------------------------------------------------------------------------------------

dynamic_graph kept_state::built() const {
    dynamic_builder b;
    const tensor before = b.input("s", shape, bounded(1));
    const tensor sum = b.add(op::relu, {before});
    b.keep(before, sum);
    b.output("y", sum);
    return b.finish();
}

std::string kept_state::text() const { return "a state " + print(shape); }

std::optional<kept_state> kept_state::follow(const kept_state& from, rule of, const std::string& s, target t) {
    kept_state made = from;
    const auto breaks_with = [&](const extents& e) {
        made.shape = e;
        return breaks(made.built(), of, t);
    };
    if (const auto e = reshaped(from.shape, s, t, breaks_with)) {
        made.shape = *e;
        return made;
    }
    return begins(s, "read long-lived values sooner") ? std::nullopt : unknown(of, s);
}

std::vector<kept_state> kept_state::some(bool /*all*/) {
    std::vector<kept_state> layers;
    for (const std::int64_t width : {1, 5, 16, 33, 270, 505, 511, 512, 1016, 16390, 40000}) {
        for (const std::int64_t height : {1, 64, 1140, 16390}) {
            layers.push_back({{1, 8, height, width}});
            layers.push_back({{height, width}});
        }
    }
    return layers;
}

// ---- matrices ----------------------------------------------------------------------------------------------------------

dynamic_graph stored_matrix::built() const {
    dynamic_builder b;
    const tensor x = b.input("x", {rows, terms}, bounded(0.25));
    if (is_computed) {
        const tensor right = b.add(op::relu, {b.input("m", {terms, outputs}, bounded(0.25))});
        b.output("y", b.add(op::matmul, {x, right}, transposed{}));
        return b.finish();
    }
    const tensor w = b.weight("w", {outputs, terms}, bounded(0.25));
    b.output("y", b.add(op::linear, {x, form ? b.add(op::compressed, {w}, *form) : w}));
    return b.finish();
}

std::string stored_matrix::text() const {
    std::ostringstream s;
    s << "[" << rows << ", " << terms << "] times " << (is_computed ? "a computed " : "a stored ") << "matrix of "
      << outputs << " outputs"
      << (form ? ", " + std::string(name(form->form)) + " of " + std::to_string(form->bits) + " bits" : "");
    return s.str();
}

std::optional<stored_matrix> stored_matrix::follow(const stored_matrix& from, rule of, const std::string& s, target t) {
    stored_matrix made = from;
    const auto halved = [&](std::int64_t stored_matrix::*extent) {
        while (made.*extent > 1 && breaks(made.built(), of, t)) {
            made.*extent = part_of(made.*extent, 2);
        }
    };
    if (begins(s, "stream them as a palette") || begins(s, "use a palette of 4 bits")) {
        made.form = compression{.form = weight_form::palette, .bits = 4};
    } else if (begins(s, "split it along its rows")) { // of a computed matrix these are terms, and the parts are added
        halved(made.is_computed ? &stored_matrix::terms : &stored_matrix::outputs);
    } else if (begins(s, "split the outputs into")) {
        const std::int64_t parts = std::stoll(s.substr(23));
        made.outputs = part_of(made.outputs, parts);
        if (s.find("palette of 4 bits") != std::string::npos) {
            made.form = compression{.form = weight_form::palette, .bits = 4};
        }
    } else if (begins(s, "tile the batch or the image") && s.find("split the outputs") != std::string::npos) {
        made = *follow(made, of, s.substr(s.find("split the outputs")), t);
        halved(&stored_matrix::rows);
    } else if (begins(s, "tile the batch or the image") || begins(s, "tile the rows") ||
               begins(s, "make them smaller") || begins(s, "keep it under")) {
        halved(&stored_matrix::rows);
        halved(&stored_matrix::outputs);
    } else if (begins(s, "tile the last axis") || begins(s, "split it and add")) {
        halved(&stored_matrix::terms);
        halved(&stored_matrix::outputs);
    } else if (begins(s, "tile the axis before")) {
        halved(&stored_matrix::rows);
        halved(made.is_computed ? &stored_matrix::terms : &stored_matrix::outputs);
    } else if (begins(s, "use widths") || begins(s, "a width that is an odd")) {
        for (std::int64_t* const each : {&made.terms, &made.outputs}) {
            *each = begins(s, "use widths")                 ? up_to_multiple(*each, 8)
                    : *each % 512 > 504 || *each % 512 == 0 ? up_to_multiple(*each, 8) + 8
                                                            : *each;
        }
    } else if (begins(s, "read long-lived values sooner") || begins(s, "the GPU")) {
        return std::nullopt;
    } else {
        return unknown(of, s);
    }
    return made;
}

std::vector<stored_matrix> stored_matrix::some(bool all) {
    std::vector<stored_matrix> layers;
    const compression bytes{.form = weight_form::affine, .bits = 8};
    const compression palette{.form = weight_form::palette, .bits = 4};
    int turn = 0;
    for (const std::int64_t rows : {1, 100, 5000, 16390}) {
        for (const std::int64_t terms : {5, 64, 512, 1140, 16390}) {
            for (const std::int64_t outputs : {12, 512, 1025, 4096, 20000}) {
                for (const auto& form : {std::optional<compression>(), std::optional(bytes), std::optional(palette)}) {
                    if (all || ++turn % 4 == 0) {
                        layers.push_back({rows, terms, outputs, false, form});
                    }
                }
                layers.push_back({rows, terms, outputs, true});
            }
        }
    }
    return layers;
}

} // namespace advised_layers
