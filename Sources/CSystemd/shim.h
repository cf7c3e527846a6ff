// The two parts of libsystemd that Gloss uses: reading the journal, and telling the service manager how things are.
// eventfd(2) stands here because the Glibc module does not show it.
#pragma once
#include <sys/eventfd.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
