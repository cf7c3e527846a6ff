import Foundation
import Model

/// Definition files of a large team: each event with five parameters and a description of a line or two.
struct GeneratedDictionary {
    let folder: URL
    let files: Int
    let eventsPerFile: Int

    /// Writes the files; the caller removes the folder.
    init(files: Int, eventsPerFile: Int, under parent: URL) throws {
        folder = parent.appending(path: "definitions-\(files)-\(eventsPerFile)")
        self.files = files
        self.eventsPerFile = eventsPerFile
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try
            "# common\n\n- user_id: !bigint?\n    - The signed-in user\n- session_id: !string 36\n- platform: Platform\n"
            .write(to: folder.appending(path: "common.md"), atomically: true, encoding: .utf8)
        let types = folder.appending(path: "types")
        try FileManager.default.createDirectory(at: types, withIntermediateDirectories: true)
        try Self.types.write(to: types.appending(path: "all.md"), atomically: true, encoding: .utf8)
        for file in 0..<files { try write(file) }
    }

    private static let types = """
        ## Device
        - model: !string 64
        - os: !string
            - values: ios, android
        - screen: Screen

        ## Screen
        - width: !integer
        - height: !integer

        ## Items
        - [Item] 50

        ## Item
        - item_id: !bigint
        - price: !double
        - name: !string? 64

        """

    /// Writes one file again, with a description that it did not have, or with another type of a parameter.
    func write(_ file: Int, remark: String = "", positionType: String = "smallint") throws {
        var text = "# category_\(file)\n\nOne of the screens. \(remark)\n"
        for event in 0..<eventsPerFile {
            text += """

                ## tap_button_\(event)
                The user tapped button \(event) of screen \(file). 画面のボタンが押された。

                - recipe_id: !bigint
                    - Which recipe was on the screen
                - keyword: !string? 256
                    - 検索語
                - position: !\(positionType)
                    - Of the button on the screen, from 1
                - elapsed: !double?
                - [obsolete] page: !integer
                - device: Device?
                - items: Items?

                """
        }
        try text.write(to: folder.appending(path: "category_\(file).md"), atomically: true, encoding: .utf8)
    }

    /// A payload that keeps to one of the definitions and has objects and an array.
    func nestedPayload(_ number: Int) -> [UInt8] {
        let nested = """
            ,"device":{"model":"Pixel 9","os":"android","screen":{"width":1080,"height":2424}},\
            "items":[{"item_id":\(number),"price":9.5,"name":"玉ねぎ"},{"item_id":7,"price":120}]}
            """
        return payload(number).dropLast() + Array(nested.utf8)
    }

    /// The layout of `envelopedPayload`.
    static let envelope = PayloadLayout(
        category: .member(MemberPath("context.category")), name: .member(MemberPath("event")),
        parametersAt: MemberPath("properties"))

    /// The same as `nestedPayload`, in an envelope.
    func envelopedPayload(_ number: Int) -> [UInt8] {
        let (category, event) = (number / eventsPerFile % files, number % eventsPerFile)
        return Array(
            """
            {"event":"tap_button_\(event)","context":{"category":"category_\(category)"},"user_id":1234567890,\
            "session_id":"0b6ab3c0-6f8e-4c5e-9d57-100000000000","platform":"ios","properties":{"recipe_id":\(number),\
            "keyword":"夕食のおかず","position":3,"elapsed":1.25,\
            "device":{"model":"Pixel 9","os":"android","screen":{"width":1080,"height":2424}},\
            "items":[{"item_id":\(number),"price":9.5,"name":"玉ねぎ"},{"item_id":7,"price":120}]}}
            """.utf8)
    }

    /// The same as `payload`, in a line of text.
    func textPayload(_ number: Int) -> [UInt8] {
        Array("2026-11-21 10:00:00,123 INFO shop.screens[77] tapped ".utf8) + payload(number)
    }

    /// The same as `payload`, as pairs.
    func pairsPayload(_ number: Int) -> [UInt8] {
        let (category, event) = (number / eventsPerFile % files, number % eventsPerFile)
        return Array(
            """
            event_category=category_\(category) event_name=tap_button_\(event) user_id=1234567890 \
            session_id=0b6ab3c0-6f8e-4c5e-9d57-100000000000 platform=ios recipe_id=\(number) \
            keyword="夕食のおかず" position=3 elapsed=1.25
            """.utf8)
    }

    /// A payload that keeps to one of the definitions.
    func payload(_ number: Int) -> [UInt8] {
        let (category, event) = (number / eventsPerFile % files, number % eventsPerFile)
        return Array(
            """
            {"event_category":"category_\(category)","event_name":"tap_button_\(event)","user_id":1234567890,\
            "session_id":"0b6ab3c0-6f8e-4c5e-9d57-100000000000","platform":"ios","recipe_id":\(number),\
            "keyword":"夕食のおかず","position":3,"elapsed":1.25}
            """.utf8)
    }
}
