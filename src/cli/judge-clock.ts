import type { Finding } from './judge-settings.ts'

const TOLERATED_MS = 2_000

/**
 * Judges the clock of this machine. Nodes use the clock of the database for everything that they compare, so a wrong clock
 * matters for logs and for the validity of certificates only.
 */
export function judgeClock(localMs: number, databaseMs: number): Finding {
  const skewMs = localMs - databaseMs
  const check = 'clock'
  if (Math.abs(skewMs) <= TOLERATED_MS) return { check, state: 'ok', message: 'agrees with the clock of the database' }
  const seconds = Math.round(Math.abs(skewMs) / 1000)
  const message = `the clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database; synchronize both with NTP`
  return { check, state: 'warning', message }
}
