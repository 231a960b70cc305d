// Holds the precompiled header that the tests share; see CMakeLists.txt.
