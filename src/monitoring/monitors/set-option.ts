import type { MonitorOptions } from '../../contract/check-options.ts'
import { invalid } from '../../contract/errors.ts'
import { type OperationContext, operation } from '../../contract/operation.ts'
import { canonicalJson, parseStored } from '../../lib/json.ts'
import type { DbWork } from '../../storage/query.ts'
import { type OptionName, optionNamed } from '../monitor-options/definitions.ts'
import { mailFaults } from '../monitor-options/dialogue.ts'
import { misfits } from '../monitor-options/fit.ts'
import { withoutMoved } from '../monitor-options/login.ts'
import { keepSecrets } from '../monitor-options/secrets.ts'
import { openOptions, openSecrets, protectSettings } from '../monitor-settings/secrets.ts'
import { settingsIn } from '../monitor-settings/stored.ts'
import type { MonitorType } from '../monitor-types/definitions.ts'
import { auditEach } from './bulk.ts'
import { ofOption, renderContext } from './get-option.ts'
import { type MonitorToChange, monitorToChange } from './queries.ts'
import { requireFreeAddress } from './require-free-address.ts'
import { applyUpdates } from './update.ts'

export function setOption(name: OptionName) {
  const { noun, description, body, bodyLimitBytes, answer, faults = () => [], render } = optionNamed(name)
  return operation({
    ...ofOption('set', name),
    method: 'PUT',
    access: 'write',
    summary: `Replace the ${noun} of a monitor`,
    description,
    body,
    ...(bodyLimitBytes && { bodyLimitBytes }),
    refine: faults,
    answer: { status: 200, schema: answer, description: 'What is set' },
    *handle(context, { params, body: given }) {
      const { orgId } = context.caller
      const { installation, now } = context
      const monitor = yield* monitorToChange(orgId, params.monitorId)
      const before = openOptions(monitor, { orgId, id: monitor.id }, installation.sealer)
      const kept = keepSecrets(name, given as object, before[name])
      const found = [...kept.faults, ...misfits(name, kept.value, monitor.type as MonitorType)]
      // Secrets that were masked when the body was validated.
      if (found.length === 0) found.push(...faults(kept.value as Readonly<Record<string, unknown>>))
      found.push(...mailFaults({ [name]: kept.value }, settingsIn(monitor).port, installation))
      if (found.length > 0) throw invalid(found)
      const saved = yield* saveOption(monitor, name, before, kept.value, context)
      return render(saved, renderContext(installation, now))
    },
  })
}

/** Returns the option with masked secrets. `value` undefined removes it. */
export function* saveOption(
  monitor: MonitorToChange,
  name: OptionName,
  before: MonitorOptions,
  value: object | undefined,
  context: OperationContext,
): DbWork<object | undefined> {
  const { [name]: old, ...others } = before
  const next: MonitorOptions = value === undefined ? others : { ...others, [name]: value }
  const after = withoutMoved(next, before.request ?? {}, next.request ?? {})
  const isSilenced = next.dialogue !== after.dialogue
  const { orgId } = context.caller
  const { sealer, baseUrl } = context.installation
  const owner = { orgId, id: monitor.id }
  const unmasked = { ...settingsIn(monitor), ...openSecrets(monitor.secrets, owner, sealer) }
  const settings = protectSettings(unmasked, owner, sealer, after)
  if (canonicalJson(old) !== canonicalJson(value)) {
    const hash = name === 'legacyAddress' ? settings.legacyHash : null
    if (hash !== null) yield* requireFreeAddress(context, { monitor, hash })
    const changed = isSilenced ? [name, 'dialogue'] : [name]
    yield* applyUpdates(orgId, [{ monitor, settings, changed }], baseUrl, context.now)
    if (isSilenced) yield* auditEach(context, 'removeMonitorDialogue', [monitor])
  }
  return settings.options === null ? undefined : parseStored(settings.options)[name]
}
