import { domainToASCII } from 'node:url'

const MAX_LENGTH = 254
const MAX_LOCAL_LENGTH = 64

/** A dot-atom (RFC 5322) that does not start like a spreadsheet formula, because addresses are exported as CSV. */
const local = /^(?![=+-])[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Normalizes an e-mail address: the domain in lower case and ASCII. The local part stays as given, because only its
 * mail server knows whether case matters. Undefined if it is not a valid address.
 */
export function parseAddress(text: string): string | undefined {
  const given = text.trim()
  const at = given.lastIndexOf('@')
  const name = given.slice(at + 1)
  // domainToASCII would silently drop a path after the domain.
  if (at < 1 || given.length > MAX_LENGTH * 2 || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(name)) return undefined
  const [user, host] = [given.slice(0, at), domainToASCII(name).toLowerCase()]
  const address = `${user}@${host}`
  const isValid =
    user.length <= MAX_LOCAL_LENGTH && local.test(user) && domain.test(host) && address.length <= MAX_LENGTH
  return isValid ? address : undefined
}
