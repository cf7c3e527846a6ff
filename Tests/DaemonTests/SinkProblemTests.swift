import API
import Testing

@testable import Daemon

struct SinkProblemTests {
    private func sink(_ state: SinkStatus.State, retryingFor time: Duration? = nil) -> SinkActivity {
        SinkActivity(
            name: "upstream", url: "https://logs.example.com/", state: state, lastError: "connection refused",
            retryingFor: time)
    }

    @Test func `a sink that is retrying is a problem from five minutes on`() throws {
        #expect(sink(.retrying, retryingFor: .seconds(299)).statusProblem == nil)
        let problem = try #require(sink(.retrying, retryingFor: .seconds(300)).statusProblem)
        #expect(problem.what == "Sink upstream has been retrying for 5 minutes: connection refused")
        #expect(problem.hint?.contains("Its events are kept") == true)
        #expect(
            sink(.retrying, retryingFor: .seconds(7 * 86_400)).statusProblem?.what
                == "Sink upstream has been retrying for 168 hours: connection refused")
    }

    @Test func `a sink that waits for the store does not blame the upstream`() throws {
        #expect(sink(.paused, retryingFor: .seconds(299)).statusProblem == nil)
        let problem = try #require(sink(.paused, retryingFor: .seconds(300)).statusProblem)
        #expect(problem.what == "Sink upstream has been waiting for the store for 5 minutes")
    }

    @Test func `a held sink is a problem at once, and one that works or is switched off is none`() {
        #expect(sink(.held).statusProblem?.what == "Sink upstream is held: connection refused")
        #expect(sink(.ok).statusProblem == nil)
        #expect(sink(.disabled).statusProblem == nil)
    }
}
