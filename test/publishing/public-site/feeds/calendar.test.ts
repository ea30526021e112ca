import assert from 'node:assert/strict'
import { test } from 'node:test'
import ICAL from 'ical.js'
import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock.ts'
import { foldLine, icalText } from '../../../../src/publishing/public-site/feeds/calendar.ts'
import { execute, q } from '../../../../src/storage/query.ts'
import { useApi } from '../../../support/api.ts'
import { HandClock } from '../../../support/clock.ts'
import { forEachEngine } from '../../../support/engines.ts'
import type { Client } from '../../../support/server.ts'
import { type ApiObject, createMonitor, createPage, fetchPage } from '../fixtures.ts'

interface Event {
  readonly uid: string
  readonly summary: string
  readonly description: string | null
  readonly from: string
  readonly to: string
}

/** Parsed by an independent iCalendar library. */
function eventsIn(text: string): Event[] {
  const calendar = new ICAL.Component(ICAL.parse(text))
  assert.equal(calendar.getFirstPropertyValue('version'), '2.0')
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component)
    const moment = (time: ICAL.Time): string => time.toJSDate().toISOString()
    assert.equal(event.startDate.zone.tzid, 'UTC')
    return {
      uid: event.uid,
      summary: event.summary,
      description: event.description,
      from: moment(event.startDate),
      to: moment(event.endDate),
    }
  })
}

/** The rules of RFC 5545 for every line. */
function expectSoundLines(text: string): void {
  assert.ok(text.endsWith('\r\n'))
  assert.doesNotMatch(text.replaceAll('\r\n', ''), /[\r\n]/, 'every line ends with both')
  for (const each of text.split('\r\n')) assert.ok(Buffer.byteLength(each) <= 75, each)
}

const iso = (ms: number): string => new Date(ms).toISOString()

