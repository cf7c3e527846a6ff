// What the Glibc module does not show of the C library. No header with types that are used as those of Glibc, such as <spawn.h> with
// timespec: which module they belong to would depend on which one the compiler reads first.
#pragma once
#include <malloc.h>
#include <stddef.h>
#include <sys/eventfd.h>
// Only with _GNU_SOURCE in <string.h>, <unistd.h>, <sys/mman.h> and <spawn.h>, which other modules have read without it.
void *memmem(const void *haystack, size_t haystacklen, const void *needle, size_t needlelen);
int pipe2(int pipe[2], int flags);
int memfd_create(const char *name, unsigned int flags);
// actions is a posix_spawn_file_actions_t *.
int posix_spawn_file_actions_addclosefrom_np(void *actions, int first);
