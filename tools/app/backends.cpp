#include "backends.hpp"

#include "target_names.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/base/error.hpp>

#include <string_view>

namespace app {

std::optional<named_oracle> oracle_named(const std::string& backend, ane::layer_forms layers) {
    constexpr std::string_view safe = ":safe";
    if (backend == "oracle") {
        return named_oracle{ane::target::h13, layers};
    }
    if (backend.rfind("oracle:", 0) != 0) {
        return std::nullopt;
    }
    std::string machine = backend.substr(std::string_view("oracle:").size());
    if (machine.size() >= safe.size() && machine.compare(machine.size() - safe.size(), safe.size(), safe) == 0) {
        machine.resize(machine.size() - safe.size());
        layers = ane::layer_forms::safe;
    }
    return named_oracle{target_named(machine), layers};
}

ane::backend::any backend_named(const std::string& backend, int threads, ane::layer_forms layers) {
    const std::size_t colon = backend.find(':');
    const std::string name = backend.substr(0, colon);
    if (backend == "cpu" || backend == "cpu:unfused") {
        const ane::backend::cpu place = threads > 0 ? ane::backend::cpu{}.threads(threads) : ane::backend::cpu{};
        return backend == "cpu" ? place : place.rounding(ane::rounding::each_operation);
    }
    if (const auto oracle = oracle_named(backend, layers)) {
        return ane::backend::oracle(oracle->chip).layers(oracle->layers);
    }
    if (name == "engine") {
        return ane::backend::engine(target_named(colon == std::string::npos ? "h13" : backend.substr(colon + 1)));
    }
    throw ane::error(
        ane::errc::argument, "backend '" + backend + "'",
        "must be cpu, cpu:unfused, oracle:TARGET, oracle:TARGET:safe or engine:TARGET, such as oracle:h13");
}

kept_values kept_by(const std::string& backend) { return backend == "cpu" ? kept_values::live : kept_values::all; }

ane::any_program compile(const model& of, const compile_options& how, const caller& who) {
    of.require_exact("run");
    require_run_memory(of.graph(), kept_by(how.backend), of.max_memory(), who);
    const task shown(who, "compiling for " + how.backend);
    return backend_named(how.backend, 0, of.layers()).compile(of.graph(), of.weights());
}

} // namespace app
