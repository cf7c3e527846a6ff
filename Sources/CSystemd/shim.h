// The two parts of libsystemd that are used: telling the service manager how things are, and, by the tests alone, reading
// journals to compare with.
#pragma once
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
