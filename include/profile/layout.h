/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the model must know of a guest kernel to tell which thread runs on a processor and what is mapped in its address
 * space.  The launcher finds these names in the debug information and symbols of a vmlinux and writes a text of lines
 * "NAME VALUE" (docs/profile-format.md); the machine option profile-kernel=FILE reads it.  Values are hexadecimal with 0x.
 *
 *   SN_LAYOUT_SYMBOLS(X)   X(symbol)             the line "symbol.SYMBOL ADDRESS"
 *   SN_LAYOUT_SIZES(X)     X(type)               "size.TYPE BYTES", of a structure or a union
 *   SN_LAYOUT_MEMBERS(X)   X(structure, member)  "STRUCTURE.MEMBER OFFSET", in bytes
 *   SN_LAYOUT_OBJECT_*(X)  the same; a kernel may lack them, and then its objects have no names
 *   SN_LAYOUT_SWITCH_*(X)  the same; a kernel may lack them, and then what its threads wait for is not known
 *
 * Source: the declarations of these structures in Linux 6.12.
 */
#ifndef SN_PROFILE_LAYOUT_H
#define SN_PROFILE_LAYOUT_H

/* clang-format off */
/* kernelsp: for each processor the end of its thread's kernel stack. */
#define SN_LAYOUT_SYMBOLS(X) \
    X(_text)                 \
    X(_etext)                \
    X(_end)                  \
    X(__init_begin)          \
    X(__init_end)            \
    X(init_task)             \
    X(kernelsp)              \
    X(modules)               \
    X(swapper_pg_dir)        \
    X(special_mapping_vmops) \
    X(__clear_page_start)    \
    X(__clear_page_end)      \
    X(__copy_page_start)     \
    X(__copy_page_end)

/* A kernel stack begins at a multiple of thread_union's size, and a thread_info lies there. */
#define SN_LAYOUT_SIZES(X) \
    X(thread_union)        \
    X(pt_regs)             \
    X(task_struct)         \
    X(vm_area_struct)      \
    X(maple_node)          \
    X(module_memory)       \
    X(module_sect_attr)

#define SN_LAYOUT_MEMBERS(X)               \
    X(thread_info,        task)            \
    X(pt_regs,            regs)            \
    X(pt_regs,            cp0_epc)         \
    X(task_struct,        pid)             \
    X(task_struct,        tgid)            \
    X(task_struct,        comm)            \
    X(task_struct,        mm)              \
    X(task_struct,        active_mm)       \
    X(task_struct,        real_parent)     \
    X(task_struct,        group_leader)    \
    X(task_struct,        tasks)           \
    X(task_struct,        stack)           \
    X(mm_struct,          mm_mt)           \
    X(mm_struct,          pgd)             \
    X(mm_struct,          map_count)       \
    X(mm_struct,          start_code)      \
    X(mm_struct,          end_code)        \
    X(mm_struct,          start_brk)       \
    X(mm_struct,          brk)             \
    X(mm_struct,          start_stack)     \
    X(mm_struct,          exe_file)        \
    X(maple_tree,         ma_flags)        \
    X(maple_tree,         ma_root)         \
    X(maple_range_64,     pivot)           \
    X(maple_range_64,     slot)            \
    X(maple_arange_64,    pivot)           \
    X(maple_arange_64,    slot)            \
    X(vm_area_struct,     vm_start)        \
    X(vm_area_struct,     vm_end)          \
    X(vm_area_struct,     vm_mm)           \
    X(vm_area_struct,     vm_flags)        \
    X(vm_area_struct,     vm_pgoff)        \
    X(vm_area_struct,     vm_file)         \
    X(vm_area_struct,     vm_ops)          \
    X(vm_area_struct,     vm_private_data) \
    X(vm_special_mapping, name)            \
    X(file,               f_path)          \
    X(path,               mnt)             \
    X(path,               dentry)          \
    X(dentry,             d_parent)        \
    X(dentry,             d_name)          \
    X(dentry,             d_inode)         \
    X(qstr,               len)             \
    X(qstr,               name)            \
    X(inode,              i_ino)           \
    X(mount,              mnt)             \
    X(mount,              mnt_parent)      \
    X(mount,              mnt_mountpoint)  \
    X(vfsmount,           mnt_root)        \
    X(list_head,          next)            \
    X(module,             list)            \
    X(module,             name)            \
    X(module,             mem)             \
    X(module,             sect_attrs)      \
    X(module_memory,      base)            \
    X(module_memory,      size)            \
    X(module_sect_attrs,  nsections)       \
    X(module_sect_attrs,  attrs)           \
    X(module_sect_attr,   battr)           \
    X(module_sect_attr,   address)         \
    X(bin_attribute,      attr)            \
    X(attribute,          name)

#define SN_LAYOUT_OBJECT_SYMBOLS(X) \
    X(slab_caches)                  \
    X(mem_section)                  \
    X(__node_data)                  \
    X(__per_cpu_offset)             \
    X(__per_cpu_start)              \
    X(__per_cpu_end)                \
    X(pcpu_unit_size)

#define SN_LAYOUT_OBJECT_SIZES(X) \
    X(page)                       \
    X(mem_section)                \
    X(pglist_data)

#define SN_LAYOUT_OBJECT_MEMBERS(X)     \
    X(page,        compound_head)       \
    X(page,        mapping)             \
    X(page,        page_type)           \
    X(slab,        slab_cache)          \
    X(mem_section, section_mem_map)     \
    X(kmem_cache,  name)                \
    X(kmem_cache,  size)                \
    X(kmem_cache,  oo)                  \
    X(kmem_cache,  list)

/*
 * Where the scheduler changes the state of a thread.  No compiler puts these into their callers: assembly language has or
 * calls resume, plat_irq_dispatch and ret_from_irq, and a table of each scheduling class has its enqueue_task_*.
 * try_to_wake_up is large and has several callers.
 */
#define SN_LAYOUT_SWITCH_SYMBOLS(X) \
    X(resume)                       \
    X(try_to_wake_up)               \
    X(enqueue_task_fair)            \
    X(enqueue_task_rt)              \
    X(enqueue_task_dl)              \
    X(enqueue_task_stop)            \
    X(plat_irq_dispatch)            \
    X(ret_from_irq)

#define SN_LAYOUT_SWITCH_MEMBERS(X)    \
    X(pt_regs,      cp0_cause)         \
    X(pt_regs,      cp0_badvaddr)      \
    X(task_struct,  __state)           \
    X(task_struct,  on_rq)             \
    X(task_struct,  se)                \
    X(task_struct,  clear_child_tid)   \
    X(task_struct,  files)             \
    X(sched_entity, sched_delayed)     \
    X(files_struct, fdt)               \
    X(fdtable,      max_fds)           \
    X(fdtable,      fd)                \
    X(file,         f_inode)           \
    X(inode,        i_mode)
/* clang-format on */

#endif
