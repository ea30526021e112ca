import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasSignedInFrom, pruneKnownNetworks, recordSignIn } from '../../../src/accounts/sessions/known-networks.ts'
import { createUser } from '../../../src/accounts/users/queries.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import type { UserTable } from '../../../src/storage/schema/accounts.ts'
import { migratedTestDatabase } from '../../storage/test-database.ts'
import { forEachEngine } from '../../support/engines.ts'

forEachEngine('the networks of a user', (engine) => {
  test('are the last ten that the user signed in from, for 90 days', async () => {
    await using fixture = await migratedTestDatabase(engine)
    const { database } = fixture
    const newUser = { email: 'ann@example.com', passwordHash: null, emailVerifiedAt: 1 }
    const { id } = (await database.write(() => createUser(newUser, 1))) as UserTable
    const signIn = (address: string, at: number) => database.write(() => recordSignIn(id, address, at))
    const isKnown = async (address: string, at: number) => database.read(hasSignedInFrom(id, address, at))
    for (let i = 0; i < 12; i += 1) await signIn(`10.0.0.${i}`, i)
    assert.deepEqual([await isKnown('10.0.0.1', 20), await isKnown('10.0.0.2', 20)], [false, true])
    await signIn('10.0.0.2', 20)
    await signIn('10.0.0.12', 21)
    assert.deepEqual([await isKnown('10.0.0.2', 22), await isKnown('10.0.0.3', 22)], [true, false])
    assert.equal(await isKnown('10.0.0.2', 20 + 90 * DAY_MS), false)
    assert.equal(await database.write(() => pruneKnownNetworks(20 + 90 * DAY_MS, 500)), 9)
    const left = await database.read(execute(q.selectFrom('sign_in_networks').select('address')))
    assert.deepEqual(left, [{ address: '10.0.0.12' }])
  })
})
