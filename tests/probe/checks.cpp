#define DOCTEST_CONFIG_IMPLEMENT
#include "checks.hpp"

#include <doctest/doctest.h>

namespace kit {
namespace {

std::vector<std::string> broken;

void note(const doctest::AssertData& assertion) {
    std::string file = assertion.m_file;
    file.erase(0, file.rfind('/') + 1);
    broken.push_back(file + ":" + std::to_string(assertion.m_line) + ": " + assertion.m_expr + ", which is " +
                     assertion.m_decomp.c_str());
}

} // namespace

std::vector<std::string>& listen_to_checks() {
    static doctest::Context context;
    context.setAsDefaultForAssertsOutOfTestCases();
    context.setAssertHandler(note);
    broken.clear();
    return broken;
}

} // namespace kit
