import { setImmediate } from 'node:timers/promises'
import { monitorsOfSource } from '../configuration/items.ts'
import { parseStored } from '../lib/json.ts'
import { definitions, type MonitorType } from '../monitoring/monitor-types/definitions.ts'
import type { Database } from '../storage/database.ts'
import { execute } from '../storage/query.ts'
import type { OurMonitor } from './match.ts'
import { sourceOf } from './tools/index.ts'
import type { Tool } from './verdicts.ts'

/** In one turn of the event loop. */
const ROWS_AT_ONCE = 500

/** The monitors that were imported from a tool, with what they are matched by. */
export async function importedMonitors(
  database: Pick<Database, 'read'>,
  orgId: string,
  tool: Tool,
): Promise<readonly OurMonitor[]> {
  const found: OurMonitor[] = []
  for (let after = ''; ; ) {
    const rows = await database.read(
      execute(
        monitorsOfSource(orgId, sourceOf(tool))
          .select(['m.num', 'm.name', 'm.type', 'm.settings', 'i.key'])
          .where('i.key', '>', after)
          .orderBy('i.key')
          .limit(ROWS_AT_ONCE),
      ),
    )
    for (const { type, settings, ...row } of rows) {
      const target = { url: null, host: null, port: null, ...parseStored(settings) }
      found.push({ ...row, address: definitions[type as MonitorType].targetText(target) })
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) return found
    after = last.key
    await setImmediate()
  }
}
