// What the Glibc module does not show of the C library.
#pragma once
#include <sys/eventfd.h>
