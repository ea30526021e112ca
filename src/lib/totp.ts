import { createHmac, timingSafeEqual } from 'node:crypto'
import { SECOND_MS } from './clock.ts'

/** RFC 6238 with the parameters that all authenticator apps support: SHA-1, 30 seconds, six digits. */
export const TOTP_SECRET_BYTES = 20
const STEP_MS = 30 * SECOND_MS
const DIGITS = 6
/** Accepted steps before and after the current one, for clock drift and typing. */
const DRIFT_STEPS = 1

export function totpStep(now: number): number {
  return Math.floor(now / STEP_MS)
}

export function totpCode(secret: Uint8Array, step: number): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(message).digest()
  const offset = (digest.at(-1) as number) & 0xf
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff
  return `${number % 10 ** DIGITS}`.padStart(DIGITS, '0')
}

/**
 * The time step of a valid code, or undefined. Only steps after `lastStep` are valid, so that no code is used twice. Takes
 * the same time for every code.
 */
export function findTotpStep(code: string, secret: Uint8Array, now: number, lastStep: number): number | undefined {
  const given = Buffer.alloc(DIGITS)
  given.write(code, 'latin1')
  const current = totpStep(now)
  let found: number | undefined
  for (let step = current - DRIFT_STEPS; step <= current + DRIFT_STEPS; step += 1) {
    const isSame = timingSafeEqual(given, Buffer.from(totpCode(secret, step)))
    if (isSame && step > lastStep) found = step
  }
  return code.length === DIGITS ? found : undefined
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The encoding in which apps accept a secret. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >>> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31]
}

/** The content of the QR code that an app scans. */
export function totpUri(secret: Uint8Array, issuer: string, account: string): string {
  const parts = {
    secret: base32(secret),
    issuer,
    algorithm: 'SHA1',
    digits: `${DIGITS}`,
    period: `${STEP_MS / SECOND_MS}`,
  }
  const query = Object.entries(parts).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?${query.join('&')}`
}
