import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { organizationWithIdOrSlug } from '../../src/accounts/organizations/queries.ts'
import { execute, q } from '../../src/storage/query.ts'
import { confirmed } from '../notifications/subscribers/mailing.ts'
import { type ApiObject, createPage } from '../publishing/public-site/fixtures.ts'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'

forEachEngine('pharos subscribers', (engine) => {
  const cli = new CommandLine(engine)
  let page: ApiObject
  before(async () => {
    const client = cli.server.client(BOOTSTRAP_KEY)
    page = await createPage(client, [], { slug: 'acme', published: false })
    const other = await createPage(client, [], { slug: 'other' })
    const database = await cli.workspace.open()
    const orgId = (await database.read(organizationWithIdOrSlug('default')))?.id as string
    const rows = [
      ...Array.from({ length: 510 }, (_, i) => confirmed(orgId, page.id, `${i}`, `u${i}@example.com`)),
      {
        ...confirmed(orgId, page.id, 'off', '"odd"@example.com'),
        state: 'DISABLED' as const,
        rejections: 3,
        last_error: 'The mail server refused: 550',
      },
      confirmed(orgId, other.id, 'x', 'elsewhere@example.com'),
    ]
    await database.write(() => execute(q.insertInto('subscribers').values(rows)))
    const endpoint = { kind: 'SLACK' as const, sealed_url: 'x', label: 'https://hooks.slack.com/…abcd' }
    const hook = { ...confirmed(orgId, other.id, 'hook', 'slack:hash'), ...endpoint }
    await database.write(() => execute(q.insertInto('subscribers').values(hook)))
    await database.close()
  })

  test('list shows all subscribers of the page and no others', async () => {
    const list = await cli.json('subscribers list --page acme')
    assert.equal(list.length, 511)
    const { id, ...first } = list[0]
    assert.match(id, /^sub_/)
    assert.deepEqual(first, {
      kind: 'EMAIL',
      address: 'u0@example.com',
      state: 'CONFIRMED',
      rejections: 0,
      lastError: null,
      createdAt: '1970-01-01T00:00:00.001Z',
      confirmedAt: '1970-01-01T00:00:00.001Z',
    })
    const text = await cli.text('subscribers list --page acme')
    assert.match(
      text,
      /^ID +KIND +ADDRESS +STATUS +CONFIRMED +LAST ERROR\nsub_\w+ +E-mail +u0@example\.com +confirmed +\w.* (1970|1969), /,
    )
    assert.match(text, /disabled .* The mail server refused: 550\n$/)
    assert.doesNotMatch(text, /elsewhere/)
  })

  test('export prints CSV', async () => {
    const lines = (await cli.text('subscribers export --page acme')).trimEnd().split('\n')
    assert.equal(lines.length, 512)
    assert.deepEqual(lines.slice(0, 2), [
      'kind,address,state,created_at,confirmed_at',
      '"EMAIL","u0@example.com","CONFIRMED","1970-01-01T00:00:00.001Z","1970-01-01T00:00:00.001Z"',
    ])
    assert.match(lines[511] ?? '', /^"EMAIL","""odd""@example\.com","DISABLED",/)
  })

  test('an endpoint is shown masked and removed by its id', async () => {
    const [hook] = (await cli.json('subscribers list --page other')).filter(({ kind }: ApiObject) => kind === 'SLACK')
    assert.deepEqual([hook.id, hook.address], ['sub_hook', 'https://hooks.slack.com/…abcd'])
    assert.match(await cli.refusal('subscribers remove --yes --page acme sub_hook'), /not a subscriber/)
    assert.equal(await cli.text('subscribers remove --yes --page other sub_hook'), 'Removed subscriber sub_hook\n')
  })

  test('remove removes an address from the given page only', async () => {
    assert.match(
      await cli.text('subscribers remove --yes --page acme u7@EXAMPLE.com'),
      /^Removed subscriber u7@example\.com\n$/,
    )
    assert.equal((await cli.json('subscribers list --page acme')).length, 510)
    const again = await cli.refusal('subscribers remove --yes --page acme u7@example.com')
    assert.equal(
      again,
      'u7@example.com is not a subscriber of acme; run "pharos subscribers list --page acme" to see all',
    )
    assert.match(
      await cli.refusal('subscribers remove --yes --page acme elsewhere@example.com'),
      /is not a subscriber of acme/,
    )
    assert.deepEqual(await cli.json('subscribers remove --yes --page other elsewhere@example.com'), {
      page: (await cli.server.client(BOOTSTRAP_KEY).get('/status-pages?q=other')).body.data[0].id,
      address: 'elsewhere@example.com',
    })
    assert.match(await cli.refusal('subscribers list --page nobody'), /Status page "nobody" not found/)
    assert.match(await cli.usageError('subscribers list'), /Missing option --page SLUG/)
    assert.match(await cli.usageError('subscribers'), /needs a command: list, export, remove/)
  })
})
