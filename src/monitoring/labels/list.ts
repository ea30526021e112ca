import { sql } from 'kysely'
import Type from 'typebox'
import { operation } from '../../contract/operation.ts'
import { pageQuery } from '../../contract/schema.ts'
import { allOf, batch } from '../../storage/batch.ts'
import { listPage } from '../../storage/list-index.ts'
import { type DbWork, q } from '../../storage/query.ts'
import { LabelPage, LabelParams, LabelValuePage } from './schema.ts'

/** Values of each key in the list of keys. */
const VALUES_SHOWN = 20

interface ValueRow {
  readonly key: string
  readonly value: string
  readonly monitors: number
}

/** The first values of each key, one more than are shown. */
const firstValues = batch<{ orgId: string; key: string }, ValueRow>({ orgId: 'text', key: 'text' }, (v, rows) => {
  const values = q
    .selectFrom('label_values as l')
    .select(['l.key', 'l.value', 'l.monitors'])
    .where('l.org_id', '=', v.orgId)
    .where('l.key', '=', v.key)
    .orderBy('l.value')
    .limit(sql.lit(VALUES_SHOWN + 1))
  if (rows === undefined) return values
  return q
    .selectFrom(rows.table)
    .innerJoinLateral(values.as('f'), (on) => on.onTrue())
    .select(['f.key', 'f.value', 'f.monitors'])
})

export const listLabels = operation({
  id: 'listLabels',
  method: 'GET',
  path: '/labels',
  access: 'read',
  extension: true,
  tag: 'Labels',
  summary: 'List the labels in use',
  description: `The keys of all labels in order, each with up to ${VALUES_SHOWN} values and how many monitors have them.`,
  query: Type.Object(pageQuery),
  answer: { status: 200, schema: LabelPage, description: 'A page of labels' },
  *handle({ caller: { orgId } }, { query: { limit, offset } }) {
    const inUse = q.selectFrom('label_keys').select(['key', 'monitors']).where('org_id', '=', orgId).orderBy('key')
    const { rows: keys, total } = yield* listPage(inUse, { limit, offset })
    const values = yield* valuesOf(
      orgId,
      keys.map(({ key }) => key),
    )
    const data = keys.map(({ key, monitors }) => {
      const its = values.get(key) ?? []
      return {
        label: key,
        monitors,
        values: its.slice(0, VALUES_SHOWN).map(({ value, monitors: count }) => ({ value, monitors: count })),
        hasMoreValues: its.length > VALUES_SHOWN,
      }
    })
    return { data, pagination: { limit, offset, total } }
  },
})

function* valuesOf(orgId: string, keys: readonly string[]): DbWork<ReadonlyMap<string, readonly ValueRow[]>> {
  const rows = yield* allOf(
    firstValues,
    keys.map((key) => ({ orgId, key })),
  )
  return Map.groupBy(
    rows.toSorted((a, b) => compareBytes(a.value, b.value)),
    ({ key }) => key,
  )
}

/** The order of the database. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

export const listLabelValues = operation({
  id: 'listLabelValues',
  method: 'GET',
  path: '/labels/:labelKey/values',
  access: 'read',
  extension: true,
  tag: 'Labels',
  summary: 'List the values of a label',
  description: 'In order. The list of a label that no monitor has is empty.',
  params: LabelParams,
  query: Type.Object({
    ...pageQuery,
    prefix: Type.Optional(
      Type.String({ minLength: 1, maxLength: 63, description: 'Only values that begin with this' }),
    ),
  }),
  answer: { status: 200, schema: LabelValuePage, description: 'A page of values' },
  *handle({ caller: { orgId } }, { params: { labelKey }, query: { limit, offset, prefix } }) {
    let matching = q
      .selectFrom('label_values')
      .select(['value', 'monitors'])
      .where('org_id', '=', orgId)
      .where('key', '=', labelKey)
      .orderBy('value')
    // The last character of Unicode sorts after any other, in the byte order of the column.
    if (prefix !== undefined)
      matching = matching.where('value', '>=', prefix).where('value', '<', `${prefix}\u{10FFFF}`)
    const { rows, total } = yield* listPage(matching, { limit, offset })
    return { data: [...rows], pagination: { limit, offset, total } }
  },
})
