#include "sample_runs.hpp"

#include <anemone/base/error.hpp>
#include <anemone/passes/print.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace command {

namespace {

std::vector<std::int64_t> shape_of(const ane::node& port) {
    std::vector<std::int64_t> shape;
    for (int axis = 0; axis < port.shape.rank; ++axis) {
        shape.push_back(port.shape[axis]);
    }
    return shape;
}

/// Without extents of 1, which mean nothing.
std::vector<std::int64_t> without_ones(std::vector<std::int64_t> shape) {
    shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
    return shape;
}

/// How often an array holds an input, one after the other along a first axis: as many runs.
std::size_t runs_in(const tensor& array, const ane::node& port, const std::string& file) {
    const std::vector<std::int64_t> given = without_ones(array.shape);
    const std::vector<std::int64_t> wanted = without_ones(shape_of(port));
    const bool fits = array.count() > 0 && given.size() >= wanted.size() && given.size() <= wanted.size() + 1 &&
                      std::equal(wanted.rbegin(), wanted.rend(), given.rbegin());
    if (!fits) {
        throw ane::error(ane::errc::argument, file,
                         fmt::format("'{}' is {}, the input {}: give one run, or several along a first axis",
                                     array.name, text(array.shape), ane::print(port.shape)));
    }
    return given.size() == wanted.size() ? 1 : static_cast<std::size_t>(given.front());
}

} // namespace

void add_runs(ane::model_samples& samples, port_buffers& ports, const std::vector<tensor>& arrays,
              const std::string& source) {
    std::size_t runs = 0;
    const bool has_one_input = ports.inputs().size() == 1;
    const auto port_of = [&](const tensor& array) -> const ane::node& {
        return ports.input(has_one_input && arrays.size() == 1 ? "" : array.name);
    };
    for (const tensor& array : arrays) {
        const std::size_t here = runs_in(array, port_of(array), source);
        if (runs != 0 && runs != here) {
            throw ane::error(ane::errc::argument, source,
                             fmt::format("'{}' has {} runs and the array before it {}", array.name, here, runs));
        }
        runs = here;
    }
    for (std::size_t run = 0; run < runs; ++run) {
        std::vector<tensor> one;
        for (const tensor& array : arrays) {
            const ane::node& port = port_of(array);
            tensor& part = one.emplace_back();
            part.name = array.name;
            part.shape = shape_of(port);
            const auto count = static_cast<std::ptrdiff_t>(port.shape.count());
            const auto first = array.values.begin() + static_cast<std::ptrdiff_t>(run) * count;
            part.values.assign(first, first + count);
        }
        ports.fill(one);
        samples.add(ports.inputs());
    }
}

} // namespace command
