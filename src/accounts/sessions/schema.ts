import Type from 'typebox'
import { nullable, resource, Timestamp } from '../../contract/schema.ts'

export const Session = resource('Session', {
  id: Type.String({ minLength: 1 }),
  isCurrent: Type.Boolean({ description: 'The one that asks' }),
  address: Type.String({ description: 'Where it was last used from; of IPv6 the network' }),
  userAgent: nullable(Type.String()),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  expiresAt: Timestamp,
})
