import { operation } from '../../contract/operation.ts'
import { type OptionName, optionNamed } from '../monitor-options/definitions.ts'
import { openOptions } from '../monitor-settings/secrets.ts'
import { ofOption, renderContext } from './get-option.ts'
import { monitorToChange } from './queries.ts'
import { saveOption } from './set-option.ts'

export function removeOption(name: OptionName) {
  const { noun, answer, render } = optionNamed(name)
  return operation({
    ...ofOption('remove', name),
    method: 'DELETE',
    access: 'write',
    summary: `Reset the ${noun} of a monitor to the default`,
    description: 'A monitor that has the default stays as it is.',
    answer: { status: 200, schema: answer, description: 'The default' },
    *handle(context, { params }) {
      const { orgId } = context.caller
      const { installation, now } = context
      const monitor = yield* monitorToChange(orgId, params.monitorId)
      const before = openOptions(monitor, { orgId, id: monitor.id }, installation.sealer)
      yield* saveOption(monitor, name, before, undefined, context)
      return render(undefined, renderContext(installation, now))
    },
  })
}
