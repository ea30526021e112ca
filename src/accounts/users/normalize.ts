import { domainToASCII } from 'node:url'

const MAX_EMAIL_LENGTH = 254
const MAX_LOCAL_PART_LENGTH = 64

/** The address with its domain in lower-case ASCII; undefined if it is no e-mail address. */
export function normalizeEmail(text: string): string | undefined {
  const given = text.trim().normalize('NFC')
  const at = given.lastIndexOf('@')
  if (at < 1 || at > MAX_LOCAL_PART_LENGTH || given.length > MAX_EMAIL_LENGTH * 2) return undefined
  const email = `${given.slice(0, at)}@${domainToASCII(given.slice(at + 1)).toLowerCase()}`
  const form =
    /^[^\s@"(),:;<>[\\\]\p{Cc}]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u
  return form.test(email) && email.length <= MAX_EMAIL_LENGTH ? email : undefined
}

/** The unique key of an address: case is ignored, so that one mailbox has one account. */
export function emailKey(email: string): string {
  return (normalizeEmail(email) ?? email.trim()).normalize('NFC').toLowerCase()
}

/**
 * The mailbox that mail to an address ends up in, as far as addresses tell: without a +tag, at Gmail without dots. Only
 * for limits: two people can have the same one.
 */
export function mailboxKey(email: string): string {
  const key = emailKey(email)
  const at = key.lastIndexOf('@')
  const [local, domain] = [key.slice(0, at), key.slice(at + 1)]
  const name = local.replace(/(?<=.)\+.*$/, '')
  return /^(gmail|googlemail)\.com$/.test(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}

/** Keyboards differ in which Unicode composition they produce for the same characters. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC')
}

/** The part before the @. */
export function defaultUserName(email: string): string {
  return email.slice(0, email.lastIndexOf('@')).slice(0, 120)
}
