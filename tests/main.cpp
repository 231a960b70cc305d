/// The test runner, compiled once and linked into every test program.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "from_environment.hpp"

#include <doctest/doctest.h>

namespace {

/// Says of a failed test case that drew random numbers with which command it draws the same again.
class replay : public doctest::IReporter {
public:
    explicit replay(const doctest::ContextOptions& options) : options_(options) {}

    void test_case_start(const doctest::TestCaseData& test) override {
        name_ = test.m_name;
        from_environment::seed_was_taken = false;
        ++from_environment::test_cases_begun;
    }
    void test_case_end(const doctest::CurrentTestCaseStats& result) override {
        if (!result.testCaseSuccess && from_environment::seed_was_taken) {
            *options_.cout << "again: ANEMONE_TEST_SEED=" << from_environment::seed() << ' '
                           << options_.binary_name.c_str() << " -tc='" << escaped(name_) << "'\n\n";
        }
    }

    void report_query(const doctest::QueryData& /*unused*/) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats& /*unused*/) override {}
    void test_case_reenter(const doctest::TestCaseData& /*unused*/) override {}
    void test_case_exception(const doctest::TestCaseException& /*unused*/) override {}
    void subcase_start(const doctest::SubcaseSignature& /*unused*/) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData& /*unused*/) override {}
    void log_message(const doctest::MessageData& /*unused*/) override {}
    void test_case_skipped(const doctest::TestCaseData& /*unused*/) override {}

private:
    /// A name as doctest's filters and a shell take it: commas would part it into two filters.
    static std::string escaped(std::string_view name) {
        std::string text;
        for (const char c : name) {
            text += c == ',' || c == '\'' ? '?' : c;
        }
        return text;
    }

    const doctest::ContextOptions& options_;
    const char* name_ = "";
};

} // namespace

REGISTER_LISTENER("replay", 1, replay);
