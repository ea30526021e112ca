import Type from 'typebox'
import type { Dialogue } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES } from '../../contract/operation.ts'
import { body, defaulted, documented, forbidding, having, nullable, oneOf, resource } from '../../contract/schema.ts'
import { isObject } from '../../contract/validate.ts'
import type { OptionDefinition } from './definition.ts'

const MAX_STEPS = 10
const MAX_TEXT = 1000
const HEX = '^([0-9a-fA-F]{2})+$'
const transports = ['TCP', 'TLS', 'STARTTLS', 'UDP'] as const

/** A condition of JSON Schema. */
const startsTls = { required: ['startTls'], properties: { startTls: { enum: [true] } } }

const Step = forbidding(
  Type.Object(
    {
      send: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_TEXT,
          description: 'The text to send. A line end must be part of it',
        }),
      ),
      sendHex: Type.Optional(
        documented(
          Type.String({
            minLength: 2,
            maxLength: 2 * MAX_TEXT,
            description: 'The bytes to send, as hexadecimal digits',
          }),
          { pattern: HEX },
        ),
      ),
      expect: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_TEXT,
          description: 'A text that the reply must contain, or an RE2 pattern between slashes',
        }),
      ),
      startTls: Type.Optional(Type.Boolean({ description: 'Begin TLS before this step' })),
    },
    { additionalProperties: false },
  ),
  having('send', 'sendHex'),
  { not: { anyOf: [having('send'), having('sendHex'), having('expect'), startsTls] } },
)

const members = {
  transport: defaulted(oneOf(transports, { description: 'How the connection is made' }), 'TCP'),
  preset: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'The name of a protocol whose steps are built in, such as SMTP',
    }),
  ),
  steps: Type.Optional(Type.Array(Step, { maxItems: MAX_STEPS, description: 'What is sent and expected, in order' })),
}

const example: Dialogue = {
  transport: 'TCP',
  steps: [{ expect: '220' }, { send: 'EHLO pharos\r\n', expect: '/^250 /' }],
}

export const dialogue: OptionDefinition<Dialogue> = {
  noun: 'dialogue',
  description:
    'What is sent to the port and what it must reply, by a preset or in up to ' +
    `${MAX_STEPS} steps. By default the port only has to accept a connection.`,
  types: ['PORT'],
  body: forbidding(
    body('SetMonitorDialogue', members),
    { not: { anyOf: [having('preset'), having('steps')] } },
    {
      required: ['steps'],
      properties: { steps: { contains: startsTls } },
      not: { required: ['transport'], properties: { transport: { enum: ['STARTTLS'] } } },
    },
  ),
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: resource('MonitorDialogue', {
    ...members,
    transport: nullable(oneOf(transports), { description: 'null if there is no dialogue' }),
  }),
  render: (value) => value ?? { transport: null },
  faults: dialogueFaults,
  example: { body: example, answer: example },
}

const hex = new RegExp(HEX)

function dialogueFaults({ preset, steps, transport }: Readonly<Record<string, unknown>>): Fault[] {
  if (preset === undefined && steps === undefined) return [{ path: 'steps', message: 'is required without a preset' }]
  if (!Array.isArray(steps)) return []
  return steps.flatMap((step: unknown, i): Fault[] => {
    if (!isObject(step)) return []
    const { send, sendHex, expect, startTls } = step
    const fault = (field: string, message: string): Fault => ({ path: `steps.${i}.${field}`, message })
    const faults: Fault[] = []
    if (send !== undefined && sendHex !== undefined) faults.push(fault('sendHex', 'is not allowed beside send'))
    if (typeof sendHex === 'string' && !hex.test(sendHex))
      faults.push(fault('sendHex', 'must be pairs of hexadecimal digits'))
    if (send === undefined && sendHex === undefined && expect === undefined && startTls !== true)
      faults.push(fault('send', 'or expect is required'))
    if (startTls === true && transport !== 'STARTTLS')
      faults.push(fault('startTls', 'is allowed only with the transport STARTTLS'))
    return faults
  })
}
