import { domainToASCII } from 'node:url'

const LONGEST = 254
const LONGEST_LOCAL = 64

/** A dot-atom (RFC 5322). What a table would take for a formula is no way for an address to begin. */
const local = /^(?![=+-])[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * An address as it is written to and compared: the domain in lower case and ASCII, the part before the @ as it was
 * given, for only its own mail server knows whether case matters there. Undefined where it is no address.
 */
export function parseAddress(text: string): string | undefined {
  const given = text.trim()
  const at = given.lastIndexOf('@')
  const name = given.slice(at + 1)
  // A path behind the name would be left out without a word.
  if (at < 1 || given.length > LONGEST * 2 || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(name)) return undefined
  const [user, host] = [given.slice(0, at), domainToASCII(name).toLowerCase()]
  const address = `${user}@${host}`
  const isSound = user.length <= LONGEST_LOCAL && local.test(user) && domain.test(host) && address.length <= LONGEST
  return isSound ? address : undefined
}
