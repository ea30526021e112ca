import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Loop, startLoop } from '../lib/loop.ts'
import { tolerate } from '../lib/tolerate.ts'
import type { Database } from '../storage/database.ts'
import { pruneRecords } from './api/idempotency.ts'
import type { KeyUse } from './key-use.ts'

const EVERY_MS = 30_000
const AT_ONCE = 500

/** Small steps that keep tables from growing for ever; none is needed for an answer to be right. */
export function startHousekeeping(parts: { database: Database; keyUse: KeyUse; clock: Clock; log: Log }): Loop {
  const { database, keyUse, clock, log } = parts
  return startLoop('housekeeping', log, async () => {
    await keyUse.flush().catch(tolerate(log, 'noting when keys were used'))
    await database.gate.prune().catch(tolerate(log, 'forgetting rate windows'))
    const pruned = await database
      .write(() => pruneRecords(clock.now(), AT_ONCE))
      .catch(tolerate(log, 'forgetting idempotency records'))
    return pruned === AT_ONCE ? 'again' : { restMs: EVERY_MS }
  })
}
