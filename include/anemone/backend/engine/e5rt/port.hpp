#pragma once

#include "../../../base/way.hpp"
#include "../driver/options.hpp"
#include "handle.hpp"
#include "optional_call.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Buffers are allocated in multiples of this many bytes; whether the runtime takes less is not known.
inline constexpr std::size_t buffer_granule = 64;

/// Buffer with a CPU pointer that the engine reads and writes; the only type this driver uses.
inline constexpr std::uint32_t buffer_type_cpu = 0;

/// Bytes to allocate for a port: max(64, bytes rounded up to a multiple of 64). Throws `error(errc::port)` for 0 bytes
/// and for a size that cannot be rounded.
ANEMONE_INLINE std::size_t allocation_size(const port_spec& spec) {
    if (spec.bytes == 0)
        throw error(errc::port, spec.name, "a port of 0 bytes");
    if (spec.bytes > std::numeric_limits<std::size_t>::max() - (buffer_granule - 1))
        throw error(errc::port, spec.name, std::to_string(spec.bytes) + " bytes are more than can be allocated");
    return (spec.bytes + buffer_granule - 1) / buffer_granule * buffer_granule;
}

/// A port with the buffer bound to it. `data` has the port's bytes, not the padding of the allocation; the address
/// is fixed until release. An aliased input has no buffer of its own. Destruction releases the buffer, then the port.
struct bound_port {
    port_spec spec;
    handle<handle_kind::port> port;
    handle<handle_kind::buffer> buffer;
    std::span<std::byte> data;
    bool aliased = false;
};

/// Throws `error(errc::engine)` for a buffer that is smaller than requested: a write to the port would go past
/// its end. A runtime that does not tell is taken at its word; noted once.
ANEMONE_INLINE void check_size(const caller& calls, void* buffer, std::size_t size,
                               std::vector<degradation>& left_out) {
    using asked = symbol<&api::e5rt_buffer_object_get_size>;
    for (const degradation& each : left_out)
        if (each.step == asked::name)
            return;
    std::uint64_t given = 0;
    if (try_optional<asked::member>(left_out, calls.table, buffer, &given) && given < size)
        throw error(errc::engine, asked::name,
                    std::string(calls.about) + ": the buffer has " + std::to_string(given) + " bytes, " +
                        std::to_string(size) + " were requested; make the program smaller, or report this");
}

/// Retains the port with `RetainPort`, allocates its buffer, zeroes all of it and binds it.
template <auto RetainPort>
bound_port bind_port(const caller& calls, void* operation, const port_spec& spec, std::vector<degradation>& left_out) {
    const std::size_t size = allocation_size(spec);
    const std::string about = "port '" + spec.name + "' of " + std::to_string(spec.bytes) + " bytes";
    const caller here = calls.with(about);
    bound_port bound;
    bound.spec = spec;
    bound.port =
        here.retain<handle_kind::port, RetainPort>(operation, (spec.symbol.empty() ? spec.name : spec.symbol).c_str());
    bound.buffer = here.create<handle_kind::buffer, &api::e5rt_buffer_object_alloc>(static_cast<std::uint64_t>(size),
                                                                                    buffer_type_cpu);
    check_size(here, bound.buffer.get(), size, left_out);
    void* address = nullptr;
    here.call<&api::e5rt_buffer_object_get_data_ptr>(bound.buffer.get(), &address);
    if (address == nullptr)
        throw null_result(symbol<&api::e5rt_buffer_object_get_data_ptr>::name, about);
    std::memset(address, 0, size); // the padding too: it is never written otherwise
    here.call<&api::e5rt_io_port_bind_buffer_object>(bound.port.get(), bound.buffer.get());
    bound.data = {static_cast<std::byte*>(address), spec.bytes};
    return bound;
}

} // namespace ane::e5rt::inline ANEMONE_WAY
