import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sealSecret } from '../../../src/notifications/webhooks/secret.ts'
import type { Posted } from '../../../src/outbound/post.ts'
import { ask, q } from '../../../src/storage/query.ts'
import { deafPort } from '../../outbound/fixtures.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { startReceiver, verified } from './receiver.ts'
import { newStage, type Stage, sealer } from './stage.ts'

const DAY_MS = 86_400_000

/** Waits until every delivery is in one of these states, and gives them. */
async function inState(stage: Stage, ...states: readonly string[]) {
  return eventually(async () => {
    const list = await stage.deliveries()
    assert.ok(list.length > 0 && list.every(({ status }) => states.includes(status)), JSON.stringify(list.slice(0, 3)))
    return list
  })
}

forEachEngine('sending webhooks', (engine) => {
  test('an event arrives signed, byte for byte as it is stored, and its delivery has succeeded', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver()
    const { id, secret } = await stage.endpoint(receiver.url)
    await using _ = await stage.send()
    const before = Date.now()
    await stage.happen()
    const [letter] = await receiver.count(1)
    assert.ok(letter)
    const [event] = await stage.database.read(ask(q.selectFrom('events').selectAll()))
    assert.equal(letter.body.toString(), event?.body)
    assert.equal(letter.id, event?.id)
    assert.equal(letter.headers['content-type'], 'application/json')
    assert.match(String(letter.headers['user-agent']), /^Pharos\/\d/)
    assert.ok(Math.abs(Number(letter.headers['webhook-timestamp']) * 1000 - before) < 5_000)
    assert.equal(verified(letter, secret).type, 'monitor.created')
    const [delivery] = await inState(stage, 'SUCCEEDED')
    assert.partialDeepStrictEqual(delivery, { attempt_count: 1, next_attempt_at: null, last_response_status: 200 })
    const [attempt, ...more] = await stage.attempts()
    assert.partialDeepStrictEqual(attempt, {
      ...{ number: 1, trigger_kind: 'SCHEDULED', outcome: 'SUCCEEDED', error: null },
      ...{ response_status: 200, response_body: 'thanks' },
    })
    assert.match(attempt?.id ?? '', /^att_/)
    assert.deepEqual(more, [])
    await stage.settled()
    assert.partialDeepStrictEqual(await stage.endpointRow(id), { due_at: null, claimed_by: null, failing_since: null })
    assert.ok(((await stage.endpointRow(id)).last_delivery_at ?? 0) >= before)
  })

  test('after a rotation both secrets sign until the old one ends', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver()
    const { id, secret } = await stage.endpoint(receiver.url)
    const old = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const sealed = { previous_secret: sealSecret(sealer, stage.orgId, id, old) }
    await stage.change(id, { ...sealed, previous_secret_expires_at: Date.now() + 60_000 })
    await using _ = await stage.send()
    await stage.happen()
    const [both] = await receiver.count(1)
    assert.ok(both && verified(both, secret) && verified(both, old))
    await stage.change(id, { previous_secret_expires_at: Date.now() - 1 })
    await stage.happen()
    const [, one] = await receiver.count(2)
    assert.ok(one && verified(one, secret))
    assert.throws(() => verified(one, old))
  })
})

