/// What one client may cost. These are no settings: nobody has a reason to change them, but tests do.
struct ControlLimits: Sendable {
    /// How long a connection may be without a request, or a request's head may take. Hummingbird closes it then.
    var idleTime = Duration.seconds(10)
    /// How long a request's body may take in all, however steadily it trickles.
    var bodyTime = Duration.seconds(10)
    /// How long a client may leave a full buffer unread before it is cut off.
    var writeTime = Duration.seconds(30)
    /// How long a tail gathers events that it leaves out as late before it says how many they are.
    var lateTime = Duration.seconds(1)
    /// How often a verification says how far it is, at most.
    var progressTime = Duration.seconds(1)
    /// How long requests may go on after the daemon was asked to stop.
    var shutdownTime = Duration.seconds(2)
    /// One more connection closes the one that has been idle longest.
    var maximumConnections = 256
    /// How many events are read from the store, at most, before they are written.
    var pageEvents = 100
    /// How many bytes a payload may have, at most, or all of them where events are kept. With its lines, each connection may
    /// hold three such pages: one that is written, one on its way, and one that is read meanwhile.
    var pageBytes = 24 << 10
    /// How many events, and bytes of lines, pages have for clients that take them at once, as long as half of `largeBytes`
    /// is free for others.
    var quickPageEvents = 1000
    var quickPageBytes = 1 << 20
    /// How many events are put in the order of time at once, 16 bytes each.
    var windowEvents = 1 << 16
    /// How many bytes all streams together may hold of what is larger than an ordinary page.
    var largeBytes = 16 << 20
    /// How many bytes of lines are read, and gathered, before they are written.
    var chunkBytes = 32 << 10
}
