import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Dialogue } from '../../../../../src/contract/check-options.ts'
import { probePort } from '../../../../../src/monitoring/monitor-types/port/probe.ts'
import { createGuard } from '../../../../../src/outbound/guard.ts'
import { findProgram } from '../../../../faults/needs.ts'
import { listen, never } from '../../../../outbound/fixtures.ts'
import { makeAuthority } from '../../../../support/certificates.ts'
import { freePort } from '../../../../support/ports.ts'
import { urlVariable } from '../../../../support/postgres.ts'
import { skipWithout } from '../../../../support/programs.ts'
import { shownSample } from '../../../../support/reasons.ts'
import { targetOf } from '../../target.ts'

const authority = makeAuthority('Dialogue tests')
const { cert, key } = authority.issue({ hosts: ['127.0.0.1'] })
const guard = createGuard({ policy: 'allow', ca: [authority.cert] })

interface Place {
  readonly folder: string
  readonly port: number
}

interface RealServer {
  readonly program: string
  readonly dialogues: readonly (Pick<Dialogue, 'transport'> & { readonly preset: string })[]
  /** Writes its files and returns the arguments. */
  readonly prepare: (place: Place) => readonly string[]
}

const write = (folder: string, name: string, lines: readonly string[]): string => {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
  return join(folder, name)
}

const over = (preset: string, ...transports: readonly Dialogue['transport'][]) =>
  transports.map((transport) => ({ preset, transport }))

const dovecot = (protocol: 'imap' | 'pop3'): RealServer => ({
  program: 'dovecot',
  dialogues: over(protocol.toUpperCase(), 'TCP', 'STARTTLS'),
  prepare: ({ folder, port }) => [
    '-F',
    '-c',
    write(folder, 'dovecot.conf', [
      `protocols = ${protocol}`,
      `base_dir = ${folder}/run`,
      'log_path = /dev/stderr',
      'listen = 127.0.0.1',
      'ssl = yes',
      `ssl_cert = <${folder}/cert.pem`,
      `ssl_key = <${folder}/key.pem`,
      'passdb {\n  driver = static\n  args = nopassword=y\n}',
      'userdb {\n  driver = static\n  args = uid=65534 gid=65534 home=/tmp\n}',
      `service ${protocol}-login {\n  chroot =\n  inet_listener ${protocol} {\n    port = ${port}\n  }`,
      `  inet_listener ${protocol}s {\n    port = 0\n  }\n}`,
    ]),
  ],
})

