#include "contender.hpp"

#if defined(SUITE_HAS_OPENBLAS)
#include "row_session.hpp"

#include <algorithm>
#include <cblas.h>
#include <string>
#endif

namespace suite {

#if defined(SUITE_HAS_OPENBLAS)

namespace {

class openblas_session final : public row_session {
public:
    explicit openblas_session(const problem& p)
        : row_session(p, "OpenBLAS", [](ane::op kind) { return kind == ane::op::linear || kind == ane::op::relu; }) {}

private:
    void compute(const ane::node& n, const float* x, float* y) override {
        const auto width = static_cast<int>(n.shape.width());
        const auto rows = static_cast<int>(n.shape.count() / n.shape.width());
        if (n.kind == ane::op::relu) {
            for (std::int64_t i = 0; i < n.shape.count(); ++i) {
                y[i] = std::max(x[i], 0.0F);
            }
            return;
        }
        const auto in = static_cast<int>(depth(n));
        const bool bias = n.operands.count > 2;
        for (int i = 0; i < rows && bias; ++i) {
            std::copy_n(operand(n, 2), width, y + static_cast<std::ptrdiff_t>(i) * width);
        }
        const float keep = bias ? 1.0F : 0.0F;
        if (rows == 1) {
            cblas_sgemv(CblasRowMajor, CblasNoTrans, width, in, 1, operand(n, 1), in, x, 1, keep, y, 1);
        } else {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, width, in, 1, x, in, operand(n, 1), in, keep, y,
                        width);
        }
    }
};

class openblas_contender final : public contender {
public:
    std::string name() const override { return "OpenBLAS"; }
    std::string description() const override {
        return std::string(openblas_get_config()) + ", kernels " + openblas_get_corename() + ", fp32";
    }
    std::unique_ptr<session> prepare(const problem& p) override { return std::make_unique<openblas_session>(p); }
};

} // namespace

void add_openblas(field& f, const field_options& options) {
    openblas_set_num_threads(options.threads);
    if (options.wants("OpenBLAS")) {
        f.present.push_back(std::make_unique<openblas_contender>());
    }
}

#else

void add_openblas(field& f, const field_options&) { f.absent.emplace_back("OpenBLAS: built without libopenblas-dev"); }

#endif

} // namespace suite
