package events

import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import kotlin.reflect.KClass

const val VARIANTS = 5

/** Values for the parameters of events. Variant 0 has nothing that is optional; in `isLong`, no text fits. */
class Sample(private val variant: Int, private val isLong: Boolean) {
    private var count = 0

    fun <T : Any> some(type: KClass<T>, maximumBytes: Int = 40, isAny: Boolean = false): T =
        type.javaObjectType.cast(if (isAny) json() else value(type.javaObjectType, maximumBytes))

    fun <T : Any> optional(some: () -> T): T? = if (variant == 0) null else some()

    fun <T : Any> secondIsNull(some: () -> T): T? = if (count++ % 2 == 1) null else some()

    /** As many as there may be; without a limit, the number of the variant. */
    fun <T> list(maximum: Int?, some: () -> T): List<T> {
        count = 0
        return List(if (variant == 0) 0 else maximum ?: variant) { some() }
    }

    private fun json(): Any {
        val objects = listOf(mapOf<String, Any>(), mapOf("" to null, "\"\\" to listOf(null)))
        return (objects + listOf(1.5, listOf(mapOf("a" to 1)), "x"))[variant]
    }

    private fun value(type: Class<*>, maximumBytes: Int): Any? = when (type) {
        Short::class.javaObjectType -> shortArrayOf(0, Short.MIN_VALUE, Short.MAX_VALUE, 1, 42)[variant]
        Int::class.javaObjectType -> listOf(0, Int.MIN_VALUE, Int.MAX_VALUE, 1, 42)[variant]
        Long::class.javaObjectType -> listOf(0L, Long.MIN_VALUE, Long.MAX_VALUE, 1L, 42L)[variant]
        Float::class.javaObjectType -> listOf(0f, Float.MAX_VALUE, -Float.MAX_VALUE, Float.MIN_VALUE, 1e20f)[variant]
        Double::class.javaObjectType ->
            listOf(0.0, Double.MAX_VALUE, -Double.MAX_VALUE, Double.MIN_VALUE, 1e20)[variant]
        Boolean::class.javaObjectType -> variant % 2 == 0
        String::class.java -> text(maximumBytes)
        LocalDate::class.java -> day()
        LocalDateTime::class.java -> day().atTime(23, variant, 59, 999_999_000)
        Instant::class.java ->
            listOf(Instant.EPOCH, Instant.parse("0001-01-01T00:00:00Z"), Instant.ofEpochSecond(1, 1000))[variant % 3]
        Any::class.java -> listOf(Long.MIN_VALUE, "\"\\", listOf(1, listOf<Any>(), false, "x"), 2.5, true)[variant]
        else -> type.enumConstants[variant % type.enumConstants.size]
    }

    private fun day() = LocalDate.of(listOf(2026, 1, 9999, 2000, 1970)[variant], 2, 28)

    private fun text(maximumBytes: Int): String = when {
        isLong -> "é".repeat(maximumBytes / 2) + "e".repeat(maximumBytes % 2 + 1)
        variant == 0 -> ""
        variant == 1 -> "é".repeat(maximumBytes / 2) + "e".repeat(maximumBytes % 2)
        variant == 2 -> "\u0000".repeat(maximumBytes)
        else -> "\"\\\n\r\t\u001F\u007F/\$x".take(maximumBytes)
    }
}

fun main(arguments: Array<String>) {
    val isLong = arguments.contains("long")
    for (variant in 0 until (if (isLong) 1 else VARIANTS)) {
        each(Sample(variant, isLong)) { event, common ->
            println(
                try {
                    event.encode(common)
                } catch (error: IllegalArgumentException) {
                    error.message
                })
        }
    }
}
