import Type from 'typebox'
import { nullable, resource, Timestamp } from '../../contract/schema.ts'

export const Session = resource('Session', {
  id: Type.String({ minLength: 1 }),
  isCurrent: Type.Boolean({ description: 'The session of this request' }),
  address: Type.String({ description: 'Client address of the last use; for IPv6, the network' }),
  userAgent: nullable(Type.String()),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  expiresAt: Timestamp,
})
