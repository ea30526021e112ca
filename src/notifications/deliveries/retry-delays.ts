import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'

/**
 * The delays after each failed attempt. A message is given up when the attempt after the last delay fails. The delays of webhooks
 * are configured (PHAROS_WEBHOOK_SCHEDULE).
 */
export const retryDelaysMs = {
  alert: [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS],
  /** Somebody is waiting for it. Greylisting servers need several minutes. */
  accountMail: [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS],
  confirmation: [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  notice: [MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS],
} as const satisfies Readonly<Record<string, readonly number[]>>
