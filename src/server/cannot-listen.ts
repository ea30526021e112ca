/** The port or address is not available. The message names the setting. */
export class CannotListen extends Error {
  override name = 'CannotListen'
}
