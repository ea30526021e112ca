import { isIP } from 'node:net'
import { escapePattern } from '../monitor-fields.ts'
import * as packets from './packets.ts'
import { jsonOf, numberOf, type Row, textOf } from './tables.ts'
import { addressFamilyOf, type Fields, type Mapping, type Refusal } from './web.ts'

const NO_LOGIN = 'The server must answer, but nobody logs in and no query is run.'

/** A service that speaks a protocol with a preset. */
export function service(preset: string, transport: 'TCP' | 'UDP', defaultPort: number): Mapping {
  return (monitor) => portOf(monitor, { transport, preset }, defaultPort)
}

export const port: Mapping = (monitor, losses) => {
  if (textOf(monitor, 'expected_tls_alert') !== '') losses.push('The expected TLS alert is not checked.')
  else if (['secure', 'starttls'].includes(textOf(monitor, 'smtp_security')))
    losses.push('The port must accept connections, but TLS is not begun.')
  return portOf(monitor)
}

export const smtp: Mapping = (monitor) => {
  const transport = { secure: 'TLS', starttls: 'STARTTLS' }[textOf(monitor, 'smtp_security')] ?? 'TCP'
  return portOf(monitor, { transport, preset: 'SMTP' }, 25)
}

export const ntp: Mapping = (monitor, losses) => {
  losses.push('The server must be synchronised, but the offset of its clock is not compared.')
  return portOf(monitor, { transport: 'UDP', preset: 'NTP' }, 123)
}

export const ping: Mapping = (monitor, losses) => {
  const size = numberOf(monitor, 'packet_size') ?? DEFAULT_PACKET_BYTES
  if (size !== DEFAULT_PACKET_BYTES) losses.push(`The packets do not have ${size} bytes.`)
  const options = addressFamilyOf(monitor)
  return {
    type: 'PING',
    host: textOf(monitor, 'hostname'),
    ...(Object.keys(options).length > 0 && { request: options }),
  }
}

const DEFAULT_PACKET_BYTES = 56

/** A database whose address is in a connection string. */
export function database(defaultPort: number, preset?: string): Mapping {
  return (monitor, losses) => {
    const address = addressIn(textOf(monitor, 'database_connection_string'), defaultPort)
    if (address === undefined) return { reason: 'Its connection string has no host and port that can be checked.' }
    losses.push(NO_LOGIN)
    return { type: 'PORT', ...address, ...(preset !== undefined && { dialogue: { transport: 'TCP', preset } }) }
  }
}

export const redis: Mapping = (monitor) => {
  const text = textOf(monitor, 'database_connection_string')
  const address = addressIn(text, 6379)
  if (address === undefined) return { reason: 'Its connection string has no host that can be checked.' }
  const { username = '', password = '', protocol } = URL.parse(text) ?? {}
  const login = [username, password].filter((part) => part !== '').map(decodeURIComponent)
  const steps = [
    ...(password === '' ? [] : [{ send: packets.redisCommand('AUTH', ...login), expect: '+OK' }]),
    { send: packets.redisCommand('PING'), expect: '+PONG' },
  ]
  return { type: 'PORT', ...address, dialogue: { transport: protocol === 'rediss:' ? 'TLS' : 'TCP', steps } }
}

