/** Requests of protocols without a preset, as the steps of a dialogue send them. */
import { createHmac, hash } from 'node:crypto'

const MAX_AUTHENTICATOR_BYTES = 16

export function redisCommand(...words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
}

/** With the length in front, in two bytes. */
function mqttText(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

function mqttPacket(type: number, ...parts: readonly Buffer[]): string {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([type]), variableLength(content.length), content]).toString('hex')
}

/** Seven bits per byte, the lowest first. */
function variableLength(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
    rest >>>= 7
  } while (rest > 0)
  return Buffer.from(bytes)
}

export function mqttConnect(username: string, password: string): string {
  const flags = 0x02 | (username === '' ? 0 : 0x80) | (password === '' ? 0 : 0x40)
  return mqttPacket(
    0x10,
    mqttText('MQTT'),
    Buffer.from([4, flags, 0, 60]),
    mqttText('pharos'),
    ...[username, password].filter((text) => text !== '').map(mqttText),
  )
}

export function mqttSubscribe(topic: string): string {
  return mqttPacket(0x82, Buffer.from([0, 1]), mqttText(topic), Buffer.from([0]))
}

interface RadiusLogin {
  readonly username: string
  readonly password: string
  readonly secret: string
  readonly calledStationId: string
  readonly callingStationId: string
}

/** RFC 2865. A dialogue sends the same bytes each time, so that the authenticator is fixed and the password hidden in advance. */
export function radiusAccessRequest({ username, password, secret, ...stations }: RadiusLogin): string {
  const authenticator = hash('md5', `pharos ${username}`, 'buffer')
  const attribute = (type: number, value: Buffer | string) => {
    const bytes = Buffer.from(value).subarray(0, 253)
    return bytes.length === 0 ? Buffer.alloc(0) : Buffer.from([type, bytes.length + 2, ...bytes])
  }
  const attributes = Buffer.concat([
    attribute(1, username),
    attribute(2, hiddenPassword(password, secret, authenticator)),
    attribute(30, stations.calledStationId),
    attribute(31, stations.callingStationId),
    // Message-Authenticator, filled in below.
    attribute(80, Buffer.alloc(MAX_AUTHENTICATOR_BYTES)),
  ])
  const length = 20 + attributes.length
  const packet = Buffer.concat([Buffer.from([1, 1, length >> 8, length & 0xff]), authenticator, attributes])
  createHmac('md5', secret)
    .update(packet)
    .digest()
    .copy(packet, length - MAX_AUTHENTICATOR_BYTES)
  return packet.toString('hex')
}

function hiddenPassword(password: string, secret: string, authenticator: Buffer): Buffer {
  const bytes = Buffer.from(password).subarray(0, 128)
  const hidden = Buffer.alloc(Math.max(16, Math.ceil(bytes.length / 16) * 16))
  bytes.copy(hidden)
  for (let at = 0; at < hidden.length; at += 16) {
    const before = at === 0 ? authenticator : hidden.subarray(at - 16, at)
    const mask = hash('md5', Buffer.concat([Buffer.from(secret), before]), 'buffer')
    for (let i = 0; i < 16; i += 1) hidden[at + i] = (hidden[at + i] as number) ^ (mask[i] as number)
  }
  return hidden
}

/** Tag, length and content of BER. */
function ber(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function oidBytes(oid: string): Buffer {
  const [first = 0, second = 0, ...rest] = oid.replace(/^\./, '').split('.').map(Number)
  // Seven bits per byte, the highest first.
  const parts = [first * 40 + second, ...rest].map((part) => {
    const bytes = [part % 0x80]
    for (let left = Math.floor(part / 0x80); left > 0; left = Math.floor(left / 0x80))
      bytes.unshift((left % 0x80) | 0x80)
    return Buffer.from(bytes)
  })
  return Buffer.concat(parts)
}

/** A question for one value (`version` 0: SNMP 1, 1: SNMP 2c). The answer has the OID and a value that exists. */
export function snmpGet(oid: string, community: string, version: 0 | 1) {
  const name = ber(0x06, oidBytes(oid))
  const integer = (value: number) => ber(0x02, Buffer.from([value]))
  const binding = ber(0x30, name, ber(0x05))
  const pdu = ber(0xa0, integer(1), integer(0), integer(0), ber(0x30, binding))
  const packet = ber(0x30, integer(version), ber(0x04, Buffer.from(community)), pdu)
  const pattern = [...name].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  // 0x05 is null; 0x80 to 0x82 say that there is no such value.
  return { sendHex: packet.toString('hex'), expect: `/${pattern}[^\\x05\\x80-\\x82]/` }
}

/** The handshake for a status, then the question; the answer is JSON. */
export function minecraftStatus(host: string, port: number) {
  const name = Buffer.from(host)
  const handshake = Buffer.concat([
    Buffer.from([0, 0]),
    variableLength(name.length),
    name,
    Buffer.from([port >> 8, port & 0xff, 1]),
  ])
  const sendHex = Buffer.concat([variableLength(handshake.length), handshake]).toString('hex')
  return [{ sendHex }, { sendHex: '0100', expect: '"version"' }]
}
