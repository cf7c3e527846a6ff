/// The version of Gloss in `--version`, status and the `User-Agent` header.
package let glossVersion = "0.1.0"
