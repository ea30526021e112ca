import { appOperation } from '../../contract/app-operation.ts'
import { faultFor, invalid } from '../../contract/errors.ts'
import { body, defaulted, nullable, oneOf, singleLine, TimestampInput } from '../../contract/schema.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import { reason } from '../../reasons/reason.ts'
import { issueKey } from './insert.ts'
import { CreatedKey } from './schema.ts'

export const createKey = appOperation('createKey', {
  tag: 'API keys',
  method: 'POST',
  path: '/keys',
  summary: 'Create an API key',
  body: body('CreateKey', {
    name: singleLine({ minLength: 1, maxLength: 120, description: 'What the key is for' }),
    access: oneOf(['full', 'read-only']),
    expiresAt: defaulted(nullable(TimestampInput), null),
  }),
  answer: { status: 201, schema: CreatedKey, description: 'The key, shown only once' },
  errors: ['conflict'],
  *handle({ caller, now }, { body: { name, access, expiresAt: until } }) {
    const expiresAt = until === null ? null : parseTimestamp(until)
    if (expiresAt !== null && expiresAt <= now) throw invalid([faultFor('expiresAt', reason('in_past'))])
    return yield* issueKey(caller, { name, access, expiresAt }, now)
  },
})
