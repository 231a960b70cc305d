#pragma once

#include "mil_ast.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ane::standin {

/// Row-major strides in elements.
inline dimensions strides_of(const dimensions& shape) {
    dimensions result(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        result[i] = step;
        step *= shape[i];
    }
    return result;
}

/// Strides that read an operand of shape `from` while walking shape `over`: 0 on the axes it is repeated along.
inline dimensions broadcast_strides(const dimensions& from, const dimensions& over) {
    const dimensions own = strides_of(from);
    dimensions result(over.size(), 0);
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t place = over.size() - from.size() + i;
        result[place] = from[i] == 1 ? 0 : own[i];
    }
    return result;
}

/// Walks a shape in row-major order and keeps the offset into one strided operand.
class walker {
public:
    walker(const dimensions& shape, dimensions strides, std::int64_t start = 0)
        : shape_(shape), strides_(std::move(strides)), at_(shape.size(), 0), offset_(start) {}

    std::size_t offset() const { return static_cast<std::size_t>(offset_); }

    void next() {
        for (std::size_t i = shape_.size(); i-- > 0;) {
            offset_ += strides_[i];
            if (++at_[i] < shape_[i]) {
                return;
            }
            offset_ -= strides_[i] * shape_[i];
            at_[i] = 0;
        }
    }

private:
    dimensions shape_;
    dimensions strides_;
    dimensions at_;
    std::int64_t offset_;
};

} // namespace ane::standin
