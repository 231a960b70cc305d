#include "door.hpp"
#include <anemone/backend/engine/objc/api.hpp>
#include <anemone/backend/engine/objc/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace ane;

TEST_CASE("netplist runtime: the stand-in has every symbol; what a library lacks is named") {
    const auto opened = objc::runtime::open(objc_standin::path());
    CHECK(opened->image() == objc_standin::path());
    CHECK(opened->functions().objc_getClass("_ANERequest") != nullptr);
    CHECK(opened->functions().objc_getClass("NSNothing") == nullptr);
    CHECK_THROWS_WITH_AS(
        objc::runtime::from_resolver(
            [](const char* name) {
                const std::string wanted(name);
                return wanted == "CFRelease" || wanted == "IOSurfaceLock" || wanted == "kIOSurfaceWidth"
                           ? nullptr
                           : objc_standin::books().symbol(name);
            },
            "part"),
        "library: CFRelease: symbol not found in 'part'; also missing: IOSurfaceLock, kIOSurfaceWidth", error);
    CHECK_THROWS_AS(objc::runtime::open("/nowhere/at/all.so"), error);
}

TEST_CASE("netplist runtime: the variable ANEMONE_OBJC, without which there is none but on a Mac") {
    const char* const given = std::getenv("ANEMONE_OBJC");
    const std::string before = given != nullptr ? given : "";
    ::setenv("ANEMONE_OBJC", objc_standin::path(), 1);
    CHECK(objc::runtime::open()->image() == objc_standin::path());
    ::setenv("ANEMONE_OBJC", "", 1);
#if !defined(__APPLE__)
    CHECK_THROWS_WITH_AS(objc::runtime::open(), doctest::Contains("set the environment variable ANEMONE_OBJC"), error);
#endif
    before.empty() ? ::unsetenv("ANEMONE_OBJC") : ::setenv("ANEMONE_OBJC", before.c_str(), 1);
}
