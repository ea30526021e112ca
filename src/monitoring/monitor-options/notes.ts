import Type from 'typebox'
import type { Notes } from '../../contract/check-options.ts'
import { patterns } from '../../contract/patterns.ts'
import { body, documented, resource } from '../../contract/schema.ts'
import { monitorTypes } from '../monitor-types/definitions.ts'
import type { OptionDefinition } from './definition.ts'

const httpUrl = new RegExp(patterns.httpUrl)

const members = {
  runbookUrl: Type.Optional(
    documented(
      Type.String({ minLength: 1, maxLength: 1000, description: 'An http(s) address: what to do in an outage' }),
      {
        pattern: patterns.httpUrl,
      },
    ),
  ),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4000,
      description: 'For those who are alerted. Markdown: e-mails render it, other channels show its text',
    }),
  ),
}

const example: Notes = {
  runbookUrl: 'https://wiki.shop.example/runbooks/checkout',
  text: 'Restart the payment worker first. Second level: Ada.',
}

export const notes: OptionDefinition<Notes> = {
  noun: 'notes',
  description: "Shown on the monitor's page and in every alert message. By default there are none.",
  types: monitorTypes,
  body: body('SetMonitorNotes', members),
  answer: resource('MonitorNotes', members),
  render: (value) => value ?? {},
  faults: ({ runbookUrl }) =>
    typeof runbookUrl !== 'string' || (httpUrl.test(runbookUrl) && URL.canParse(runbookUrl))
      ? []
      : [{ path: 'runbookUrl', message: 'must be an http(s) address' }],
  example: { body: example, answer: example },
}
