#include "table.hpp"
#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace suite {

namespace {

constexpr const char* header =
    "workload,title,threads,contender,ours,flops,bytes,relative_error,prepare_seconds,first_seconds,least_seconds,"
    "first_quartile_seconds,median_seconds,third_quartile_seconds,rounds_seconds,failure\n";

std::string quoted(const std::string& text) {
    std::string inner;
    for (const char c : text) {
        inner += c == '"' ? "\"\"" : std::string(1, c == '\n' ? ' ' : c);
    }
    return '"' + inner + '"';
}

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields(1);
    bool inside = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') {
            if (inside && i + 1 < line.size() && line[i + 1] == '"') {
                fields.back() += line[++i];
            } else {
                inside = !inside;
            }
        } else if (line[i] == ',' && !inside) {
            fields.emplace_back();
        } else {
            fields.back() += line[i];
        }
    }
    return fields;
}

std::vector<double> numbers_of(const std::string& text) {
    std::vector<double> list;
    const char* at = text.c_str();
    for (char* end = nullptr; *at != '\0'; at = *end == ' ' ? end + 1 : end) {
        list.push_back(std::strtod(at, &end));
        if (end == at) {
            throw ane::error(ane::errc::file, text, "is no list of numbers");
        }
    }
    return list;
}

} // namespace

std::string csv_text(const std::vector<record>& records) {
    std::string text = header;
    for (const record& r : records) {
        const result& f = r.found;
        text += fmt::format("{},{},{},{},{},{},{},{:.3e},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},", f.workload,
                            quoted(r.title), f.threads, quoted(f.contender), f.ours ? 1 : 0, r.flops, r.bytes, f.error,
                            f.prepare, f.first, f.least, quantile(f.rounds, 0.25), median_of(f.rounds),
                            quantile(f.rounds, 0.75));
        text += fmt::format("{:.6g},{}\n", fmt::join(f.rounds, " "), quoted(f.failure));
    }
    return text;
}

std::vector<record> records_of(const std::string& csv) {
    std::vector<record> records;
    std::size_t at = csv.find('\n');
    if (csv.substr(0, at + 1) != header) {
        throw ane::error(ane::errc::file, "results", "have another header line than this program writes");
    }
    for (++at; at < csv.size();) {
        const std::size_t end = std::min(csv.find('\n', at), csv.size());
        const std::vector<std::string> field = fields_of(csv.substr(at, end - at));
        if (field.size() != 16) {
            throw ane::error(ane::errc::file, "results",
                             fmt::format("a line has {} fields, not 16: {}", field.size(), csv.substr(at, end - at)));
        }
        record r;
        r.found.workload = field[0];
        r.title = field[1];
        r.found.threads = std::atoi(field[2].c_str());
        r.found.contender = field[3];
        r.found.ours = field[4] == "1";
        r.flops = std::atof(field[5].c_str());
        r.bytes = std::atof(field[6].c_str());
        r.found.error = std::atof(field[7].c_str());
        r.found.prepare = std::atof(field[8].c_str());
        r.found.first = std::atof(field[9].c_str());
        r.found.least = std::atof(field[10].c_str());
        r.found.rounds = numbers_of(field[14]);
        r.found.failure = field[15];
        records.push_back(r);
        at = end + 1;
    }
    return records;
}

} // namespace suite
