#include "../processes/scratch_folder.hpp"
#include <anemone/base/error.hpp>
#include <anemone/trainer/checkpoint.hpp>
#include <anemone/weights/safetensors.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace ane;

namespace {

checkpoint small_checkpoint(std::int64_t step) {
    checkpoint c;
    c.step = step;
    const std::vector<half> w{half(1), half(-0.5), half(3), half(0.25)};
    c.states.add("conv.weight", {2, 2}, std::span<const half>(w));
    c.states.add("conv.weight.momentum", {2, 2}, std::span<const half>(w));
    c.best.add("conv.weight", {2, 2}, std::span<const half>(w));
    c.best_loss = 0.1;
    c.since_best = 2;
    c.scaling = {.scale = 512, .good = 77};
    c.history = {.steps = {{.step = 1, .epoch = 0.1, .loss = 1. / 3, .rate = 0.1, .loss_scale = 1024, .skipped = true}},
                 .validations = {{.step = 1, .loss = 0.1, .accuracy = 0.9}}};
    c.made_by = {{"optimizer", "adam"}, {"seed", "18446744073709551615"}};
    return c;
}

std::string refusal(const checkpoint& found, const checkpoint& mine) {
    try {
        require_same_training(found, mine, "a.safetensors");
    } catch (const error& e) {
        CHECK(e.code() == errc::argument);
        return e.what();
    }
    return "the same";
}

} // namespace

TEST_CASE("a checkpoint is read as it was written, and its weights by whatever reads safetensors") {
    const scratch_folder folder;
    const std::string path = folder.path() / "a.safetensors";
    const checkpoint c = small_checkpoint(12);
    save_checkpoint(path, c);
    const checkpoint again = load_checkpoint(path);
    CHECK(again.step == 12);
    CHECK(again.states == c.states);
    CHECK(again.best == c.best);
    CHECK(again.best_loss == 0.1);
    CHECK(again.since_best == 2);
    CHECK(again.scaling == c.scaling);
    CHECK(again.history == c.history);
    CHECK(again.made_by == c.made_by);
    CHECK(load_safetensors(path).at("conv.weight").bytes == c.states.at("conv.weight").bytes);
}

TEST_CASE("other files are refused as checkpoints") {
    const scratch_folder folder;
    const std::string path = folder.path() / "a.safetensors";
    save_safetensors(path, small_checkpoint(1).states);
    CHECK_THROWS_WITH_AS((void)load_checkpoint(path), doctest::Contains("is no checkpoint of a training"), error);
    weight_store newer = small_checkpoint(1).states;
    newer.set_metadata("anemone.checkpoint", "2");
    save_safetensors(path, newer);
    CHECK_THROWS_WITH_AS((void)load_checkpoint(path), doctest::Contains("version 2, this program reads 1"), error);
    newer.set_metadata("anemone.checkpoint", "1");
    save_safetensors(path, newer);
    CHECK_THROWS_WITH_AS((void)load_checkpoint(path), doctest::Contains("it has no trainer/numbers"), error);
}

TEST_CASE("a checkpoint of another training is refused by the name of the difference") {
    const checkpoint mine = small_checkpoint(1);
    CHECK(refusal(mine, mine) == "the same");
    checkpoint other = small_checkpoint(5);
    CHECK(refusal(other, mine) == "the same"); // a step of it
    other.states.rename("conv.weight", "conv2.weight");
    CHECK(refusal(other, mine).find("a.safetensors: is a checkpoint of another training: it has no conv.weight") !=
          std::string::npos);
    other = small_checkpoint(1);
    other.states.reshape("conv.weight.momentum", {4});
    CHECK(refusal(other, mine).find("its conv.weight.momentum is F16 4, the model's F16 2x2") != std::string::npos);
    other = small_checkpoint(1);
    other.states.add("extra", {1}, {1});
    CHECK(refusal(other, mine).find("it has extra, which this one does not train") != std::string::npos);
    other = small_checkpoint(1);
    other.made_by[0].second = "sgd";
    CHECK(refusal(other, mine).find("its optimizer is sgd, this one's adam") != std::string::npos);
    other.made_by.erase(other.made_by.begin());
    CHECK(refusal(other, mine).find("its optimizer is not said, this one's adam") != std::string::npos);
}

TEST_CASE("the last checkpoints are kept, and nothing of a save that was killed") {
    const scratch_folder scratch;
    const std::string folder = scratch.path() / "run";
    CHECK(checkpoints_in(folder).empty());
    for (std::int64_t step = 100; step <= 500; step += 100) {
        keep_checkpoint(folder, small_checkpoint(step), 2);
    }
    CHECK(checkpoints_in(folder) == std::vector<std::int64_t>{400, 500});
    std::ofstream(folder + "/.anemone-999999999-0") << "half a file";
    std::ofstream(folder + "/notes.txt") << "mine";
    std::ofstream(folder + "/step-7.safetensors") << "mine";
    // Weights of somebody else that have the name of a checkpoint, and one that cannot be read.
    save_safetensors(checkpoint_path(folder, 1), small_checkpoint(1).states);
    std::ofstream(checkpoint_path(folder, 450)) << "mine";
    keep_checkpoint(folder, small_checkpoint(600), 0); // one stays
    CHECK(checkpoints_in(folder) == std::vector<std::int64_t>{1, 450, 600});
    CHECK(load_safetensors(checkpoint_path(folder, 1)) == small_checkpoint(1).states);
    CHECK_FALSE(std::filesystem::exists(folder + "/.anemone-999999999-0"));
    CHECK(std::filesystem::exists(folder + "/notes.txt"));
    CHECK(std::filesystem::exists(folder + "/step-7.safetensors"));
    CHECK(load_checkpoint(checkpoint_path(folder, 600)).step == 600);
    std::ofstream(scratch.path() / "file") << "no folder";
    CHECK_THROWS_AS((void)checkpoints_in(scratch.path() / "file"), error);
}
