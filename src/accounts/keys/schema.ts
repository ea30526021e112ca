import Type from 'typebox'
import { nullable, oneOf, resource, Timestamp } from '../../contract/schema.ts'

export const Key = resource('Key', {
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  hint: Type.String({ description: 'Its last four characters' }),
  access: oneOf(['full', 'read-only']),
  status: oneOf(['active', 'disabled', 'expired', 'revoked']),
  expiresAt: nullable(Timestamp),
  lastUsedAt: nullable(Timestamp),
  lastUsedAddress: nullable(Type.String(), {
    description: 'Client address of the last request; for IPv6, the network',
  }),
  createdBy: nullable(
    Type.Object({
      userId: Type.String({ minLength: 1 }),
      name: Type.String(),
      isMember: Type.Boolean({ description: 'False if the user has left the organization or was removed' }),
    }),
    { description: 'Null for keys that the operator created, and for keys older than this field' },
  ),
  createdAt: Timestamp,
})

export const CreatedKey = resource('CreatedKey', {
  ...Key.properties,
  key: Type.String({ description: 'The key, shown only once' }),
})

const KeyParams = Type.Object({ keyId: Type.String() })

export const ofKey = { tag: 'API keys', params: KeyParams, errors: ['not_found', 'conflict'] } as const
