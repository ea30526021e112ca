import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { emit } from '../../../src/events/emit.ts'
import { claimDue, letGo, renewClaims } from '../../../src/notifications/webhooks/claim.ts'
import type { Attempt } from '../../../src/notifications/webhooks/deliver.ts'
import { recordAll } from '../../../src/notifications/webhooks/record.ts'
import { ask, type Work } from '../../../src/storage/query.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startReceiver } from './receiver.ts'
import { newStage, type Stage } from './stage.ts'

const NO_REST = { until: 0, evenByHand: false }
const NEVER = 'http://127.0.0.1:9/'

/** An endpoint that the node `me` has claimed, with nothing waiting for it. */
async function claimed(stage: Stage) {
  const { id } = await stage.endpoint(NEVER, { due_at: 0 })
  const [claim] = await stage.database.write(() => claimDue('me', Date.now(), 10))
  assert.ok(claim)
  assert.equal(claim.endpointId, id)
  return { id, claim }
}

/** Waits until a transaction has done its part and holds what it holds. */
async function isPausing(stage: Stage): Promise<void> {
  const pausing = sql`select 1 from pg_stat_activity where datname = current_database() and state = 'active'
    and query like 'select pg_sleep%'`
  await eventually(async () => assert.equal((await stage.database.read(ask(pausing))).length, 1), 3_000)
}

const happening = (stage: Stage, now: number) => emit({ orgId: stage.orgId, type: 'monitor.created', data: '{}', now })

forEachEngine('letting go of an endpoint', (engine) => {
  test('it rests until its earliest delivery is due, or for ever if there is none', async () => {
    await using stage = await newStage(engine)
    const { id, claim } = await claimed(stage)
    const now = Date.now()
    await stage.database.write(() => happening(stage, now + 5_000))
    await stage.database.write(() => happening(stage, now + 9_000))
    assert.equal((await stage.endpointRow(id)).claimed_by, 'me', 'an event does not touch a claim')
    assert.equal(await stage.database.write(() => letGo('me', claim, now, NO_REST)), 'rests')
    assert.partialDeepStrictEqual(await stage.endpointRow(id), { claimed_by: null, due_at: now + 5_000 })
    assert.equal(await stage.database.write(() => letGo('me', claim, now, NO_REST)), 'lost')
  })

  test('it stays claimed while something is due, and is left alone no shorter than it should be', async () => {
    await using stage = await newStage(engine)
    const { id, claim } = await claimed(stage)
    const now = Date.now()
    await stage.database.write(() => happening(stage, now))
    assert.equal(await stage.database.write(() => letGo('me', claim, now, NO_REST)), 'more')
    const rest = { until: now + 7_000, evenByHand: false }
    assert.equal(await stage.database.write(() => letGo('me', claim, now, rest)), 'rests')
    assert.partialDeepStrictEqual(await stage.endpointRow(id), { claimed_by: null, due_at: now + 7_000 })
  })

  test('events that come at that very moment are not forgotten', async () => {
    await using stage = await newStage(engine)
    const second = await stage.open()
    await using receiver = await startReceiver()
    await stage.endpoint(receiver.url)
    const one = await stage.send()
    const two = await stage.send({}, second)
    let sent = 0
    const EVENTS = 300
    const sources = [stage.database, second].map(async (on, i) => {
      for (let n = 0; n < EVENTS / 2; n += 1) {
        await stage.happen(1, Date.now(), on)
        sent += 1
        // About as long as a delivery takes to be written, so that many meet the end of a claim.
        await delay(Math.random() * 40)
        if (i === n % 2) one.sender.nudge()
        else two.sender.nudge()
      }
    })
    await Promise.all(sources)
    assert.equal(sent, EVENTS)
    // Nothing comes after them that could wake what was forgotten.
    await receiver.count(EVENTS, 5_000)
    await stage.settled()
    assert.equal(new Set(receiver.letters.map((letter) => letter.id)).size, EVENTS)
    await two.stop()
    await second.close()
  })
})

forEachEngine('a claim that was lost', (engine) => {
  test('is not renewed, and is told apart from those that were kept', async () => {
    await using stage = await newStage(engine)
    const { id, claim } = await claimed(stage)
    const other = await claimed(stage)
    await stage.change(id, { claimed_by: 'somebody else', due_at: 5 })
    const renewed = await stage.database.write(() => renewClaims('me', Date.now(), [claim, other.claim]))
    assert.deepEqual([renewed.get(claim), renewed.get(other.claim)], [false, true])
    assert.partialDeepStrictEqual(await stage.endpointRow(id), { claimed_by: 'somebody else', due_at: 5 })
    assert.ok(((await stage.endpointRow(other.id)).due_at ?? 0) > Date.now() + 30_000)
  })

  test('an attempt that somebody else has recorded meanwhile is not recorded twice', async () => {
    await using stage = await newStage(engine)
    const { claim } = await claimed(stage)
    const at = Date.now()
    await stage.database.write(() => happening(stage, at))
    const [delivery] = await stage.deliveries()
    assert.ok(delivery)
    const parcel = {
      ...{ deliveryId: delivery.id, seq: delivery.seq, eventId: delivery.event_id, body: '{}' },
      ...{ attemptCount: 0, manual: false, createdAt: at, dueAt: at },
    }
    const attempt: Attempt = {
      ...{ startedAt: at, durationMs: 3, succeeded: true, responseStatus: 200, responseBody: 'ok', error: null },
      ...({ contact: 'answered', gone: false, retryAfterMs: null } as const),
    }
    const step = { do: 'done' } as const
    const record = (attemptId: string) =>
      stage.database.write(() =>
        recordAll(
          [{ claim, url: NEVER, parcel, attempt, attemptId, step, at }],
          () => ask(sql`select 1`) as Work<never>,
        ),
      )
    assert.equal(await record('att_1'), 1)
    assert.equal(await record('att_2'), 0)
    assert.deepEqual(
      (await stage.attempts()).map(({ id, number }) => [id, number]),
      [['att_1', 1]],
    )
    assert.partialDeepStrictEqual(await stage.deliveries(), [{ attempt_count: 1, status: 'SUCCEEDED' }])
  })
})

test('under READ COMMITTED, whoever adds a delivery and whoever lets go wait for each other', {
  skip: withoutPostgres,
}, async () => {
  await using stage = await newStage('postgres')
  const { id, claim } = await claimed(stage)
  const pause = (): Work<unknown> => ask(sql`select pg_sleep(0.7)`)
  const now = Date.now()

  const adding = stage.database.write(function* () {
    yield* happening(stage, now)
    yield* pause()
  })
  await isPausing(stage)
  const lettingGo = stage.database.write(() => letGo('me', claim, now, NO_REST))
  assert.equal(await Promise.race([lettingGo, delay(100, 'waits')]), 'waits')
  await adding
  assert.equal(await lettingGo, 'more', 'it sees what was added while it waited')

  await stage.database.write(() => ask(sql`delete from webhook_deliveries`))
  const resting = stage.database.write(function* () {
    const outcome = yield* letGo('me', claim, now, NO_REST)
    yield* pause()
    return outcome
  })
  await isPausing(stage)
  const added = stage.database.write(() => happening(stage, now + 1))
  assert.equal(await Promise.race([added.then(() => 'did not wait'), delay(100, 'waits')]), 'waits')
  assert.equal(await resting, 'rests')
  await added
  assert.partialDeepStrictEqual(await stage.endpointRow(id), { claimed_by: null, due_at: now + 1 })
})
