#include <anemone/readers/file_verdict.hpp>
#include <anemone/targets/sets.hpp>

#include <cstdio>
#include <string>

/// Prints what `judge_mil_file` says of each file on every Mac that takes MIL text, a line for each: the file, the target,
/// and the first reason against it or nothing: for python/one_verdict.py. Weights may be missing, as for `anemone check`.
int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        for (const ane::target t : ane::macs) {
            if (ane::describe(t).mil_supported) {
                const ane::file_verdict verdict = ane::judge_mil_file(arguments[i], t, {.allows_missing = true});
                const std::string why = verdict.accepted() ? "" : verdict.reasons.front().reason;
                const std::string chip(ane::runtime_architecture(t));
                std::printf("%s\t%s\t%s\n", arguments[i], chip.c_str(), why.c_str());
            }
        }
    }
    return 0;
}
