import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '../../src/lib/clock.ts'
import { execute, q } from '../../src/storage/query.ts'
import { at, linkIn, newMailingTest } from '../notifications/subscribers/mailing.ts'
import { fetchPage, publishIncident } from '../publishing/public-site/fixtures.ts'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/receiver.ts'
import { CONTROLS, hostileTexts, html, joined, type Rendered, slackText, squash, stringsIn } from './hostile-texts.ts'

test('names and titles are plain text in messages to subscribers, by e-mail and in Slack', async () => {
  await using stage = await newMailingTest('sqlite', { PHAROS_PRIVATE_SUBSCRIBERS: 'allow' })
  await using slack = await startReceiver()
  const { client, smtp, clock } = stage
  const { database } = stage.server.running
  const page = await stage.page()
  await stage.fill(page, ['ann@example.com'])
  const url = `${stage.server.url}/status/${page.slug}/subscribe`
  await fetchPage(url, { form: { kind: 'slack', url: slack.url } })
  const asked = (await slack.message(1)).raw.replaceAll('|', ' ')
  const confirmed = await fetchPage(at(stage.server, linkIn(asked, 'confirm')), { method: 'POST' })
  assert.equal(confirmed.status, 200)
  const [{ monitorId }] = page.sections[0].monitors
  const hour = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString()

  /** The messages about an incident and about maintenance: e-mail as HTML and text, then Slack. */
  async function messagesWith(text: string): Promise<readonly Rendered[]> {
    const rename = q.updateTable('status_pages').set({ name: `${text} page` })
    await database.write(() => execute(rename.where('id', '=', page.id)))
    await client.patch(`/monitors/${monitorId}`, { name: `${text} monitor` })
    const [mails, posts] = [smtp.mails.length, slack.messages.length]
    const affectedMonitors = [{ monitorId, status: 'MAJOR_OUTAGE' }]
    await publishIncident(client, page.id, { title: `${text} title`, message: 'Looking.', affectedMonitors })
    const window = { name: `${text} title`, description: `${text} monitor`, startsAt: hour(1), endsAt: hour(2) }
    assert.equal((await client.post('/maintenance-windows', { ...window, monitorIds: [monitorId] })).status, 201)
    await eventually(async () => assert.deepEqual([smtp.mails.length, slack.messages.length], [mails + 2, posts + 2]))
    return [
      ...smtp.mails.slice(mails).flatMap((mail) => {
        assert.doesNotMatch(mail.headers.subject?.[0] ?? '', CONTROLS)
        return [html(mail.html), { text: mail.text, live: Object.keys(mail.headers) }]
      }),
      ...slack.messages.slice(posts).map(({ event }) => joined(stringsIn(event).map(slackText))),
    ]
  }

  /** Links have ids in them. */
  const markup = ({ live }: Rendered) => live.map((tag) => tag.replace(/http:[^"|]*/, ''))
  const harmless = await messagesWith('harmless')
  // The API refuses control characters in names.
  for (const text of hostileTexts.filter((each) => !CONTROLS.test(each) && !each.includes('\t'))) {
    for (const [i, rendered] of (await messagesWith(text)).entries()) {
      const what = `${i}: ${text} in ${rendered.text}`
      for (const part of ['page', 'title', 'monitor']) {
        assert.ok(squash(rendered.text).includes(squash(`${text} ${part}`)), `${part} of ${what}`)
      }
      assert.deepEqual(markup(rendered), markup(harmless[i] as Rendered), what)
    }
  }
})
