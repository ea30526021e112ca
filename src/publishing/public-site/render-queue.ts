import { setImmediate } from 'node:timers/promises'
import { Semaphore } from '../../lib/semaphore.ts'

/** Pages that are read and rendered at the same time; on PostgreSQL most of that time is waiting. */
const MAX_RUNNING = 4

const running = new Semaphore(MAX_RUNNING, Number.POSITIVE_INFINITY)
const ofOrganizations = new Semaphore(1, Number.POSITIVE_INFINITY)
const turns = new Semaphore(1, Number.POSITIVE_INFINITY)

/**
 * Runs a task that reads and renders a page when no other one of its organization runs. At most one task of an organization
 * waits for a place, so organizations take turns however many pages each has.
 */
export function queueRendering<T>(orgId: string, task: () => Promise<T>): Promise<T> {
  return ofOrganizations.run(() => running.run(task), undefined, orgId)
}

/** Waits for a turn of the event loop in which no other page is read or rendered: each takes up to 50 ms of it. */
export function ownTurn(): Promise<void> {
  return turns.run(() => setImmediate())
}
