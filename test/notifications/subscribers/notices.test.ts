import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { publishIncident } from '../../publishing/public-site/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import type { Mail } from '../../support/smtp-server.ts'
import { confirmed, newMailingTest, people, textOf } from './mailing.ts'

const recipientsOf = (mails: readonly Mail[]): string[] => mails.flatMap(({ to }) => to).sort()

const subjects = (mails: readonly Mail[]): (string | undefined)[] => mails.map(({ headers }) => headers.subject?.[0])

forEachEngine('notices of incidents', (engine) => {
  test('an incident, its updates and its end are sent to everybody once, in the language and time zone of the page', async () => {
    await using stage = await newMailingTest(engine)
    const { client } = stage
    const page = await stage.page({ name: 'Acme', locale: 'de', timezone: 'Asia/Tokyo' })
    await stage.fill(page, people(45))
    const monitorId = page.sections[0].monitors[0].monitorId
    const incident = await publishIncident(client, page.id, {
      title: 'Bestellungen hängen',
      message: 'Wir **suchen**. <b>x</b>',
      impact: 'MAJOR',
      affectedMonitors: [{ monitorId, status: 'MAJOR_OUTAGE' }],
    })
    const mails = await stage.received(45)
    await stage.quiet()
    assert.deepEqual(recipientsOf(mails), people(45).sort())
    const [mail] = mails
    assert.deepEqual(mail?.headers.subject, ['[Acme] Wird untersucht: Bestellungen hängen'])
    assert.deepEqual(mail?.headers.from, ['Pharos <status@example.com>'])
    assert.deepEqual(mail?.headers['list-id'], [`<${page.id}.localhost>`])
    assert.match(textOf(mail), /^Bestellungen hängen\n.*GMT\+9.*\n\nWir \*\*suchen\*\*\. <b>x<\/b>\n/)
    assert.match(textOf(mail), new RegExp(`/status/${page.slug}/incidents/${incident.id}\n`))
    assert.match(mail?.html ?? '', /<strong>suchen<\/strong>\. &lt;b&gt;x&lt;\/b&gt;/)
    assert.match(textOf(mail), /Website/)
    assert.match(mail?.html ?? '', /lang="de"/)

    await client.post(`/status-incidents/${incident.id}/updates`, { status: 'IDENTIFIED', message: 'Gefunden.' })
    await stage.received(90)
    await client.post(`/status-incidents/${incident.id}/updates`, {
      status: 'MONITORING',
      message: 'Still.',
      notifySubscribers: false,
    })
    await client.post(`/status-incidents/${incident.id}/updates`, { status: 'RESOLVED', message: 'Vorbei.' })
    await stage.received(135)
    await stage.quiet()
    await client.patch(`/status-incidents/${incident.id}`, { postmortem: '## Warum\n\nDarum.' })
    await client.patch(`/status-incidents/${incident.id}`, { postmortem: '## Warum\n\nSo.', notifySubscribers: true })
    await stage.received(180)
    await stage.quiet()
    await stage.idle()
    assert.equal(stage.smtp.mails.length, 180)
    const ann = stage.mailsTo('u7@example.com')
    assert.deepEqual(subjects(ann), [
      '[Acme] Wird untersucht: Bestellungen hängen',
      '[Acme] Ursache erkannt: Bestellungen hängen',
      '[Acme] Behoben: Bestellungen hängen',
      '[Acme] Behoben: Bestellungen hängen',
    ])
    assert.match(textOf(ann[3]), /## Warum\n\nSo\./)
    assert.match(ann[3]?.html ?? '', /<h3>Warum<\/h3>\s+<p>So\.<\/p>/)
    assert.equal(new Set(stage.smtp.mails.map(({ headers }) => headers['message-id']?.[0])).size, 180)
    assert.ok(stage.smtp.connections <= 6, 'connections are kept')
  })

  test('nobody gets notices of other pages, of other organizations, or from before their subscription', async () => {
    await using stage = await newMailingTest(engine)
    const [page, other] = [await stage.page({ slug: 'one' }), await stage.page({ slug: 'two' })]
    await stage.fill(page, ['ann@example.com'])
    await stage.fill(other, ['bob@example.com'])
    const { database } = stage.server.running
    const { orgId, key } = await stage.server.organization('SELF_HOSTED')
    const foreignOne = stage.server.client(key)
    const foreign = (await foreignOne.post('/status-pages', { name: 'Theirs', subscribersEnabled: true })).body
    const eve = confirmed(orgId, foreign.id, 'x', 'eve@example.com')
    await database.write(() => execute(q.insertInto('subscribers').values(eve)))
    await publishIncident(stage.client, page.id)
    await publishIncident(foreignOne, foreign.id, { title: 'Theirs' })
    await stage.received(2)
    await stage.quiet()
    await stage.subscribe(page, 'late@example.com')
    await stage.idle()
    assert.deepEqual(recipientsOf(stage.smtp.mails), ['ann@example.com', 'eve@example.com', 'late@example.com'])
    const [late] = stage.mailsTo('late@example.com')
    assert.match(late?.headers.subject?.[0] ?? '', /^Confirm/)
    assert.match(stage.mailsTo('eve@example.com')[0]?.headers.subject?.[0] ?? '', /Theirs$/)
    await publishIncident(stage.client, page.id, { statusPageIds: [page.id, other.id] })
    await stage.received(6)
    await stage.quiet()
    await stage.idle()
    assert.equal(stage.smtp.mails.length, 6, 'one for each page and subscriber')
  })
})

forEachEngine('the content of notices', (engine) => {
  test('text cannot inject headers or markup', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    // A name from before control characters were refused.
    const name = 'A\u202e"><img src=x>\u0007\r\nBcc: victim@example.com\r\n\r\n'
    await stage.server.running.database.write(() =>
      execute(q.updateTable('status_pages').set({ name }).where('id', '=', page.id)),
    )
    await stage.fill(page, ['ann@example.com'])
    await publishIncident(stage.client, page.id, {
      title: '<script>alert(1)</script>\u2028',
      message: '[a](javascript:alert(1)) <img src=x onerror=alert(1)> ![i](https://evil.example/i.png)\n.\n\n.',
    })
    const [mail] = await stage.received(1)
    assert.deepEqual(mail?.to, ['ann@example.com'])
    assert.equal(mail?.headers.bcc, undefined)
    assert.doesNotMatch(mail?.html ?? '', /<script|<img|javascript:[^)]*"/)
    assert.match(textOf(mail), /\n\.\n\n\.\n/, 'a line that is a dot does not end the mail')
    const everything = `${mail?.text}${mail?.html}${mail?.headers.subject}`
    for (const unseen of ['\u202e', '\u0007']) assert.ok(!everything.includes(unseen))
  })

  test('a notice whose incident or page is gone is dropped', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.fill(page, people(3))
    stage.smtp.isDown = true
    const incident = await publishIncident(stage.client, page.id)
    await eventually(async () => assert.ok(stage.smtp.connections >= 4))
    await stage.idle()
    await stage.client.delete(`/status-incidents/${incident.id}`)
    stage.smtp.isDown = false
    stage.clock.advance(MINUTE_MS)
    await stage.quiet()
    await publishIncident(stage.client, page.id, { title: 'Second' })
    await stage.received(3)
    await stage.quiet()
    assert.deepEqual([...new Set(subjects(stage.smtp.mails))], ['[Acme] Investigating: Second'])

    await stage.client.patch(`/status-pages/${page.id}`, { published: false })
    await publishIncident(stage.client, page.id, { title: 'Unseen' })
    assert.deepEqual(await stage.deliveries(), [])
    await stage.client.patch(`/status-pages/${page.id}`, { published: true, subscribersEnabled: false })
    await publishIncident(stage.client, page.id, { title: 'Unwanted' })
    await stage.quiet()
    await stage.idle()
    assert.equal(stage.smtp.mails.length, 3)
  })
})

