import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { type ApiObject, fetchPage } from '../../publishing/public-site/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { at, confirmed, linkIn, type MailingTest, newMailingTest, textOf } from './mailing.ts'

async function states(stage: MailingTest): Promise<Record<string, string>> {
  return Object.fromEntries((await stage.subscribers()).map(({ address, state }) => [address, state]))
}

const home = ({ server }: MailingTest, page: ApiObject): string => `${server.url}/status/${page.slug}`

forEachEngine('subscribing', (engine) => {
  test('a confirmation e-mail leads to a button that subscribes, and an unsubscribe link works the same way', async () => {
    await using stage = await newMailingTest(engine)
    const { server, smtp } = stage
    const page = await stage.page({ name: 'Acme & Söhne' })
    assert.match((await fetchPage(home(stage, page))).text, new RegExp(`href="/status/${page.slug}/subscribe"`))
    const { text } = await fetchPage(`${home(stage, page)}/subscribe`)
    assert.match(text, new RegExp(`<form method="post" action="/status/${page.slug}/subscribe">`))
    const { status, text: noted } = await stage.post(page, ' Ann@Example.COM ')
    assert.equal(status, 200)
    assert.match(noted, /If this address can subscribe/)
    const [mail] = await stage.received(1)
    assert.deepEqual(mail?.to, ['Ann@example.com'])
    assert.deepEqual(mail?.headers.subject, ['Confirm your subscription to Acme & Söhne'])
    assert.equal(mail?.headers['list-unsubscribe'], undefined)
    const link = at(server, linkIn(textOf(mail), 'confirm'))
    assert.equal(at(server, linkIn(mail?.html ?? '', 'confirm')), link)

    const shown = await fetchPage(link)
    assert.equal(shown.status, 200)
    assert.match(shown.text, /<form method="post"><button>Confirm<\/button><\/form>/)
    assert.equal(shown.headers['cache-control'], 'no-store')
    assert.equal(shown.headers['referrer-policy'], 'no-referrer')
    assert.deepEqual(await states(stage), { 'Ann@example.com': 'PENDING' }, 'what looks at links confirms nothing')
    assert.match((await fetchPage(link, { method: 'POST' })).text, /You&#39;re subscribed/)
    assert.deepEqual(await states(stage), { 'Ann@example.com': 'CONFIRMED' })
    assert.equal((await fetchPage(link, { method: 'POST' })).status, 200, 'twice is as good as once')

    await stage.client.post('/status-incidents', { title: 'Outage', message: 'Hm.', statusPageIds: [page.id] })
    const notice = (await stage.received(2))[1]
    const unsubscribe = at(server, linkIn(textOf(notice), 'unsubscribe'))
    assert.deepEqual(notice?.headers['list-unsubscribe'], [`<${linkIn(textOf(notice), 'unsubscribe')}>`])
    assert.deepEqual(notice?.headers['list-unsubscribe-post'], ['List-Unsubscribe=One-Click'])
    assert.match((await fetchPage(unsubscribe)).text, /<button>Unsubscribe<\/button>/)
    assert.deepEqual(await states(stage), { 'Ann@example.com': 'CONFIRMED' })
    const oneClick = { form: { 'List-Unsubscribe': 'One-Click' } }
    assert.match((await fetchPage(unsubscribe, oneClick)).text, /You&#39;re unsubscribed/)
    assert.deepEqual(await states(stage), {}, 'the address is forgotten')
    assert.equal((await fetchPage(unsubscribe, oneClick)).status, 200)
    assert.match((await fetchPage(link, { method: 'POST' })).text, /This link has expired/)
    assert.equal(smtp.mails.length, 2)
  })

  test('the answer is the same for subscribed addresses and for those over the limit', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.fill(page, ['known@example.com'])
    const answers = []
    for (const email of ['known@example.com', 'new@example.com', ...new Array(4).fill('often@example.com')]) {
      answers.push(await stage.post(page, email))
    }
    for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]?.text])
    await stage.idle()
    assert.equal(stage.mailsTo('new@example.com').length, 1)
    assert.equal(stage.mailsTo('known@example.com').length, 0)
    const often = stage.mailsTo('often@example.com').length
    assert.ok(often > 0 && often <= 3, `${often}`)
    assert.equal((await states(stage))['known@example.com'], 'CONFIRMED')
  })
})

