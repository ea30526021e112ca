import { MINUTE_MS } from './clock.ts'

/** The minute of the latest moment told, as it is written: most moments fall into the same one. */
let minute = Number.NaN
let minuteText = ''

/** A moment as the API tells it, in UTC with milliseconds; several times as fast as Date's own way. */
export function momentText(ms: number): string {
  const its = Math.floor(ms / MINUTE_MS)
  if (its !== minute) {
    minuteText = new Date(ms).toISOString().slice(0, 17)
    minute = its
  }
  const rest = ms - its * MINUTE_MS
  return `${minuteText}${two(Math.floor(rest / 1000))}.${three(rest % 1000)}Z`
}

function two(n: number): string {
  return n < 10 ? `0${n}` : `${n}`
}

function three(n: number): string {
  return n < 10 ? `00${n}` : n < 100 ? `0${n}` : `${n}`
}
