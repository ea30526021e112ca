/** A port or an address that cannot be had; the sentence names the setting. */
export class CannotListen extends Error {
  override name = 'CannotListen'
}
