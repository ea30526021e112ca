import { randomBytes } from 'node:crypto'

export const RECOVERY_CODE_COUNT = 10
const LENGTH = 12
/** Five bits each; no letter looks like another. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'

/** A code of 60 random bits, as it is written down. */
export function newRecoveryCode(): string {
  const text = Array.from(randomBytes(LENGTH), (byte) => letters[byte & 31]).join('')
  return text.replace(/(.{4})(?=.)/g, '$1-')
}

/** However it is typed: capitals, blanks and what looks like a digit make no difference. */
export function normalizeRecoveryCode(typed: string): string {
  return typed
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
}
