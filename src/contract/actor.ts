import type { Caller } from '../storage/database.ts'

/** Who made a change, as the API returns it. */
interface Actor {
  readonly type: 'USER' | 'API_KEY'
  readonly id: string
  readonly name: string
}

export function actorOf(caller: Caller): Actor {
  if ('keyId' in caller) return { type: 'API_KEY', id: caller.keyId, name: caller.keyName }
  return { type: 'USER', id: caller.userId, name: caller.userName }
}