forEachEngine('limits of sign-ups', (engine) => {
  test('an address gets at most three confirmation e-mails a day, over all pages', async () => {
    await using stage = await newMailingTest(engine)
    const pages: ApiObject[] = []
    for (let i = 0; i < 5; i += 1) pages.push(await stage.page({ slug: `page-${i}` }))
    const askedBy = async () => {
      for (const page of pages) await stage.post(page, 'ann@example.com')
      await stage.idle()
      return stage.mailsTo('ann@example.com').length
    }
    assert.equal(await askedBy(), 3)
    stage.clock.advance(25 * HOUR_MS)
    assert.equal(await askedBy(), 6)
    assert.ok((await stage.subscribers()).filter(({ state }) => state === 'PENDING').length <= 5)
  })

  test('an address has at most five unconfirmed pages', async () => {
    await using stage = await newMailingTest(engine)
    const orgId = await stage.server.defaultOrgId()
    const { database } = stage.server.running
    const pages: ApiObject[] = []
    for (let i = 0; i < 6; i += 1) pages.push(await stage.page({ slug: `page-${i}` }))
    const pending = { state: 'PENDING', confirm_by: stage.clock.now() + HOUR_MS, confirmed_at: null } as const
    const rows = pages.slice(0, 5).map(({ id }) => ({ ...confirmed(orgId, id, id, 'ann@example.com'), ...pending }))
    await database.write(() => execute(q.insertInto('subscribers').values(rows)))
    assert.equal((await stage.post(pages[5], 'ann@example.com')).status, 200)
    assert.equal((await stage.subscribers()).length, 5)
    assert.equal((await stage.post(pages[0], 'ann@example.com')).status, 200)
    assert.equal((await stage.received(1)).length, 1, 'one of the five may be asked again')
  })

  test('clients and pages are limited per hour', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    const answers = []
    for (let i = 0; i < 22; i += 1) answers.push((await stage.post(page, `u${i}@example.com`)).status)
    assert.deepEqual(answers, [...new Array(20).fill(200), 429, 429])
    assert.match((await stage.post(page, 'last@example.com')).text, /Try again in an hour/)
    stage.clock.advance(HOUR_MS + 1)
    assert.equal((await stage.post(page, 'last@example.com')).status, 200)
    const { database } = stage.server.running
    await database.write(() => execute(q.updateTable('mail_windows').set({ used: 500 })))
    assert.equal((await stage.post(page, 'more@example.com')).status, 429)
  })
})

forEachEngine('confirmation', (engine) => {
  test('an unconfirmed sign-up and its link expire after 48 hours', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.post(page, 'ann@example.com')
    const [mail] = await stage.received(1)
    const link = at(stage.server, linkIn(textOf(mail), 'confirm'))
    stage.clock.advance(48 * HOUR_MS - 1_000)
    assert.match((await fetchPage(link)).text, /<button>Confirm/)
    stage.clock.advance(2_000)
    assert.equal((await fetchPage(link)).status, 404)
    assert.match((await fetchPage(link, { method: 'POST' })).text, /Invalid link/)
    assert.deepEqual(await states(stage), { 'ann@example.com': 'PENDING' })
  })

  test('a modified link, or one for another purpose, is refused', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    await stage.post(page, 'ann@example.com')
    const [mail] = await stage.received(1)
    const link = at(stage.server, linkIn(textOf(mail), 'confirm'))
    const broken = [
      link.slice(0, -1),
      link.replace('/confirm/', '/unsubscribe/'),
      `${link.slice(0, -4)}${link.slice(-4) === 'AAAA' ? 'BBBB' : 'AAAA'}`,
      link.replace(/[^/]+$/, 'x'),
      link.replace(/[^/]+$/, '%00'),
    ]
    for (const each of broken) {
      for (const method of ['GET', 'POST']) assert.equal((await fetchPage(each, { method })).status, 404, each)
    }
    assert.deepEqual(await states(stage), { 'ann@example.com': 'PENDING' })
  })

  test('an invalid address is reported, and the input is kept', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    const { status, text } = await stage.post(page, '"><script>alert(1)</script>@example.com')
    assert.equal(status, 400)
    assert.match(text, /role="alert" id="complaint">Enter a valid e-mail address/)
    assert.match(text, /value="&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;@example.com"/)
    assert.deepEqual(await states(stage), {})
  })
})

