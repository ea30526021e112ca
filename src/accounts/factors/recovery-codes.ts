import { randomBytes } from 'node:crypto'

export const RECOVERY_CODE_COUNT = 10
const LENGTH = 12
/** 32 characters (5 bits each) without look-alikes. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 60 random bits, in groups of four characters. */
export function newRecoveryCode(): string {
  const text = Array.from(randomBytes(LENGTH), (byte) => alphabet[byte & 31]).join('')
  return text.replace(/(.{4})(?=.)/g, '$1-')
}

/** Ignores case, spaces and dashes, and reads o as 0 and i or l as 1. */
export function normalizeRecoveryCode(typed: string): string {
  return typed
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
}
