import { type Installation, operation } from '../../contract/operation.ts'
import { parseStored } from '../../lib/json.ts'
import type { RenderContext } from '../monitor-options/definition.ts'
import { type OptionName, optionNamed } from '../monitor-options/definitions.ts'
import { monitorOf } from './queries.ts'
import { MonitorParams } from './schema.ts'

export function getOption(name: OptionName) {
  const { noun, description, answer, render } = optionNamed(name)
  return operation({
    ...ofOption('get', name),
    method: 'GET',
    access: 'read',
    summary: `Get the ${noun} of a monitor`,
    description,
    answer: { status: 200, schema: answer, description: 'What is set, or the default' },
    *handle({ caller: { orgId }, installation, now }, { params }) {
      const { options } = yield* monitorOf(orgId, params.monitorId)
      return render(options === null ? undefined : parseStored(options)[name], renderContext(installation, now))
    },
  })
}

/** What the operations on an option have in common. */
export function ofOption<const V extends string>(verb: V, name: OptionName) {
  return {
    id: `${verb}Monitor${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    path: `/monitors/:monitorId/${name === 'legacyAddress' ? 'legacy-address' : name}`,
    extension: true,
    tag: 'Monitors',
    params: MonitorParams,
    errors: ['not_found'],
  } as const
}

export function renderContext({ confirmDelaysSeconds }: Installation, now: number): RenderContext {
  return { now, confirmDelaysSeconds }
}
