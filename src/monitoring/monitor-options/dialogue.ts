import Type, { type TSchema } from 'typebox'
import type { Dialogue, MonitorOptions } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { type Installation, LARGE_BODY_BYTES } from '../../contract/operation.ts'
import { body, defaulted, documented, forbidding, having, nullable, oneOf, resource } from '../../contract/schema.ts'
import { isObject } from '../../lib/json.ts'
import { expressionFault } from '../monitor-types/assertions/faults.ts'
import { isMailRefused, MAIL_RULE } from '../monitor-types/mail-ports.ts'
import { compileExpectation } from '../monitor-types/port/dialogue/expectation.ts'
import { presetNamed, presetNames } from '../monitor-types/port/dialogue/presets.ts'
import { type OptionDefinition, SECRET_SET, type SecretMember } from './definition.ts'

const MAX_STEPS = 10
const MAX_TEXT = 1000
const HEX = `^(([0-9a-fA-F]{2})+|${SECRET_SET})$`
const transports = ['TCP', 'TLS', 'STARTTLS', 'UDP'] as const

/** A condition of JSON Schema. */
const startsTls = { required: ['startTls'], properties: { startTls: { enum: [true] } } }

const Step = Type.Object(
  {
    send: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_TEXT,
        description: 'The text to send. A line end must be part of it. Stored encrypted, and shown as "set"',
      }),
    ),
    sendHex: Type.Optional(
      documented(
        Type.String({
          minLength: 2,
          maxLength: 2 * MAX_TEXT,
          description: 'The bytes to send, as hexadecimal digits. Stored encrypted, and shown as "set"',
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
)

const StepBody = forbidding(Step, having('send', 'sendHex'), {
  not: { anyOf: [having('send'), having('sendHex'), having('expect'), startsTls] },
})

const membersWith = <S extends TSchema>(step: S) => ({
  transport: defaulted(oneOf(transports, { description: 'How the connection is made' }), 'TCP'),
  preset: Type.Optional(
    oneOf(presetNames, { description: 'A protocol whose steps are built in. Not allowed beside `steps`' }),
  ),
  steps: Type.Optional(
    Type.Array(step, {
      minItems: 1,
      maxItems: MAX_STEPS,
      description:
        'What is sent and expected, in order. A reply is all that arrived since the last `send`; patterns see one character per byte. ' +
        'At most 64 KiB are read',
    }),
  ),
})

const presetsWithout = (transport: Dialogue['transport']) =>
  presetNames.filter((name) => presetNamed(name)?.[transport] === undefined)

/** Conditions of JSON Schema: these presets over this transport, steps over this transport. */
const presetsOver = (transport: Dialogue['transport'], names: readonly string[]) => ({
  required: ['transport', 'preset'],
  properties: { transport: { enum: [transport] }, preset: { enum: names } },
})
const stepsOver = (transport: Dialogue['transport']) => ({
  required: ['transport', 'steps'],
  properties: { transport: { enum: [transport] }, steps: {} },
})

const example: Dialogue = { transport: 'STARTTLS', preset: 'SMTP' }

/** What is sent may be a password. Steps have no names: a mask must not stand for what another step sends. */
const sent: SecretMember = {
  kind: 'secret',
  keptWith: {
    members: ['transport', 'steps.length', 'steps.*.expect', 'steps.*.startTls'],
    fault: 'must be entered again when the transport, the number of steps or the rest of its step changes',
  },
}

export const dialogue: OptionDefinition<Dialogue> = {
  noun: 'dialogue',
  description:
    'What is sent to the port and what it must reply, by a preset or in up to ' +
    `${MAX_STEPS} steps. By default the port only has to accept a connection. What a step sends is shown as "set"; sent back like that, it ` +
    'keeps its stored value if the number of steps, the transport and the rest of the step are the same. A new `host`, `port`, ' +
    '`resolver` or `serverName` removes a dialogue whose steps send something: set it again.',
  types: ['PORT'],
  body: forbidding(
    body('SetMonitorDialogue', membersWith(StepBody)),
    { not: { anyOf: [having('preset'), having('steps')] } },
    having('preset', 'steps'),
    ...transports.map((transport) => presetsOver(transport, presetsWithout(transport))),
    { required: ['preset'], properties: { preset: { enum: presetsWithout('TCP') } }, not: having('transport') },
    { ...stepsOver('STARTTLS'), not: { properties: { steps: { contains: startsTls } } } },
    { ...stepsOver('UDP'), not: { properties: { steps: { contains: having('expect') } } } },
    {
      required: ['steps'],
      properties: { steps: { contains: startsTls } },
      not: { required: ['transport'], properties: { transport: { enum: ['STARTTLS'] } } },
    },
  ),
  bodyLimitBytes: LARGE_BODY_BYTES,
  answer: resource('MonitorDialogue', {
    ...membersWith(Step),
    transport: nullable(oneOf(transports), { description: 'null if there is no dialogue' }),
  }),
  render: (value) => value ?? { transport: null },
  faults: dialogueFaults,
  secrets: { 'steps.*.send': sent, 'steps.*.sendHex': sent },
  example: { body: example, answer: example },
}

/** Why a dialogue may not be had with this port. */
export function mailFaults(
  { dialogue: given }: MonitorOptions,
  port: unknown,
  { targetPolicy }: Pick<Installation, 'targetPolicy'>,
): Fault[] {
  if (given === undefined || !isMailRefused(given, port, targetPolicy)) return []
  return [{ path: 'steps', message: `must not send anything to port ${port}: ${MAIL_RULE}` }]
}

const hex = new RegExp(HEX)

function dialogueFaults({ preset, steps, transport = 'TCP' }: Readonly<Record<string, unknown>>): Fault[] {
  if (preset === undefined && steps === undefined) return [{ path: 'steps', message: 'is required without a preset' }]
  if (typeof preset === 'string') {
    const known = presetNamed(preset)
    if (steps !== undefined) return [{ path: 'steps', message: 'is not allowed beside a preset' }]
    if (known === undefined || Object.hasOwn(known, String(transport))) return []
    return [{ path: 'transport', message: `must be ${Object.keys(known).join(' or ')} for ${preset}` }]
  }
  if (!Array.isArray(steps)) return []
  return [...steps.flatMap((step: unknown, i) => stepFaults(step, i, transport)), ...sequenceFaults(steps, transport)]
}

function sequenceFaults(steps: readonly unknown[], transport: unknown): Fault[] {
  const all = steps.filter(isObject)
  if (transport === 'STARTTLS' && !all.some(({ startTls }) => startTls === true))
    return [{ path: 'steps', message: 'must have a step with startTls for the transport STARTTLS' }]
  if (transport === 'UDP' && !all.some(({ expect }) => expect !== undefined))
    return [
      { path: 'steps', message: 'must have a step with expect for UDP: nothing else shows that the port is open' },
    ]
  return []
}

function stepFaults(step: unknown, i: number, transport: unknown): Fault[] {
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
  if (typeof expect === 'string') faults.push(...expressionFault(`steps.${i}.expect`, () => compileExpectation(expect)))
  return faults
}
