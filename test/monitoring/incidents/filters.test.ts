import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { acknowledged, type Body, check, currentIncident, listed, outage, pageOf, shaky } from './incidents.ts'

const MINUTE_MS = 60_000

forEachEngine('GET /incidents, filtered', (engine) => {
  const clock = new HandClock(Date.UTC(2026, 2, 1, 10, 0, 0, 500))
  const api = useApi(engine, { clock })
  each(api, clock)
  times(api, clock)
  outsiders(api, clock)
})

interface Troubled extends Tenant {
  readonly monitors: readonly string[]
  /** Resolved, resolved after it was acknowledged, ongoing, ongoing and acknowledged; a minute apart. */
  readonly list: readonly Body[]
}

async function troubled(api: Api, clock: HandClock): Promise<Troubled> {
  await using target = await startHttpTarget()
  const tenant = await api.tenant()
  const { client } = tenant
  const monitors = [(await shaky(client, target)).id, (await shaky(client, target)).id]
  const [a, b] = monitors as [string, string]
  const opened: Body[] = []
  const fail = async (id: string) => {
    clock.advance(MINUTE_MS)
    target.status = 503
    opened.push(await outage(client, id))
  }
  const recover = async (id: string) => {
    target.status = 200
    await check(client, id)
  }
  await fail(a)
  await recover(a)
  await fail(b)
  await acknowledged(client, opened[1]?.id)
  await recover(b)
  await fail(a)
  await fail(b)
  await acknowledged(client, opened[3]?.id)
  clock.advance(MINUTE_MS)
  const list = await Promise.all(opened.map(async ({ id }) => listed(await currentIncident(client, id))))
  return { ...tenant, monitors, list }
}

type Filter = readonly [query: string, matches: (incident: Body) => boolean]

async function expectFound({ client, list }: Troubled, [query, matches]: Filter): Promise<void> {
  const expected = list.filter(matches).toReversed()
  const page = await pageOf(client, query)
  assert.deepEqual(page.data, expected, query)
  assert.equal(page.pagination.total, expected.length, query)
  if (expected.length < 2) return
  const second = await pageOf(client, `${query}&limit=1&offset=1`)
  assert.deepEqual(second.data, expected.slice(1, 2), query)
  assert.equal(second.pagination.total, expected.length, query)
}

function each(api: Api, clock: HandClock): void {
  test('each filter, and any two of them together, finds exactly what matches', async () => {
    const tenant = await troubled(api, clock)
    const at = (i: number): string => tenant.list[i]?.startedAt
    const alone: readonly (readonly Filter[])[] = [
      [
        ['status=ONGOING', ({ resolvedAt }) => resolvedAt === null],
        ['status=RESOLVED', ({ resolvedAt }) => resolvedAt !== null],
      ],
      [
        ['acknowledged=true', (incident) => incident.acknowledged],
        ['acknowledged=false', (incident) => !incident.acknowledged],
      ],
      [
        ...tenant.monitors.map((id): Filter => [`monitorId=${id}`, ({ monitor }) => monitor.id === id]),
        ['monitorId=mon_nobody', () => false],
      ],
      [
        [`startedAfter=${at(0)}`, ({ startedAt }) => startedAt > at(0)],
        [`startedAfter=${at(2)}`, ({ startedAt }) => startedAt > at(2)],
      ],
      [
        [`startedBefore=${at(3)}`, ({ startedAt }) => startedAt < at(3)],
        [`startedBefore=${at(0)}`, () => false],
      ],
    ]
    const both = ([query, matches]: Filter, [more, also]: Filter): Filter => [
      `${query}&${more}`,
      (one) => matches(one) && also(one),
    ]
    const pairs = alone.flatMap((choices, i) =>
      alone.slice(i + 1).flatMap((others) => choices.flatMap((one) => others.map((other) => both(one, other)))),
    )
    for (const filter of [...alone.flat(), ...pairs]) await expectFound(tenant, filter)
  })

  test('an incident moves from one filter to the other with its state', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await outage(client, (await shaky(client, target)).id)
    const found = async () => {
      const queries = ['status=ONGOING', 'status=RESOLVED', 'acknowledged=true', 'acknowledged=false']
      const totals = await Promise.all(queries.map(async (query) => (await pageOf(client, query)).pagination.total))
      return totals.join('')
    }
    assert.equal(await found(), '1001')
    const { monitor } = await acknowledged(client, id)
    assert.equal(await found(), '1010')
    target.status = 200
    await check(client, monitor.id)
    assert.equal(await found(), '0110')
  })
}

function times(api: Api, clock: HandClock): void {
  test('a moment may have any offset and leave out its seconds; the bounds themselves are left out', async () => {
    const tenant = await troubled(api, clock)
    const startedAt = tenant.list[1]?.startedAt as string
    const ms = Date.parse(startedAt)
    const inIndia = `${new Date(ms + 330 * MINUTE_MS).toISOString().slice(0, -1)}%2B05:30`
    const inNewfoundland = `${new Date(ms - 210 * MINUTE_MS).toISOString().slice(0, -1)}-03:30`
    for (const moment of [startedAt, inIndia, inNewfoundland]) {
      await expectFound(tenant, [`startedAfter=${moment}`, (one) => one.startedAt > startedAt])
      await expectFound(tenant, [`startedBefore=${moment}`, (one) => one.startedAt < startedAt])
    }
    const aMillisecond = (by: number) => new Date(ms + by).toISOString()
    await expectFound(tenant, [
      `startedAfter=${aMillisecond(-1)}&startedBefore=${aMillisecond(1)}`,
      (one) => one.startedAt === startedAt,
    ])
    // Half a second into its minute: the minute itself is before it.
    const minute = startedAt.slice(0, 16)
    await expectFound(tenant, [`startedAfter=${minute}Z`, (one) => one.startedAt >= startedAt])
    await expectFound(tenant, [`startedBefore=${minute}%2B00:00`, (one) => one.startedAt < startedAt])
    await expectFound(tenant, ['startedAfter=2100-01-01T00:00%2B02:00', () => false])
    await expectFound(tenant, [`startedAfter=${startedAt}&startedBefore=${startedAt}`, () => false])
  })
}

function outsiders(api: Api, clock: HandClock): void {
  test("a filter by another organization's monitor finds nothing, on either side", async () => {
    const [own, other] = [await troubled(api, clock), await troubled(api, clock)]
    assert.deepEqual((await pageOf(own.client, `monitorId=${other.monitors[0]}`)).data, [])
    assert.equal((await pageOf(other.client, `monitorId=${other.monitors[0]}`)).pagination.total, 2)
    assert.equal((await pageOf(own.client, 'startedAfter=2000-01-01T00:00Z')).pagination.total, 4)
  })
}
