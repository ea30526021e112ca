import Type from 'typebox'
import type { Caller } from '../storage/database.ts'
import { oneOf } from './schema.ts'

/** Who made a change, with the name at that time. */
export const NamedActor = Type.Object({ type: oneOf(['USER', 'API_KEY'] as const), name: Type.String() })

/** Who made a change, as the API returns it. */
interface Actor {
  readonly type: 'USER' | 'API_KEY'
  readonly id: string
  readonly name: string
}

/** What kind of actor an id belongs to: ids of API keys begin with `key_`. */
export function actorTypeOf(id: string): Actor['type'] {
  return id.startsWith('key_') ? 'API_KEY' : 'USER'
}

export function actorOf(caller: Caller): Actor {
  if ('keyId' in caller) return { type: 'API_KEY', id: caller.keyId, name: caller.keyName }
  return { type: 'USER', id: caller.userId, name: caller.userName }
}
