import { setImmediate } from 'node:timers/promises'
import { planAndStore } from '../../configuration/create-plan.ts'
import { itemsOf } from '../../configuration/items.ts'
import { kindNames } from '../../configuration/kinds/kind.ts'
import { ConfigurationPlan } from '../../configuration/schema.ts'
import { invalid } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, networkOperation } from '../../contract/operation.ts'
import { ForeignWorkFailed } from '../../lib/foreign-work.ts'
import { openLine, readLines } from '../../storage/sealed-lines.ts'
import type { SourceName } from '../result.ts'
import { chooseObjects } from './choose-objects.ts'
import { alreadyApplied, configurationSourceOf, importWithId, textOf } from './rows.ts'
import { common, importParams, PlanImport } from './schema.ts'

export const planImport = networkOperation({
  ...common,
  id: 'planImport',
  method: 'POST',
  path: '/imports/:importId/plan',
  access: 'write',
  bulk: true,
  skipsAudit: true,
  summary: 'Plan an import',
  description:
    'Returns what importing the chosen objects would change. Nothing changes but the plan, which is stored encrypted for an hour. ' +
    'What an earlier import from the tool created and this one leaves out is released: it is kept, and managed by hand from then on.',
  params: importParams,
  body: PlanImport,
  bodyRequired: false,
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: { status: 200, schema: ConfigurationPlan, description: 'The plan' },
  errors: ['not_found', 'conflict'],
  *prepare(context, { params: { importId }, body: { keys, variableValues: values = {}, alertNow } }) {
    const { orgId } = context.caller
    const row = yield* importWithId(context, importId)
    if (row.applied_at !== null) throw alreadyApplied()
    const text = textOf(orgId, importId, 'document')
    const sealed = yield* readLines(text)
    const source = configurationSourceOf(row.source as SourceName)
    const items = yield* itemsOf(orgId)
    const known = kindNames.map((kind) => [
      kind,
      items[kind].all.flatMap((one) => (one.source === source ? one.key : [])),
    ])
    return { text, sealed, choice: { knownKeys: Object.fromEntries(known), keys, values, alertNow } }
  },
  async run({ text, sealed, choice }, { sealer, foreign }) {
    const lines: string[] = []
    for (const [num, line] of sealed.entries()) {
      lines.push(openLine(sealer, text, num, line))
      await setImmediate()
    }
    const document = await foreign.run(chooseObjects, { ...choice, lines }, text.orgId).catch((error: unknown) => {
      throw error instanceof ForeignWorkFailed ? invalid([{ path: 'body', message: error.message }]) : error
    })
    if ('faults' in document) throw invalid(document.faults)
    return document
  },
  save: (context, _input, document) => planAndStore(context, { document, deletes: false }),
})
