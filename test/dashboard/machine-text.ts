import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Text of machines: names and values of the API that no person should have to read. */

/** Words that people in the field write like this. */
const words = new Set([
  'HTTP',
  'DNS',
  'SSL',
  'TLS',
  'TCP',
  'URL',
  'API',
  'ID',
  'UTC',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'NS',
  'TXT',
  'SOA',
  'SRV',
  'CAA',
  'PTR',
  'JSON',
  'UDP',
  'SMTP',
  'IMAP',
  'FTP',
  'SSH',
  'AMQP',
  'MQTT',
  'LDAP',
  'NTP',
  'SIP',
])

interface Vocabulary {
  readonly enums: readonly string[]
  readonly fields: readonly string[]
}

/** Enum values and names of fields of both documents. */
function vocabulary(): Vocabulary {
  const enums = new Set<string>()
  const fields = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (key === 'enum' && Array.isArray(value)) for (const one of value) enums.add(String(one))
      if (key === 'properties' && typeof value === 'object')
        for (const name of Object.keys(value ?? {})) fields.add(name)
      visit(value)
    }
  }
  for (const name of ['openapi.json', 'openapi-app.json']) {
    visit(JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')))
  }
  return {
    enums: [...enums].filter((one) => /^[A-Z][A-Z_]+$/.test(one) && !words.has(one)),
    fields: [...fields].filter((name) => /^[a-z]+[A-Z]/.test(name)),
  }
}

const { enums, fields } = vocabulary()

const machine: readonly RegExp[] = [
  /\d{4}-\d\d-\d\dT\d\d:\d\d/g,
  /\b(?:mon|inc|note|page|mw|sinc|upd|we|dlv|att|evt|key|org|usr|con|sub|ses|inv|aud|psk)_[0-9a-f]{12,}/g,
  new RegExp(`\\b(?:${enums.join('|')})\\b`, 'g'),
  new RegExp(`\\b(?:${fields.join('|')})\\b`, 'g'),
]

/** Code samples, exact requests, and values that people copy are shown as they are. */
const verbatim = 'code, pre, textarea, script, style, .font-mono, [data-secret], [role="region"] pre'

/** What the page shows to people, in its text and in the names of its controls, that is text of machines. */
export async function machineTextIn(page: Page): Promise<readonly string[]> {
  const shown = await page.evaluate<string[]>(`(() => {
    const shown = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { parentElement: parent, data } = walker.currentNode
      if (data.trim() !== '' && !parent.closest(${JSON.stringify(verbatim)})) shown.push(data)
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
      if (element.closest(${JSON.stringify(verbatim)})) continue
      for (const name of ['aria-label', 'title', 'placeholder']) shown.push(element.getAttribute(name) ?? '')
    }
    return shown
  })()`)
  return shown.filter((text) => machine.some((pattern) => text.search(pattern) !== -1))
}
