#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ane::detail {

/// Bytes that are made of others when somebody asks for them: a tensor in another form than its file has.
class made_bytes {
public:
    made_bytes() = default;
    made_bytes(const made_bytes&) = delete;
    made_bytes& operator=(const made_bytes&) = delete;
    virtual ~made_bytes() = default;

    /// Fills `into` with the bytes from `at` on, which must be among them. Throws `error` (errc::file). Several threads may.
    virtual void read(std::uint64_t at, std::span<std::byte> into) const = 0;
};

} // namespace ane::detail
