package import API
package import Model
package import Store

extension SinkActivity {
    /// Of a sink that cannot run, since the store could not open it.
    package init(waiting options: SinkOptions, because error: StoreError) {
        self.init(
            name: options.name, url: Endpoint.display(options.url), state: options.isEnabled ? .retrying : .disabled,
            lastError: "the store failed: \(error.description)")
    }
}
