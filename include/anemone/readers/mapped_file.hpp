#pragma once

#include "../base/way.hpp"
#include "../io/open_file.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A regular file in memory, read by the system page by page as it is looked at. Throws `error` (errc::file).
class mapped_file {
public:
    ANEMONE_INLINE explicit mapped_file(const std::string& path)
        : mapped_file(ane::detail::opened_to_read(path), path) {}
    /// The same of an open file; the path is for messages.
    ANEMONE_INLINE mapped_file(const ane::detail::open_file& file, const std::string& path) {
        struct stat found {};
        if (::fstat(file.get(), &found) != 0) {
            ane::detail::refuse_file_call(path, "cannot be opened", errno);
        }
        if (!S_ISREG(found.st_mode)) {
            throw error(errc::file, path, "is not a regular file");
        }
        size_ = static_cast<std::size_t>(found.st_size);
        if (size_ > 0) {
            data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
            if (data_ == MAP_FAILED) {
                data_ = nullptr;
                ane::detail::refuse_file_call(path, "cannot be mapped", errno);
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

    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace ane::readers::inline ANEMONE_WAY
