/// The version of Gloss, as `--version`, status and the `User-Agent` header show it.
package let glossVersion = "0.1.0"
