// A program that runs with rights which its caller has not (setuid, setgid) takes no library from the caller.

#include "scratch_folder.hpp"
#include <anemone/backend/engine/e5rt/library.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <grp.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace {

/// What a program writes.
std::string output_of(const std::string& command) {
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
        text += static_cast<char>(c);
    }
    ::pclose(pipe);
    return text;
}

/// Makes a program run as another user or group; false where this user cannot.
bool give_other_rights(const std::string& program) {
    if (::geteuid() == 0) {
        return ::chown(program.c_str(), 65534, 65534) == 0 && ::chmod(program.c_str(), 04755) == 0;
    }
    std::vector<gid_t> groups(1024);
    const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
    for (int i = 0; i < count; ++i) {
        const gid_t group = groups[static_cast<std::size_t>(i)];
        if (group != ::getgid() && ::chown(program.c_str(), static_cast<uid_t>(-1), group) == 0) {
            return ::chmod(program.c_str(), 02755) == 0;
        }
    }
    return false;
}

} // namespace

TEST_CASE("child: the library that is chosen" * doctest::skip()) {
    try {
        std::printf("chosen: %s\n", ane::e5rt::default_library_path().c_str());
    } catch (const ane::error& e) {
        std::printf("chosen: none, %s\n", e.what());
    }
}

TEST_CASE("a setuid program does not read ANEMONE_E5RT" * doctest::skip(!std::filesystem::exists("/proc/self/exe"))) {
    const scratch_folder folder;
    const std::string program = folder / "program";
    std::filesystem::copy_file("/proc/self/exe", program);
    const std::string command = "ANEMONE_E5RT=/of/the/caller '" + program + "' --no-skip -tc='child: the library*'";
    CHECK(output_of(command).find("chosen: /of/the/caller\n") != std::string::npos);
    struct statvfs found {};
    REQUIRE(::statvfs(program.c_str(), &found) == 0);
    if ((found.f_flag & ST_NOSUID) != 0 || !give_other_rights(program)) {
        MESSAGE("left out: this user or this file system knows no setuid");
        return;
    }
    const std::string output = output_of(command);
    CHECK(output.find("chosen: ") != std::string::npos);
    CHECK(output.find("/of/the/caller") == std::string::npos);
}
