import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { smallest } from '../../support/monitors.ts'
import { useInstallation } from '../../support/person.ts'

forEachEngine('the monitor list, sorted by match', (engine) => {
  const installation = useInstallation(engine)

  async function listed(query: string): Promise<readonly { id: string; name: string }[]> {
    return (await installation.owner.get(`/v1/monitor-list?${query}`)).body.data
  }

  const names = async (query: string) => (await listed(query)).map(({ name }) => name)

  test('has names that equal the search text first, then names that begin with it, then words that do', async () => {
    for (const name of ['zebra', 'about zeb', 'Zeb', 'zebu', 'xzeb', 'other'])
      assert.equal((await installation.owner.post('/v1/monitors', { ...smallest('PING'), name })).status, 201)
    assert.deepEqual(await names('q=ZEB&sort=match'), ['Zeb', 'zebra', 'zebu', 'about zeb', 'xzeb'])
    assert.deepEqual(await names('q=zeb&sort=match&limit=2&offset=1'), ['zebra', 'zebu'])
    const { status, body } = await installation.owner.get('/v1/monitor-list?sort=match')
    assert.deepEqual([status, body.error.details[0].path], [400, 'sort'])
    const ids = (await listed('q=zeb')).map(({ id }) => id)
    const byId = await names(`ids=${ids.join()},mon_other&sort=name`)
    assert.deepEqual(byId, ['about zeb', 'xzeb', 'Zeb', 'zebra', 'zebu'])
  })
})
