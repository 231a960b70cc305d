#include "contender.hpp"

#if defined(SUITE_HAS_EIGEN)
#include "row_session.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <string>
#include <unsupported/Eigen/SpecialFunctions>
#endif

namespace suite {

#if defined(SUITE_HAS_EIGEN)

namespace {

using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using array = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using line = Eigen::Array<float, 1, Eigen::Dynamic>;

class eigen_session final : public row_session {
public:
    explicit eigen_session(const problem& p) : row_session(p, "Eigen", has) {}

private:
    static bool has(ane::op kind) {
        switch (kind) { // NOLINT(clang-diagnostic-switch-enum): few of many
        case ane::op::linear:
        case ane::op::relu:
        case ane::op::gelu:
        case ane::op::softmax:
        case ane::op::rms_norm:
        case ane::op::layer_norm: return true;
        default: return false;
        }
    }

    void compute(const ane::node& n, const float* x, float* y) override {
        const auto width = static_cast<Eigen::Index>(n.shape.width());
        const auto rows = static_cast<Eigen::Index>(n.shape.count()) / width;
        if (n.kind == ane::op::linear) {
            linear(n, x, y, rows, width);
            return;
        }
        const Eigen::Map<const array> in(x, rows, width);
        Eigen::Map<array> out(y, rows, width);
        switch (n.kind) { // NOLINT(clang-diagnostic-switch-enum): see `has`
        case ane::op::relu: out = in.max(0.0F); return;
        case ane::op::gelu: out = 0.5F * in * (1 + (in * 0.70710678F).erf()); return;
        default: break;
        }
        for (Eigen::Index i = 0; i < rows; ++i) {
            if (n.kind == ane::op::softmax) {
                out.row(i) = (in.row(i) - in.row(i).maxCoeff()).exp();
                out.row(i) *= 1 / out.row(i).sum();
                continue;
            }
            const float mean = n.kind == ane::op::layer_norm ? in.row(i).mean() : 0.0F;
            const float variance = (in.row(i) - mean).square().mean();
            const float scale = 1 / std::sqrt(variance + n.get<ane::stabilizer>().epsilon);
            out.row(i) = (in.row(i) - mean) * scale * Eigen::Map<const line>(operand(n, 1), width);
            if (n.kind == ane::op::layer_norm) {
                out.row(i) += Eigen::Map<const line>(operand(n, 2), width);
            }
        }
    }
    void linear(const ane::node& n, const float* x, float* y, Eigen::Index rows, Eigen::Index width) {
        const auto in = static_cast<Eigen::Index>(depth(n));
        const Eigen::Map<const matrix> w(operand(n, 1), width, in);
        if (rows == 1) { // its products of a matrix and a vector want a vector
            using vector = Eigen::VectorXf;
            Eigen::Map<vector>(y, width).noalias() = w * Eigen::Map<const vector>(x, in);
        } else {
            Eigen::Map<matrix>(y, rows, width).noalias() = Eigen::Map<const matrix>(x, rows, in) * w.transpose();
        }
        if (n.operands.count > 2) {
            Eigen::Map<array>(y, rows, width).rowwise() += Eigen::Map<const line>(operand(n, 2), width);
        }
    }
};

class eigen_contender final : public contender {
public:
    std::string name() const override { return "Eigen"; }
    std::string description() const override {
        return fmt::format("Eigen {}.{}.{}, {}, fp32", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION,
                           Eigen::SimdInstructionSetsInUse());
    }
    std::unique_ptr<session> prepare(const problem& p) override { return std::make_unique<eigen_session>(p); }
};

} // namespace

void add_eigen(field& f, const field_options& options) {
    Eigen::setNbThreads(options.threads);
    if (options.wants("Eigen")) {
        f.present.push_back(std::make_unique<eigen_contender>());
    }
}

#else

void add_eigen(field& f, const field_options&) { f.absent.emplace_back("Eigen: built without libeigen3-dev"); }

#endif

} // namespace suite
