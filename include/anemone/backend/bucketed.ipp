#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_bucketed_hpp);

#include "../weights/verify.hpp"
#include "bucketed.hpp"
#include "one_run.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF bucket_results::bucket_results(int bucket, std::vector<std::string> names,
                                               std::vector<std::vector<half>> values)
    : bucket_(bucket), names_(std::move(names)), values_(std::move(values)) {}

ANEMONE_BODY std::span<const half> bucket_results::operator[](std::string_view name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (at == names_.end()) {
        throw error(errc::port, std::string(name), "the model has no output of this name");
    }
    return values_[static_cast<std::size_t>(at - names_.begin())];
}

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// A port at any length.
struct bucket_port {
    std::string name;
    dtype type;
    extents shape;           ///< of the shortest model
    std::uint32_t along = 0; ///< its axes that are as long as the sequence
    half filler{};
    int mask_axis = -1; ///< along which an element of each row must not be zero

    extents at(std::int64_t length) const {
        extents result = shape;
        for (int k = 0; k < result.rank; ++k) {
            result[k] = ((along >> static_cast<unsigned>(k)) & 1U) != 0 ? length : result[k];
        }
        return result;
    }
    std::size_t size(std::int64_t length) const { return static_cast<std::size_t>(bytes(type, at(length).count())); }
};

/// Copies what two dense tensors of one rank have in common, the leading elements of each axis.
ANEMONE_INLINE void copy_common(const std::byte* from, const extents& from_shape, std::byte* to,
                                const extents& to_shape, std::size_t element, int axis = 0) {
    if (axis == from_shape.rank) {
        std::memcpy(to, from, element);
        return;
    }
    std::size_t from_step = element;
    std::size_t to_step = element;
    for (int k = axis + 1; k < from_shape.rank; ++k) {
        from_step *= static_cast<std::size_t>(from_shape[k]);
        to_step *= static_cast<std::size_t>(to_shape[k]);
    }
    const auto count = static_cast<std::size_t>(std::min(from_shape[axis], to_shape[axis]));
    if (from_step == to_step &&
        std::equal(from_shape.extent + axis + 1, from_shape.extent + from_shape.rank, to_shape.extent + axis + 1)) {
        std::memcpy(to, from, count * from_step);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        copy_common(from + i * from_step, from_shape, to + i * to_step, to_shape, element, axis + 1);
    }
}

struct bucket_set::members {
    struct loaded_program {
        std::size_t bucket;
        any_program program;
    };

    std::vector<graph_view> models;
    std::vector<int> lengths;
    backend::any place;
    weight_store weights;
    bucket_options options;
    std::vector<bucket_port> inputs;
    std::vector<bucket_port> outputs;
    std::vector<loaded_program> programs; ///< the least recently used first
    run_flag running{false};

    std::size_t position_for(std::int64_t length) const {
        if (length < 1 || length > lengths.back()) {
            throw error(errc::argument, "bucketed",
                        "a sequence of " + std::to_string(length) + ", it takes 1 to " +
                            std::to_string(lengths.back()));
        }
        return static_cast<std::size_t>(std::lower_bound(lengths.begin(), lengths.end(), length) - lengths.begin());
    }

    any_program& load(std::size_t bucket) {
        const auto known =
            std::find_if(programs.begin(), programs.end(), [&](const loaded_program& p) { return p.bucket == bucket; });
        if (known != programs.end()) {
            std::rotate(known, known + 1, programs.end());
        } else {
            if (programs.size() == options.most_loaded) {
                programs.erase(programs.begin()); // before the compile: a process holds only so many
            }
            programs.push_back({bucket, place.compile(models[bucket], weights)});
        }
        return programs.back().program;
    }

    /// The value of an input, padded.
    std::vector<std::byte> padded(const bucket_port& port, const bucket_value* given, std::int64_t length,
                                  int bucket) const {
        const auto element = static_cast<std::size_t>(bytes(port.type, 1));
        std::vector<std::byte> memory(port.size(bucket));
        if (port.filler.bits != 0) {
            for (std::size_t i = 0; i < memory.size(); i += element) {
                std::memcpy(memory.data() + i, &port.filler.bits, element);
            }
        }
        std::vector<std::byte> ones;
        std::span<const std::byte> value;
        if (given != nullptr) {
            value = given->bytes;
        } else if (port.type == dtype::uint8 && port.along != 0) {
            ones.assign(port.size(length), std::byte{1});
            value = ones;
        } else {
            throw error(errc::port, port.name, "the input is left out");
        }
        if (value.size() != port.size(length)) {
            throw error(errc::port, port.name,
                        "has " + std::to_string(value.size() / element) + " elements, a sequence of " +
                            std::to_string(length) + " has " + std::to_string(port.size(length) / element));
        }
        if (port.mask_axis >= 0) {
            require_something_seen(port, value, length);
        }
        copy_common(value.data(), port.at(length), memory.data(), port.at(bucket), element);
        return memory;
    }

