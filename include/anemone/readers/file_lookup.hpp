#pragma once

#include "../base/way.hpp"
#include "../io/file_part.hpp"
#include "../io/lender.hpp"
#include "missing_file.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace ane::inline ANEMONE_WAY {

/// The bytes of a file: in memory, or read part by part when they are asked for.
class file_bytes {
public:
    file_bytes() = default;
    template <std::convertible_to<std::span<const std::byte>> Bytes>
    // NOLINTNEXTLINE(google-explicit-constructor): a span is such bytes
    file_bytes(const Bytes& held) : held_(held), size_(held_.size()) {}
    /// Of `source`, which has `part(begin, count)`, `unread(begin, count)` and `hold(begin, count)`, and outlives this.
    template <class Source> static file_bytes of(Source& source, std::uint64_t size) {
        file_bytes result;
        result.size_ = size;
        result.unread_ = [](void* from, std::uint64_t begin, std::uint64_t count) {
            return static_cast<Source*>(from)->unread(begin, count);
        };
        result.source_ = &source;
        result.part_ = [](void* from, std::uint64_t begin, std::uint64_t count) -> std::span<const std::byte> {
            return static_cast<Source*>(from)->part(begin, count);
        };
        result.hold_ = [](void* from, std::uint64_t begin, std::uint64_t count) -> std::shared_ptr<detail::lender> {
            return static_cast<Source*>(from)->hold(begin, count);
        };
        return result;
    }

    std::uint64_t size() const { return size_; }
    /// Some of them, which must lie in the file.
    std::span<const std::byte> part(std::uint64_t begin, std::uint64_t count) const {
        return part_ != nullptr ? part_(source_, begin, count)
                                : held_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
    }
    /// The same, still in the file, where it is one and they are many; else no part of any.
    detail::file_part unread(std::uint64_t begin, std::uint64_t count) const {
        return unread_ != nullptr ? unread_(source_, begin, count) : detail::file_part{};
    }

    /// Keeps a part that was asked for until it is given back; null of a file in memory.
    std::shared_ptr<detail::lender> hold(std::uint64_t begin, std::uint64_t count) const {
        return hold_ != nullptr ? hold_(source_, begin, count) : nullptr;
    }

private:
    std::span<const std::byte> held_;
    std::uint64_t size_ = 0;
    void* source_ = nullptr;
    std::shared_ptr<detail::lender> (*hold_)(void*, std::uint64_t, std::uint64_t) = nullptr;
    std::span<const std::byte> (*part_)(void*, std::uint64_t, std::uint64_t) = nullptr;
    detail::file_part (*unread_)(void*, std::uint64_t, std::uint64_t) = nullptr;
};

/// How a reader gets the bytes of a file that another one refers to: made of anything that can be called with the path,
/// as it stands in the text, and returns a span of bytes, or `file_bytes`. The bytes must stay valid until the reader
/// returns; what is thrown, it reports at the place of the reference: `missing_file` where there is no such file. Refers to
/// what it is made of, as a parameter does.
class file_lookup {
public:
    template <class Function>
        requires(!std::is_same_v<std::remove_cvref_t<Function>, file_lookup> &&
                 std::is_invocable_r_v<file_bytes, Function&, const std::string&>)
    file_lookup(Function&& function) // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
        : object_(const_cast<void*>(static_cast<const void*>(&function))),
          call_([](void* object, const std::string& path) -> file_bytes {
              return (*static_cast<std::remove_reference_t<Function>*>(object))(path);
          }) {}

    file_bytes operator()(const std::string& path) const { return call_(object_, path); }

private:
    void* object_;
    file_bytes (*call_)(void*, const std::string&);
};

} // namespace ane::inline ANEMONE_WAY
