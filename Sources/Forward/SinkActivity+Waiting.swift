package import API
package import Model

extension SinkActivity {
    /// Of a sink that cannot run, since the store could not open it.
    package init(waiting options: SinkOptions) {
        self.init(
            name: options.name, url: Endpoint.display(options.url), state: options.isEnabled ? .paused : .disabled)
    }
}
