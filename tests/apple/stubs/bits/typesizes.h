#pragma once

// What macOS makes of the types of POSIX, in the names in which Linux's headers ask for it.
#define __DEV_T_TYPE __INT32_TYPE__
#define __UID_T_TYPE __UINT32_TYPE__
#define __GID_T_TYPE __UINT32_TYPE__
#define __ID_T_TYPE __UINT32_TYPE__
#define __INO_T_TYPE __UINT64_TYPE__
#define __INO64_T_TYPE __UINT64_TYPE__
#define __MODE_T_TYPE __UINT16_TYPE__
#define __NLINK_T_TYPE __UINT16_TYPE__
#define __OFF_T_TYPE __INT64_TYPE__
#define __OFF64_T_TYPE __INT64_TYPE__
#define __PID_T_TYPE __INT32_TYPE__
#define __RLIM_T_TYPE __UINT64_TYPE__
#define __RLIM64_T_TYPE __UINT64_TYPE__
#define __BLKCNT_T_TYPE __INT64_TYPE__
#define __BLKCNT64_T_TYPE __INT64_TYPE__
#define __BLKSIZE_T_TYPE __INT32_TYPE__
#define __FSBLKCNT_T_TYPE __UINT32_TYPE__
#define __FSBLKCNT64_T_TYPE __UINT32_TYPE__
#define __FSFILCNT_T_TYPE __UINT32_TYPE__
#define __FSFILCNT64_T_TYPE __UINT32_TYPE__
#define __CLOCK_T_TYPE unsigned long
#define __TIME_T_TYPE long
#define __USECONDS_T_TYPE __UINT32_TYPE__
#define __SUSECONDS_T_TYPE __INT32_TYPE__
#define __SSIZE_T_TYPE long

// What macOS has not; Linux's headers ask for it all the same.
#define __FSWORD_T_TYPE long
#define __SYSCALL_SLONG_TYPE long
#define __SYSCALL_ULONG_TYPE unsigned long
#define __SUSECONDS64_T_TYPE __INT64_TYPE__
#define __DADDR_T_TYPE __INT32_TYPE__
#define __KEY_T_TYPE __INT32_TYPE__
#define __CLOCKID_T_TYPE __INT32_TYPE__
#define __TIMER_T_TYPE void*
#define __FSID_T_TYPE                                                                                                  \
    struct {                                                                                                           \
        int val[2];                                                                                                    \
    }
#define __CPU_MASK_TYPE unsigned long

#define __OFF_T_MATCHES_OFF64_T 1
#define __INO_T_MATCHES_INO64_T 1
#define __RLIM_T_MATCHES_RLIM64_T 1
#define __STATFS_MATCHES_STATFS64 1
#define __KERNEL_OLD_TIMEVAL_MATCHES_TIMEVAL64 0
#define __FD_SETSIZE 1024
