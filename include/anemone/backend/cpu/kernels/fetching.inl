// Included by simd/each_set.inl through level.inl: memory on its way before it is read.

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

/// Fetches pieces of memory, a part of them with each call.
class fetching {
public:
    fetching(const memory_pieces& pieces, std::int64_t calls)
        : pieces_(pieces), place_(static_cast<const char*>(pieces.first)) {
        lines_ = calls == 0 ? 0 : (pieces.count * ((pieces.bytes - 1) / line + 1) + calls - 1) / calls;
    }
    ANEMONE_CPU_INLINE void operator()() {
        for (std::int64_t i = 0; i < lines_ && piece_ < pieces_.count; ++i) {
            __builtin_prefetch(place_ + in_piece_, 0, 2);
            in_piece_ += line;
            if (in_piece_ >= pieces_.bytes) {
                in_piece_ = 0;
                place_ += pieces_.step;
                ++piece_;
            }
        }
    }

private:
    static constexpr std::int64_t line = 64;

    const memory_pieces& pieces_;
    const char* place_;
    std::int64_t in_piece_ = 0;
    std::int64_t piece_ = 0;
    std::int64_t lines_;
};

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
