/**
 * Everything that is monitored, in one process: a web server on all addresses, and a DNS server that knows names below
 * `shop.test` and `other.test`, and has cached the former. Arguments: the address of the DNS server, what names resolve to, and the file that says how DNS behaves.
 */
import dgram from 'node:dgram'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [dnsAddress = '', address = '', modeFile = ''] = process.argv.slice(2)

createServer((_, response) => response.end('Welcome')).listen(80, '::')

const NXDOMAIN = 3
const SERVFAIL = 2

const socket = dgram.createSocket('udp4')
socket.on('message', (query, peer) => {
  const mode = readFileSync(modeFile, 'utf8')
  if (mode === 'dead') return
  const isKnown = query.includes('\x04shop\x04test') || (mode === 'ok' && query.includes('\x05other\x04test'))
  const rcode = isKnown ? 0 : mode === 'cached' ? SERVFAIL : NXDOMAIN
  socket.send(reply(query, rcode), peer.port, peer.address)
})
socket.bind(53, dnsAddress, () => process.stdout.write('ready\n'))

function reply(query: Buffer, rcode: number): Buffer {
  const question = query.subarray(12, query.indexOf(0, 12) + 5)
  const isIpv4 = question.readUInt16BE(question.length - 4) === 1
  const hasAnswer = rcode === 0 && isIpv4
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180 | rcode, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(hasAnswer ? 1 : 0, 6)
  head.writeUInt32BE(0, 8)
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
  return Buffer.concat([head, question, ...(hasAnswer ? [record] : [])])
}
