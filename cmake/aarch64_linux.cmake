# Linux on Arm, by Debian's cross compiler, which reads /usr/include too: headers that have no library serve as they are.
# What is built runs in QEMU.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)

# Their package files stand among the host's libraries.
foreach(package IN ITEMS Boost fmt)
  file(GLOB folders /usr/lib/*-linux-gnu/cmake/${package} /usr/lib/*-linux-gnu/cmake/${package}-[0-9]*)
  if(folders)
    list(GET folders 0 ${package}_DIR)
  endif()
endforeach()
