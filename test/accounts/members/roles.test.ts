import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isAtLeast, type Permission, permissions, roleFor } from '../../../src/contract/permissions.ts'
import { appOperations } from '../../../src/server/operations/app-table.ts'
import { operations } from '../../../src/server/operations/table.ts'
import { type Role, roles } from '../../../src/storage/schema/accounts.ts'
import { forEachEngine } from '../../support/engines.ts'
import { join, type Person, useHouse, Person as Visitor } from '../../support/person.ts'

interface Door {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly who: Permission
}

/** Everything below /app/api that is not for anyone, with something in place of ids. */
const doors: readonly Door[] = [
  ...appOperations.map(({ id, method, path, permission: who }) => ({ id, method, path, who })),
  ...operations.map(({ id, method, path, access }) => ({ id, method, path: `/v1${path}`, who: roleFor[access] })),
  // No operations, but doors all the same; a stream does not end, so of those there is a test elsewhere.
  { id: 'preview', method: 'GET', path: '/status-pages/:statusPageId/preview', who: 'VIEWER' as const },
].map((door) => ({ ...door, path: door.path.replace(/:[^/]+/g, 'nothing_of_the_kind') }))

const guarded = doors.filter(({ who }) => who !== 'ANYONE')
const ofOrganization = guarded.filter((door): door is Door & { who: Role } => door.who !== 'USER')

test('every operation of the dashboard stands in the table of permissions, and nothing else does', () => {
  assert.deepEqual(appOperations.map(({ id }) => id).sort(), Object.keys(permissions).sort())
})

test('an operation of the dashboard that only reads is a GET, and one that changes something is not', () => {
  for (const { id, method, access } of appOperations) assert.equal(access === 'read', method === 'GET', id)
})

test('whatever a role may do, every role above it may', () => {
  for (const [i, role] of roles.entries()) for (const above of roles.slice(0, i)) assert.ok(isAtLeast(above, role))
  for (const [i, role] of roles.entries()) for (const below of roles.slice(i + 1)) assert.ok(!isAtLeast(below, role))
})

/** A body that no operation takes: whoever gets to the input is refused for it, and nothing is changed. */
const NONSENSE = { nonsense: true }

function knock(person: Person, { method, path }: Door) {
  return person.send(method, path, method === 'GET' ? undefined : NONSENSE)
}

forEachEngine('the doors of the dashboard', (engine) => {
  const house = useHouse(engine)
  const people = new Map<Role, Person>()
  before(async () => {
    people.set('OWNER', house.owner)
    for (const role of roles.slice(1)) people.set(role, await join(house, `${role.toLowerCase()}@example.com`, role))
  })

  for (const role of roles) {
    test(`open for ${role} exactly where the table says`, async () => {
      const person = people.get(role) as Person
      for (const door of ofOrganization) {
        const { status, body } = await knock(person, door)
        if (isAtLeast(role, door.who)) assert.ok(status !== 401 && status !== 403, `${door.id}: ${status}`)
        else assert.deepEqual([status, body.error.code], [403, 'forbidden'], door.id)
      }
    })
  }

  test('before which nobody has to show who they are let nobody in for nonsense', async () => {
    for (const door of doors.filter(({ who, method }) => who === 'ANYONE' && method !== 'GET')) {
      const { status, headers } = await knock(new Visitor(house.server), door)
      assert.deepEqual([status, headers.getSetCookie().length], [400, 0], door.id)
    }
  })

  test('are closed for whoever is not signed in', async () => {
    for (const door of guarded) {
      const { status, body } = await knock(new Visitor(house.server), door)
      assert.deepEqual([status, body.error.code], [401, 'unauthorized'], door.id)
    }
  })

  test('are not there for whoever belongs to another organization', async () => {
    const { orgId } = await house.server.organization('FREE')
    for (const door of ofOrganization) {
      const person = await people.get('OWNER')
      const { method, path } = door
      const headers = { 'x-pharos-organization': orgId }
      const answer = await person?.send(method, path, method === 'GET' ? undefined : NONSENSE, headers)
      assert.deepEqual([answer?.status, answer?.body.error.message], [404, 'No such organization'], door.id)
    }
  })

  test('do not open for an API key', async () => {
    const key = { 'x-api-key': house.server.key }
    for (const path of ['/me', '/v1/monitors', '/members']) {
      assert.equal((await new Visitor(house.server, key).get(path)).status, 401)
    }
  })

  test('and the public API does not open for a session', async () => {
    const response = await fetch(`${house.server.url}/api/v1/monitors`, {
      headers: { cookie: house.owner.cookie ?? '' },
    })
    assert.equal(response.status, 401)
  })
})
