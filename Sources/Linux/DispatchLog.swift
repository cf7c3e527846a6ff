internal import Glibc

/// Keeps libdispatch from writing to the system's log. It gives its threads priorities, which only root may do, and logged each
/// refusal under the program's name. Call it before anything else.
package func silenceDispatch() { setenv("LIBDISPATCH_LOG", "NO", 0) }
