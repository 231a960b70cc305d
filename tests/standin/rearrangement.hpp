#pragma once

#include "indexing.hpp"
#include "mil_layer_shapes.hpp"
#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::standin {

/// Where each element of a rearranged tensor comes from: places in x, in the order of the result.
class rearrangement {
public:
    rearrangement(const program& p, const node& n)
        : program_(p), node_(n), from_(p.shape(p.id(n, "x"))), to_(p.shape(n.results.front())) {}

    std::vector<std::int64_t> sources() const {
        const dimensions strides = strides_of(from_);
        std::vector<std::int64_t> result;
        dimensions at(to_.size(), 0);
        for (std::int64_t i = 0; i < element_count(to_); ++i) {
            const dimensions place = source(at);
            std::int64_t offset = 0;
            for (std::size_t d = 0; d < place.size(); ++d) {
                offset += place[d] * strides[d];
            }
            result.push_back(offset);
            for (std::size_t d = at.size(); d-- > 0 && ++at[d] == to_[d];) {
                at[d] = 0;
            }
        }
        return result;
    }

private:
    dimensions source(const dimensions& at) const {
        dimensions place = at;
        switch (node_.rule->kind) {
        case op::tile:
            for (std::size_t d = 0; d < at.size(); ++d) {
                place[d] = at[d] % from_[d];
            }
            return place;
        case op::reverse:
            for (const std::size_t d : shapes::axes(node_, program_.integers(node_, "axes"), at.size())) {
                place[d] = from_[d] - 1 - at[d];
            }
            return place;
        case op::strided_slice:
            for (std::size_t d = 0; d < at.size(); ++d) {
                place[d] = program_.integers(node_, "begin")[d] + at[d] * program_.integers(node_, "stride")[d];
            }
            return place;
        default: return in_blocks(at);
        }
    }

    /// Channels (or images) count blocks of pixels: inside a block by rows. pixel_shuffle has the place in the block as
    /// the last digit of the channel, depth_to_space as the first; batches have single images.
    dimensions in_blocks(const dimensions& at) const {
        const dimensions by = shapes::factors(program_, node_);
        const std::int64_t fy = by[0];
        const std::int64_t fx = by[1];
        const std::int64_t block = fy * fx;
        const std::int64_t inner = at[2] % fy * fx + at[3] % fx;
        const std::int64_t outer_y = at[2] / fy;
        const std::int64_t outer_x = at[3] / fx;
        switch (node_.rule->kind) {
        case op::pixel_shuffle: return {at[0], at[1] * block + inner, outer_y, outer_x};
        case op::depth_to_space: return {at[0], inner * to_[1] + at[1], outer_y, outer_x};
        case op::batch_to_space: return {at[0] * block + inner, at[1], outer_y, outer_x};
        case op::pixel_unshuffle: {
            const std::int64_t k = at[1] % block;
            return {at[0], at[1] / block, at[2] * fy + k / fx, at[3] * fx + k % fx};
        }
        case op::space_to_depth: {
            const std::int64_t k = at[1] / from_[1];
            return {at[0], at[1] % from_[1], at[2] * fy + k / fx, at[3] * fx + k % fx};
        }
        default: {
            const std::int64_t k = at[0] % block;
            return {at[0] / block, at[1], at[2] * fy + k / fx, at[3] * fx + k % fx};
        }
        }
    }

    const program& program_;
    const node& node_;
    const dimensions& from_;
    const dimensions& to_;
};

} // namespace ane::standin
