#ifndef ANEMONE_WEIGHTS_GGUF_HPP
#define ANEMONE_WEIGHTS_GGUF_HPP

#include "../base/hidden_value.hpp"
#include "../base/way.hpp"
#include "../values/shape.hpp"
#include "store.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// GGUF, the file format of ggml: a head ("GGUF", version, counts), metadata by key, the list of tensors, then their bytes,
/// each tensor at a multiple of the alignment. Versions 2 and 3, little-endian. The reader is strict; each failure is an
/// ane::error(errc::file, path, ...).
namespace ane::inline ANEMONE_WAY {

/// Longest head, with metadata and the list of tensors, that is read, in bytes.
inline constexpr std::uint64_t gguf_head_limit = std::uint64_t{256} << 20U;

/// The types of tensors that are read, under ggml's numbers.
enum class gguf_type : std::uint32_t { f32 = 0, f16 = 1, q4_0 = 2, q8_0 = 8, q4_k = 12, q6_k = 14, bf16 = 30 };

/// Its name as files and tools spell it: "Q4_K".
constexpr std::string_view name(gguf_type type) noexcept {
    switch (type) {
    case gguf_type::f32: return "F32";
    case gguf_type::f16: return "F16";
    case gguf_type::q4_0: return "Q4_0";
    case gguf_type::q8_0: return "Q8_0";
    case gguf_type::q4_k: return "Q4_K";
    case gguf_type::q6_k: return "Q6_K";
    case gguf_type::bf16: return "BF16";
    }
    return {};
}

/// Where a tensor lies in the file.
struct gguf_tensor {
    std::string name;
    gguf_type type = gguf_type::f32;
    extents shape;           ///< row-major: the file's extents in reverse
    std::uint64_t begin = 0; ///< from the begin of the file
    std::uint64_t bytes = 0;
};

/// In which order the rows of a tensor are given.
struct gguf_rows {
    /// 0: as they are stored. Else the rows of each head of this width come in pairs, row 2 j + r where the published
    /// checkpoint has row r * width / 2 + j, as the rotations of ggml's llama want them; they are given as published.
    std::int64_t head_width = 0;
};

/// A file that is open. Copies share it; several threads may read.
class gguf_file {
public:
    /// Reads the head; no tensor yet.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) explicit gguf_file(const std::string& path);

    ANEMONE_API_OF(anemone_weights_gguf_hpp) const std::string& path() const;
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::uint32_t version() const;
    /// Tensors begin at multiples of this (`general.alignment`, else 32).
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::uint64_t alignment() const;

    /// In the order of the file.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::span<const gguf_tensor> tensors() const;
    /// The tensor of that name, or nullptr.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) const gguf_tensor* find(std::string_view name) const;

    // Metadata. Each is empty where the key is not there, and throws errc::file where its value is of another kind.

    /// All keys, in the order of the file.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::vector<std::string> keys() const;
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::optional<std::string> text(std::string_view key) const;
    /// A number of any type; integers beyond 2^53 are rounded.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::optional<double> number(std::string_view key) const;
    /// An integer of any type, up to 2^63 - 1.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::optional<std::int64_t> integer(std::string_view key) const;
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::optional<bool> truth(std::string_view key) const;
    /// How many elements an array has.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::optional<std::int64_t> length(std::string_view key) const;
    /// The elements of an array of numbers or truth values, which stay in the file until they are asked for.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::optional<std::vector<double>> numbers(std::string_view key) const;
    /// The same of an array of texts, which need not be UTF-8.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::optional<std::vector<std::string>> texts(std::string_view key) const;

    /// A tensor under its name: F32, F16 and BF16 as they are, quantized types as fp16, each element rounded once (beyond its
    /// range: infinite). Tensors of 64 KiB and more stay in the file: they are read, and blocks decoded, piece by piece when
    /// somebody looks at them (`tensor_bytes`). Throws errc::argument for a head width that does not divide the rows.
    ANEMONE_API_OF(anemone_weights_gguf_hpp)
    stored_tensor read(const gguf_tensor& tensor, const gguf_rows& rows = {}) const;
    /// How many of its elements are not finite as fp16: the whole tensor is read, a piece at a time.
    ANEMONE_API_OF(anemone_weights_gguf_hpp) std::int64_t beyond_fp16(const gguf_tensor& tensor) const;

private:
    struct state;
    hidden_value<state> state_;
};

/// All tensors of a file under their names, as `gguf_file::read` gives them.
ANEMONE_API_OF(anemone_weights_gguf_hpp) weight_store load_gguf(const std::string& path);

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "gguf.ipp"
#endif
