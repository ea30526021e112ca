import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../support/server.ts'
import { type Need, unmetNeed } from './needs.ts'
import { lineOf, type Measure, type RowResult, report } from './report.ts'
import { Site } from './site.ts'

/** What a row of the table has measured so far. */
export class Row {
  readonly measures: Measure[] = []

  atMost(what: string, value: number, limit: number, unit = ''): void {
    this.#add(what, `${shown(value)}${unit}`, limit === 0 ? `0${unit}` : `≤ ${limit}${unit}`, value <= limit)
  }

  atLeast(what: string, value: number, limit: number, unit = ''): void {
    this.#add(what, `${shown(value)}${unit}`, `≥ ${limit}${unit}`, value >= limit)
  }

  /** That there is none of these. `explain` describes the first one if there is. */
  none<T>(what: string, found: readonly T[], explain: (first: T) => string): void {
    const reason = found[0] === undefined ? '' : ` (${explain(found[0])})`
    this.#add(what, `${found.length}${reason}`, '0', found.length === 0)
  }

  /** Seconds, from milliseconds. `explain` says what happened if the limit is exceeded. */
  withinSeconds(what: string, ms: number, limitSeconds: number, explain = (): string => ''): void {
    const seconds = Number.isFinite(ms) ? Math.round(ms / 10) / 100 : ms
    const isWithin = seconds <= limitSeconds
    const reason = isWithin ? '' : explain()
    const measured = `${shown(seconds)} s${reason === '' ? '' : ` (${reason})`}`
    this.#add(what, measured, `≤ ${limitSeconds} s`, isWithin)
  }

  /** `found` is what was seen instead, if it does not hold. */
  holds(what: string, isSo: boolean, found = ''): void {
    this.#add(what, isSo ? 'yes' : `no${found === '' ? '' : `: ${found.slice(0, 300)}`}`, 'yes', isSo)
  }

  /** All targets answer all the time, so each outage that Pharos has reported is false. */
  async noIncidents(client: Client, what = 'false incidents'): Promise<void> {
    const { status, body } = await client.get('/incidents?limit=1')
    if (status !== 200) throw new Error(`GET /incidents answered ${status}: ${JSON.stringify(body)}`)
    this.atMost(what, body.pagination.total, 0)
  }

  #add(what: string, measured: string, required: string, holds: boolean): void {
    this.measures.push({ what, measured, required, holds })
  }
}

function shown(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en') : Number.isFinite(value) ? value.toFixed(1) : 'never'
}

/** Longer than any row takes; all of them together have six minutes. */
const ROW_LIMIT_MS = 240_000

/** For the processes of a row to end. */
const CLEAN_UP_MS = 60_000

async function tooLate(limitMs: number, signal: AbortSignal): Promise<never> {
  await delay(limitMs, undefined, { signal })
  throw new Error(`The row did not end within ${limitMs / 1_000} s.`)
}

/** One row of the table of faults: a test that measures, reports all of it, and fails if anything is not as required. */
export function faultRow(
  fault: string,
  { needs = [], limitMs = ROW_LIMIT_MS }: { readonly needs?: readonly Need[]; readonly limitMs?: number },
  body: (row: Row, site: Site) => Promise<void>,
): void {
  const reason = unmetNeed(needs)
  if (reason !== undefined) report({ fault, result: 'skipped', measures: [], reason })
  test(fault, { skip: reason ?? false, timeout: limitMs + CLEAN_UP_MS }, async (t) => {
    const row = new Row()
    const ended = new AbortController()
    let failure: unknown
    try {
      await using site = new Site()
      await Promise.race([body(row, site), tooLate(limitMs, ended.signal)])
    } catch (error) {
      failure = error
    } finally {
      ended.abort()
    }
    const isPass = failure === undefined && row.measures.every(({ holds }) => holds)
    const result: RowResult = {
      fault,
      result: isPass ? 'pass' : 'fail',
      measures: row.measures,
      ...(failure !== undefined && { reason: failure instanceof Error ? failure.message : String(failure) }),
    }
    report(result)
    t.diagnostic(lineOf(result))
    if (failure !== undefined) throw failure
    const unmet = row.measures.filter(({ holds }) => !holds)
    assert.deepEqual(
      unmet.map(({ what, measured }) => `${what}: ${measured}`),
      [],
    )
  })
}
