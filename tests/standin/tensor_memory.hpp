#pragma once

#include "program.hpp"
#include <anemone/values/half.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ane::standin {

/// Whether the values of a type are kept as halves: booleans as 0 and 1, and the indices of topk, which nothing but a
/// cast to fp16 reads.
inline bool is_kept_as_halves(element type) {
    return type == element::fp16 || type == element::boolean || type == element::int32;
}

/// The tensors of one loaded program: one buffer for every value that is not a constant, and the ports into them.
class tensor_memory {
public:
    explicit tensor_memory(const program& p) : program_(p), tensors_(p.values.size()), images_(p.values.size()) {
        for (std::size_t i = 0; i < p.values.size(); ++i) {
            const value& v = p.values[i];
            if (!v.data && (v.live || v.producer >= 0)) {
                const auto count = static_cast<std::size_t>(element_count(v.type.shape));
                if (is_kept_as_halves(v.type.type)) {
                    tensors_[i].resize(count);
                } else {
                    images_[i].resize(count * static_cast<std::size_t>(bits(v.type.type)) / 8);
                }
            }
        }
    }

    /// Bytes of a port: dense, row-major.
    std::size_t port_bytes(int id) const {
        const tensor_type& type = program_.at(id).type;
        return static_cast<std::size_t>(element_count(type.shape)) * static_cast<std::size_t>(bits(type.type)) / 8;
    }

    void write(int id, const void* bytes) {
        const auto at = static_cast<std::size_t>(id);
        void* const into = images_[at].empty() ? static_cast<void*>(tensors_[at].data()) : images_[at].data();
        std::memcpy(into, bytes, port_bytes(id));
    }

    void read(int id, void* bytes) const {
        std::vector<half> values = tensors_[static_cast<std::size_t>(id)];
        for (half& h : values) { // N080: no NaN comes out, also of one that was only moved
            h = is_nan(h) ? half::from_bits(0x7C00U) : h;
        }
        std::memcpy(bytes, values.data(), port_bytes(id));
    }

protected:
    const half* in(int id) const {
        const value& v = program_.at(id);
        return v.data ? v.data->halves.data() : tensors_[static_cast<std::size_t>(id)].data();
    }
    half* out(int id) { return tensors_[static_cast<std::size_t>(id)].data(); }
    const dimensions& shape(int id) const { return program_.shape(id); }
    std::int64_t count(int id) const { return element_count(shape(id)); }
    const half* x(const node& n) const { return in(program_.id(n, "x")); }
    const dimensions& x_shape(const node& n) const { return shape(program_.id(n, "x")); }

    const program& program_;
    std::vector<std::vector<half>> tensors_;
    std::vector<std::vector<std::uint8_t>> images_;
};

} // namespace ane::standin
