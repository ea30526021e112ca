import { setImmediate } from 'node:timers/promises'
import { idsByPlace } from '../../configuration/items.ts'
import type { OperationContext, Read } from '../../contract/operation.ts'
import { parseStored } from '../../lib/json.ts'
import type { ImportTable } from '../../storage/schema/configuration.ts'
import { openLine, readLines } from '../../storage/sealed-lines.ts'
import type { SourceName } from '../result.ts'
import type { ReportedObject, ReportHead } from './report-lines.ts'
import { configurationSourceOf, type Part, renderImport, textOf } from './rows.ts'

interface ListPage {
  readonly limit: number
  readonly offset: number
}

/** A page of the report of an import as JSON, with the resources that its objects became. Only the lines of the page are opened, one by one. */
export async function reportPage(
  context: OperationContext,
  row: ImportTable,
  { limit, offset }: ListPage,
  read: Read,
): Promise<readonly string[]> {
  const { sealer } = context.installation
  const open = async (part: Part, num: number): Promise<unknown> => {
    const text = textOf(row.org_id, row.id, part)
    const [sealed] = await read(readLines(text, num, 1))
    // It was deleted meanwhile.
    return sealed === undefined ? undefined : parseStored(openLine(sealer, text, num, sealed))
  }
  const head = (await open('head', 0)) as ReportHead | undefined
  const { unreadable = [], variables = [], objectsPerLine = [] } = head ?? {}
  const objects: string[] = []
  let first = 0
  for (const [num, count] of objectsPerLine.entries()) {
    const [from, to] = [Math.max(offset - first, 0), Math.min(offset + limit - first, count)]
    first += count
    if (from >= to) continue
    const line = ((await open('objects', num)) ?? []) as readonly ReportedObject[]
    objects.push(...(await rendered(context, row, line.slice(from, to), read)))
    await setImmediate()
  }
  const pagination = { limit, offset, total: first }
  return [
    `${JSON.stringify(renderImport(row)).slice(0, -1)},"objects":[`,
    objects.join(','),
    `],${JSON.stringify({ unreadable, variables, pagination }).slice(1)}`,
  ]
}

async function rendered(
  { caller: { orgId } }: OperationContext,
  { source }: ImportTable,
  objects: readonly ReportedObject[],
  read: Read,
): Promise<string[]> {
  const places = objects.flatMap(({ key }) => key ?? [])
  const ids = await read(idsByPlace(orgId, configurationSourceOf(source as SourceName), places))
  return objects.map((object) => {
    return JSON.stringify({ ...object, resourceId: object.key === null ? null : (ids.get(object.key) ?? null) })
  })
}
