/// A day of the Gregorian calendar.
/// - Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": eras of 400 years that begin on 1 March,
///   so that the leap day is the last of its year.
package struct CivilDate: Hashable {
    package var year: Int
    package var month: Int
    package var day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    private static let daysPerEra = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let daysBefore1970 = 719_468

    /// Negative before 1970.
    package var daysSince1970: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        // Rounds down, since January and February of the year 0 are before the first era.
        let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfEra = yearFromMarch - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.daysBefore1970
    }

    /// Whether the calendar has this day.
    package var exists: Bool {
        (1...12).contains(month) && (1...daysInMonth).contains(day)
    }

    private var daysInMonth: Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CivilDate {
    /// - Parameter daysSince1970: of a day from 0000-03-01 on.
    package init(daysSince1970: Int) {
        let days = daysSince1970 + Self.daysBefore1970
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: Self.daysPerEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}
