/// Five networks trained from random weights, on data that is drawn here, and the first of them in the arithmetic of chips.
///
///     example_training                        a few steps of each
///     example_training full [FOLDER]          all of them as far as they go, with curves in a folder
///     example_training digits|residual|transformer|llama|text|chips|accuracies [FOLDER]    one of them as far as it goes
#include "example.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

int main(int count, char** arguments) {
    const std::vector<std::pair<std::string_view, reached (*)(const amount&)>> trainings{
        {"digits", train_digits},
        {"residual", train_residual},
        {"transformer", train_transformer},
        {"llama", train_llama},
        {"text", train_text},
        {"chips", compare_chips},
        {"accuracies", compare_accuracies}};
    const std::string_view which = count > 1 ? arguments[1] : "";
    const amount wanted{!which.empty(), count > 2 ? arguments[2] : ""};
    try {
        int missed = 0;
        int made = 0;
        for (const auto& [name, train] : trainings) {
            if (!which.empty() && which != "full" && which != name) {
                continue;
            }
            const auto start = std::chrono::steady_clock::now();
            const reached got = train(wanted);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            fmt::print("{}: {:.4f}, at least {} is wanted; {:.1f} s\n", got.name, got.value, got.least, took.count());
            missed += got.is_enough() ? 0 : 1;
            ++made;
        }
        if (made == 0) {
            fmt::print(stderr, "no training is called {}\n", which);
            return 2;
        }
        return missed == 0 ? 0 : 1;
    } catch (const ane::error& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
}
