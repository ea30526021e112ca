import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { labelled, setLabels } from '../../support/monitors.ts'
import type { Client } from '../../support/server.ts'
import { createContact, faultsOf, hook, newMonitor } from './contact-api.ts'

const byLabels = (selector: string) => ({ ...hook(), covers: 'LABELS', selector })

const attachedTo = async (client: Client, id: string): Promise<string[]> => {
  const { data } = (await client.get(`/monitors/${id}/contacts?attached=true`)).body
  return data.map(({ contactId }: { contactId: string }) => contactId)
}

forEachEngine('a contact that covers monitors by their labels', (engine) => {
  const api = useApi(engine)

  test('follows the labels of monitors, also of those that get them later', async () => {
    const { client } = await api.tenant()
    const contact = await createContact(client, byLabels('env in (staging, prod), !legacy'))
    assert.deepEqual([contact.covers, contact.selector], ['LABELS', 'env in (prod,staging),!legacy'])
    const { id: prod } = await labelled(client, { env: 'prod' })
    const { id: old } = await labelled(client, { env: 'prod', legacy: '' })
    assert.deepEqual([await attachedTo(client, prod), await attachedTo(client, old)], [[contact.id], []])
    await setLabels(client, prod, { env: 'test' })
    await setLabels(client, old, { env: 'prod' })
    assert.deepEqual([await attachedTo(client, prod), await attachedTo(client, old)], [[], [contact.id]])
    assert.equal((await client.patch(`/contacts/${contact.id}`, { selector: 'env=test' })).body.selector, 'env=test')
    assert.deepEqual([await attachedTo(client, prod), await attachedTo(client, old)], [[contact.id], []])
  })

  test('is alerted of outages of these monitors only', async () => {
    const { client, orgId } = await api.tenant()
    const contact = await createContact(client, byLabels('team=payments'))
    const payments = await labelled(client, { team: 'payments' })
    const search = await labelled(client, { team: 'search' })
    for (const { heartbeatUrl } of [payments, search]) {
      await fetch(`${api.server.url}${new URL(heartbeatUrl).pathname}/fail`)
    }
    const alerts = await api.server.running.database.read(
      execute(q.selectFrom('alerts').select(['contact_id', 'monitor_id']).where('org_id', '=', orgId)),
    )
    assert.deepEqual(alerts, [{ contact_id: contact.id, monitor_id: payments.id }])
  })

  test('is not attached or detached by hand, unless that changes nothing', async () => {
    const { client } = await api.tenant()
    const { id } = await createContact(client, byLabels('team=payments'))
    const { id: matching } = await labelled(client, { team: 'payments' })
    const other = await newMonitor(client)
    const send = async (method: string, monitorId: string) => {
      const { status, body } = await client.send(method, `/monitors/${monitorId}/contacts/${id}`)
      return [status, body.error?.message]
    }
    const refused = [
      409,
      'Hook gets alerts of the monitors with the labels team=payments; change the labels of the monitor, or what the contact covers',
    ]
    assert.deepEqual([await send('PUT', matching), await send('DELETE', matching)], [[200, undefined], refused])
    assert.deepEqual([await send('PUT', other), await send('DELETE', other)], [refused, [200, undefined]])
  })

  test('needs a valid selector, and other contacts have none', async () => {
    const { client } = await api.tenant()
    const needed = ['selector is required if covers is LABELS']
    const unneeded = ['selector is allowed only if covers is LABELS']
    const create = async (fields: object) => faultsOf(await client.post('/contacts', { ...hook(), ...fields }))
    assert.deepEqual(await create({ covers: 'LABELS' }), needed)
    assert.deepEqual(await create({ covers: 'LABELS', selector: null }), needed)
    assert.deepEqual(await create({ selector: 'a=b' }), unneeded)
    assert.match(
      (await create({ covers: 'LABELS', selector: 'a=b,=c' }))[0],
      /^selector is not a valid selector: .+ \(character 5\)$/,
    )
    const contact = await createContact(client)
    const update = async (change: object) => faultsOf(await client.patch(`/contacts/${contact.id}`, change))
    assert.deepEqual(await update({ covers: 'LABELS' }), needed)
    assert.deepEqual(await update({ selector: 'a=b' }), unneeded)
    assert.deepEqual((await client.get(`/contacts/${contact.id}`)).body, contact)
    const changed = await client.patch(`/contacts/${contact.id}`, { covers: 'LABELS', selector: 'a=b' })
    assert.deepEqual([changed.status, changed.body.selector], [200, 'a=b'])
    assert.deepEqual(await update({ selector: null }), needed)
    assert.deepEqual((await client.patch(`/contacts/${contact.id}`, { name: 'x' })).body.selector, 'a=b')
    assert.equal((await client.patch(`/contacts/${contact.id}`, { covers: 'ALL' })).body.selector, null)
  })

  test('does not see monitors of other organizations', async () => {
    const [own, foreign] = [await api.tenant(), await api.tenant()]
    await createContact(own.client, byLabels('team=payments'))
    const { id: foreignOne } = await labelled(foreign.client, { team: 'payments' })
    assert.deepEqual(await attachedTo(foreign.client, foreignOne), [])
  })
})
