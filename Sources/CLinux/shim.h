// What the Glibc module does not show of the C library.
#pragma once
#include <malloc.h>
#include <stddef.h>
#include <sys/eventfd.h>
// Only with _GNU_SOURCE in <string.h>, which other modules may have read without it.
void *memmem(const void *haystack, size_t haystacklen, const void *needle, size_t needlelen);
#include <spawn.h>
int pipe2(int pipe[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
