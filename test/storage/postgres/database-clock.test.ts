import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, silentLog } from '../../../src/lib/log.ts'
import { DATABASE_NOW, DatabaseClock } from '../../../src/storage/postgres/database-clock.ts'
import { withoutPostgres } from '../../support/engines.ts'
import { connectTo } from '../../support/postgres.ts'
import { emptyTestDatabase } from '../test-database.ts'

const RTT_MS = 2

/** A clock after one reading of a remote clock that is this much ahead of the monotonic one. */
function clockAhead(byMs: number, log = silentLog): { clock: DatabaseClock; read(aheadMs: number): void } {
  const clock = new DatabaseClock(log)
  const read = (aheadMs: number): void => {
    const receivedAt = performance.now()
    clock.add({ remoteMs: receivedAt - RTT_MS / 2 + aheadMs, sentAt: receivedAt - RTT_MS, receivedAt })
  }
  read(byMs)
  return { clock, read }
}

test('the time never goes back by less than a second: it waits', () => {
  const { clock, read } = clockAhead(1_000_000)
  const before = clock.now()
  read(1_000_000 - 500)
  assert.ok(clock.now() >= before)
  assert.ok(clock.now() - before < 400)
})

test('a larger step is followed, and logged', () => {
  const lines: string[] = []
  const { clock, read } = clockAhead(1_000_000, createLog('warn', { write: (line) => void lines.push(line) }))
  const before = clock.now()
  read(1_000_000 - 60_000)
  assert.ok(before - clock.now() > 59_000)
  read(1_000_000 + 60_000)
  assert.ok(clock.now() - before > 59_000)
  assert.deepEqual(
    lines.map((line) => /went (back|forward) by (\S+) s/.exec(line)?.slice(1)),
    [
      ['back', '60'],
      ['forward', '120'],
    ],
  )
})

test('PostgreSQL: the clock of the machine does not matter', { skip: withoutPostgres }, async (t) => {
  await using fixture = await emptyTestDatabase('postgres')
  await using client = await connectTo(fixture.url)
  for (const skewMs of [-300_000, 300_000]) {
    const { now } = Date
    const skewed = t.mock.method(Date, 'now', () => now.call(Date) + skewMs)
    const { clock } = await fixture.open()
    const before = clock.now()
    const { rows } = await client.query(`select ${DATABASE_NOW} as now`)
    const after = clock.now()
    skewed.mock.restore()
    // The reading lies between the two within the exactness of the offset.
    assert.ok(rows[0].now > before - 1_000 && rows[0].now < after + 1_000, `${before} ${rows[0].now} ${after}`)
  }
})
