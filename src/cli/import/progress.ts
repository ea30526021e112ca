import { SECOND_MS } from '../../lib/clock.ts'
import { durationText } from '../../lib/duration.ts'

const WIDTH = 20
/** Between two updates of the line. */
const PAUSE_MS = 200

export interface ProgressLine extends Disposable {
  show(done: number, total: number): void
}

/** A bar on standard error, if it is a terminal: "Reading ━━━━━━━━────── 41% 4,100,000 records, 512,000/s, 11 s left". */
export function progressLine(verb: string, noun: string): ProgressLine {
  const { stderr } = process
  const startedAt = performance.now()
  let shownAt = 0
  return {
    show(done, total) {
      const now = performance.now()
      if (!stderr.isTTY || (now - shownAt < PAUSE_MS && done < total)) return
      shownAt = now
      stderr.write(`\r\x1b[K${verb} ${describe(done, total, now - startedAt)} ${noun}`)
    },
    [Symbol.dispose]() {
      if (shownAt > 0) stderr.write('\r\x1b[K')
    },
  }
}

/** The bar, the share, and how fast it goes. */
function describe(done: number, total: number, elapsedMs: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * WIDTH)
  const perSecond = done / Math.max(0.001, elapsedMs / SECOND_MS)
  const leftMs = perSecond === 0 ? 0 : ((total - done) / perSecond) * SECOND_MS
  const left = leftMs >= SECOND_MS ? `, ${durationText(leftMs)} left` : ''
  const counts = `${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`
  const rate = `${Math.round(perSecond).toLocaleString('en-US')}/s`
  return `${'━'.repeat(filled)}${'─'.repeat(WIDTH - filled)} ${Math.floor(share * 100)}% ${counts} (${rate}${left})`
}