forEachEngine('webhooks that fail', (engine) => {
  test('a failure is tried again on the schedule with the same id and bytes, and given up at its end', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver((response) => response.writeHead(500).end('no\0pe'))
    const { id } = await stage.endpoint(receiver.url)
    await using _ = await stage.send({ schedule: [0, 0.2, 0.4] })
    await stage.happen()
    const letters = await receiver.count(3)
    const [delivery] = await inState(stage, 'FAILED')
    await delay(300)
    assert.equal(receiver.letters.length, 3)
    assert.equal(new Set(letters.map((letter) => `${letter.id} ${letter.body}`)).size, 1)
    assert.ok((letters[1]?.at ?? 0) - (letters[0]?.at ?? 0) >= 190)
    assert.ok((letters[2]?.at ?? 0) - (letters[1]?.at ?? 0) >= 390)
    assert.partialDeepStrictEqual(delivery, { attempt_count: 3, next_attempt_at: null, last_response_status: 500 })
    assert.ok(delivery?.completed_at)
    const attempts = await stage.attempts()
    assert.deepEqual(
      attempts.map(({ number, outcome, error, response_body: body }) => [number, outcome, error, body]),
      [1, 2, 3].map((number) => [number, 'FAILED', 'STATUS', 'nope']),
    )
    assert.ok((await stage.endpointRow(id)).failing_since)
  })

  test('what stopped an attempt is told: redirect, status, connection, time, forbidden address', async () => {
    await using stage = await newStage(engine)
    const locations: string[] = []
    await using elsewhere = await startReceiver()
    await using redirects = await startReceiver((response, letter) => {
      locations.push(letter.id)
      response.writeHead(308, { location: elsewhere.url }).end()
    })
    await using refuses = await startReceiver((response) => response.writeHead(404).end())
    await using hangs = await startReceiver(() => {})
    const urls = [redirects.url, refuses.url, `http://127.0.0.1:${await deafPort()}/`, hangs.url]
    const ids: string[] = []
    for (const url of urls) ids.push((await stage.endpoint(url)).id)
    await using _ = await stage.send({ schedule: [0], timeoutMs: 1_500 })
    await stage.happen()
    const list = await inState(stage, 'FAILED')
    const attempts = await stage.attempts()
    const errors = ids.map((id) => {
      const delivery = list.find((each) => each.endpoint_id === id)
      const attempt = attempts.find((each) => each.delivery_id === delivery?.id)
      return [attempt?.error, attempt?.response_status]
    })
    assert.deepEqual(errors, [
      ['REDIRECT', 308],
      ['STATUS', 404],
      ['CONNECT', null],
      ['TIMEOUT', null],
    ])
    assert.equal(elsewhere.letters.length, 0)
    assert.equal(locations.length, 1)
  })

  test('what the operator has closed since is not sent to, by address or by scheme', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver()
    await stage.endpoint(receiver.url)
    await stage.endpoint(receiver.url.replace('http:', 'https:'))
    await using _ = await stage.send({ schedule: [0], policy: 'deny' })
    await stage.happen()
    await inState(stage, 'FAILED')
    assert.deepEqual(
      (await stage.attempts()).map(({ error }) => error),
      ['BLOCKED_ADDRESS', 'BLOCKED_ADDRESS'],
    )
    assert.equal(receiver.letters.length, 0)
  })
})

forEachEngine('receivers that ask for something', (engine) => {
  test('Retry-After of 429 and 503 is honoured, and of no other answer', async () => {
    await using stage = await newStage(engine)
    const statuses = [429, 503, 500]
    const ids: string[] = []
    await using others: AsyncDisposableStack = new AsyncDisposableStack()
    for (const status of statuses) {
      const one = others.use(
        await startReceiver((response) => response.writeHead(status, { 'retry-after': '100' }).end()),
      )
      ids.push((await stage.endpoint(one.url)).id)
    }
    await using _ = await stage.send({ schedule: [0, 5, 300] })
    await stage.happen()
    const list = await eventually(async () => {
      const all = await stage.deliveries()
      assert.ok(all.every((each) => each.attempt_count === 1))
      return all
    })
    const waits = ids.map((id) => {
      const delivery = list.find((each) => each.endpoint_id === id)
      return Math.round(((delivery?.next_attempt_at ?? 0) - (delivery?.created_at ?? 0)) / 1000)
    })
    assert.ok((waits[0] ?? 0) >= 100 && (waits[0] ?? 0) < 105, `${waits}`)
    assert.ok((waits[1] ?? 0) >= 100 && (waits[1] ?? 0) < 105, `${waits}`)
    assert.ok((waits[2] ?? 0) < 10, `${waits}`)
  })

  test('a receiver that answers 410 is told nothing more: it is disabled, and what waits has failed', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver((response) => response.writeHead(410).end())
    const { id } = await stage.endpoint(receiver.url)
    await stage.happen(700)
    await using sending = await stage.send()
    const list = await inState(stage, 'FAILED')
    await stage.settled()
    assert.ok(receiver.letters.length <= 4, `${receiver.letters.length} letters`)
    assert.partialDeepStrictEqual(await stage.endpointRow(id), {
      ...{ enabled: 0, disabled_reason: 'GONE', due_at: null, claimed_by: null },
    })
    assert.ok(list.every((each) => each.completed_at !== null && each.next_attempt_at === null))
    assert.equal(list.filter((each) => each.attempt_count === 0).length, 700 - receiver.letters.length)
    assert.deepEqual(
      sending.disabled.map(({ endpointId, url, reason }) => [endpointId, url, reason]),
      [[id, receiver.url, 'GONE']],
    )
  })

  test('five days of nothing but failures disable an endpoint, and a success in between does not let it come to that', async () => {
    await using stage = await newStage(engine)
    const clock = new HandClock()
    await using receiver = await startReceiver((response) => response.writeHead(500).end())
    const { id } = await stage.endpoint(receiver.url)
    await using sending = await stage.send({ clock, schedule: [0] })
    const once = async (status: number): Promise<void> => {
      receiver.answer = (response) => response.writeHead(status).end()
      await stage.happen(1, clock.now())
      await inState(stage, 'FAILED', 'SUCCEEDED')
    }
    await once(500)
    clock.advance(4 * DAY_MS)
    await once(500)
    await once(200)
    assert.equal((await stage.endpointRow(id)).failing_since, null)
    clock.advance(2 * DAY_MS)
    await once(500)
    const since = clock.now()
    clock.advance(5 * DAY_MS - 1)
    await once(500)
    assert.partialDeepStrictEqual(await stage.endpointRow(id), { enabled: 1, failing_since: since })
    clock.advance(1)
    await once(500)
    assert.partialDeepStrictEqual(await stage.endpointRow(id), { enabled: 0, disabled_reason: 'FAILING' })
    assert.deepEqual(
      sending.disabled.map(({ reason }) => reason),
      ['FAILING'],
    )
  })
})