forEachEngine('notices of maintenance', (engine) => {
  const at = (ms: number): string => new Date(ms).toISOString()

  test('are sent when it is scheduled, when it starts and when it is completed', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page({ timezone: 'Europe/Berlin' })
    await stage.fill(page, ['ann@example.com'])
    const monitorIds = [page.sections[0].monitors[0].monitorId]
    const now = stage.clock.now()
    const window = { name: 'Upgrade', description: 'Faster.\nMuch.', monitorIds }
    const { status } = await stage.client.post('/maintenance-windows', {
      ...window,
      startsAt: at(now + HOUR_MS),
      endsAt: at(now + 2 * HOUR_MS),
    })
    assert.equal(status, 201)
    await stage.received(1)
    stage.clock.advance(HOUR_MS)
    await stage.received(2)
    stage.clock.advance(HOUR_MS)
    await stage.received(3)
    assert.deepEqual(subjects(stage.smtp.mails), [
      '[Acme] Maintenance scheduled: Upgrade',
      '[Acme] Maintenance started: Upgrade',
      '[Acme] Maintenance completed: Upgrade',
    ])
    const [mail] = stage.smtp.mails
    assert.match(textOf(mail), /Upgrade\nMaintenance scheduled · .*GMT\+\d.*\n\nFaster\.\nMuch\.\n\nAffects: Website\n/)
    const later = await stage.client.post('/maintenance-windows', {
      ...window,
      startsAt: at(now + 5 * HOUR_MS),
      endsAt: at(now + 6 * HOUR_MS),
    })
    await stage.received(4)
    await stage.client.delete(`/maintenance-windows/${later.body.id}`)
    await stage.received(5)
    assert.deepEqual(subjects(stage.smtp.mails).at(-1), '[Acme] Maintenance cancelled: Upgrade')
  })

  test('a window in progress is announced as started, a past one not at all, and a daily one not every day', async () => {
    await using stage = await newMailingTest(engine)
    const [page, other] = [await stage.page({ slug: 'one' }), await stage.page({ slug: 'two' })]
    await stage.fill(page, ['ann@example.com'])
    await stage.fill(other, ['bob@example.com'])
    const now = stage.clock.now()
    const plan = (fields: object) =>
      stage.client.post('/maintenance-windows', { allMonitors: true, statusPageIds: [page.id], ...fields })
    await plan({ name: 'Past', startsAt: at(now - 2 * HOUR_MS), endsAt: at(now - HOUR_MS) })
    await plan({ name: 'Now', startsAt: at(now - 1_000), endsAt: at(now + 40 * DAY_MS - DAY_MS * 20) })
    await plan({ name: 'Nightly', startsAt: at(now + HOUR_MS), endsAt: at(now + 2 * HOUR_MS), recurrence: 'DAILY' })
    await stage.received(2)
    for (let i = 0; i < 3; i += 1) {
      stage.clock.advance(DAY_MS)
      await stage.idle()
    }
    assert.deepEqual(subjects(stage.smtp.mails).sort(), [
      '[Acme] Maintenance scheduled: Nightly',
      '[Acme] Maintenance started: Now',
    ])
    assert.deepEqual(stage.mailsTo('bob@example.com'), [])
    await stage.client.post('/maintenance-windows', {
      name: 'Everything',
      allMonitors: true,
      startsAt: at(stage.clock.now() + HOUR_MS),
      endsAt: at(stage.clock.now() + 2 * HOUR_MS),
    })
    await stage.received(4)
    assert.deepEqual(recipientsOf(stage.smtp.mails.slice(2)), ['ann@example.com', 'bob@example.com'])
  })
})
