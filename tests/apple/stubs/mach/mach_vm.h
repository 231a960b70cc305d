#pragma once

#include <mach/mach.h>

typedef uint64_t mach_vm_address_t;
typedef uint64_t mach_vm_size_t;

extern "C" kern_return_t mach_vm_region(mach_port_t task, mach_vm_address_t* address, mach_vm_size_t* size,
                                        vm_region_flavor_t flavour, vm_region_info_t info,
                                        mach_msg_type_number_t* count, mach_port_t* object);
