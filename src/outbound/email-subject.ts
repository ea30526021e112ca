import { oneLine, truncate } from '../lib/text.ts'

declare const cleaned: unique symbol

/** The subject of an e-mail. Only the functions below make one, so that every name in it is cleaned. */
export type EmailSubject = string & { readonly [cleaned]: true }

/** Long enough to recognize a name, too short for a message. */
const MAX_NAME_LENGTH = 60

/** Characters that mail clients and browsers treat as the dot of a domain. */
const DOTS = '.\\u2024\\u3002\\ufe52\\uff0e\\uff61'
/** Signs that are not shown and can stand between the dot and the next label. */
const UNSEEN = '[\\p{Cf}\\p{M}\\u3164\\uffa0]*'

/** `https://`, with `\` and full-width characters as some clients accept them. */
const schemes = /[\p{L}\p{N}+.-]*[:\uff1a]\s?[/\\\uff0f]{2,}/gu
/** `mailto:`, `tel:` */
const colons = /(?<=[\p{L}+.-])[:\uff1a](?=[^\s])/gu
const domainDots = new RegExp(`(?<=[^\\s${DOTS}])[${DOTS}](?=${UNSEEN}\\p{L})`, 'gu')
const ipAddresses = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g

/**
 * A name that a user chose, for an e-mail to somebody who did not ask for it: one line of at most 60 characters that no mail client turns
 * into a link. `https://shop.example.com/cart` becomes `shop·example·com/cart`.
 */
export function cleanName(name: string): string {
  const text = oneLine(name)
    .replace(schemes, ' ')
    .replace(colons, ': ')
    .replace(domainDots, '·')
    .replace(ipAddresses, (address) => address.replaceAll('.', '·'))
  return truncate(oneLine(withoutEncodedWords(text)), MAX_NAME_LENGTH) || '(no name)'
}

/**
 * The subject of an e-mail whose recipient confirmed that they want it. Names are shown as they are: `api.example.com is down`. Only
 * e-mails to people who did not ask for them need clean names.
 */
export function requestedSubject(text: string): EmailSubject {
  return withoutEncodedWords(oneLine(text)) as EmailSubject
}

/** An RFC 2047 encoded word would be decoded by the receiver into anything. */
function withoutEncodedWords(text: string): string {
  return text.replaceAll('=?', '= ?')
}

/** Tags the template of a subject: subject`Invitation to ${organization}`. Every value is cleaned as a name. */
export function subject(template: TemplateStringsArray, ...names: readonly string[]): EmailSubject {
  return String.raw({ raw: template }, ...names.map(cleanName)) as EmailSubject
}

/** The same for a translated text, which has the names in other places. */
export function subjectWith(compose: (clean: (name: string) => string) => string): EmailSubject {
  return compose(cleanName) as EmailSubject
}
