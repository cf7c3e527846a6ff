/// Gives the parameters of an event names of columns that SQL accepts without quotes, in SQLite and PostgreSQL.
/// Redshift accepts them, too, except for the words that it alone reserves.
///
/// The same paths in the same order always get the same names:
/// - Names within each other are joined by `_`: `device.os` is the column `device_os`.
/// - ASCII letters, ASCII digits and `_` stay, and so do all other letters, marks and digits. Any other character becomes
///   `_`. Nothing is normalised, see decision 11.
/// - A name that begins with an ASCII digit, or with `gloss_`, gets a `_` before it. `gloss_` is left to columns that a
///   table has besides: names such as `id`, `time` and `level` are free for parameters.
/// - One of `reservedWords` gets a `_` behind it.
/// - A name has at most 63 bytes. What is longer is cut at a character.
/// - The second of several that are equal without regard to the case of ASCII letters ends with `_2`, the third with `_3`.
///
/// - Source: https://sqlite.org/draft/tokenreq.html;
///   https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS, which also has the limit of
///   63 bytes; https://docs.aws.amazon.com/redshift/latest/dg/r_names.html
package struct ColumnNames: Sendable {
    package static let maximumBytes = 63

    /// The names that are taken, in lower case.
    private var taken: Set<ExactString> = []
    /// How many have had a name before they were made different.
    private var counts: [ExactString: Int] = [:]

    package init() {}

    /// Returns the name of the next column.
    /// - Parameter path: the parameter's name, or the path of a member: `device.os`.
    package mutating func name(for path: String) -> String {
        let plain = Self.plainName(for: path)
        var name = plain
        var number = counts[plain.lowerASCII] ?? 0
        repeat {
            number += 1
            guard number > 1 else { continue }
            let end = "_\(number)"
            name = plain.cut(toBytes: Self.maximumBytes - end.utf8.count) + end
        } while !taken.insert(name.lowerASCII)
        counts[plain.lowerASCII] = number
        return name
    }

    /// The name that the path has if no other column has it.
    private static func plainName(for path: String) -> String {
        var name = ""
        for scalar in path.unicodeScalars { name.unicodeScalars.append(scalar.staysInColumn ? scalar : "_") }
        if name.isEmpty || name.utf8.first?.isDigit == true || name.lowerASCII.hasPrefix("gloss_") { name = "_" + name }
        if reservedWords.contains(name.lowerASCII) { name += "_" }
        return name.cut(toBytes: maximumBytes)
    }
}

extension Unicode.Scalar {
    fileprivate var staysInColumn: Bool {
        guard !isASCII else { return self == "_" || UInt8(ascii: self).isDigit || UInt8(ascii: self).isLetter }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber:
            true
        default: false
        }
    }
}

extension String {
    /// The text with the ASCII letters in lower case. Databases leave other letters as they are.
    fileprivate var lowerASCII: String {
        String(decoding: utf8.map(\.lowercased), as: UTF8.self)
    }
}

extension ColumnNames {
    /// The words that cannot be the name of a column without quotes, in lower case:
    /// - what PostgreSQL reserves, also for functions and types, and its system columns,
    /// - what SQLite refuses besides. It accepts most of its keywords as names (`action`, `key`, `view`).
    ///
    /// The list stays as it is, so that no column gets another name.
    ///
    /// - Source: https://www.postgresql.org/docs/17/sql-keywords-appendix.html,
    ///   https://www.postgresql.org/docs/17/ddl-system-columns.html, https://sqlite.org/lang_keywords.html
    package static let reservedWords = Set(exact: words.split(whereSeparator: \.isWhitespace).map(String.init))

    private static let words = """
        all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation
        column concurrently constraint create cross current_catalog current_date current_role current_schema current_time
        current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze
        from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like
        limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary
        references returning right select session_user similar some symmetric system_user table tablesample then to
        trailing true union unique user using variadic verbose when where window with

        cmax cmin ctid tableoid xmax xmin

        add alter autoincrement between commit delete drop escape exists index insert nothing raise set transaction update
        values
        """
}
