import { isIP } from 'node:net'
import { parseHostAndPort } from '../../lib/host.ts'
import { candidatesOf, looksLikeSuffix } from '../probes/domain/candidate-names.ts'
import type { MonitorType } from './schema.ts'

/** Why a target can never work; undefined if it may. What only the network can tell is left to the check. */
export function targetFault(type: MonitorType, field: string, value: string): string | undefined {
  if (field === 'host') return hostFault(type, value)
  if (field !== 'url') return undefined
  if (type === 'HTTP' || type === 'KEYWORD') return httpUrlFault(value)
  const parsed = parseHostAndPort(value)
  if (parsed === undefined) return 'must be an address or a host name'
  if (hasEmptyLabel(parsed.host)) return EMPTY_LABEL
  if (type === 'SSL' && parsed.port === 0) return PORT_ZERO
  return type === 'DOMAIN' ? domainFault(parsed.host) : undefined
}

const EMPTY_LABEL = 'must not have an empty part between two dots in its host name'
const PORT_ZERO = 'must not have the port 0'

function hostFault(type: MonitorType, value: string): string | undefined {
  if (/[\s\p{Cc}/?#@\\]/u.test(value)) return 'must be a host name or an IP address'
  if (isIP(value.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined
  if (value.includes(':')) {
    return `must be a host name or an IP address without a port${type === 'PORT' ? '; use the field port' : ''}`
  }
  if (value.startsWith('-')) return 'must not start with "-"'
  return hasEmptyLabel(value) ? EMPTY_LABEL : undefined
}

function httpUrlFault(value: string): string | undefined {
  // URL.parse removes tabs and line breaks without a word, and reads https:///shop.example as https://shop.example.
  if (/\p{Cc}/u.test(value)) return 'must not have control characters, such as line breaks'
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\/[^/\\]/i.test(value)) return 'must be an http:// or https:// address'
  if (hasEmptyLabel(url.hostname)) return EMPTY_LABEL
  return url.port === '0' ? PORT_ZERO : undefined
}

function domainFault(host: string): string | undefined {
  if (isIP(host) !== 0) return 'must be a domain name, not an IP address'
  const isRegistrable = candidatesOf(host).some((name) => !looksLikeSuffix(name))
  return isRegistrable ? undefined : 'must have a domain name that can be registered, such as shop.example'
}

/** The final dot of a fully qualified name is allowed. */
function hasEmptyLabel(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) === 0 && host.replace(/\.$/, '').split('.').includes('')
}
