// What the Glibc module does not show of the C library.
#pragma once
#include <malloc.h>
#include <sys/eventfd.h>
