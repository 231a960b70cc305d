#include "contender.hpp"

#if defined(SUITE_HAS_ONEDNN)
#include "onednn_program.hpp"

#include <fmt/format.h>

#include <utility>
#endif

namespace suite {

#if defined(SUITE_HAS_ONEDNN)

namespace {

class onednn_contender final : public contender {
public:
    onednn_contender(std::string name, dnnl::algorithm convolution)
        : name_(std::move(name)), convolution_(convolution) {}
    std::string name() const override { return name_; }
    std::string description() const override {
        const dnnl_version_t* const v = dnnl_version();
        return fmt::format("oneDNN {}.{}.{}, fp32, weights packed, the layouts that it asks for", v->major, v->minor,
                           v->patch);
    }
    std::unique_ptr<session> prepare(const problem& p) override {
        return std::make_unique<onednn_session>(p, convolution_);
    }

private:
    std::string name_;
    dnnl::algorithm convolution_;
};

} // namespace

void add_onednn(field& f, const field_options& options) {
    using dnnl::algorithm;
    for (const auto& [name, convolution] : {std::pair("oneDNN", algorithm::convolution_direct),
                                            std::pair("oneDNN Winograd", algorithm::convolution_winograd)}) {
        if (options.wants(name)) {
            f.present.push_back(std::make_unique<onednn_contender>(name, convolution));
        }
    }
}

#else

void add_onednn(field& f, const field_options&) { f.absent.emplace_back("oneDNN: built without libdnnl-dev"); }

#endif

} // namespace suite
