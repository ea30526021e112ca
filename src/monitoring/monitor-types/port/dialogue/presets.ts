/**
 * The steps of well-known protocols, as data. A server that refuses a user without a password is up; one that is starting, full or
 * not synchronised is not. Patterns see one character per byte of the reply.
 */
import type { Dialogue, DialogueStep } from '../../../../contract/check-options.ts'

type Transport = Dialogue['transport']

/** The steps by transport; a preset does not have all of them. */
type Preset = Readonly<Partial<Record<Transport, readonly DialogueStep[]>>>

/** The same dialogue over a plain connection and over TLS from the beginning. */
function stream(...steps: readonly DialogueStep[]): Pick<Preset, 'TCP' | 'TLS'> {
  return { TCP: steps, TLS: steps }
}

/** The same, and STARTTLS: `request` asks for TLS after the greeting, and the other steps are encrypted. */
function upgradable(greeting: DialogueStep, request: DialogueStep, ...others: readonly DialogueStep[]) {
  return { ...stream(greeting, ...others), STARTTLS: [greeting, request, ...encrypted(...others)] }
}

function encrypted(...steps: readonly DialogueStep[]): readonly DialogueStep[] {
  return steps.map((step, i) => (i === 0 ? { startTls: true, ...step } : step))
}

const smtp = {
  greeting: { expect: '/(?m)^220 /' },
  hello: { send: 'EHLO pharos\r\n', expect: '/(?m)^250 /' },
  quit: { send: 'QUIT\r\n', expect: '/(?m)^221/' },
} satisfies Record<string, DialogueStep>

/** A start-up message of the user "pharos": a request for a password, or an error about user, database or access rules. */
const postgresqlStartUp: DialogueStep = {
  sendHex: '00000025000300007573657200706861726f7300646174616261736500706861726f730000',
  expect: '/(?s)^(R|E.*\\x00C(28000|28P01|3D000)\\x00)/',
}

/** Anonymous bind. Busy (51) and unavailable (52) are the answers of a server that does not work. */
function ldapBind(messageId: string): DialogueStep {
  return {
    sendHex: `300c0201${messageId}600702010304008000`,
    expect: `/(?s)^\\x30.{1,5}\\x02\\x01\\x${messageId}\\x61.{1,5}\\x0a\\x01[^\\x33\\x34]/`,
  }
}

function sipOptions(transport: 'UDP' | 'TCP' | 'TLS'): DialogueStep {
  const lines = [
    'OPTIONS sip:pharos@pharos.invalid SIP/2.0',
    `Via: SIP/2.0/${transport} pharos.invalid;branch=z9hG4bKpharos;rport`,
    'Max-Forwards: 70',
    'From: <sip:pharos@pharos.invalid>;tag=pharos',
    'To: <sip:pharos@pharos.invalid>',
    'Call-ID: pharos@pharos.invalid',
    'CSeq: 1 OPTIONS',
    'Content-Length: 0',
  ]
  return { send: `${lines.join('\r\n')}\r\n\r\n`, expect: '/^SIP\\/2\\.0 [1-4][0-9][0-9] /' }
}

/** Who serves the root? Recursive servers answer, others refuse. */
const dnsQuestion = '5048010000010000000000000000020001'
/** An answer with our number and one of the codes no error, unknown name, refused. */
const dnsAnswer =
  'PH[\\x80-\\xff][\\x00\\x03\\x05\\x10\\x13\\x15\\x20\\x23\\x25\\x30\\x33\\x35\\x80\\x83\\x85\\x90\\x93\\x95\\xa0\\xa3\\xa5\\xb0\\xb3\\xb5]'