forEachEngine('the course of sending', (engine) => {
  test('an endpoint gets four requests at once, the oldest event first, and every one once', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver((response) => setTimeout(() => response.end(), 20))
    await stage.endpoint(receiver.url)
    await stage.happen(150)
    await using _ = await stage.send()
    const letters = await receiver.count(150)
    await inState(stage, 'SUCCEEDED')
    await stage.settled()
    assert.equal(receiver.letters.length, 150)
    assert.equal(receiver.mostAtOnce, 4)
    const order = letters.map((letter) => (JSON.parse(letter.body.toString()) as { data: { n: number } }).data.n)
    for (const [i, n] of order.entries()) assert.ok(Math.abs(n - i) <= 4, `the ${i}th letter was the ${n}th event`)
  })

  test('a fault of ours costs no attempt: it is tried again soon', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver()
    await stage.endpoint(receiver.url)
    const fault: Posted = { answered: false, code: 'CONNECT', error: 'out of sockets', ours: true, durationMs: 1 }
    let left = 3
    await using sending = await stage.send({
      schedule: [0],
      post: (real) => async (letter, signal) => (left-- > 0 ? fault : real(letter, signal)),
    })
    await stage.happen()
    const [delivery] = await inState(stage, 'SUCCEEDED')
    assert.equal(delivery?.attempt_count, 1)
    assert.equal(sending.faults(), 3)
    assert.equal(receiver.letters.length, 1)
  })

  test('attempts that the database does not take at once are written later', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver()
    await stage.endpoint(receiver.url)
    await stage.happen(20)
    let refusals = 4
    const shaky: typeof stage.database = {
      ...stage.database,
      write(work, haste) {
        if (haste === 'patient' && refusals-- > 0) return Promise.reject(new Error('database is locked'))
        return stage.database.write(work, haste)
      },
    }
    await using _ = await stage.send({}, shaky)
    const list = await inState(stage, 'SUCCEEDED')
    assert.ok(refusals < 0)
    assert.ok(list.every((each) => each.attempt_count === 1))
    assert.equal(receiver.letters.length, 20)
  })

  test('where the schedule begins with a delay, the first attempt waits for it', async () => {
    await using stage = await newStage(engine)
    await using receiver = await startReceiver()
    await stage.endpoint(receiver.url)
    await using _ = await stage.send({ schedule: [0.7, 1] })
    const madeAt = Date.now()
    await stage.happen(3)
    const letters = await receiver.count(3)
    for (const letter of letters) assert.ok(letter.at - madeAt >= 700 && letter.at - madeAt < 5_000)
  })
})
