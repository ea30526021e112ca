import { type Fault, PharosError } from '../../../clients/typescript/src/index.ts'
import { type Command, CommandError, UsageError } from '../command.ts'
import { groups, nounOf } from './groups.ts'
import { optionName } from './schema.ts'

/** What a failed request means for the person who typed the command. */
export function explainError(error: unknown, command: Command): unknown {
  if (!(error instanceof PharosError)) return error
  if (error.code === 'validation_error' && error.details.some((fault) => optionOf(fault, command) !== undefined)) {
    return new UsageError(faultsText(error.details, command))
  }
  return new CommandError(textOf(error, command), { cause: error })
}

function textOf(error: PharosError, command: Command): string {
  const { code, message, details, requestId } = error
  const group = command.name.split(' ')[0]
  switch (code) {
    case 'validation_error':
      return details.length === 0 ? message : faultsText(details, command)
    case 'unauthorized':
      return `${message}. Set PHAROS_API_KEY to a valid API key`
    case 'not_found':
      return `${message}. Run "pharos ${groupNamed(message) ?? group} list" to see all`
    case 'network_error':
      return `${message}. Check that the server is running and that PHAROS_URL is its address`
    case 'idempotency_conflict':
      return `${message}. Use another --idempotency-key`
    case 'internal_error':
    case 'unexpected_response':
      return `${message}${requestId === undefined ? '' : ` (request ${requestId})`}`
    default:
      return message
  }
}

/** The group of what "No such status page" names. */
function groupNamed(message: string): string | undefined {
  const noun = /^No such (.+)$/.exec(message)?.[1]
  return groups.find((group) => nounOf(group) === noun)?.name
}

function faultsText(details: readonly Fault[], command: Command): string {
  const [first, ...others] = details.map((fault) => faultText(fault, command))
  if (others.length === 0) return String(first)
  return [`${details.length} problems:`, first, ...others].join('\n  ')
}

function optionOf({ path }: Fault, { options = {} }: Command): string | undefined {
  const name = optionName(path.split('.')[0] ?? '')
  return Object.hasOwn(options, name) ? name : undefined
}

/** Names the option of the field: `--expected-status (item 4) must be …`. */
function faultText(fault: Fault, command: Command): string {
  const { path, message } = fault
  const name = optionOf(fault, command)
  if (name === undefined) return `${path} ${message}`
  const [, item, ...inner] = path.split('.')
  const isItem = item !== undefined && /^\d+$/.test(item)
  const place = isItem ? [`item ${Number(item) + 1}`, ...inner].join(', ') : path.split('.').slice(1).join('.')
  return `--${name}${place === '' ? '' : ` (${place})`} ${withOptions(message, command)}`
}

/** "must be after startsAt" as "must be after --starts-at". */
function withOptions(message: string, { options = {} }: Command): string {
  return message.replace(/\b[a-z]+[A-Z]\w*\b/g, (field) => {
    const name = optionName(field)
    return Object.hasOwn(options, name) ? `--${name}` : field
  })
}
