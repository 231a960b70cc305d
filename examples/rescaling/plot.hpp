#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

/// A log-log plot of the errors of the table, as SVG text.
namespace rescaling {

/// One row of the table. Relative errors; `published` is 0 where no figure is.
struct row {
    int terms;
    int scale;
    double expected, measured, published, scaled_expected, scaled;
};

inline std::string plot(const std::vector<row>& rows) {
    constexpr double left = 70, right = 560, top = 56, bottom = 330;
    const double low_k = std::log2(rows.front().terms);
    const double high_k = std::log2(rows.back().terms);
    const auto x = [=](double terms) {
        return left + 24 + (std::log2(terms) - low_k) / (high_k - low_k) * (right - left - 48);
    };
    const auto y = [=](double error) { return bottom - (std::log10(error) + 4) / 3 * (bottom - top); };
    const auto line = [&](auto value, const char* colour, const char* dash) {
        std::string path;
        for (const row& r : rows) {
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(r.terms), y(value(r)));
        }
        return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", path, colour, dash);
    };
    const auto dots = [&](auto value, const char* attributes) {
        std::string all;
        for (const row& r : rows) {
            if (value(r) > 0) {
                all += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" {}/>\n", x(r.terms), y(value(r)), attributes);
            }
        }
        return all;
    };
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"590\" height=\"440\" viewBox=\"0 0 590 440\" "
                      "font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n"
                      "<title>Relative error of a matrix product against K</title>\n"
                      "<rect width=\"590\" height=\"440\" fill=\"#ffffff\"/>\n"
                      "<text x=\"20\" y=\"30\" font-size=\"16\" fill=\"#222222\">Relative error of a matrix product, "
                      "operands of deviation 1/sqrt(K)</text>\n";
    for (int decade = -4; decade <= -1; ++decade) {
        const double at = y(std::pow(10.0, decade));
        out += fmt::format("<path d=\"M{0:.0f} {1:.1f}H{2:.0f}\" stroke=\"#dddddd\"/>"
                           "<text x=\"{3:.0f}\" y=\"{4:.1f}\" text-anchor=\"end\" fill=\"#444444\">1e{5}</text>\n",
                           left, at, right, left - 8, at + 4, decade);
    }
    for (const row& r : rows) {
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" text-anchor=\"middle\" fill=\"#444444\">{}</text>\n",
                           x(r.terms), bottom + 18, r.terms);
    }
    out += line([](const row& r) { return r.expected; }, "#b3261e", "");
    out += line([](const row& r) { return r.scaled_expected; }, "#146c94", "");
    out += dots([](const row& r) { return r.measured; }, "r=\"4\" fill=\"#b3261e\"");
    out += dots([](const row& r) { return r.scaled; }, "r=\"4\" fill=\"#146c94\"");
    out += dots([](const row& r) { return r.published; }, "r=\"7\" fill=\"none\" stroke=\"#222222\"");
    const char* const keys[][2] = {{"#b3261e", "without a scale: line expected by the pass, dots the oracle"},
                                   {"#146c94", "with scaled&lt;k&gt;: line expected, dots the oracle"},
                                   {"none\" stroke=\"#222222", "published, measured on M5 Pro and M6 (N160-N165)"}};
    double at = bottom + 44;
    for (const auto& [colour, text] : keys) {
        out += fmt::format("<circle cx=\"{0:.0f}\" cy=\"{1:.0f}\" r=\"5\" fill=\"{2}\"/>"
                           "<text x=\"{3:.0f}\" y=\"{4:.0f}\" fill=\"#222222\">{5}</text>\n",
                           left + 6, at - 4, colour, left + 20, at, text);
        at += 20;
    }
    return out + "</svg>\n";
}

} // namespace rescaling