const all = {
  SMTP: {
    ...stream(smtp.greeting, smtp.hello, smtp.quit),
    STARTTLS: [
      smtp.greeting,
      smtp.hello,
      { send: 'STARTTLS\r\n', expect: '/(?m)^220 /' },
      ...encrypted(smtp.hello, smtp.quit),
    ],
  },
  IMAP: upgradable(
    { expect: '/^\\* (OK|PREAUTH)/' },
    { send: 'a0 STARTTLS\r\n', expect: '/(?m)^a0 OK/' },
    { send: 'a1 CAPABILITY\r\n', expect: '/(?m)^a1 OK/' },
    { send: 'a2 LOGOUT\r\n', expect: '/(?m)^\\* BYE/' },
  ),
  POP3: upgradable(
    { expect: '/^\\+OK/' },
    { send: 'STLS\r\n', expect: '/^\\+OK/' },
    { send: 'QUIT\r\n', expect: '/^\\+OK/' },
  ),
  FTP: upgradable(
    { expect: '/(?m)^220 /' },
    { send: 'AUTH TLS\r\n', expect: '/(?m)^234/' },
    { send: 'QUIT\r\n', expect: '/(?m)^221/' },
  ),
  SSH: { TCP: [{ expect: '/(?m)^SSH-(2\\.0|1\\.99)-/' }] },
  REDIS: stream({ send: 'PING\r\n', expect: '/^(\\+PONG|-NOAUTH|-WRONGPASS|-NOPERM)/' }),
  MEMCACHED: stream({ send: 'version\r\n', expect: '/^VERSION /' }),
  MYSQL: {
    TCP: [
      { expect: '/(?s)^...\\x00\\x0a[0-9]/' },
      // A login of the user "pharos". A server blocks hosts whose connections end before one.
      {
        sendHex: `3e000001018208000000000121${'00'.repeat(23)}706861726f7300006d7973716c5f6e61746976655f70617373776f726400`,
        expect: '/(?s)^...\\x02[\\x00\\xfe\\xff]/',
      },
    ],
  },
  POSTGRESQL: {
    TCP: [postgresqlStartUp],
    STARTTLS: [{ sendHex: '0000000804d2162f', expect: '/^S/' }, ...encrypted(postgresqlStartUp)],
  },
  MONGODB: stream({
    // OP_MSG with {hello: 1, $db: "admin"}
    sendHex:
      '340000000100000000000000dd0700000000000000' +
      '1f0000001068656c6c6f0001000000022464620006000000' +
      '61646d696e0000',
    expect: '/\\x01ok\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xf0\\x3f/',
  }),
  // Connection.Start
  AMQP: stream({ sendHex: '414d515000000901', expect: '/(?s)^\\x01\\x00\\x00.{4}\\x00\\x0a\\x00\\x0a/' }),
  MQTT: stream(
    // Accepted, wrong password or not authorised.
    { sendHex: '100c00044d5154540402003c0000', expect: '/(?s)^\\x20\\x02.[\\x00\\x04\\x05]/' },
    { sendHex: 'e000' },
  ),
  LDAP: {
    ...stream(ldapBind('01'), { sendHex: '30050201024200' }),
    STARTTLS: [
      {
        sendHex: '301d02010177188016312e332e362e312e342e312e313436362e3230303337',
        expect: '/(?s)^\\x30.{1,5}\\x02\\x01\\x01\\x78.{1,5}\\x0a\\x01\\x00/',
      },
      ...encrypted(ldapBind('02'), { sendHex: '30050201034200' }),
    ],
  },
  NTP: {
    // A server's answer whose clock is synchronised, with a stratum from 1 to 15.
    UDP: [{ sendHex: `23${'00'.repeat(47)}`, expect: '/^[\\x1c\\x24\\x5c\\x64\\x9c\\xa4][\\x01-\\x0f]/' }],
  },
  SIP: {
    UDP: [sipOptions('UDP')],
    TCP: [sipOptions('TCP')],
    TLS: [sipOptions('TLS')],
  },
  STEAM_A2S: {
    // The information, or the challenge that precedes it.
    UDP: [{ sendHex: 'ffffffff54536f7572636520456e67696e6520517565727900', expect: '/^\\xff\\xff\\xff\\xff[IA]/' }],
  },
  DNS: {
    TCP: [{ sendHex: `0011${dnsQuestion}`, expect: `/(?s)^..${dnsAnswer}/` }],
    UDP: [{ sendHex: dnsQuestion, expect: `/^${dnsAnswer}/` }],
  },
} satisfies Record<string, Preset>

type PresetName = keyof typeof all

const presets: Readonly<Record<string, Preset>> = all

export const presetNames = Object.keys(all) as PresetName[]

export function presetNamed(name: string): Preset | undefined {
  return Object.hasOwn(presets, name) ? presets[name] : undefined
}

/** The steps of a dialogue, from its preset or its own; undefined if the preset does not have the transport. */
export function stepsOf({ preset, steps, transport }: Dialogue): readonly DialogueStep[] | undefined {
  return preset === undefined ? (steps ?? []) : presetNamed(preset)?.[transport]
}
