import { setTimeout } from 'node:timers/promises'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { List, Listing } from './platforms.ts'

/** Several changes at once, such as "docker compose up", are listed together. */
const DEBOUNCE_MS = SECOND_MS
/** Lists again without an event: events can be lost, and grace periods end. */
const RELIST_MS = 5 * MINUTE_MS
const MAX_BACKOFF_MS = MINUTE_MS

/**
 * Lists and saves after every change until the signal ends it. After a fault nothing is saved, and it is tried again with growing
 * pauses. `report` gets the fault, or undefined after a success.
 */
export async function follow(
  list: List,
  save: (listing: Listing) => Promise<void>,
  report: (fault: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0
  let isWatchFaulty = false
  while (!signal.aborted) {
    let isChanged = false
    let isSaved = false
    try {
      const listing = await list(signal)
      await save(listing)
      isSaved = true
      if (!isWatchFaulty) report(undefined)
      isChanged = await changedOrDue(listing, signal)
      isWatchFaulty = false
    } catch (error) {
      if (signal.aborted) return
      report(error)
      isWatchFaulty = isSaved
    }
    // A stream that ends at once must not become a busy loop.
    failures = isChanged ? 0 : failures + 1
    const pauseMs = isChanged ? DEBOUNCE_MS : Math.min(SECOND_MS * 2 ** failures, MAX_BACKOFF_MS)
    await setTimeout(pauseMs, undefined, { signal }).catch(() => {})
  }
}

async function changedOrDue(listing: Listing, signal: AbortSignal): Promise<boolean> {
  const due = new AbortController()
  const timer = globalThis.setTimeout(() => due.abort(), RELIST_MS)
  try {
    return await listing.changed(AbortSignal.any([signal, due.signal]))
  } catch (error) {
    if (due.signal.aborted) return true
    throw error
  } finally {
    clearTimeout(timer)
  }
}
