#pragma once

#include "../base/hidden_value.hpp"
#include "../base/way.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {
struct file_part; // io/steady_file.hpp
}

namespace ane::inline ANEMONE_WAY {

/// The bytes of a tensor: in memory, or in a file that stays open, of which no more is read than somebody asks for. The
/// readers of models and of safetensors files leave tensors of 64 KiB and more in their files.
///
/// A file that is removed or gets another in its place is read all the same. One that is written to, or made shorter, is
/// an error at the next read: all that look at bytes of a file throw `error` (errc::file). Several threads may read.
class tensor_bytes {
public:
    tensor_bytes() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): it is these bytes
    tensor_bytes(std::vector<std::byte> held) : held_(std::move(held)) {}
    template <class Iterator>
        requires requires(Iterator i) { *i; }
    tensor_bytes(Iterator first, Iterator last) : held_(first, last) {}
    /// The bytes of a file, which are not read yet.
    ANEMONE_API static tensor_bytes in_file(const detail::file_part& part);

    ANEMONE_API std::size_t size() const noexcept;
    ANEMONE_API bool empty() const noexcept;
    /// Whether all are in memory, so that nothing can be wrong with a file any more.
    ANEMONE_API bool is_in_memory() const noexcept;

    /// Copies those from `begin` on, as many as `into` has room for. Throws `error` (errc::argument) beyond the end.
    ANEMONE_API void read(std::size_t begin, std::span<std::byte> into) const;
    /// Some of them: a copy of what is in memory, of a file a part. Throws as `read` does.
    ANEMONE_API tensor_bytes part(std::size_t begin, std::size_t count) const;

    // All of them at once. Those of a file are read when this is first asked, and stay in memory until the last copy of
    // this is gone.

    ANEMONE_API const std::byte* data() const;
    ANEMONE_API const std::byte* begin() const;
    ANEMONE_API const std::byte* end() const;
    ANEMONE_API const std::byte& operator[](std::size_t i) const;
    /// The bytes as a vector, moved where it can be.
    ANEMONE_API std::vector<std::byte> taken() &&;

    ANEMONE_API bool operator==(const tensor_bytes& other) const;

private:
    struct state;
    std::vector<std::byte> held_;
    hidden_value<state> file_; ///< none of what was never in a file
};

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "tensor_bytes.ipp"
#endif
