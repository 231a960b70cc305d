#pragma once

#include "../base/cancellation.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/lender.hpp"
#include "../io/open_file.hpp"
#include "../io/steady_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A regular file in memory of its own, into which each part is read when somebody asks for it. Pages of the file itself
/// would be a signal and the end of the process where another program makes the file shorter; here that is an error, as
/// anything else that is written to the file meanwhile. Throws `error` (errc::file).
class mapped_file {
public:
    static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

    ANEMONE_INLINE explicit mapped_file(const std::string& path)
        : mapped_file(ane::detail::opened_to_read(path), path) {}
    /// The same of an open file; the path is for messages.
    ANEMONE_INLINE mapped_file(ane::detail::open_file file, const std::string& path)
        : file_(std::make_shared<const ane::detail::steady_file>(std::move(file), path)),
          size_(static_cast<std::size_t>(file_->size())) {
        is_read_.resize(size_ / piece + 1);
        if (size_ > 0) {
            data_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
            if (data_ == MAP_FAILED) {
                data_ = nullptr;
                ane::detail::refuse_file_call(path, "cannot be given memory", errno);
            }
        }
    }
    mapped_file(const mapped_file&) = delete;
    mapped_file& operator=(const mapped_file&) = delete;
    ~mapped_file() {
        if (data_ != nullptr) {
            ::munmap(data_, size_);
        }
    }

    /// Bytes of the whole file, when it was opened.
    std::size_t size() const { return size_; }

    /// The file itself, of which parts may be read after this is gone.
    const std::shared_ptr<const ane::detail::steady_file>& file() const { return file_; }

    /// Part of the file, which must lie in it. `left` is how much memory may be taken, and becomes what is left of it.
    ANEMONE_INLINE std::span<const std::byte> part(std::uint64_t begin, std::uint64_t count, std::uint64_t& left) {
        if (count == 0) {
            return {};
        }
        const std::size_t first = begin / piece;
        const std::size_t last = (begin + count - 1) / piece;
        std::uint64_t missing = 0;
        for (std::size_t i = first; i <= last; ++i) {
            missing += is_read_[i] ? 0 : bytes_of(i);
        }
        require_room(missing, left);
        for (std::size_t i = first; i <= last; ++i) {
            if (!is_read_[i]) {
                ane::detail::stop_if_cancelled();
                fill(i);
                is_read_[i] = true;
                left -= bytes_of(i);
            }
        }
        return {static_cast<const std::byte*>(data_) + begin, static_cast<std::size_t>(count)};
    }
    /// Throws where this many bytes take more memory than is left.
    ANEMONE_INLINE void require_room(std::uint64_t bytes, std::uint64_t left) const {
        if (bytes > left) {
            throw error(
                errc::file, file_->path(),
                formatted("takes more memory than the reader may use: {} bytes more, {} are left", bytes, left));
        }
    }
    ANEMONE_INLINE std::span<const std::byte> bytes() {
        std::uint64_t any = no_limit;
        return part(0, size_, any);
    }

private:
    friend class held_part;
    static constexpr std::size_t piece = std::size_t{64} << 10U;

    /// One holder of a piece less; without any its memory goes back, and it is read again when it is asked for.
    ANEMONE_INLINE void let_go(std::size_t index, std::uint64_t& left) {
        if (--holders_[index] == 0 && is_read_[index]) {
            ::madvise(static_cast<std::byte*>(data_) + index * piece, bytes_of(index), MADV_DONTNEED);
            is_read_[index] = false;
            left += bytes_of(index);
        }
    }

    std::size_t bytes_of(std::size_t index) const { return std::min(piece, size_ - index * piece); }

    ANEMONE_INLINE void fill(std::size_t index) {
        file_->read(index * piece, {static_cast<std::byte*>(data_) + index * piece, bytes_of(index)});
    }

    std::shared_ptr<const ane::detail::steady_file> file_;
    void* data_ = nullptr;
    std::size_t size_ = 0;
    std::vector<bool> is_read_;          ///< by piece
    std::vector<std::uint32_t> holders_; ///< the same
};

/// What holds the pieces of a part. Others that read the same file without holding it are not looked after.
class held_part final : public ane::detail::lender {
public:
    ANEMONE_INLINE held_part(mapped_file& file, std::uint64_t begin, std::uint64_t count, std::uint64_t& left)
        : file_(file), left_(left), begin_(begin), next_(begin / mapped_file::piece),
          end_(count == 0 ? next_ : (begin + count - 1) / mapped_file::piece + 1) {
        file_.holders_.resize(file_.is_read_.size());
        for (std::size_t i = next_; i < end_; ++i) {
            ++file_.holders_[i];
        }
    }
    ~held_part() override {
        for (; next_ < end_; ++next_) {
            file_.let_go(next_, left_);
        }
    }
    void give_back(std::size_t bytes) override {
        for (; next_ < end_ && (next_ + 1) * mapped_file::piece <= begin_ + bytes; ++next_) {
            file_.let_go(next_, left_);
        }
    }

private:
    mapped_file& file_;
    std::uint64_t& left_;
    std::uint64_t begin_;
    std::size_t next_;
    std::size_t end_;
};

} // namespace ane::readers::inline ANEMONE_WAY
