#include "plan.hpp"

#include "plan_json.hpp"

#include <type_traits>
#include <utility>

namespace app {

namespace {

template <class Found> plan told(Found found) {
    std::string as_text = text(found);
    std::string as_json = json(found);
    return {std::move(found), std::move(as_text), std::move(as_json)};
}

} // namespace

plan plan_of(optimized found) { return told(std::move(found)); }
plan plan_of(compressed found) { return told(std::move(found)); }
plan plan_of(layer_errors found) { return told(std::move(found)); }
plan plan_of(trained found) { return told(std::move(found)); }

plan plan_of(const model& of, const placement_options& how, const caller& who) {
    ane::device_plan found = place(of, how, who);
    std::string as_json = json_of(found);
    return {std::move(found), placement_text(of, how, who), std::move(as_json)};
}

plan plan_of(const std::vector<shared_model>& of, const timeline_options& how, const caller& who) {
    std::vector<called_model> models;
    for (const shared_model& each : of) {
        models.push_back(called(*each, how, who));
    }
    return told(simulate(models, how, who));
}

std::optional<std::string> drawing(const plan& p) {
    return std::visit(
        [](const auto& found) -> std::optional<std::string> {
            if constexpr (requires { drawing(found); }) {
                return drawing(found);
            } else {
                return std::nullopt;
            }
        },
        p.found);
}

const model* made(const plan& p) {
    return std::visit(
        [](const auto& found) -> const model* {
            if constexpr (requires { found.made; }) {
                return &found.made;
            } else {
                return nullptr;
            }
        },
        p.found);
}

} // namespace app
