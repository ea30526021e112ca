import type { PublicSchemas } from '../../api/client.ts'
import { SECRET_SET } from './request-draft.ts'

type Stored = PublicSchemas['MonitorDialogue']
type Body = PublicSchemas['SetMonitorDialogue']
type Step = NonNullable<Body['steps']>[number]
export type Transport = NonNullable<Body['transport']>
export type Preset = NonNullable<Body['preset']>

const streams = ['TCP', 'TLS'] as const
const mail = ['TCP', 'TLS', 'STARTTLS'] as const

/** The presets, and the transports that each has; its usual one first. */
export const presets: Readonly<Record<Preset, { readonly label: string; readonly transports: readonly Transport[] }>> =
  {
    SMTP: { label: 'SMTP', transports: mail },
    IMAP: { label: 'IMAP', transports: mail },
    POP3: { label: 'POP3', transports: mail },
    FTP: { label: 'FTP', transports: mail },
    SSH: { label: 'SSH', transports: ['TCP'] },
    REDIS: { label: 'Redis', transports: streams },
    MEMCACHED: { label: 'Memcached', transports: streams },
    MYSQL: { label: 'MySQL, MariaDB', transports: ['TCP'] },
    POSTGRESQL: { label: 'PostgreSQL', transports: ['TCP', 'STARTTLS'] },
    MONGODB: { label: 'MongoDB', transports: streams },
    AMQP: { label: 'AMQP (RabbitMQ)', transports: streams },
    MQTT: { label: 'MQTT', transports: streams },
    LDAP: { label: 'LDAP', transports: mail },
    NTP: { label: 'NTP', transports: ['UDP'] },
    SIP: { label: 'SIP', transports: ['UDP', 'TCP', 'TLS'] },
    STEAM_A2S: { label: 'Steam (A2S)', transports: ['UDP'] },
    DNS: { label: 'DNS', transports: ['TCP', 'UDP'] },
  }

const allTransports: readonly Transport[] = ['TCP', 'TLS', 'STARTTLS', 'UDP']

/** `send` has escapes such as \r\n and \x00. If it is empty, what is `stored` is kept; null: it must be entered again. */
export interface StepDraft {
  readonly stored?: 'send' | 'sendHex' | null
  readonly send: string
  readonly expect: string
  readonly startTls: boolean
}

export interface DialogueDraft {
  readonly choice: 'NONE' | 'STEPS' | Preset
  readonly transport: Transport
  readonly steps: readonly StepDraft[]
}

export const emptyStep: StepDraft = { send: '', expect: '', startTls: false }

export function dialogueDraftOf({ transport, preset, steps }: Stored): DialogueDraft {
  return {
    choice: preset ?? (steps === undefined ? 'NONE' : 'STEPS'),
    transport: transport ?? 'TCP',
    steps: steps?.map(stepDraftOf) ?? [emptyStep],
  }
}

/** Without what is stored, which belongs to another monitor or another step. */
export function withoutStored<T extends StepDraft>(step: T): T {
  return step.stored === undefined ? step : { ...step, stored: null }
}

/** Undefined: no dialogue. */
export function dialogueBodyOf({ choice, transport, steps }: DialogueDraft): Body | undefined {
  if (choice === 'NONE') return undefined
  return choice === 'STEPS'
    ? { transport, steps: steps.map((step) => stepOf(step, transport)) }
    : { transport, preset: choice }
}

/** The draft for another choice, with a transport that it has. */
export function withChoice(draft: DialogueDraft, choice: DialogueDraft['choice']): DialogueDraft {
  const transports = transportsOf(choice)
  const transport = transports.includes(draft.transport) ? draft.transport : (transports[0] ?? 'TCP')
  return { ...draft, choice, transport }
}

export function transportsOf(choice: DialogueDraft['choice']): readonly Transport[] {
  return choice === 'NONE' || choice === 'STEPS' ? allTransports : presets[choice].transports
}

function stepDraftOf({ send, sendHex, expect, startTls }: Step): StepDraft {
  return {
    send: '',
    ...(send !== undefined && { stored: 'send' }),
    ...(sendHex !== undefined && { stored: 'sendHex' }),
    expect: expect ?? '',
    startTls: startTls === true,
  }
}

/** Bytes that are written as \x00 are sent in hexadecimal digits, with all others of the step. */
function stepOf({ send, stored, expect, startTls }: StepDraft, transport: Transport): Step {
  const hasBytes = /\\x[0-9a-f]{2}/i.test(send.replaceAll('\\\\', ''))
  const text = send.replace(/\\(x[0-9a-f]{2}|.)/gi, (_, name: string) => unescaped(name))
  return {
    ...(send !== '' && (hasBytes ? { sendHex: hexOf(text) } : { send: text })),
    // The server asks for what is empty.
    ...(send === '' && stored !== undefined && (stored === null ? { send: '' } : { [stored]: SECRET_SET })),
    ...(expect !== '' && { expect }),
    ...(transport === 'STARTTLS' && startTls && { startTls }),
  }
}

const characters: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t' }

function unescaped(name: string): string {
  if (name.length > 1) return String.fromCharCode(Number.parseInt(name.slice(1), 16))
  return characters[name] ?? name
}

function hexOf(text: string): string {
  const bytes = Array.from(text).flatMap((character) =>
    character <= '\xff' ? [character.charCodeAt(0)] : [...new TextEncoder().encode(character)],
  )
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
