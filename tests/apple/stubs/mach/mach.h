#pragma once

// What the library uses of <mach/mach.h>: the types and constants of vm_region.

#include <stdint.h>

typedef uint32_t mach_port_t;
typedef uint32_t mach_msg_type_number_t;
typedef int kern_return_t;
typedef int vm_prot_t;
typedef int* vm_region_info_t;
typedef int vm_region_flavor_t;

typedef struct {
    vm_prot_t protection;
    unsigned int user_tag;
} vm_region_extended_info_data_t;

#define KERN_SUCCESS 0
#define MACH_PORT_NULL 0U
#define VM_PROT_READ 1
#define VM_PROT_WRITE 2
#define VM_REGION_EXTENDED_INFO 13
#define VM_REGION_EXTENDED_INFO_COUNT 4U
#define VM_MEMORY_APPLICATION_SPECIFIC_16 255
#define VM_MAKE_TAG(tag) ((int)((unsigned int)(tag) << 24U))

extern "C" mach_port_t mach_task_self(void);
