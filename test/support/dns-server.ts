import dgram from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'

const TYPES = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28 } as const
type DnsType = keyof typeof TYPES

export const NXDOMAIN: DnsAnswer = { rcode: 3 }
export const SERVFAIL: DnsAnswer = { rcode: 2 }
export const REFUSED: DnsAnswer = { rcode: 5 }

export interface DnsQuestion {
  readonly name: string
  readonly type: DnsType
  readonly over: 'UDP' | 'TCP'
}

/** The reply to one question; null sends none. */
export type DnsAnswer = {
  /** Records of the type asked for, as zone files write them; a TXT record of several parts is a list. */
  readonly records?: readonly (string | readonly string[])[]
  /** A CNAME to this name, which has the records. */
  readonly alias?: string
  readonly rcode?: number
  /** Sets the truncation flag over UDP, so that the client asks again over TCP. */
  readonly truncated?: boolean
  readonly afterMs?: number
  /** Raw bytes sent after the question's id instead of a reply. */
  readonly garbage?: Buffer
} | null

export interface DnsServer extends AsyncDisposable {
  /** `127.0.0.1:PORT`, as in the settings. */
  readonly address: string
  readonly questions: readonly DnsQuestion[]
}

/** A DNS server on loopback, UDP and TCP, with replies set by the test. */
export async function startDnsServer(answer: (question: DnsQuestion) => DnsAnswer): Promise<DnsServer> {
  const questions: DnsQuestion[] = []
  const stopped = new AbortController()
  const serve = async (query: Buffer, over: DnsQuestion['over'], send: (reply: Buffer) => void) => {
    const { question, end } = readQuestion(query, over)
    questions.push(question)
    const reply = answer(question)
    if (reply === null) return
    if (reply.afterMs !== undefined) await delay(reply.afterMs, undefined, { signal: stopped.signal, ref: false })
    send(encodeReply(query.subarray(0, end), question, reply))
  }
  const late = () => {} // An answer that the end of the server forestalled.

  const { udp, tcp } = await listen()
  udp.on('message', (query, { port, address }) => {
    serve(query, 'UDP', (reply) => udp.send(reply, port, address)).catch(late)
  })
  const open = new Set<net.Socket>()
  tcp.on('connection', (socket) => {
    open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)))
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0)
        serve(received.subarray(2, end), 'TCP', (reply) => socket.write(prefixed(reply))).catch(late)
        received = received.subarray(end)
      }
    })
  })
  return {
    address: `127.0.0.1:${udp.address().port}`,
    questions,
    async [Symbol.asyncDispose]() {
      stopped.abort()
      for (const socket of open) socket.destroy()
      await Promise.all([once(udp.close(), 'close'), once(tcp.close(), 'close')])
    },
  }
}

/** Binds the same port for both; tries again if the UDP port is taken over TCP. */
async function listen(tries = 20): Promise<{ udp: dgram.Socket; tcp: net.Server }> {
  const udp = dgram.createSocket('udp4').bind(0, '127.0.0.1')
  await once(udp, 'listening')
  const tcp = net.createServer().listen(udp.address().port, '127.0.0.1')
  try {
    await once(tcp, 'listening')
    return { udp, tcp }
  } catch (error) {
    udp.close()
    if (tries === 0) throw error
    return listen(tries - 1)
  }
}

function readQuestion(query: Buffer, over: DnsQuestion['over']): { question: DnsQuestion; end: number } {
  const labels: string[] = []
  let at = 12
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size))
    at += size + 1
  }
  const code = query.readUInt16BE(at + 1)
  const type = (Object.keys(TYPES) as DnsType[]).find((each) => TYPES[each] === code) ?? 'A'
  return { question: { name: labels.join('.'), type, over }, end: at + 5 }
}

function encodeReply(query: Buffer, { type, over }: DnsQuestion, reply: NonNullable<DnsAnswer>): Buffer {
  if (reply.garbage !== undefined) return Buffer.concat([query.subarray(0, 2), reply.garbage])
  const isCut = reply.truncated === true && over === 'UDP'
  const owner = reply.alias === undefined ? Buffer.from([0xc0, 0x0c]) : encodeName(reply.alias)
  const records = (reply.records ?? []).map((record) => encodeRecord(owner, type, encodeData(type, record)))
  if (reply.alias !== undefined) {
    records.unshift(encodeRecord(Buffer.from([0xc0, 0x0c]), 'CNAME', encodeName(reply.alias)))
  }
  const head = Buffer.alloc(12)
  query.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x8180 | (isCut ? 0x0200 : 0) | (reply.rcode ?? 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(isCut ? 0 : records.length, 6)
  return Buffer.concat([head, query.subarray(12), ...(isCut ? [] : records)])
}

/** Class IN, TTL one hour. */
function encodeRecord(owner: Buffer, type: DnsType, data: Buffer): Buffer {
  const fixed = Buffer.from([0, TYPES[type], 0, 1, 0, 0, 0x0e, 0x10, data.length >> 8, data.length & 0xff])
  return Buffer.concat([owner, fixed, data])
}

function encodeData(type: DnsType, record: string | readonly string[]): Buffer {
  const text = typeof record === 'string' ? record : record.join('')
  switch (type) {
    case 'A':
    case 'AAAA':
      return Buffer.from(ipaddr.parse(text).toByteArray())
    case 'CNAME':
    case 'NS':
      return encodeName(text)
    case 'MX': {
      const [priority = '', host = ''] = text.split(' ')
      return Buffer.concat([Buffer.from([Number(priority) >> 8, Number(priority) & 0xff]), encodeName(host)])
    }
    case 'TXT':
      return Buffer.concat([record].flat().map(encodePart))
  }
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([...labels.map(encodePart), Buffer.from([0])])
}

function encodePart(text: string): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)])
}

function prefixed(reply: Buffer): Buffer {
  return Buffer.concat([Buffer.from([reply.length >> 8, reply.length & 0xff]), reply])
}
