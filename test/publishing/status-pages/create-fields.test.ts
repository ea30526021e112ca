import { describe, test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { expectError } from '../../support/monitors.ts'
import { type Body, createPage, untouchedBy } from '../../support/status.ts'

const many400 = Array.from({ length: 400 }, (_, i) => ({ monitorId: `mon_${i}` }))

/** Bodies that break rules beyond the schema. */
const badBodies: readonly (readonly [body: Body, paths: readonly string[]])[] = [
  [{ name: 'A', visibility: 'PASSWORD' }, ['password']],
  // The first one beyond 1,000 in all sections is named.
  [{ name: 'A', sections: new Array(3).fill({ name: 'S', monitors: many400 }) }, ['sections.2.monitors.200']],
  [{ name: 'A', id: 'page_1', url: 'x', passwordSet: true }, ['id', 'passwordSet', 'url']],
  [
    {
      slug: '-a-',
      customDomain: 'x',
      accentColor: 'red',
      timezone: 'Mars',
      logoUrl: 'ftp://x',
      visibility: 'PASSWORD',
      theme: 1,
    },
    ['accentColor', 'customDomain', 'logoUrl', 'name', 'password', 'slug', 'theme', 'timezone'],
  ],
]

const badValues: Readonly<Record<string, readonly string[]>> = {
  slug: ['Shop', 'my_shop', 'my shop', '-shop', 'shop-', 'shöp', 'a.b', 'sho\n', '---'],
  customDomain: [
    '',
    ' ',
    'status',
    'localhost',
    'https://status.example.com',
    'status.example.com/x',
    'status.example.com:443',
    'status.example.com.',
    '.example.com',
    'a..example',
    '-a.example',
    'a-.example',
    'a b.example',
    'a_b.example',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    'user@a.example',
    '*.example.com',
    `${'a'.repeat(64)}.example`,
    'a.example?x',
    'a\u0000.example',
    `${'a.'.repeat(124)}${'b'.repeat(6)}`.replace(/^/, 'ü'),
  ],
  accentColor: ['', 'red', '#fff', '#gggggg', '0fa678', '#0fa6780', '#0fa67', ' #0fa678'],
  timezone: ['', 'Mars/Olympus', '+01:00', 'Z', 'UTC+1', 'Europe/', '../etc/passwd', 'Europe/Berlin '],
  logoUrl: [
    '',
    '/logo.png',
    'logo.png',
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'ftp://a.example/x',
    'http://',
  ],
  faviconUrl: ['https://a b.example/', 'https:///x', '//a.example/x', 'https://a.example/\nx'],
  homepageUrl: ['HTTPS//a.example', ' https://a.example', 'https://a.example/ x', 'mailto:a@b.example'],
  contactUrl: ['mailto:help@a.example', 'tel:+491', 'file:///etc/passwd', 'https://[::1'],
}

describe('faults in the fields of status pages', () => {
  const api = useApi('sqlite')

  test('are 400 with their paths, and nothing is created', async () => {
    const { client } = await api.tenant()
    await untouchedBy(client, async () => {
      for (const [body, paths] of badBodies) {
        expectError(await client.post('/status-pages', body), 'validation_error', paths)
      }
    })
  })

  for (const [field, values] of Object.entries(badValues)) {
    test(`an invalid ${field} is 400 in create and update`, async () => {
      const { client } = await api.tenant()
      const { id } = await createPage(client)
      await untouchedBy(client, async () => {
        for (const value of values) {
          const answer = await client.post('/status-pages', { name: 'A', [field]: value })
          expectError(answer, 'validation_error', [field])
          expectError(await client.patch(`/status-pages/${id}`, { [field]: value }), 'validation_error', [field])
        }
      })
    })
  }
})