forEachEngine('pages with sign-up', (engine) => {
  test('without subscribersEnabled there is no form, without a mail server none for e-mail, and requests are refused', async () => {
    await using stage = await newMailingTest(engine)
    const closed = await stage.page({ subscribersEnabled: false })
    assert.doesNotMatch((await fetchPage(`${home(stage, closed)}/subscribe`)).text, /<form/)
    assert.equal((await stage.post(closed, 'ann@example.com')).status, 404)
    await using without = await newMailingTest(engine, { PHAROS_SMTP_URL: '', PHAROS_MAIL_FROM: '' })
    const page = await without.page()
    const { text } = await fetchPage(`${home(without, page)}/subscribe`)
    assert.doesNotMatch(text, /name="email"/)
    assert.match(text, /Subscribe via Slack[\s\S]*Subscribe via webhook/)
    assert.equal((await without.post(page, 'ann@example.com')).status, 404)
    assert.deepEqual({ ...(await states(stage)), ...(await states(without)) }, {})
  })

  test('a page with a password requires it for sign-up', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page({ visibility: 'PASSWORD', password: 'open sesame' })
    assert.equal((await stage.post(page, 'ann@example.com')).status, 401)
    const { headers } = await fetchPage(home(stage, page), { form: { password: 'open sesame' } })
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const form = { email: 'bob@example.com' }
    const { status } = await fetchPage(`${home(stage, page)}/subscribe`, { form, headers: { cookie } })
    assert.equal(status, 200)
    assert.deepEqual(await states(stage), { 'bob@example.com': 'PENDING' })
  })

  test('sign-up works on a custom domain, in the language of the page', async () => {
    await using stage = await newMailingTest(engine)
    await stage.page({ customDomain: 'status.acme.example', locale: 'de' })
    const headers = { host: 'status.acme.example' }
    const form = { email: 'ann@example.com' }
    const { status } = await fetchPage(`${stage.server.url}/subscribe`, { headers, form })
    assert.equal(status, 200)
    const [mail] = await stage.received(1)
    assert.deepEqual(mail?.headers.subject, ['Bestätigen Sie Ihr Abonnement: Acme'])
    const { text } = await fetchPage(at(stage.server, linkIn(textOf(mail), 'confirm')), { method: 'POST' })
    assert.match(text, /lang="de"[\s\S]*Abonnement bestätigt/)
    assert.match(text, /href="https:\/\/status\.acme\.example"/)
  })

  test('an address that the mail server rejects is deleted at once', async () => {
    await using stage = await newMailingTest(engine)
    const page = await stage.page()
    stage.smtp.refuse = () => '550 5.1.1 No such user'
    await stage.post(page, 'nobody@example.com')
    await eventually(async () => assert.deepEqual(await states(stage), {}))
    stage.smtp.refuse = () => '451 4.3.0 Try again later'
    await stage.post(page, 'ann@example.com')
    await eventually(async () => assert.equal((await stage.deliveries())[0]?.attempts, 1))
    stage.smtp.refuse = () => undefined
    stage.clock.advance(66_000)
    await eventually(async () => assert.equal(stage.mailsTo('ann@example.com').length, 1))
  })
})
