import assert from 'node:assert/strict'
import { readMemory } from '../../../src/monitoring/monitor-states/memory.ts'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { allResults } from './stored-history.ts'

/** Reads the database while servers make checks, and asserts what must hold. */
export class ConsistencyChecks {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The monitors that a process had under way: those that are due, on PostgreSQL of those that are assigned to it. */
  async underWayIn(pid: number): Promise<readonly number[]> {
    const rows = await this.#database.read(
      execute(q.selectFrom('monitor_states').select(['num', 'claimed_by']).where('next_check_at', '<=', Date.now())),
    )
    if (this.#database.engine === 'sqlite') return rows.map(({ num }) => num)
    return rows.filter((row) => new RegExp(`-${pid}-[0-9a-f]+$`).test(row.claimed_by ?? '')).map(({ num }) => num)
  }

  async expectCheckedSince(orphans: readonly number[], since: number): Promise<void> {
    const rows = await this.#database.read(
      execute(
        q
          .selectFrom('monitor_states')
          .select(['num', 'claimed_by', 'last_checked_at'])
          .where((is) => is.or([is('last_checked_at', 'is', null), is('last_checked_at', '<', since)])),
      ),
    )
    const waiting = new Set(rows.map(({ num }) => num))
    const left = orphans.filter((num) => waiting.has(num))
    assert.equal(left.length, 0, `${left.length} of ${orphans.length} are still unchecked`)
  }

  /** Every monitor was checked within two intervals, is due within an interval and at most half an interval late. */
  async expectNoneLate(intervalMs: number): Promise<void> {
    const rows = await this.#database.read(
      execute(q.selectFrom('monitor_states').select(['num', 'next_check_at', 'last_checked_at'])),
    )
    const now = Date.now()
    for (const { num, next_check_at: due, last_checked_at: checkedAt } of rows) {
      assert.ok(due !== null, `${num} is due at some time`)
      assert.ok(checkedAt !== null && now - checkedAt <= 2 * intervalMs, `${num} was checked in time`)
      assert.ok(due <= now + intervalMs, `${num} is due in ${due - now} ms`)
      assert.ok(due >= now - intervalMs / 2, `${num} is ${now - due} ms late`)
    }
  }

  async expectOneIncidentEach(): Promise<void> {
    const open = await this.#database.read(
      execute(q.selectFrom('incidents').select(['num', 'id']).where('resolved_at', 'is', null)),
    )
    assert.equal(new Set(open.map(({ num }) => num)).size, open.length, 'no monitor has two open incidents')
  }

  /** Call when no server writes any more. */
  async expectRollupsEqualResults(monitors: number): Promise<void> {
    const counted = await this.#rolledUp()
    const raw = await this.#raw()
    assert.equal(counted.size, monitors)
    let checks = 0
    for (const [num, totals] of counted) {
      assert.deepEqual(totals, raw.get(num) ?? { checks: 0, failures: 0 }, `monitor ${num}`)
      checks += totals.checks
    }
    assert.ok(checks >= monitors, 'every monitor was checked')
    await this.expectStatesMatch()
  }

  /** The state row names the open incident, and the state is one that can have it. */
  async expectStatesMatch(): Promise<void> {
    const states = await this.#database.read(
      execute(q.selectFrom('monitor_states').select(['num', 'state', 'open_incident'])),
    )
    const open = await this.#database.read(
      execute(q.selectFrom('incidents').select(['num', 'id']).where('resolved_at', 'is', null)),
    )
    const byNum = new Map(open.map(({ num, id }) => [num, id]))
    for (const { num, state, open_incident } of states) {
      assert.equal(open_incident, byNum.get(num) ?? null)
      if (state === 'DOWN') assert.notEqual(open_incident, null, `${num} is ${state}`)
      if (state === 'UP' || state === 'DEGRADED') assert.equal(open_incident, null, `${num} is ${state}`)
    }
  }

  async #rolledUp() {
    const states = await this.#database.read(execute(q.selectFrom('monitor_states').select(['num', 'memory'])))
    const hours = await this.#database.read(execute(q.selectFrom('rollup_hours').select(['num', 'checks', 'failures'])))
    const counted = new Map<number, { checks: number; failures: number }>()
    for (const { num, memory } of states) {
      const { checks, failures } = readMemory(memory, 0).ledger.totals
      counted.set(num, { checks, failures })
    }
    for (const { num, checks, failures } of hours) {
      const sum = counted.get(num)
      assert.ok(sum !== undefined, 'no roll-up without a monitor')
      counted.set(num, { checks: sum.checks + checks, failures: sum.failures + failures })
    }
    return counted
  }

  async #raw() {
    const raw = new Map<number, { checks: number; failures: number }>()
    for (const { num, state } of await allResults(this.#database)) {
      if (state === 'INCONCLUSIVE') continue
      const { checks, failures } = raw.get(num) ?? { checks: 0, failures: 0 }
      raw.set(num, { checks: checks + 1, failures: failures + (state === 'DOWN' ? 1 : 0) })
    }
    return raw
  }
}
