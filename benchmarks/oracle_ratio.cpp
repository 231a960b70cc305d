/// The oracle beside the CPU backend, every family of operations, in turns in one process, one thread each: ordinary
/// values, values that bring sums to the ceiling of the product register, and the contractions of a ResNet-18.
///
///     benchmark_oracle_ratio [--csv] [--only TEXT] [EARLIER.csv]
///
/// --csv prints operation,oracle ms,cpu ms,digest of the oracle's results. With an earlier file the ratio is to the
/// CPU's times there, and a result that differs from the one there is named.

#include "oracle_workloads.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/dynamic_builder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;
using namespace oracle_workloads;

namespace {

struct record {
    double oracle = 0;
    double cpu = 0;
    std::uint64_t digest = 0;
};

/// An input's name says what it holds: "index..." whole numbers below 50, "positive..." magnitudes.
std::vector<std::byte> values_of(std::string_view name, const node& n, double deviation, std::mt19937& engine) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(ane::bytes(n.type, n.shape.count())));
    if (n.type != dtype::f16) {
        for (std::byte& b : bytes) {
            b = static_cast<std::byte>(engine() & (n.type == dtype::boolean ? 1U : 0xFFU));
        }
        return bytes;
    }
    std::normal_distribution<double> normal(0.0, deviation);
    auto* const values = reinterpret_cast<half*>(bytes.data());
    for (std::int64_t i = 0; i < n.shape.count(); ++i) {
        const double x = name.starts_with("index") ? static_cast<double>(engine() % 50) : normal(engine);
        values[i] = half(name.starts_with("positive") ? std::abs(x) : x);
    }
    return bytes;
}

weight_store weights_of(const graph_view& g, std::mt19937& engine) {
    weight_store weights;
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        if (n.kind == op::weight) {
            const auto outputs = static_cast<double>(n.shape[0]);
            std::normal_distribution<double> normal(0.0,
                                                    std::sqrt(2.0 * outputs / static_cast<double>(n.shape.count())));
            std::vector<float> values(static_cast<std::size_t>(n.shape.count()));
            std::generate(values.begin(), values.end(), [&] { return static_cast<float>(normal(engine)); });
            weights.add(std::string(g.name(i)), n.shape, std::span<const float>(values));
        }
    }
    return weights;
}

/// Processor time: what other programs take meanwhile does not count.
double milliseconds(const auto& work) {
    timespec begin{};
    timespec end{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    work();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return static_cast<double>(end.tv_sec - begin.tv_sec) * 1e3 +
           static_cast<double>(end.tv_nsec - begin.tv_nsec) * 1e-6;
}

/// The shortest of several runs of each backend, in turns: the one that other programs disturbed least.
record measure(const workload& w) {
    dynamic_builder b;
    b.output("result", w.build(b));
    const dynamic_graph g = b.finish();
    const graph_view view = g;
    std::mt19937 engine(18);
    const weight_store weights = weights_of(view, engine);
    auto oracle = compile(g, backend::oracle{h16}, weights);
    auto cpu = compile(g, backend::cpu{}, weights);
    std::vector<std::vector<std::byte>> inputs;
    for (int i = 0; i < view.size(); ++i) {
        if (view[i].kind == op::input) {
            inputs.push_back(values_of(view.name(i), view[i], w.deviation, engine));
        }
    }
    const std::vector<std::span<const std::byte>> in(inputs.begin(), inputs.end());
    const node& result = view[view.outputs[0].node];
    std::vector<std::byte> y(static_cast<std::size_t>(ane::bytes(result.type, result.shape.count())));
    const std::span<std::byte> out[] = {std::span(y)};
    record r{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), 0xCBF29CE484222325U};
    double spent = 0;
    for (int i = 0; i < 200 && (i < 5 || spent < 150); ++i) {
        const double by_cpu = milliseconds([&] { cpu.run(in, out); });
        const double by_oracle = milliseconds([&] { oracle.run(in, out); });
        r.cpu = std::min(r.cpu, by_cpu);
        r.oracle = std::min(r.oracle, by_oracle);
        spent += by_cpu + by_oracle;
    }
    for (const std::byte value : y) {
        r.digest = (r.digest ^ std::to_integer<std::uint64_t>(value)) * 0x100000001B3U;
    }
    return r;
}

std::map<std::string, record> read(const char* path) {
    std::map<std::string, record> records;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        std::string title;
        std::string digest;
        record r;
        char comma = 0;
        if (std::getline(fields, title, ';') && fields >> r.oracle >> comma >> r.cpu >> comma >> digest) {
            r.digest = std::stoull(digest, nullptr, 16);
            records[title] = r;
        }
    }
    return records;
}

} // namespace

int main(int count, char** arguments) {
    bool csv = false;
    std::string only;
    std::map<std::string, record> earlier;
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--csv") {
            csv = true;
        } else if (argument == "--only" && i + 1 < count) {
            only = arguments[++i];
        } else {
            earlier = read(arguments[i]);
        }
    }
    std::vector<workload> all;
    add_elementwise(all);
    add_reductions(all);
    add_contractions(all);
    add_rest(all);
    add_network(all);
    double worst = 0;
    for (const workload& w : all) {
        if (w.name.find(only) == std::string::npos) {
            continue;
        }
        record r;
        try {
            r = measure(w);
        } catch (const std::exception& e) {
            fmt::print(stderr, "{}: {}\n", w.name, e.what());
            continue;
        }
        const auto before = earlier.find(w.name);
        const double cpu = before == earlier.end() ? r.cpu : before->second.cpu;
        worst = std::max(worst, r.oracle / cpu);
        if (csv) {
            fmt::print("{}; {:.4f}, {:.4f}, {:016x}\n", w.name, r.oracle, r.cpu, r.digest);
        } else {
            const bool differs = before != earlier.end() && before->second.digest != r.digest;
            const std::string then =
                before == earlier.end() ? "" : fmt::format("   then {:9.4f}", before->second.oracle);
            fmt::print("{:<44} oracle {:9.4f} ms   cpu {:9.4f} ms   ratio {:7.2f}{}{}\n", w.name, r.oracle, cpu,
                       r.oracle / cpu, then, differs ? "   OTHER BITS" : "");
        }
        std::fflush(stdout);
    }
    fmt::print(stderr, "largest ratio {:.2f}\n", worst);
}
