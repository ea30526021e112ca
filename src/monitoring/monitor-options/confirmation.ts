import Type from 'typebox'
import type { Confirmation } from '../../contract/check-options.ts'
import { body, defaulted, resource } from '../../contract/schema.ts'
import { monitorTypes } from '../monitor-types/definitions.ts'
import type { OptionDefinition } from './definition.ts'

const MAX_RETRIES = 5
/** A check that waits for its next attempt holds one of the places that checks share. */
const MAX_DELAY_SECONDS = 60

const members = {
  failureRetries: Type.Integer({
    minimum: 0,
    maximum: MAX_RETRIES,
    description: 'How often a failed attempt is repeated before the check counts as failed. Default: once per delay',
  }),
  retryDelaysSeconds: Type.Array(Type.Number({ minimum: 0, maximum: MAX_DELAY_SECONDS }), {
    maxItems: MAX_RETRIES,
    description:
      'The delay before each repeat. The last one counts for the repeats that have none. Default: those of the installation',
  }),
  recoverySuccesses: defaulted(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      description:
        'How many checks in a row must succeed before the incident is resolved. Until then the monitor is DOWN',
    }),
    1,
  ),
}

const example: Confirmation = { failureRetries: 3, retryDelaysSeconds: [2, 5, 10], recoverySuccesses: 2 }

export const confirmation: OptionDefinition<Confirmation> = {
  noun: 'confirmation',
  description:
    'The repeats of CRON monitors are not used: their job reports by itself. The default is that of the installation.',
  types: monitorTypes,
  body: body('SetMonitorConfirmation', {
    ...members,
    failureRetries: Type.Optional(members.failureRetries),
    retryDelaysSeconds: Type.Optional(members.retryDelaysSeconds),
  }),
  answer: resource('MonitorConfirmation', members),
  render: (value, { confirmDelaysSeconds }) => {
    const { retryDelaysSeconds = confirmDelaysSeconds, recoverySuccesses = 1 } = value ?? {}
    const { failureRetries = retryDelaysSeconds.length } = value ?? {}
    return { failureRetries, retryDelaysSeconds, recoverySuccesses }
  },
  example: { body: example, answer: example },
}
