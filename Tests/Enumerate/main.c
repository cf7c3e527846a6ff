// Reads every field of every entry of a journal folder by libsystemd, as fast as that goes: what the bench compares with.
#include <stdio.h>
#include <systemd/sd-journal.h>

int main(int argc, char **argv) {
    sd_journal *journal;
    const void *field;
    size_t size;
    unsigned long entries = 0, bytes = 0;

    if (argc != 2 || sd_journal_open_directory(&journal, argv[1], 0) < 0) return 1;
    while (sd_journal_next(journal) > 0) {
        entries++;
        SD_JOURNAL_FOREACH_DATA(journal, field, size) bytes += size;
    }
    sd_journal_close(journal);
    printf("%lu entries, %lu bytes\n", entries, bytes);
    return 0;
}
