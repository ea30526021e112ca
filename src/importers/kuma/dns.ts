import { isObject } from '../../lib/json.ts'
import { escapePattern, recordTypes, resolverAt } from '../monitor-fields.ts'
import { jsonOf, numberOf, type Row, textOf } from './tables.ts'
import type { Fields, Mapping } from './web.ts'

export const dns: Mapping = (monitor, losses) => {
  const type = textOf(monitor, 'dns_resolve_type') || 'A'
  if (!recordTypes.includes(type)) return { reason: `DNS records of the type ${type} are not supported.` }
  const [server, ...others] = textOf(monitor, 'dns_resolve_server')
    .split(/[\s,]+/)
    .filter(Boolean)
  if (others.length > 0) losses.push(`Only the DNS server ${server} is asked, not ${others.join(', ')}.`)
  return {
    type: 'DNS',
    url: textOf(monitor, 'hostname'),
    dnsRecordType: type,
    // Kuma does not alert when records change.
    dnsAlertOnChange: false,
    ...(server !== undefined && { request: { resolver: resolverAt(server, numberOf(monitor, 'port')) } }),
    ...conditionsOf(monitor, losses),
  }
}

type Condition = (value: string) => { readonly expected: string } | { readonly assertion: Fields }

const record = (operator: string, value: string) => ({ assertion: { source: 'RECORD', operator, value } })

const conditions: Readonly<Record<string, Condition>> = {
  equals: (value) => ({ expected: value }),
  contains: (value) => record('CONTAINS', value),
  starts_with: (value) => record('MATCHES', `^${escapePattern(value)}`),
  ends_with: (value) => record('MATCHES', `${escapePattern(value)}$`),
  not_equals: (value) => record('NOT_EQUALS', value),
  not_contains: (value) => record('NOT_CONTAINS', value),
}

/** Kuma 2: what the records must be. Conditions that are joined by "or", or grouped, have no equivalent. */
function conditionsOf(monitor: Row, losses: string[]): Fields {
  const given = jsonOf(monitor, 'conditions')
  const list: readonly unknown[] = Array.isArray(given) ? given : []
  const mapped = list.map((one, i) =>
    isObject(one) && (i === 0 || one.andOr !== 'or') ? mapCondition(one) : undefined,
  )
  if (mapped.includes(undefined)) {
    losses.push('Its conditions have no equivalent: only that records exist is checked.')
    return {}
  }
  const expected = mapped.flatMap((one) => (one !== undefined && 'expected' in one ? [one.expected] : []))
  const assertions = mapped.flatMap((one) => (one !== undefined && 'assertion' in one ? [one.assertion] : []))
  if (assertions.some(({ operator }) => String(operator).startsWith('NOT_')))
    losses.push('A negative condition must hold for all records; Uptime Kuma required it of one.')
  return {
    ...(expected.length > 0 && { dnsExpected: expected.join('\n') }),
    ...(assertions.length > 0 && { assertions }),
  }
}

function mapCondition({ type, operator, value }: Fields): ReturnType<Condition> | undefined {
  const name = String(operator)
  return type === 'expression' && Object.hasOwn(conditions, name) ? conditions[name]?.(String(value)) : undefined
}
