import Type from 'typebox'
import type { LegacyAddress } from '../../contract/check-options.ts'
import type { Fault } from '../../contract/errors.ts'
import { body, forbidding, having, nullable, oneOf, resource } from '../../contract/schema.ts'
import { hashToken } from '../../lib/tokens.ts'
import { type OptionDefinition, SECRET_SET } from './definition.ts'

const tools = ['KUMA', 'HEALTHCHECKS', 'GATUS'] as const

/** The shortest that a tool has given out: 10 characters in early versions of Uptime Kuma. Shorter ones can be guessed. */
const MIN_SECRET_CHARS = 10

const tool = oneOf(tools, { description: 'The tool that gave out the address' })
const token = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'What identifies the monitor in the old address. KUMA: the token of /api/push/TOKEN. HEALTHCHECKS: the UUID of /ping/UUID, or ' +
    'KEY/SLUG of /ping/KEY/SLUG. GATUS: the key of /api/v1/endpoints/KEY/external. Except for GATUS, at least 10 characters',
})
const bearer = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'GATUS: the bearer token that the job sends, at least 10 characters. Required there, and nowhere else',
})

const gatus = { required: ['tool'], properties: { tool: { const: 'GATUS' } } }
const others = { required: ['tool'], properties: { tool: { enum: tools.filter((name) => name !== 'GATUS') } } }
const short = { type: 'string', maxLength: MIN_SECRET_CHARS - 1, not: { const: SECRET_SET } }

/** The rules of `legacyFaults` for the document. */
const refused = [
  { ...gatus, not: having('bearer') },
  { allOf: [others, having('bearer')] },
  { allOf: [gatus, { required: ['bearer'], properties: { bearer: short } }] },
  { allOf: [others, { required: ['token'], properties: { token: short } }] },
]

const example: LegacyAddress = { tool: 'KUMA', token: 'd0w7Kx4pQz' }

/** The address of another tool, so that jobs need not change on the day of the move. */
export const legacyAddress: OptionDefinition<LegacyAddress> = {
  noun: 'old address',
  description:
    'The address that the job called at another tool. Signals on the same path of this server count as heartbeats. By default there ' +
    'is none.',
  types: ['CRON'],
  body: forbidding(body('SetMonitorLegacyAddress', { tool, token, bearer: Type.Optional(bearer) }), ...refused),
  answer: resource('MonitorLegacyAddress', {
    tool: nullable(oneOf(tools), { description: 'null if there is no old address' }),
    token: nullable(Type.String(), { description: '`set`; the token is not shown' }),
    bearer: nullable(Type.String(), { description: '`set`; the bearer token is not shown' }),
  }),
  render: (value) => ({ tool: null, token: null, bearer: null, ...value }),
  faults: legacyFaults,
  secrets: { token: { kind: 'secret' }, bearer: { kind: 'secret' } },
  example: { body: example, answer: { tool: 'KUMA', token: 'set', bearer: null } },
}

function legacyFaults({ tool: of, token: id, bearer: given }: Readonly<Record<string, unknown>>): Fault[] {
  if (of === 'GATUS' && given === undefined) return [{ path: 'bearer', message: 'is required with GATUS' }]
  if (of !== 'GATUS' && given !== undefined) return [{ path: 'bearer', message: 'is only for GATUS' }]
  const [path, secret] = of === 'GATUS' ? ['bearer', given] : ['token', id]
  if (typeof secret !== 'string' || secret === SECRET_SET || secret.length >= MIN_SECRET_CHARS) return []
  return [{ path, message: `must have at least ${MIN_SECRET_CHARS} characters, because shorter ones can be guessed` }]
}

/** Whether others can guess the address. Only databases of early versions have such ones. */
export function isShort(address: LegacyAddress): boolean {
  return legacyFaults({ ...address }).length > 0
}

/** By which signals on an old address find their monitor. Keys of Gatus are not secret, so its bearer token is a part. */
export function legacyHash({ tool: of, token: id, bearer: secret = '' }: LegacyAddress): string {
  return hashToken(JSON.stringify([of, of === 'HEALTHCHECKS' ? id.toLowerCase() : id, secret]))
}