const servers: Readonly<Record<string, RealServer>> = {
  Redis: {
    program: 'redis-server',
    dialogues: over('REDIS', 'TCP'),
    prepare: ({ folder, port }) => ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder],
  },
  'Redis with a password': {
    program: 'redis-server',
    dialogues: over('REDIS', 'TCP'),
    prepare: ({ folder, port }) => ['--port', `${port}`, '--save', '', '--dir', folder, '--requirepass', 'x'],
  },
  Memcached: {
    program: 'memcached',
    dialogues: over('MEMCACHED', 'TCP'),
    prepare: ({ port }) => ['-l', '127.0.0.1', '-p', `${port}`, '-U', '0', '-u', 'nobody'],
  },
  Mosquitto: {
    program: 'mosquitto',
    dialogues: over('MQTT', 'TCP'),
    prepare: ({ folder, port }) => [
      '-c',
      write(folder, 'mosquitto.conf', [`listener ${port} 127.0.0.1`, 'allow_anonymous false', 'user root']),
    ],
  },
  OpenSSH: {
    program: 'sshd',
    dialogues: over('SSH', 'TCP'),
    prepare: ({ folder, port }) => {
      mkdirSync('/run/sshd', { recursive: true })
      execFileSync(findProgram('ssh-keygen') ?? '', ['-q', '-t', 'ed25519', '-N', '', '-f', `${folder}/host`])
      const lines = [`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${folder}/host`, `PidFile ${folder}/pid`]
      return ['-D', '-e', '-f', write(folder, 'sshd_config', lines)]
    },
  },
  vsftpd: {
    program: 'vsftpd',
    dialogues: over('FTP', 'TCP', 'STARTTLS'),
    prepare: ({ folder, port }) => {
      mkdirSync('/var/run/vsftpd/empty', { recursive: true })
      return [
        write(folder, 'vsftpd.conf', [
          'listen=YES',
          'listen_address=127.0.0.1',
          `listen_port=${port}`,
          'background=NO',
          'ssl_enable=YES',
          `rsa_cert_file=${folder}/both.pem`,
          'ssl_ciphers=HIGH',
          'seccomp_sandbox=NO',
        ]),
      ]
    },
  },
  'Dovecot (IMAP)': dovecot('imap'),
  'Dovecot (POP3)': dovecot('pop3'),
  Exim: {
    program: 'exim4',
    dialogues: over('SMTP', 'TCP', 'STARTTLS'),
    prepare: ({ folder, port }) => [
      '-C',
      write(folder, 'exim.conf', [
        `spool_directory = ${folder}`,
        `log_file_path = ${folder}/%s.log`,
        'tls_advertise_hosts = *',
        `tls_certificate = ${folder}/both.pem`,
        'primary_hostname = mail.example',
      ]),
      '-bdf',
      '-oX',
      `127.0.0.1.${port}`,
    ],
  },
  MariaDB: {
    program: 'mariadbd',
    dialogues: over('MYSQL', 'TCP'),
    prepare: ({ folder, port }) => {
      const own = ['--no-defaults', `--datadir=${folder}/data`, '--user=root']
      execFileSync(findProgram('mariadb-install-db') ?? '', [...own, '--auth-root-authentication-method=normal'], {
        stdio: 'ignore',
      })
      return [...own, `--port=${port}`, '--bind-address=127.0.0.1', `--socket=${folder}/socket`]
    },
  },
  OpenLDAP: {
    program: 'slapd',
    dialogues: over('LDAP', 'TCP', 'STARTTLS'),
    prepare: ({ folder, port }) => [
      '-d',
      '0',
      '-h',
      `ldap://127.0.0.1:${port}`,
      '-f',
      write(folder, 'slapd.conf', [`TLSCertificateFile ${folder}/cert.pem`, `TLSCertificateKeyFile ${folder}/key.pem`]),
    ],
  },
  dnsmasq: {
    program: 'dnsmasq',
    dialogues: over('DNS', 'TCP', 'UDP'),
    prepare: ({ port }) => ['-k', '-C', '/dev/null', '-p', `${port}`, '-a', '127.0.0.1', '-R', '-h', '-u', 'root'],
  },
  chrony: {
    program: 'chronyd',
    dialogues: over('NTP', 'UDP'),
    prepare: ({ folder, port }) => [
      '-d',
      '-x',
      '-u',
      'root',
      '-f',
      write(folder, 'chrony.conf', [
        'local stratum 8',
        'allow 127.0.0.1',
        'bindaddress 127.0.0.1',
        `port ${port}`,
        'cmdport 0',
        'bindcmdaddress /',
        `pidfile ${folder}/pid`,
      ]),
    ],
  },
}

const probe = (port: number, dialogue: Dialogue) =>
  shownSample(probePort(targetOf({ host: '127.0.0.1', port, timeoutMs: 5000, dialogue }), { guard }, never))

const describe = ({ transport, preset }: Dialogue) => `${preset} over ${transport}`

for (const [name, { program, dialogues, prepare }] of Object.entries(servers)) {
  const file = findProgram(program)
  const skip = skipWithout(file !== undefined, program) || (process.getuid?.() !== 0 && 'the server needs root')
  test(`${name} is up by ${dialogues.map(describe).join(' and ')}`, { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-dialogue-'))
    // Exim changes to a user of its own.
    chmodSync(folder, 0o777)
    write(folder, 'cert.pem', [cert])
    write(folder, 'key.pem', [key])
    write(folder, 'both.pem', [cert, key])
    const port = await freePort()
    const server = spawn(file as string, prepare({ folder, port }), { stdio: ['ignore', 'pipe', 'pipe'] })
    let log = ''
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (log += chunk))
    try {
      for (const dialogue of dialogues) {
        const sample = await untilUp(server, () => probe(port, dialogue))
        assert.equal(sample.outcome, 'success', `${describe(dialogue)}: ${JSON.stringify(sample)}\n${log}`)
      }
    } finally {
      server.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/** The server takes a while to listen. */
async function untilUp(server: ChildProcess, check: () => ReturnType<typeof probe>) {
  const giveUpAt = performance.now() + 20_000
  for (;;) {
    const sample = await check()
    const isStarting = sample.outcome === 'failure' && sample.kind === 'connection' && server.exitCode === null
    if (!isStarting || performance.now() > giveUpAt) return sample
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

test('PostgreSQL is up by its start-up message', { skip: process.env[urlVariable] === undefined }, async () => {
  const url = new URL(process.env[urlVariable] as string)
  // The server of the tests has a Unix socket only.
  const path = `${url.searchParams.get('host')}/.s.PGSQL.${url.searchParams.get('port') ?? 5432}`
  await using server = await listen(net.createServer((socket) => socket.pipe(net.connect(path)).pipe(socket)))
  const sample = await probe(server.port, { transport: 'TCP', preset: 'POSTGRESQL' })
  assert.equal(sample.outcome, 'success', JSON.stringify(sample))
})
