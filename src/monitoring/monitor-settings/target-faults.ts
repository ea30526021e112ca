import { isIP } from 'node:net'
import { parseHostAndPort } from '../../lib/host.ts'
import { candidatesOf, looksLikeSuffix } from '../monitor-types/domain/candidate-names.ts'
import type { MonitorType } from './schema.ts'

/** Why a target can never work; undefined if it may. What only the network can tell is left to the check. */
export function targetFault(type: MonitorType, field: string, value: string): string | undefined {
  if (field === 'host') return hostFault(type, value)
  if (field !== 'url') return undefined
  if (type === 'HTTP' || type === 'KEYWORD') return httpUrlFault(value)
  const parsed = parseHostAndPort(value)
  if (parsed === undefined) return 'must be an address or a host name'
  const fault = labelFault(parsed.host)
  if (fault !== undefined) return fault
  if (type === 'SSL') return parsed.port === 0 ? PORT_ZERO : undefined
  if (type === 'DOMAIN') return domainFault(parsed.host)
  return parsed.hasPort ? 'must not have a port: DNS checks do not use it' : undefined
}

const PORT_ZERO = 'must not have the port 0'
const MAX_LABEL_CHARS = 63

function hostFault(type: MonitorType, value: string): string | undefined {
  if (/[\s\p{Cc}/?#@\\]/u.test(value)) return 'must be a host name or an IP address'
  if (isIP(value.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined
  if (value.includes(':')) {
    return `must be a host name or an IP address without a port${type === 'PORT' ? '; use the field port' : ''}`
  }
  return labelFault(value)
}

function httpUrlFault(value: string): string | undefined {
  // URL.parse removes tabs and line breaks without a word, and reads https:///shop.example as https://shop.example.
  if (/\p{Cc}/u.test(value)) return 'must not have control characters, such as line breaks'
  const url = URL.parse(value)
  if (url === null || !/^https?:\/\/[^/\\]/i.test(value)) return 'must be an http:// or https:// address'
  return labelFault(url.hostname) ?? (url.port === '0' ? PORT_ZERO : undefined)
}

function domainFault(host: string): string | undefined {
  if (isIP(host) !== 0) return 'must be a domain name, not an IP address'
  const isRegistrable = candidatesOf(host).some((name) => !looksLikeSuffix(name))
  return isRegistrable ? undefined : 'must have a domain name that can be registered, such as shop.example'
}

/** The final dot of a fully qualified name is allowed. A name without dots may be one of the hosts file, where it can be long. */
function labelFault(host: string): string | undefined {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return undefined
  const labels = host.replace(/\.$/, '').split('.')
  if (labels.includes('')) return 'must not have an empty part between two dots in its host name'
  if (labels.some((label) => label.startsWith('-'))) return 'must not have a part of its host name that starts with "-"'
  return labels.length > 1 && labels.some((label) => label.length > MAX_LABEL_CHARS)
    ? `must not have a part of more than ${MAX_LABEL_CHARS} characters in its host name`
    : undefined
}
