import { domainToASCII } from 'node:url'

const LONGEST = 254
const LONGEST_LOCAL = 64

/** An address as mail goes there: the domain in lower case and ASCII. Undefined where it is no address. */
export function normalizeEmail(text: string): string | undefined {
  const given = text.trim().normalize('NFC')
  const at = given.lastIndexOf('@')
  if (at < 1 || at > LONGEST_LOCAL || given.length > LONGEST * 2) return undefined
  const email = `${given.slice(0, at)}@${domainToASCII(given.slice(at + 1)).toLowerCase()}`
  const form =
    /^[^\s@"(),:;<>[\\\]\p{Cc}]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u
  return form.test(email) && email.length <= LONGEST ? email : undefined
}

/** What addresses are compared by: nobody gets a second account by writing the same address in capitals. */
export function emailKey(email: string): string {
  return (normalizeEmail(email) ?? email.trim()).normalize('NFC').toLowerCase()
}

/** The same letters can be written in several ways, and keyboards differ in which. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC')
}

/** What somebody is called who has not said: what stands before the @. */
export function defaultUserName(email: string): string {
  return email.slice(0, email.lastIndexOf('@')).slice(0, 120)
}
