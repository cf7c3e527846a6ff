// The two parts of libsystemd that are used: notifying the service manager of the daemon's state, and, by the tests
// alone, reading journals to compare with.
#pragma once
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
