#pragma once

#include "kernels/cast.hpp"
#include "kernels/movement.hpp"
#include "step.hpp"

#include <cstring>
#include <span>
#include <vector>

namespace ane::cpu::detail {

inline bound_step bind_reshape(const binding_context& c, int index) {
    const node& n = c.at(index);
    const auto size = static_cast<std::size_t>(bytes(n.type, n.shape.count()));
    return [size](const operands& o) {
        if (o.result != o.inputs[0]) { // the plan may give both the same memory
            std::memcpy(o.result, o.inputs[0], size);
        }
    };
}

inline bound_step bind_transpose(const binding_context& c, int index) {
    std::vector<int> order;
    const indices& given = c.at(index).get<permutation>().order;
    order.reserve(static_cast<std::size_t>(given.rank));
    for (int i = 0; i < given.rank; ++i) {
        order.push_back(static_cast<int>(given[i]));
    }
    return [order, x = c.operand_shape(index, 0)](const operands& o) {
        transpose(o.input(0), x, std::span<const int>(order), o.output());
    };
}

inline bound_step bind_concat(const binding_context& c, int index) {
    std::vector<piece<half>> pieces;
    pieces.reserve(static_cast<std::size_t>(c.at(index).operands.count));
    for (int i = 0; i < c.at(index).operands.count; ++i) {
        pieces.push_back({nullptr, c.operand_shape(index, i)});
    }
    return [pieces, along = c.at(index).get<axis>().index](const operands& o) mutable {
        for (std::size_t k = 0; k < pieces.size(); ++k) {
            pieces[k].data = o.input(k);
        }
        concat(std::span<const piece<half>>(pieces), along, o.output());
    };
}

inline bound_step bind_slice(const binding_context& c, int index) {
    const window& place = c.at(index).get<window>();
    extents unit = place.begin;
    for (int i = 0; i < unit.rank; ++i) {
        unit[i] = 1;
    }
    return [x = c.operand_shape(index, 0), place, unit](const operands& o) {
        slice(o.input(0), x, place.begin, unit, place.size, o.output());
    };
}

inline bound_step bind_pad(const binding_context& c, int index) {
    return [x = c.operand_shape(index, 0), amounts = c.at(index).get<pads>()](const operands& o) {
        pad(o.input(0), x, amounts.before, amounts.after, o.input(1)[0], o.output());
    };
}

inline bound_step bind_cast(const binding_context& c, int index) {
    const kernel_table& kernels = c.kernels;
    return [&kernels, from = c.at(c.operand(index, 0)).type, n = c.at(index)](const operands& o) {
        cast(kernels, from, o.inputs[0], n.type, o.result, n.shape.count());
    };
}

} // namespace ane::cpu::detail