    /// Where a row of a mask hides everything, a softmax would spread over the padding too.
    static void require_something_seen(const bucket_port& port, std::span<const std::byte> value, std::int64_t length) {
        const auto row = static_cast<std::size_t>(port.at(length)[port.mask_axis]);
        for (std::size_t i = 0; i < value.size(); i += row) {
            const auto part = value.subspan(i, row);
            if (std::all_of(part.begin(), part.end(), [](std::byte b) { return b == std::byte{0}; })) {
                throw error(errc::port, port.name,
                            "row " + std::to_string(i / row) + " of the mask hides all " + std::to_string(row) +
                                " elements: the softmax would take the padding in");
            }
        }
    }
};

ANEMONE_BODY_OF bucket_set::bucket_set(std::span<const graph_view> models, std::span<const int> lengths,
                                       backend::any place, weight_store weights, const bucket_options& options)
    : state_(hidden<members>::of(new members{{models.begin(), models.end()},
                                             {lengths.begin(), lengths.end()},
                                             std::move(place),
                                             std::move(weights),
                                             options,
                                             {},
                                             {},
                                             {}})) {
    members& self = state_.get("bucketed");
    if (options.most_loaded < 1) {
        throw error(errc::argument, "bucketed", "at least one program must stay loaded");
    }
    verify_weights(models[0], self.weights);
    const graph_view g = models[0];
    padding_search found(g, models[1], lengths[0], lengths[1]);
    found.run();
    const sequence<char> bound = bound_nodes(g);
    for (int i = 0; i < g.size(); ++i) {
        if (bound[static_cast<std::size_t>(i)] != 0) {
            const half filler = g[i].type == dtype::f16 ? half(padding_value(g[i].get<contract>())) : half{};
            bucket_port port{std::string(g.name(i)), g[i].type, g[i].shape, found.at(i).along, filler};
            for (const padding_mask& mask : found.masks()) {
                port.mask_axis = mask.input == i ? mask.axis : port.mask_axis;
            }
            self.inputs.push_back(std::move(port));
        }
    }
    for (const output_port& port : g.outputs) {
        const node& n = g[port.node];
        self.outputs.push_back({std::string(g.name(port)), n.type, n.shape, found.at(port.node).along});
    }
}

ANEMONE_BODY int bucket_set::bucket_for(std::int64_t length) const {
    const members& self = state_.get("bucketed");
    return self.lengths[self.position_for(length)];
}

ANEMONE_BODY std::vector<int> bucket_set::loaded() const {
    const members& self = state_.get("bucketed");
    std::vector<int> result;
    for (const members::loaded_program& p : self.programs) {
        result.push_back(self.lengths[p.bucket]);
    }
    return result;
}

ANEMONE_BODY bucket_results bucket_set::run(std::int64_t length, std::span<const bucket_value> given) {
    members& self = state_.get("bucketed");
    const one_run now(self.running, "bucketed");
    const std::size_t position = self.position_for(length);
    const int bucket = self.lengths[position];

    std::vector<std::vector<std::byte>> inputs;
    for (const bucket_port& port : self.inputs) {
        const bucket_value* value = nullptr;
        for (const bucket_value& each : given) {
            if (each.name == port.name) {
                if (value != nullptr) {
                    throw error(errc::port, port.name, "the input is bound twice");
                }
                value = &each;
            }
        }
        inputs.push_back(self.padded(port, value, length, bucket));
    }
    std::vector<std::vector<std::byte>> outputs;
    for (const bucket_port& port : self.outputs) {
        outputs.emplace_back(port.size(bucket));
    }
    const std::vector<std::span<const std::byte>> in(inputs.begin(), inputs.end());
    const std::vector<std::span<std::byte>> out(outputs.begin(), outputs.end());
    self.load(position).run(in, out);

    std::vector<std::string> names;
    std::vector<std::vector<half>> values;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const bucket_port& port = self.outputs[i];
        std::vector<half> result(port.size(length) / sizeof(half));
        copy_common(outputs[i].data(), port.at(bucket), reinterpret_cast<std::byte*>(result.data()), port.at(length),
                    sizeof(half));
        names.push_back(port.name);
        values.push_back(std::move(result));
    }
    return {bucket, std::move(names), std::move(values)};
}

} // namespace ane::detail::inline ANEMONE_WAY
