#include "record.hpp"

namespace kit {

namespace {
constexpr std::size_t calls_kept = 60, error_lines_kept = 40;
} // namespace

void listener::error_text(const std::string& said) {
    if (++error_lines_ <= error_lines_kept) {
        to_->lines.push_back("  standard error: " + said);
    }
}

void listener::called(const std::string& name) {
    if (calls_.size() == calls_kept) {
        calls_.pop_front();
        ++left_out_;
    }
    calls_.push_back({name, {}});
}

void listener::answered(const std::string& with) {
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) { // the innermost that has not returned
        if (call->answer.empty()) {
            call->answer = with;
            return;
        }
    }
}

void listener::show_calls() {
    to_->lines.emplace_back("  calls:");
    if (left_out_ > 0) {
        to_->lines.push_back("    (" + std::to_string(left_out_) + " before)");
    }
    for (const call& each : calls_) {
        to_->lines.push_back("    " + each.name + " = " + (each.answer.empty() ? "(did not return)" : each.answer));
    }
    calls_.clear();
    left_out_ = 0;
}

} // namespace kit
