#pragma once

#include "../../../base/way.hpp"
#include "../driver/release_report.hpp"
#include "call.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace ane::e5rt::inline ANEMONE_WAY {

/// The kinds of object the runtime hands out.
enum class handle_kind {
    config,
    compiler,
    options,
    library,
    function,
    op_options,
    operation,
    port,
    buffer,
    event,
    stream
};

/// The function that releases a kind of handle.
template <handle_kind Kind> constexpr auto release_member() {
    using k = handle_kind;
    if constexpr (Kind == k::config)
        return &api::e5rt_e5_compiler_config_options_release;
    if constexpr (Kind == k::compiler)
        return &api::e5rt_e5_compiler_release;
    if constexpr (Kind == k::options)
        return &api::e5rt_e5_compiler_options_release;
    if constexpr (Kind == k::library)
        return &api::e5rt_program_library_release;
    if constexpr (Kind == k::function)
        return &api::e5rt_program_function_release;
    if constexpr (Kind == k::op_options)
        return &api::e5rt_precompiled_compute_op_create_options_release;
    if constexpr (Kind == k::operation)
        return &api::e5rt_execution_stream_operation_release;
    if constexpr (Kind == k::port)
        return &api::e5rt_io_port_release;
    if constexpr (Kind == k::buffer)
        return &api::e5rt_buffer_object_release;
    if constexpr (Kind == k::event)
        return &api::e5rt_async_event_release;
    if constexpr (Kind == k::stream)
        return &api::e5rt_execution_stream_release;
}

/// Owner of one object of the runtime; move-only. The table and the report must outlive it.
template <handle_kind Kind> class handle {
public:
    /// Name of the function that releases this kind.
    static constexpr const char* release_step = symbol<release_member<Kind>()>::name;

    handle() noexcept = default;
    handle(void* object, const api& table, release_report& report) noexcept
        : object_(object), table_(&table), report_(&report) {}
    handle(handle&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)), table_(other.table_), report_(other.report_) {}
    handle& operator=(handle&& other) noexcept {
        if (this != &other) {
            reset();
            object_ = std::exchange(other.object_, nullptr);
            table_ = other.table_;
            report_ = other.report_;
        }
        return *this;
    }
    ~handle() { reset(); }

    void* get() const noexcept { return object_; }
    explicit operator bool() const noexcept { return object_ != nullptr; }

    /// Owns it no longer, and releases nothing.
    void forget() noexcept { object_ = nullptr; }

    /// Releases the object and gives the status, 0 for an empty handle. The handle is empty afterwards whatever the
    /// status: a second release of the same object is worse than a leak.
    std::int64_t release() noexcept {
        if (object_ == nullptr)
            return 0;
        void* object = std::exchange(object_, nullptr);
        detail::note_step(release_step);
        return (table_->*release_member<Kind>())(&object);
    }

    /// Releases the object; a nonzero status goes to the report.
    void reset() noexcept {
        const std::int64_t status = release();
        if (status == 0)
            return;
        try {
            report_->failed(release_step, status);
        } catch (...) { // a report that throws must not end the process from a destructor
        }
    }

private:
    void* object_ = nullptr;
    const api* table_ = nullptr;
    release_report* report_ = nullptr;
};

/// Makes calls on behalf of one thing: the table, the report that new handles get, and what the calls are about (for
/// errors). The referred objects must outlive the caller; table and report also outlive the handles.
struct caller {
    const api& table;
    release_report& report;
    std::string_view about{};

    /// The same, about something else.
    ANEMONE_INLINE caller with(std::string_view thing) const noexcept { return {table, report, thing}; }

    /// Calls; throws `error(errc::engine)` on a nonzero status.
    template <auto Member, class... Arguments> void call(Arguments... arguments) const {
        if (const std::int64_t status = status_of<Member>(table, arguments...); status != 0)
            throw call_failure(symbol<Member>::name, status, about);
    }

    /// Calls a function whose out-parameter comes FIRST (create, alloc) and owns the result.
    template <handle_kind Kind, auto Member, class... Arguments> handle<Kind> create(Arguments... arguments) const {
        void* object = nullptr;
        call<Member>(&object, arguments...);
        return own<Kind, Member>(object);
    }

    /// Calls a function whose out-parameter comes LAST (retain, compile) and owns the result.
    template <handle_kind Kind, auto Member, class... Arguments> handle<Kind> retain(Arguments... arguments) const {
        void* object = nullptr;
        call<Member>(arguments..., &object);
        return own<Kind, Member>(object);
    }

private:
    template <handle_kind Kind, auto Member> handle<Kind> own(void* object) const {
        if (object == nullptr)
            throw null_result(symbol<Member>::name, about);
        return {object, table, report};
    }
};

} // namespace ane::e5rt::inline ANEMONE_WAY
