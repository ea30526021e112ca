import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditActions } from '../../dashboard/src/screens/settings/audit-actions.ts'
import { appOperations } from '../../src/server/operations/app-table.ts'
import { operations } from '../../src/server/operations/table.ts'

/** Changes of a visitor without an organization, which have no entry. */
const outside =
  /sign-in|sign-up\/confirm|password-reset|sign-out|sessions|\/me\/(totp$|passkeys\/options|email-confirmation)/

test('every change that the audit log records has a sentence', () => {
  const recorded = [...operations, ...appOperations].filter(
    ({ method, path, skipsAudit }) => method !== 'GET' && skipsAudit !== true && !outside.test(path),
  )
  assert.ok(recorded.length > 50)
  assert.deepEqual(
    recorded.map(({ id }) => id).filter((id) => auditActions[id] === undefined),
    [],
  )
})
