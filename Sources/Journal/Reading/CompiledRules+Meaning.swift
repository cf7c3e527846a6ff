import Model

/// The meaning of fields for the rules, and the rules' decision from all of them.
extension CompiledRules {
    /// The length at which subsystems, host names and similar texts are cut off.
    private static let maximumNameBytes = 1024

    /// - Parameters:
    ///   - value: the field's value, without its name; at most as much of it as an event may have.
    ///   - room: the most bytes that may be kept of names that a client can repeat at will.
    func meaning(of field: Int, _ value: UnsafeRawBufferPointer, room: Int) -> (FieldMeaning, FieldContent?) {
        var meaning = FieldMeaning(payload: fields[field].payload)
        let fits = fields[field].groups.filter { group in groups[group].globs.contains { $0.matches(value) } }
        var content = FieldContent(field: field, fits: fits)
        var (isName, length) = (fields[field].isOfKey, room > 0 ? Self.maximumNameBytes : 0)
        switch fields[field].role {
        case .none: break
        case .sender(let sender):
            isName = true
            if !sender.isUntrusted { length = Self.maximumNameBytes }
        case .priority: meaning.level = Self.level(value)
        case .pid: meaning.pid = Int32(decimal: value)
        case .lineBreak:
            // The other values, nul and eof, are ends of lines.
            meaning.isSplit =
                value.elementsEqual("line-max".utf8) || value.elementsEqual("pid-change".utf8)
        case .containerPart: meaning.isSplit = value.elementsEqual("true".utf8)
        case .stream: meaning.isStream = true
        case .messageID: meaning.loss = LossMessage(messageID: value)
        }
        if isName {
            meaning.isDecisive = true
            content.name = Array(value.prefix(length))
            content.isNameCut = content.name.count < value.count
        }
        if !fits.isEmpty { meaning.isDecisive = true }
        return (meaning, meaning.isDecisive ? content : nil)
    }

    private static func level(_ value: UnsafeRawBufferPointer) -> Level {
        guard value.count == 1, value[0] >= UInt8(ascii: "0") else { return .default }
        return Level(rawValue: value[0] - UInt8(ascii: "0")) ?? .default
    }

    /// - Parameter fields: the decisive fields, in the order of the entry.
    func decide(_ fields: [FieldContent], bootID: ID128, seqnumID: ID128) -> Decision {
        var fits = [Bool](repeating: false, count: groups.count)
        for field in fields {
            for group in field.fits { fits[group] = true }
        }
        let hasSubsystem = fields.contains { $0.field == SenderField.subsystem.place }
        let hasCategory = fields.contains { $0.field == SenderField.category.place }
        let first = rules.firstIndex { rule in
            if rule.needsSubsystem && !hasSubsystem { return false }
            return rule.groups.allSatisfy { fits[$0] || (!hasCategory && groups[$0].fitsAbsence) }
        }
        guard let first, !rules[first].source.excludes else { return Decision() }
        let rule = rules[first]
        var isCut = false
        /// Of several values, returns the first that the rule requires, otherwise the first.
        func value(_ sender: SenderField) -> String? {
            let field = sender.place
            let group = self.fields[field].groups.first(where: rule.groups.contains)
            let wanted = group.flatMap { group in
                fields.firstIndex { $0.field == field && $0.fits.contains(group) }
            }
            guard let value = wanted ?? fields.firstIndex(where: { $0.field == field }) else { return nil }
            if fields[value].isNameCut { isCut = true }
            return String(decoding: fields[value].name, as: UTF8.self)
        }
        let named = rule.source.name.map { [SenderField.subsystem: $0.subsystem, .category: $0.category] } ?? [:]
        var keyFields: [ExactString: String] = [:]
        for (field, name) in zip(rule.keyFields, rule.source.keyFields) {
            guard let value = fields.first(where: { $0.field == field }) else { continue }
            if value.isNameCut { isCut = true }
            // One that there was no room for is as good as none.
            guard !value.name.isEmpty || !value.isNameCut else { continue }
            keyFields[name] = String(decoding: value.name, as: UTF8.self)
        }
        let origin = Origin(
            SenderValues { named[$0] ?? value($0) }, bootID: bootID, seqnumID: seqnumID, source: rule.source.text,
            keyFields: keyFields.isEmpty ? .none : KeyFields(keyFields))
        return Decision(rule: first, origin: origin, flaws: isCut ? .senderCut : [], hasSubsystem: hasSubsystem)
    }
}

extension CompiledRules.Field {
    /// Whether its value must be read to know its meaning. A payload is read only after a rule has taken the entry.
    var isReadForMeaning: Bool { role != .none || isOfKey || !groups.isEmpty }
}

extension FixedWidthInteger {
    /// - Returns: `nil` unless the whole `text` is one decimal number.
    init?(decimal text: some Collection<UInt8>) {
        guard !text.isEmpty else { return nil }
        var number = Self.zero
        for digit in text {
            guard digit.isDigit else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = product.addingReportingOverflow(Self(digit - UInt8(ascii: "0")))
            if isTooLarge || isStillTooLarge { return nil }
            number = sum
        }
        self = number
    }
}