async function plan(client: Client, fields: object): Promise<ApiObject> {
  const { body, status } = await client.post('/maintenance-windows', fields)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

test('text is escaped, and lines are folded between characters', () => {
  assert.equal(icalText('a;b,c\\d\r\ne\nf\rg\u0007'), 'a\\;b\\,c\\\\d\\ne\\nf\\ng')
  for (const content of ['x'.repeat(200), 'é'.repeat(100), '日本語'.repeat(40), '👩🏽‍🚒'.repeat(30), '']) {
    const folded = foldLine(`SUMMARY:${content}`)
    expectSoundLines(folded)
    assert.equal(folded.replaceAll('\r\n ', ''), `SUMMARY:${content}\r\n`)
    assert.ok(Buffer.from(folded).toString('utf8') === folded)
  }
})

forEachEngine('the calendar', (engine) => {
  const clock = new HandClock(Date.UTC(2027, 2, 20, 12))
  const api = useApi(engine, { clock })
  const at = (page: ApiObject): string => `${api.server.url}/status/${page.slug}/maintenance.ics`

  test('a window is an event that keeps its uid when it is moved', async () => {
    const { client } = await api.tenant()
    const monitorId = await createMonitor(client, 'Database; main, "big"')
    const page = await createPage(client, [monitorId], { name: 'Acme, Inc.' })
    const startsAt = clock.now() + HOUR_MS
    const window = await plan(client, {
      name: 'Upgrade, part 1; \\ maybe',
      description: 'First line\nSecond; line, with \\ and 日本語 '.repeat(8),
      startsAt: iso(startsAt),
      endsAt: iso(startsAt + HOUR_MS),
      monitorIds: [monitorId],
    })
    const { status, headers, text } = await fetchPage(at(page))
    assert.deepEqual([status, headers['content-type']], [200, 'text/calendar; charset=utf-8'])
    expectSoundLines(text)
    const [event, ...more] = eventsIn(text)
    assert.deepEqual(more, [])
    assert.equal(event?.uid, `${window.id}@localhost`)
    assert.equal(event?.summary, 'Upgrade, part 1; \\ maybe')
    const affects = 'Affects: Database; main, "big"'
    assert.equal(event?.description, `${'First line\nSecond; line, with \\ and 日本語 '.repeat(8)}\n\n${affects}`)
    assert.deepEqual([event?.from, event?.to], [iso(startsAt), iso(startsAt + HOUR_MS)])
    for (const field of ['DTSTAMP:20270320T120000Z', 'METHOD:PUBLISH', 'NAME:Acme\\, Inc.', `URL:${page.url}`]) {
      assert.ok(text.includes(`\r\n${field}\r\n`), field)
    }
    const again = await fetchPage(at(page), { headers: { 'if-none-match': String(headers.etag) } })
    assert.equal(again.status, 304)
    clock.advance(10_000)
    const moved = { startsAt: iso(startsAt + DAY_MS), endsAt: iso(startsAt + DAY_MS + HOUR_MS) }
    await client.patch(`/maintenance-windows/${window.id}`, moved)
    const [after] = eventsIn((await fetchPage(at(page))).text)
    assert.deepEqual([after?.uid, after?.from], [event?.uid, moved.startsAt])
  })

  test('a recurring window is expanded, also across a daylight saving change', async () => {
    const { client } = await api.tenant()
    const monitorId = await createMonitor(client, 'A')
    const page = await createPage(client, [monitorId])
    const window = await plan(client, {
      name: 'Weekly',
      startsAt: '2027-03-21T02:30:00+01:00',
      endsAt: '2027-03-21T03:30:00+01:00',
      timezone: 'Europe/Berlin',
      recurrence: 'WEEKLY',
      allMonitors: true,
    })
    const events = eventsIn((await fetchPage(at(page))).text)
    assert.equal(events.length, 53, 'a year of weeks')
    assert.deepEqual(
      events.slice(0, 3).map(({ from, to }) => [from, to]),
      [
        ['2027-03-21T01:30:00.000Z', '2027-03-21T02:30:00.000Z'],
        // 02:30 does not exist on this day, so the event starts at 03:30 summer time.
        ['2027-03-28T01:30:00.000Z', '2027-03-28T02:30:00.000Z'],
        ['2027-04-04T00:30:00.000Z', '2027-04-04T01:30:00.000Z'],
      ],
    )
    assert.equal(new Set(events.map(({ uid }) => uid)).size, events.length)
    assert.equal(events[0]?.uid, `${window.id}-20270321T013000Z@localhost`)
    assert.match(events[0]?.description ?? '', /Affects all systems/)
  })
})

forEachEngine('the content of the calendar', (engine) => {
  const clock = new HandClock(Date.UTC(2027, 2, 20, 12))
  const api = useApi(engine, { clock })
  const at = (page: ApiObject): string => `${api.server.url}/status/${page.slug}/maintenance.ics`

  test('is limited, contains only windows of its page, and keeps recent ones', async () => {
    const { client } = await api.tenant()
    const [shown, hidden] = [await createMonitor(client, 'A'), await createMonitor(client, 'Secret')]
    const [page, other] = [await createPage(client, [shown]), await createPage(client, [hidden])]
    const now = clock.now()
    const span = (from: number) => ({ startsAt: iso(from), endsAt: iso(from + HOUR_MS) })
    await plan(client, { name: 'Daily', ...span(now), recurrence: 'DAILY', monitorIds: [shown, hidden] })
    await plan(client, { name: 'Elsewhere', ...span(now), monitorIds: [hidden] })
    await plan(client, { name: 'Lately', ...span(now - 10 * DAY_MS), monitorIds: [shown] })
    await plan(client, { name: 'Long ago', ...span(now - 60 * DAY_MS), monitorIds: [shown] })
    await plan(client, { name: 'Far away', ...span(now + 400 * DAY_MS), monitorIds: [shown] })
    await plan(client, { name: 'Named', ...span(now), monitorIds: [hidden], statusPageIds: [page.id] })
    const { text } = await fetchPage(at(page))
    const events = eventsIn(text)
    assert.equal(events.length, 200)
    assert.deepEqual([...new Set(events.map(({ summary }) => summary))].sort(), ['Daily', 'Lately', 'Named'])
    assert.doesNotMatch(text, /Secret/)
    assert.deepEqual(
      eventsIn((await fetchPage(at(other))).text).some(({ summary }) => summary === 'Elsewhere'),
      true,
    )
  })

  test('a calendar without events is valid', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    const { text } = await fetchPage(at(page))
    assert.deepEqual(eventsIn(text), [])
    assert.equal(new ICAL.Component(ICAL.parse(text)).getAllSubcomponents().length, 1)
  })

  test('any text stays within its property', async () => {
    const { client } = await api.tenant()
    const monitorId = await createMonitor(client, 'A')
    const text = 'x\r\nEND:VEVENT\r\nBEGIN:VEVENT\nUID:evil\u2028\u202e'
    const page = await createPage(client, [monitorId])
    const span = { startsAt: iso(clock.now()), endsAt: iso(clock.now() + 1) }
    const window = await plan(client, { name: 'x', description: text, ...span, monitorIds: [monitorId] })
    // Names from before control characters were refused.
    await api.server.running.database.write(function* () {
      yield* execute(q.updateTable('maintenance_windows').set({ name: text }).where('id', '=', window.id))
      yield* execute(q.updateTable('status_pages').set({ name: text }).where('id', '=', page.id))
    })
    const { text: calendar } = await fetchPage(at(page))
    expectSoundLines(calendar)
    const [event, ...more] = eventsIn(calendar)
    assert.deepEqual(more, [])
    assert.match(event?.summary ?? '', /^x\nEND:VEVENT\nBEGIN:VEVENT\nUID:evil/)
    assert.ok(String(event?.to) > String(event?.from), 'an end is after its start')
  })
})
