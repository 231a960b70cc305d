// What the C library of Linux declares and macOS does not: behind this file nobody may write it. The headers that do
// declare it come first.
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <type_traits>
#include <unistd.h>

#define st_mtimespec st_mtim // what macOS calls it

#pragma clang poison fdatasync posix_fadvise posix_fallocate st_atim st_ctim st_mtim
#pragma clang poison clock_nanosleep pthread_condattr_setclock pthread_mutex_timedlock sem_timedwait

// That the stubs were read, and not what they stand before.
static_assert(std::is_same_v<std::uint64_t, unsigned long long> && std::is_same_v<std::size_t, unsigned long>);
static_assert(std::is_same_v<std::int64_t, long long> && std::is_same_v<off_t, long long>);
static_assert(std::is_same_v<mode_t, unsigned short> && sizeof(dev_t) == 4 && sizeof(nlink_t) == 2);
