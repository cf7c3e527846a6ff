/// Entries in the journal export format.
struct JournalEntryText {
    private(set) var bytes: [UInt8] = []

    /// Starts again.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func append(_ number: Int, of workload: any Workload) {
        let event = EntryNumbers.event(number)
        append(Self.head(number, workload.host(of: number)))
        append(event.map(workload.fields) ?? Self.serviceFields(number))
        append("\n\n")
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }

    private static func head(_ number: Int, _ host: JournalHost) -> String {
        let time = EntryNumbers.time(of: number)
        return """
            __REALTIME_TIMESTAMP=\(time)
            __MONOTONIC_TIMESTAMP=\(10_000_000 + number * EntryNumbers.step)
            _BOOT_ID=\(host.bootID)
            _MACHINE_ID=\(host.machineID)
            _HOSTNAME=\(host.name)
            _TRANSPORT=journal
            _GID=1000
            _CAP_EFFECTIVE=0
            _SELINUX_CONTEXT=unconfined
            _SYSTEMD_SLICE=system.slice
            _SOURCE_REALTIME_TIMESTAMP=\(time - 20)

            """
    }

    /// What services and the kernel usually say.
    private static func serviceFields(_ number: Int) -> String {
        let service = number / 2 % 5
        return """
            PRIORITY=\(number % 3 + 4)
            SYSLOG_IDENTIFIER=service\(service)
            _UID=1000
            _SYSTEMD_UNIT=service\(service).service
            _SYSTEMD_CGROUP=/system.slice/service\(service).service
            _COMM=service\(service)
            _EXE=/usr/bin/service\(service)
            _CMDLINE=/usr/bin/service\(service) --foreground --config /etc/service\(service).conf
            _PID=\(2000 + service)
            SYSLOG_FACILITY=3
            MESSAGE=request \(number) from 192.0.2.\(number % 250) took \(number % 911) ms, 200 OK, 5312 bytes
            """
    }
}
