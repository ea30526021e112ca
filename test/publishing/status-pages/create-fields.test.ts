import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { type Body, createPage, untouchedBy } from '../../support/status.ts'

const many = <T>(count: number, item: T): T[] => new Array<T>(count).fill(item)

const many400 = Array.from({ length: 400 }, (_, i) => ({ monitorId: `mon_${i}` }))

const badBodies: readonly [what: string, body: Body, paths: readonly string[]][] = [
  ['nothing', {}, ['name']],
  ['an empty name', { name: '' }, ['name']],
  ['a name that is too long', { name: 'x'.repeat(121) }, ['name']],
  ['a name that is no text', { name: 5 }, ['name']],
  ['a slug that is null', { name: 'A', slug: null }, ['slug']],
  ['a slug that is too short', { name: 'A', slug: 'ab' }, ['slug']],
  ['a slug that is too long', { name: 'A', slug: 'a'.repeat(64) }, ['slug']],
  ['a description that is too long', { name: 'A', description: 'x'.repeat(1001) }, ['description']],
  ['published as text', { name: 'A', published: 'true' }, ['published']],
  ['an unknown visibility', { name: 'A', visibility: 'PRIVATE' }, ['visibility']],
  ['PASSWORD without a password', { name: 'A', visibility: 'PASSWORD' }, ['password']],
  ['a password that is null', { name: 'A', visibility: 'PASSWORD', password: null }, ['password']],
  ['a password that is too short', { name: 'A', password: '1234567' }, ['password']],
  ['a password that is too long', { name: 'A', password: 'x'.repeat(129) }, ['password']],
  ['a URL that is too long', { name: 'A', logoUrl: `https://a.example/${'x'.repeat(2048)}` }, ['logoUrl']],
  ['an unknown theme', { name: 'A', theme: 'dark' }, ['theme']],
  ['a language that is not shipped', { name: 'A', locale: 'tlh' }, ['locale']],
  ['too little history', { name: 'A', historyDays: 6 }, ['historyDays']],
  ['too much history', { name: 'A', historyDays: 366 }, ['historyDays']],
  ['history as text', { name: 'A', historyDays: '90' }, ['historyDays']],
  ['flags that are none', { name: 'A', showUptime: 1, hideFromSearch: null }, ['hideFromSearch', 'showUptime']],
  ['sections that are no list', { name: 'A', sections: {} }, ['sections']],
  ['too many sections', { name: 'A', sections: many(51, { name: 'S' }) }, ['sections']],
  ['a section without a name', { name: 'A', sections: [{ monitors: [] }] }, ['sections.0.name']],
  [
    'section names out of bounds',
    { name: 'A', sections: [{ name: '' }, { name: 'x'.repeat(121) }] },
    ['sections.0.name', 'sections.1.name'],
  ],
  [
    'a section with a field that is none',
    { name: 'A', sections: [{ name: 'S', collapsed: true }] },
    ['sections.0.collapsed'],
  ],
  [
    'an entry without a monitor',
    { name: 'A', sections: [{ name: 'S', monitors: [{}] }] },
    ['sections.0.monitors.0.monitorId'],
  ],
  [
    'more than 1,000 monitors in all sections, of which the first one beyond is named',
    { name: 'A', sections: many(3, { name: 'S', monitors: many400 }) },
    ['sections.2.monitors.200'],
  ],
  ['read-only fields', { name: 'A', id: 'page_1', url: 'x', passwordSet: true }, ['id', 'passwordSet', 'url']],
  ['a status', { name: 'A', overallStatus: 'OPERATIONAL' }, ['overallStatus']],
  [
    'faults in many fields, all of which are reported',
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

forEachEngine('fields of status pages', (engine) => {
  const api = useApi(engine)
  faults(api)
})

function faults(api: Api): void {
  for (const [what, body, paths] of badBodies) {
    test(`${what}: 400, and nothing is created`, async () => {
      const { client } = await api.tenant()
      const answer = await untouchedBy(client, () => client.post('/status-pages', body))
      assert.equal(answer.status, 400)
      expectError(answer, 'validation_error', paths)
    })
  }

  for (const [field, values] of Object.entries(badValues)) {
    test(`an invalid ${field} is 400 in create and update`, async () => {
      const { client } = await api.tenant()
      const { id } = await createPage(client)
      await untouchedBy(client, async () => {
        for (const value of values) {
          const answer = await client.post('/status-pages', { name: 'A', [field]: value })
          assert.equal(answer.status, 400, `${field} ${JSON.stringify(value)}`)
          expectError(answer, 'validation_error', [field])
          expectError(await client.patch(`/status-pages/${id}`, { [field]: value }), 'validation_error', [field])
        }
      })
    })
  }

  test('the host of the installation cannot be a custom domain', async () => {
    const { client } = await api.tenant()
    const answer = await client.post('/status-pages', { name: 'A', customDomain: 'localhost' })
    expectError(answer, 'validation_error', ['customDomain'])
  })
}
