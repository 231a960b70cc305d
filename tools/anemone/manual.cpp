#include "command.hpp"
#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

namespace command {

namespace {

/// Text for roff(7): what it would act on as what it is.
std::string roff(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins_line = i == 0 || text[i - 1] == '\n';
        if (begins_line && (text[i] == '.' || text[i] == '\'')) {
            result += "\\&";
        }
        switch (text[i]) {
        case '\\': result += "\\e"; break;
        case '-': result += "\\-"; break;
        default: result += text[i];
        }
    }
    return result;
}

std::string capital(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string value_text(const described_option& option) {
    const std::string word = option.choices.empty() ? option.word : fmt::format("{}", fmt::join(option.choices, "|"));
    return word.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(word));
}

std::string entry(const described_option& option) {
    std::string head;
    if (!option.name.empty()) {
        head = fmt::format("\\fI{}\\fR", roff(option.name));
    } else {
        for (const auto* const names : {&option.shorts, &option.longs}) {
            for (const std::string& each : *names) {
                head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(each));
            }
        }
        head += value_text(option);
    }
    const std::string standard = option.standard.empty() || option.standard == "false"
                                     ? ""
                                     : fmt::format(" (default: {})", roff(option.standard));
    return fmt::format(".TP\n{}\n{}{}\n", head, roff(option.text), standard);
}

/// "Examples:" and what follows, line by line.
std::string footer_text(std::string_view footer) {
    std::string text;
    for (bool is_code = false; !footer.empty();) {
        const std::size_t end = footer.find('\n');
        std::string_view line = footer.substr(0, end);
        footer.remove_prefix(end == std::string_view::npos ? footer.size() : end + 1);
        const bool indented = line.starts_with("  ");
        if (indented != is_code) {
            text += indented ? ".RS\n.nf\n" : ".fi\n.RE\n";
            is_code = indented;
        } else if (!is_code) {
            text += ".PP\n";
        }
        text += roff(indented ? line.substr(2) : line) + "\n";
        if (footer.empty() && is_code) {
            text += ".fi\n.RE\n";
        }
    }
    return text;
}

} // namespace

std::string manual_page(const CLI::App& app) {
    const std::vector<described_command> commands = described(app);
    std::string text =
        fmt::format(".TH ANEMONE 1 \"\" \"anemone {}\" \"User Commands\"\n"
                    ".SH NAME\nanemone \\- check, run, cost, draw and convert models for the Apple Neural Engine\n"
                    ".SH SYNOPSIS\n",
                    ANEMONE_VERSION_TEXT);
    for (const described_command& each : commands) {
        if (!each.name.empty()) {
            text += fmt::format(".B anemone {}\n[\\fIOPTIONS\\fR]", roff(each.name));
            for (const described_option& option : each.options) {
                if (!option.name.empty()) {
                    text += fmt::format(" \\fI{}\\fR{}", roff(option.name), option.repeats ? " ..." : "");
                }
            }
            text += "\n.br\n";
        }
    }
    text += ".SH DESCRIPTION\n" + roff(commands.front().text) + "\n";
    for (const described_command& each : commands) {
        text += each.name.empty() ? ".SH OPTIONS\n"
                                  : fmt::format(".SH \"ANEMONE {}\"\n{}\n", capital(each.name), roff(each.text));
        for (const described_option& option : each.options) {
            text += entry(option);
        }
        if (!each.name.empty() && !each.footer.empty()) {
            text += ".PP\n" + footer_text(each.footer);
        }
    }
    return text + ".SH \"EXIT STATUS AND FILES\"\n" + footer_text(commands.front().footer) +
           ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nWithout colours.\n.TP\n\\fBTERM\\fR\n"
           "Without a line of progress where it is not set, or dumb.\n"
           ".TP\n\\fBANEMONE_E5RT\\fR, \\fBANEMONE_OBJC\\fR\nThe engine\\(aqs libraries, for the backend engine.\n";
}

void add_manual(CLI::App& app, int& status) {
    CLI::App* const sub = app.add_subcommand("manual", "Prints the manual page, for man(1)");
    const auto output = std::make_shared<std::string>();
    sub->add_option("-o,--output", *output, "A file instead of standard output");
    sub->footer("Example:\n  anemone manual | man -l -");
    sub->callback([&app, output, &status] {
        write_text(*output, manual_page(app));
        status = well;
    });
}

} // namespace command
