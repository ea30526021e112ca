import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isAtLeast, type Permission, permissions, roleOf } from '../../../src/contract/permissions.ts'
import { appOperations } from '../../../src/server/operations/app-table.ts'
import { operations } from '../../../src/server/operations/table.ts'
import { type Role, roles } from '../../../src/storage/schema/accounts.ts'
import { forEachEngine } from '../../support/engines.ts'
import { joinByInvitation, type Person, useInstallation, Person as Visitor } from '../../support/person.ts'

interface Endpoint {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly who: Permission
}

/** Everything below /app/api, with ids that do not exist. */
const endpoints: readonly Endpoint[] = [
  ...appOperations.map(({ id, method, path, permission: who }) => ({ id, method, path, who })),
  ...operations.map((operation) => ({ ...operation, path: `/v1${operation.path}`, who: roleOf(operation) })),
  // Not an operation. The event stream is tested elsewhere.
  { id: 'preview', method: 'GET', path: '/status-pages/:statusPageId/preview', who: 'VIEWER' as const },
].map((endpoint) => ({ ...endpoint, path: endpoint.path.replace(/:[^/]+/g, 'nothing_of_the_kind') }))

const restricted = endpoints.filter(({ who }) => who !== 'ANYONE')
const ofOrganization = restricted.filter((endpoint): endpoint is Endpoint & { who: Role } => endpoint.who !== 'USER')

test('the table of permissions lists exactly the operations of the dashboard', () => {
  assert.deepEqual(appOperations.map(({ id }) => id).sort(), Object.keys(permissions).sort())
})

test('each role includes the permissions of the roles below it', () => {
  for (const [i, role] of roles.entries()) for (const above of roles.slice(0, i)) assert.ok(isAtLeast(above, role))
  for (const [i, role] of roles.entries()) for (const below of roles.slice(i + 1)) assert.ok(!isAtLeast(below, role))
})

/** A body that no operation accepts, so that permitted requests change nothing. */
const INVALID_BODY = { nonsense: true }

function sendInvalid(person: Person, { method, path }: Endpoint, headers = {}) {
  return person.send(method, path, method === 'GET' ? undefined : INVALID_BODY, headers)
}

forEachEngine('operations of the dashboard', (engine) => {
  const installation = useInstallation(engine)
  const people = new Map<Role, Person>()
  before(async () => {
    people.set('OWNER', installation.owner)
    for (const role of roles.slice(1))
      people.set(role, await joinByInvitation(installation, `${role.toLowerCase()}@example.com`, role))
  })

  // Of the engine, the check needs the role of the member alone.
  for (const role of engine === 'sqlite' ? roles : (['VIEWER'] as const)) {
    test(`are allowed for ${role} according to the table of permissions`, async () => {
      const person = people.get(role) as Person
      for (const endpoint of ofOrganization) {
        const { status, body } = await sendInvalid(person, endpoint)
        if (isAtLeast(role, endpoint.who)) assert.ok(status !== 401 && status !== 403, `${endpoint.id}: ${status}`)
        else assert.deepEqual([status, body.error.code], [403, 'forbidden'], endpoint.id)
      }
    })
  }

  test('answer 404 to members of another organization', async () => {
    const { orgId } = await installation.server.organization('FREE')
    for (const endpoint of ofOrganization) {
      const { status, body } = await sendInvalid(installation.owner, endpoint, { 'x-pharos-organization': orgId })
      assert.deepEqual([status, body.error.message], [404, 'No such organization'], endpoint.id)
    }
  })

  // Refused before the first query.
  if (engine === 'postgres') return

  test('that need no session open none for an invalid request', async () => {
    for (const endpoint of endpoints.filter(({ who, method }) => who === 'ANYONE' && method !== 'GET')) {
      const { status, headers } = await sendInvalid(new Visitor(installation.server), endpoint)
      assert.deepEqual([status, headers.getSetCookie().length], [400, 0], endpoint.id)
    }
  })

  test('need a session', async () => {
    for (const endpoint of restricted) {
      const { status, body } = await sendInvalid(new Visitor(installation.server), endpoint)
      assert.deepEqual([status, body.error.code], [401, 'unauthorized'], endpoint.id)
    }
  })

  test('do not accept an API key', async () => {
    const key = { 'x-api-key': installation.server.key }
    for (const path of ['/me', '/v1/monitors', '/members']) {
      assert.equal((await new Visitor(installation.server, key).get(path)).status, 401)
    }
  })

  test('use sessions, which the public API does not accept', async () => {
    const response = await fetch(`${installation.server.url}/api/v1/monitors`, {
      headers: { cookie: installation.owner.cookie ?? '' },
    })
    assert.equal(response.status, 401)
  })
})
