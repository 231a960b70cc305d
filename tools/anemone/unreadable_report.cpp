#include "unreadable_report.hpp"

#include "html_page.hpp"
#include "terminal_text.hpp"
#include <anemone/io/json.hpp>
#include <anemone/report/aside.hpp>
#include <anemone/report/terminal.hpp>
#include <anemone/version.hpp>

#include <fmt/format.h>

#include <vector>

namespace command {

namespace {

std::string sentence(const ane::read_fault& fault) {
    return fault.operation.empty() ? fault.reason : fault.operation + ": " + fault.reason;
}

std::string count_of(const ane::unreadable& refused) {
    return refused.faults().size() == 1 ? "1 fault" : fmt::format("{} faults", refused.faults().size());
}

} // namespace

std::string unreadable_text(const std::string& path, const ane::unreadable& refused, bool coloured) {
    using ane::detail::painted;
    std::string text = fmt::format("{}: {} in the file\n", one_line(path), count_of(refused));
    for (const ane::read_fault& fault : refused.faults()) {
        text += fmt::format("{} {}\n", painted("unreadable:", "\x1b[1;31m", coloured), one_line(ane::text(fault)));
    }
    return text;
}

std::string unreadable_json(const std::string& path, const ane::unreadable& refused) {
    ane::json_writer j;
    j.object().member("tool", "Anemone").member("version", ane::version).member("model", path);
    j.member("accepted", false).key("remarks").array().end();
    j.key("observations").array();
    for (const ane::read_fault& fault : refused.faults()) {
        j.object().member("id", ane::file_unreadable.id).member("level", "error").member("message", sentence(fault));
        j.member("file", fault.where).member("line", fault.line);
        j.member("page", ane::file_unreadable.page).end();
    }
    j.end().key("verdicts").array().end().end();
    return j.str();
}

std::vector<ane::aside> unreadable_asides(const ane::unreadable& refused) {
    std::vector<ane::aside> observed;
    for (const ane::read_fault& fault : refused.faults()) {
        observed.push_back({ane::file_unreadable, ane::severity::reject, sentence(fault), fault.where, fault.line});
    }
    return observed;
}

std::string unreadable_page(const std::string& path, const ane::unreadable& refused) {
    std::string rows;
    for (const ane::read_fault& fault : refused.faults()) {
        rows += "<tr>" + html::number(fault.line, fault.line > 0 ? std::to_string(fault.line) : "") +
                html::named(fault.operation) + html::cell(fault.reason, "text") + "</tr>\n";
    }
    return html::page(path, "<h1>" + html::escaped(path) +
                                "</h1>\n<p class=\"error\">No graph can be made of this file: " + count_of(refused) +
                                "</p>\n" + html::table({"line", "operation", "reason"}, rows));
}

} // namespace command
