#pragma once

#include <cstddef>

namespace ane::detail {

/// A part of a file in memory that somebody reads. It goes back with its last holder, or before, from the front: what is
/// asked for again is then read again.
class lender {
public:
    lender() = default;
    lender(const lender&) = delete;
    lender& operator=(const lender&) = delete;
    virtual ~lender() = default;

    /// The first so many bytes are not read any longer.
    virtual void give_back(std::size_t bytes) = 0;
};

} // namespace ane::detail