export const mqtt: Mapping = (monitor, losses) => {
  const [, protocol = 'mqtt', host = ''] = /^(?:(\w+):\/\/)?(.*)$/.exec(textOf(monitor, 'hostname')) ?? []
  if (/^(ws|http)/.test(protocol)) return { reason: 'MQTT over WebSocket is not supported.' }
  const topic = textOf(monitor, 'mqtt_topic')
  const message = textOf(monitor, 'mqtt_success_message')
  if (textOf(monitor, 'mqtt_check_type') === 'json-query')
    losses.push('A message must arrive, but its JSON is not compared.')
  // What arrives has the topic in it, unless the topic is a pattern.
  const isPattern = /[+#]/.test(topic)
  const isMessageCompared = message !== '' && losses.length === 0
  if (isPattern && !isMessageCompared) losses.push('The server must accept the subscription; no message is awaited.')
  const expect = isMessageCompared ? message : isPattern ? '/^\\x90\\x03/' : topic
  const steps = [
    {
      sendHex: packets.mqttConnect(textOf(monitor, 'mqtt_username'), textOf(monitor, 'mqtt_password')),
      expect: '/^\\x20\\x02.\\x00/',
    },
    { sendHex: packets.mqttSubscribe(topic), expect: plainText(expect, isPattern && !isMessageCompared) },
  ]
  return portOf({ ...monitor, hostname: host }, { transport: protocol === 'mqtts' ? 'TLS' : 'TCP', steps }, 1883)
}

export const radius: Mapping = (monitor) => {
  const sendHex = packets.radiusAccessRequest({
    username: textOf(monitor, 'radius_username'),
    password: textOf(monitor, 'radius_password'),
    secret: textOf(monitor, 'radius_secret'),
    calledStationId: textOf(monitor, 'radius_called_station_id'),
    callingStationId: textOf(monitor, 'radius_calling_station_id'),
  })
  return portOf(monitor, { transport: 'UDP', steps: [{ sendHex, expect: '/^\\x02/' }] }, 1812)
}

export const snmp: Mapping = (monitor, losses) => {
  const version = textOf(monitor, 'snmp_version') || '2c'
  if (version === '3') return { reason: 'SNMP version 3 is not supported.' }
  const oid = textOf(monitor, 'snmp_oid')
  if (!/^\.?\d+(\.\d+)+$/.test(oid)) return { reason: `The OID ${oid} is not valid.` }
  const request = packets.snmpGet(oid, textOf(monitor, 'radius_password') || 'public', version === '1' ? 0 : 1)
  losses.push(`The device must answer with the value, which is not compared with ${textOf(monitor, 'expected_value')}.`)
  return portOf(monitor, { transport: 'UDP', steps: [request] }, 161)
}

export const game: Mapping = (monitor) => {
  const name = textOf(monitor, 'game')
  if (name !== 'minecraft') return { reason: `The protocol of the game ${name} is not supported.` }
  const target = portOf(monitor, undefined, 25_565)
  if ('reason' in target) return target
  const steps = packets.minecraftStatus(String(target.host), Number(target.port))
  return { ...target, dialogue: { transport: 'TCP', steps } }
}

/** Only the standard health service can be asked; of others the port is checked. */
export const grpc: Mapping = (monitor, losses) => {
  const url = textOf(monitor, 'grpc_url')
  const isHealth = /package\s+grpc\.health\.v1\s*;/.test(textOf(monitor, 'grpc_protobuf'))
  if (isHealth && textOf(monitor, 'keyword') === 'SERVING') {
    const scheme = numberOf(monitor, 'grpc_enable_tls') === 1 ? 'https' : 'http'
    const body = jsonOf(monitor, 'grpc_body') as Fields | undefined
    const service = typeof body?.service === 'string' && body.service !== '' ? { grpcService: body.service } : {}
    return { type: 'HTTP', url: `${scheme}://${url}`, request: { protocol: 'GRPC_HEALTH', ...service } }
  }
  const address = addressIn(url, 0)
  if (address === undefined) return { reason: `The address ${url} has no host and port.` }
  losses.push('Only the port is checked: Pharos calls no gRPC method but that of the standard health service.')
  return { type: 'PORT', ...address }
}

function portOf(monitor: Row, dialogue?: Fields, defaultPort?: number): Fields | Refusal {
  const number = numberOf(monitor, 'port') ?? defaultPort
  if (number === undefined) return { reason: 'It has no port.' }
  const options = addressFamilyOf(monitor)
  return {
    type: 'PORT',
    host: textOf(monitor, 'hostname'),
    port: number,
    ...(dialogue !== undefined && { dialogue }),
    ...(Object.keys(options).length > 0 && { request: options }),
  }
}

/** Texts between slashes are patterns. */
function plainText(text: string, isPattern: boolean): string {
  return !isPattern && /^\/.+\/$/s.test(text) ? `/${escapePattern(text)}/` : text
}

/**
 * The host and port of a connection string: `postgres://user:password@host:5432/app`, `Server=host,1433;…` or `host:1521/app`. The
 * first of several hosts. Undefined if it has none, as with `mongodb+srv`.
 */
function addressIn(text: string, defaultPort: number): { host: string; port: number } | undefined {
  if (/^mongodb\+srv:/i.test(text)) return undefined
  const server =
    /(?:^|;)\s*(?:server|data source|address|addr|host)\s*=\s*(?:tcp:)?([^;,\\]+)(?:\\[^;,]*)?(?:,\s*(\d+))?/i.exec(
      text,
    )
  const url = /^(?:[\w+.-]+:\/\/)?(?:[^@/]*@)?(\[[\da-f:.]+\]|[^:/,;=?\s[\]]+)(?::(\d+))?(?:[,/?]|$)/i.exec(text)
  const [, host, port = defaultPort] = server ?? url ?? []
  if (host === undefined || Number(port) === 0) return undefined
  const bare = host.trim().replace(/^\[(.*)\]$/, '$1')
  return bare === '' || (host.startsWith('[') && isIP(bare) === 0) ? undefined : { host: bare, port: Number(port) }
}
