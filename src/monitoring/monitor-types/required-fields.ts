import { isIP } from 'node:net'
import { type HostAndPort, parseHostAndPort } from '../../lib/host.ts'
import { type Reason, reason } from '../../reasons/reason.ts'
import type { MonitorTarget, RequiredField } from './definition.ts'

const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f'
const PATH = `(?:[/?#\\\\][^${CONTROLS}]*)?$`
const MAX_LABEL_CHARS = 63
const PORT_ZERO = 'must not have the port 0'

/**
 * A host name in front of one of `ends`: no empty part, none that starts with - and, if there are several, none of more than 63
 * characters.
 */
function hostPattern(ends: string): string {
  const inside = `[^.:@/?#\\\\\\[\\]\\s${CONTROLS}]`
  const label = `(?!-)${inside}+`
  const short = `(?!-)${inside}{1,63}`
  return `(?:${short}(?:\\.${short})+\\.?|${label}\\.?|\\[[0-9A-Fa-f:.]+\\])(?=${ends})`
}

export const anyValue: RequiredField = { documented: {} }

export const httpUrl: RequiredField = {
  documented: {
    pattern: `^[Hh][Tt][Tt][Pp][Ss]?://(?:[^/?#\\\\${CONTROLS}]*@)?${hostPattern('[:/?#\\\\]|$')}(?::[0-9]*)?${PATH}`,
    examples: ['https://shop.example/health'],
  },
  faultOf(value) {
    // URL.parse removes tabs and line breaks without a word, and reads https:///shop.example as https://shop.example.
    if (/\p{Cc}/u.test(value)) return reason('line_breaks')
    const url = URL.parse(value)
    if (url === null || !/^https?:\/\/[^/\\]/i.test(value)) return reason('not_http_url')
    return labelFault(url.hostname) ?? (url.port === '0' ? PORT_ZERO : undefined)
  },
}

/** An address or a bare host name. Without a user name and password, which stand before an @ in front of the path. */
export function hostOrUrl(port: string, faultOf: (parsed: HostAndPort) => string | undefined): RequiredField {
  return {
    documented: {
      pattern: `^(?:[A-Za-z][A-Za-z0-9+.-]*://)?${hostPattern('[:/?#\\\\]|$')}${port}(?:[/?#\\\\][^\\s${CONTROLS}]*)?$`,
      examples: ['shop.example'],
    },
    faultOf(value) {
      const parsed = parseHostAndPort(value)
      if (parsed === undefined) return reason('not_an_address')
      return labelFault(parsed.host) ?? faultOf(parsed)
    },
  }
}

export const ANY_PORT = '(?::[0-9]+)?'

export function portZeroFault({ port }: HostAndPort): string | undefined {
  return port === 0 ? PORT_ZERO : undefined
}

/** With brackets around an IPv6 address. */
export function hostAndPortText({ host: name, port }: MonitorTarget): string | null {
  return name === null ? null : `${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Without a port; `hint` says where the port belongs. */
export function host(hint = ''): RequiredField {
  return {
    documented: {
      pattern: `^(?:${hostPattern('$')}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(?:%.+)?)$`,
      examples: ['db.example'],
    },
    faultOf(value) {
      if (/[\s\p{Cc}/?#@\\]/u.test(value)) return reason('not_host_or_ip')
      if (isIP(value.replace(/^\[(.*)\]$/, '$1')) !== 0) return undefined
      return value.includes(':') ? `must be a host name or an IP address without a port${hint}` : labelFault(value)
    },
  }
}

/** The final dot of a fully qualified name is allowed. A name without dots may be one of the hosts file, where it can be long. */
function labelFault(name: string): Reason | undefined {
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) return undefined
  const labels = name.replace(/\.$/, '').split('.')
  if (labels.includes('')) return reason('empty_label')
  if (labels.some((label) => label.startsWith('-'))) return reason('hyphen_label')
  return labels.length > 1 && labels.some((label) => label.length > MAX_LABEL_CHARS)
    ? reason('long_label', { most: MAX_LABEL_CHARS })
    : undefined
}
