import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Plural } from '../../../src/notifications/contacts/languages/catalogue.ts'
import { catalogues, languages, wordsFor } from '../../../src/notifications/contacts/languages/words.ts'
import { locales } from '../../../src/publishing/status-pages/schema.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createContact, faultsOf, hook } from './contact-api.ts'
import { startService } from './service.ts'

const AT = Date.UTC(2027, 0, 31, 23, 2, 11)

test('messages have the languages of the public pages and of the dashboard', () => {
  assert.deepEqual([...languages].sort(), [...locales].sort())
})

const formsOf = (text: string | Plural): readonly string[] => (typeof text === 'string' ? [text] : Object.values(text))
const namesIn = (text: string): readonly string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

for (const language of languages) {
  test(`every text of "${language}" has the values of the English one, and the plural forms of the language`, () => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    for (const [key, text] of Object.entries(catalogues[language])) {
      const english = catalogues.en[key as keyof typeof catalogues.en] as string | Plural
      const wanted = namesIn(formsOf(english).at(-1) as string)
      for (const form of formsOf(text)) {
        // "once" has no number.
        const names = namesIn(form)
        assert.deepEqual(names.length < wanted.length ? [...names, '{count}'].sort() : names, wanted, `${key}: ${form}`)
      }
      // Spanish, French and Portuguese have a form for millions.
      if (typeof text !== 'string') {
        assert.deepEqual(Object.keys(text).sort(), categories.filter((one) => one !== 'many').sort(), key)
      }
    }
  })

  test(`the setting that "${language}" names has this name in the dashboard`, () => {
    const texts = JSON.parse(
      language === 'en' ? '{}' : readFileSync(`dashboard/src/languages/${language}.json`, 'utf8'),
    ) as Record<string, string>
    const setting = catalogues.en.recoverySetting as string
    assert.equal(catalogues[language].recoverySetting, texts[setting] ?? setting)
  })
}

test('times are in the clock of the language and in the zone, with the date if it is another day there', () => {
  const texts = (language: string, zone: string) => {
    const words = wordsFor(language, zone)
    return [words.exactTime(AT, AT), words.time(AT - 3_600_000, AT), words.range(AT, AT + 3_000, AT)]
  }
  assert.deepEqual(texts('en', 'America/New_York'), ['6:02:11 PM', '5:02 PM', '6:02:11 PM to 6:02:14 PM'])
  assert.deepEqual(texts('de', 'Europe/Berlin'), ['00:02:11', '31. Jan., 23:02', '00:02:11 bis 00:02:14'])
  assert.deepEqual(texts('fr', 'UTC'), ['23:02:11 UTC', '22:02 UTC', '23:02:11 à 23:02:14 UTC'], 'a default is named')
})

forEachEngine('the language and the time zone of a contact', (engine) => {
  const api = useApi(engine, { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })

  test('are those of its messages, are changed, and go back to the default', async () => {
    await using service = await startService()
    const { client } = await api.tenant()
    const contact = await createContact(client, { ...hook(service.url), language: 'de', timezone: 'europe/berlin' })
    assert.deepEqual([contact.language, contact.timezone], ['de', 'Europe/Berlin'])
    const path = `/contacts/${contact.id}`
    await client.post(`${path}/test`)
    assert.match(service.received.at(-1)?.body.title, /^Testalarm von /)
    const moved = (await client.patch(path, { timezone: 'Asia/Tokyo' })).body
    assert.deepEqual([moved.language, moved.timezone], ['de', 'Asia/Tokyo'])
    const reset = (await client.patch(path, { language: null, timezone: null })).body
    assert.deepEqual([reset.language, reset.timezone], [null, null])
    await client.post(`${path}/test`)
    assert.match(service.received.at(-1)?.body.title, /^Test alert from /)
  })

  test('are known', async () => {
    const { client } = await api.tenant()
    const wrong = { language: 'tlh', timezone: 'Mars/Olympus' }
    const faults = [
      'language must be one of en, de, es, fr, ja, pt, zh, null',
      'timezone must be an IANA time zone, such as Europe/Berlin',
    ]
    assert.deepEqual(faultsOf(await client.post('/contacts', { ...hook(), ...wrong })).sort(), faults)
    const { id } = await createContact(client)
    assert.deepEqual(faultsOf(await client.patch(`/contacts/${id}`, wrong)).sort(), faults)
    assert.deepEqual(faultsOf(await client.patch(`/contacts/${id}`, { timezone: '+02:00' })), faults.slice(1))
  })
})
