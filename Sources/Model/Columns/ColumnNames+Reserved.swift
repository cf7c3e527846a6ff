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
