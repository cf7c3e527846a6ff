import Foundation

/// A journal of realistic entries, made once and kept under `.build`: half of them JSON events of about 250 bytes, the
/// others what services and the kernel usually say.
struct GeneratedJournal {
    let folder: URL
    let entries: Int

    /// - Parameter areSideBySide: whether each file goes over the whole time, as those of many hosts do, instead of going on
    ///   where the one before ends.
    init(entries: Int, files: Int = 4, areSideBySide: Bool = false, under parent: URL) throws {
        self.entries = entries
        folder = parent.appending(path: files == 4 ? "journal-\(entries)" : "journal-\(entries)-\(files)")
        let finished = folder.appending(path: "finished")
        guard !FileManager.default.fileExists(atPath: finished.path) else { return }
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        print("Generating \(files) journal files ...")
        for file in 0..<files {
            let numbers =
                areSideBySide
                ? stride(from: file, to: entries, by: files)
                : stride(from: entries * file / files, to: entries * (file + 1) / files, by: 1)
            // What follows has been written since the others were archived.
            let isArchived = !areSideBySide && file < files - 1
            let name = isArchived ? "bench@\(file)" : "bench-\(file)"
            try Self.write(numbers, to: folder.appending(path: "\(name).journal"))
        }
        try Data().write(to: finished)
    }

    /// The events among `entries`.
    var events: Int { entries / 2 }

    private static func write(_ numbers: StrideTo<Int>, to file: URL) throws {
        let remote = Process()
        remote.executableURL = URL(filePath: "/lib/systemd/systemd-journal-remote")
        remote.arguments = ["--output=\(file.path)", "-"]
        let input = Pipe()
        remote.standardInput = input
        remote.standardError = FileHandle.nullDevice
        try remote.run()
        var text: [UInt8] = []
        for number in numbers {
            append(number, to: &text)
            if text.count > 1 << 20 {
                try input.fileHandleForWriting.write(contentsOf: text)
                text.removeAll(keepingCapacity: true)
            }
        }
        try input.fileHandleForWriting.write(contentsOf: text)
        try input.fileHandleForWriting.close()
        remote.waitUntilExit()
        guard remote.terminationStatus == 0 else {
            throw BenchError("systemd-journal-remote ended with status \(remote.terminationStatus)")
        }
    }

    private static func append(_ number: Int, to text: inout [UInt8]) {
        let time = 1_790_000_000_000_000 + number * 1500
        text +=
            """
            __REALTIME_TIMESTAMP=\(time)
            __MONOTONIC_TIMESTAMP=\(10_000_000 + number * 1500)
            _BOOT_ID=4d5f7b2c1a9e4c0d8f3b6a7e5d2c1b0a
            _MACHINE_ID=0b1c2d3e4f5061728394a5b6c7d8e9f0
            _HOSTNAME=bench
            _TRANSPORT=journal
            _UID=1000
            _GID=1000
            _CAP_EFFECTIVE=0
            _SELINUX_CONTEXT=unconfined
            _SYSTEMD_SLICE=system.slice
            _SOURCE_REALTIME_TIMESTAMP=\(time - 20)

            """.utf8
        if number % 2 == 0 {
            text += event(number).utf8
        } else {
            let service = number / 2 % 5
            text +=
                """
                PRIORITY=\(number % 3 + 4)
                SYSLOG_IDENTIFIER=service\(service)
                _SYSTEMD_UNIT=service\(service).service
                _SYSTEMD_CGROUP=/system.slice/service\(service).service
                _COMM=service\(service)
                _EXE=/usr/bin/service\(service)
                _CMDLINE=/usr/bin/service\(service) --foreground --config /etc/service\(service).conf
                _PID=\(2000 + service)
                SYSLOG_FACILITY=3
                MESSAGE=request \(number) from 192.0.2.\(number % 250) took \(number % 911) ms, 200 OK, 5312 bytes


                """.utf8
        }
    }

    private static func event(_ number: Int) -> String {
        """
        PRIORITY=5
        SUBSYSTEM=com.example.shop
        CATEGORY=ActivityLog
        SYSLOG_IDENTIFIER=shop
        _SYSTEMD_UNIT=shop.service
        _SYSTEMD_CGROUP=/system.slice/shop.service
        _COMM=shop
        _EXE=/usr/bin/shop
        _CMDLINE=/usr/bin/shop --serve
        _PID=1812
        CODE_FILE=ActivityLog.swift
        MESSAGE=\(payload(number))


        """
    }

    /// About 250 bytes, of which one in a hundred breaks its definition and one in a thousand has none.
    static func payload(_ number: Int) -> String {
        let user = 1_000_000_000 + number % 5000
        let session = "0b6ab3c0-6f8e-4c5e-9d57-\(String(100_000_000_000 + number % 977))"
        let name = number % 1000 == 998 ? "tap_share_button" : "tap_save_button"
        let recipe = number % 100 == 50 ? "\"\(number)\"" : "\(9_007_199_254_740_993 + number)"
        return """
            {"event_category":"recipe_detail","event_name":"\(name)","user_id":\(user),"session_id":"\(session)",\
            "platform":"ios","recipe_id":\(recipe),"folder":"夕食のおかず \(number % 40)","position":\(number % 30)}
            """
    }
}

struct BenchError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
