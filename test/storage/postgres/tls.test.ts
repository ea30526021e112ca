import assert from 'node:assert/strict'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { readConfig } from '../../../src/server/config/config.ts'
import { openDatabase } from '../../../src/storage/open.ts'
import { parseHosts } from '../../../src/storage/postgres/hosts.ts'
import { execute } from '../../../src/storage/query.ts'
import { type Credentials, DAY_MS, makeAuthority, makeSelfSigned } from '../../support/certificates.ts'
import { withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { listen } from '../../support/listener.ts'
import { freePort } from '../../support/ports.ts'
import { connectTo } from '../../support/postgres.ts'
import { type Cluster, findServerPrograms, serverAccount, startCluster } from '../../support/postgres-cluster.ts'

/** The first message of a client that wants TLS. */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex')

const authority = makeAuthority('Test authority')
const stranger = makeAuthority('Another authority')
const past = { validFrom: new Date(Date.now() - 3 * DAY_MS), validTo: new Date(Date.now() - 2 * DAY_MS) }

/** A PostgreSQL server that accepts encrypted connections only, and whose certificate can be replaced. */
async function startTlsServer() {
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`]
  const cluster: Cluster = await startCluster(findServerPrograms() as string, 'fast', settings)
  const home = new URL(cluster.url).searchParams.get('host') as string
  const socket = `postgres:///postgres?host=${home}&port=${port}&user=pharos`
  const folder = join(home, 'tls')
  mkdirSync(folder)
  const account = serverAccount()
  const write = (path: string, text: string): string => {
    writeFileSync(path, text, { mode: 0o600 })
    if (account !== null) chownSync(path, account.uid, account.gid)
    return path
  }
  if (account !== null) chownSync(folder, account.uid, account.gid)
  const own = ['local all all trust', 'hostssl all pharos samehost trust', 'hostssl all certified samehost cert']
  write(join(home, 'data', 'pg_hba.conf'), `${own.join('\n')}\n`)
  let uses = 0
  return {
    port,
    socket,
    async use({ cert, key }: Credentials) {
      uses += 1
      const files = {
        ssl_cert_file: write(join(folder, `${uses}.pem`), cert),
        ssl_key_file: write(join(folder, `${uses}.key`), key),
        ssl_ca_file: write(join(folder, `${uses}.ca`), authority.cert),
      }
      await using client = await connectTo(socket)
      for (const [name, path] of Object.entries({ ...files, ssl: 'on' })) {
        await client.query(`alter system set ${name} = '${path}'`)
      }
      await client.query('select pg_reload_conf()')
      await eventually(async () => {
        await using next = await connectTo(socket)
        assert.equal((await next.query('show ssl_cert_file')).rows[0].ssl_cert_file, files.ssl_cert_file)
        assert.equal((await next.query('show ssl')).rows[0].ssl, 'on')
      })
    },
    stop: () => cluster.stop(),
  }
}

/** Opens a database as the server does. Returns whether the connection was encrypted, or the reason of the failure. */
async function opened(url: string): Promise<string> {
  const options = { databaseUrl: url, poolSize: 1, dataDir: '', rateLimit: { quota: 1, windowMs: 1 } }
  try {
    const database = await openDatabase(options, systemClock, silentLog)
    try {
      const rows = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
      return (await database.read(execute(rows)))[0]?.ssl === true ? 'encrypted' : 'plain'
    } finally {
      await database.close()
    }
  } catch (error) {
    return (error as Error).message
  }
}

let server: Awaited<ReturnType<typeof startTlsServer>>
const folder = mkdtempSync(join(tmpdir(), 'pharos-tls-'))
const file = (name: string): string => join(folder, name)
const url = (query: string, { user = 'pharos', host = '127.0.0.1', port = server.port } = {}) =>
  `postgres://${user}@${host}:${port}/postgres${query}`

before(async () => {
  writeFileSync(file('ca.pem'), authority.cert)
  writeFileSync(file('stranger.pem'), stranger.cert)
  writeFileSync(file('nonsense.pem'), 'nonsense')
  if (withoutPostgres) return
  server = await startTlsServer()
  await server.use(authority.issue({ hosts: ['127.0.0.1', 'localhost'] }))
})
after(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('TLS to PostgreSQL', { skip: withoutPostgres }, () => {
  test('encrypts and verifies with every mode that asks for it, by name and by address', async () => {
    const ca = `sslrootcert=${file('ca.pem')}`
    for (const host of ['127.0.0.1', 'localhost']) {
      for (const mode of ['sslmode=require&', 'sslmode=verify-ca&', 'sslmode=verify-full&', 'ssl=true&', '']) {
        assert.equal(await opened(url(`?${mode}${ca}`, { host })), 'encrypted', mode)
      }
    }
    assert.equal(await opened(url('?sslmode=no-verify')), 'encrypted')
    assert.equal(await opened(url(`?sslmode=verify-full&${ca}&sslnegotiation=postgres`)), 'encrypted')
  })

  test('is not used without being asked for, which the server may refuse', async () => {
    for (const query of ['', '?sslmode=disable', '?ssl=false'])
      assert.match(await opened(url(query)), /no pg_hba\.conf entry .* no encryption/)
  })

  test('is never used on a Unix socket, as with libpq', async () => {
    assert.equal(await opened(`${server.socket}&sslmode=verify-full`), 'plain')
  })

  test('refuses a certificate of another authority, with what to do', async () => {
    const untrusted =
      /the certificate of the server is not trusted \(.+\); name the certificate of its authority with sslrootcert/
    for (const mode of ['require', 'verify-full']) {
      assert.match(await opened(url(`?sslmode=${mode}`)), untrusted)
      assert.match(await opened(url(`?sslmode=${mode}&sslrootcert=system`)), untrusted)
    }
    for (const mode of ['require', 'verify-ca', 'verify-full'])
      assert.match(await opened(url(`?sslmode=${mode}&sslrootcert=${file('stranger.pem')}`)), untrusted)
  })

  test('refuses certificates that are self-signed, expired or for another host', async () => {
    const ca = `sslrootcert=${file('ca.pem')}`
    await server.use(makeSelfSigned({ hosts: ['127.0.0.1'] }))
    assert.match(await opened(url(`?sslmode=verify-full&${ca}`)), /not trusted \(self-signed certificate\)/)
    await server.use(authority.issue({ hosts: ['127.0.0.1'], ...past }))
    for (const mode of ['verify-ca', 'verify-full'])
      assert.match(await opened(url(`?sslmode=${mode}&${ca}`)), /the certificate of the server has expired/)
    await server.use(authority.issue({ hosts: ['db.test'] }))
    for (const mode of ['require', 'verify-full']) {
      const named = await opened(url(`?sslmode=${mode}&${ca}`, { host: 'localhost' }))
      assert.match(named, /the certificate of the server is for another host \(Host: localhost\. is not .*db\.test\)$/)
      const addressed = await opened(url(`?sslmode=${mode}&${ca}`))
      assert.match(addressed, /is for another host \(IP: 127\.0\.0\.1 is not in the cert's list\)$/)
    }
    assert.equal(await opened(url(`?sslmode=verify-ca&${ca}`)), 'encrypted', 'verify-ca compares no names')
    assert.equal(await opened(url('?sslmode=no-verify')), 'encrypted')
    await server.use(authority.issue({ hosts: ['127.0.0.1', 'localhost'] }))
  })

  test('shows a certificate of its own to a server that asks for one', async () => {
    const client = authority.issue({ hosts: ['certified'] })
    writeFileSync(file('client.pem'), client.cert)
    writeFileSync(file('client.key'), client.key)
    await using admin = await connectTo(server.socket)
    await admin.query('create role certified login')
    const ca = `?sslmode=verify-full&sslrootcert=${file('ca.pem')}`
    const own = `&sslcert=${file('client.pem')}&sslkey=${file('client.key')}`
    assert.equal(await opened(url(`${ca}${own}`, { user: 'certified' })), 'encrypted')
    assert.match(await opened(url(ca, { user: 'certified' })), /connection requires a valid client certificate/)
  })

  test('takes the variables of libpq where the URL does not say it, and never its own defaults', async () => {
    const env = (variables: Record<string, string>, query = '') =>
      String(readConfig({ DATABASE_URL: url(query), ...variables }).databaseUrl)
    const verified = { PGSSLMODE: 'verify-full', PGSSLROOTCERT: file('ca.pem') }
    assert.equal(await opened(env(verified)), 'encrypted')
    assert.equal(await opened(env(verified, '#fragment')), 'encrypted')
    assert.match(await opened(env({ PGSSLMODE: 'verify-full' })), /is not trusted/)
    assert.match(await opened(env({ PGSSLMODE: 'Require' })), /sslmode must be one of/)
    assert.match(await opened(env(verified, '?sslmode=disable')), /no encryption/)
  })

  test('names files that cannot be used', async () => {
    assert.match(await opened(url('?sslmode=verify-full&sslrootcert=/no/such.pem')), /sslrootcert: ENOENT.*such\.pem/)
    assert.match(
      await opened(url(`?sslmode=verify-full&sslrootcert=${file('nonsense.pem')}`)),
      /sslrootcert: .*nonsense\.pem is not a PEM file/,
    )
  })
})

test('TLS to PostgreSQL is not given up if somebody in between removes it, or answers', {
  skip: withoutPostgres,
}, async () => {
  const ca = `sslrootcert=${file('ca.pem')}`
  const queries = [`?sslmode=verify-full&${ca}`, `?sslmode=verify-ca&${ca}`, '?sslmode=require', '?sslmode=no-verify']
  for (const query of queries) {
    await using stripping = await startProxy(server.port, 'N')
    assert.match(
      await opened(url(query, stripping)),
      /the server refuses TLS, which sslmode asks for\. Enable TLS there/,
    )
    assert.deepEqual(stripping.received(), SSL_REQUEST, `with ${query} it learns nothing else`)
  }
  const stuffed = `S${'R\0\0\0\x08\0\0\0\0'}`
  for (const answer of [stuffed, 'E', 'R\0\0\0\x08\0\0\0\x03', 'SS']) {
    await using injecting = await startProxy(server.port, answer)
    assert.match(await opened(url(`?sslmode=verify-full&${ca}`, injecting)), /did not answer the request for TLS/)
    assert.deepEqual(injecting.received(), SSL_REQUEST)
  }
})

/** Somebody in between who answers the request for TLS, and passes on what follows as it is. */
async function startProxy(port: number, answer: string) {
  const chunks: Buffer[] = []
  const upstreams = new Set<Socket>()
  const listener = await listen(
    createServer((client) => {
      const upstream = connect(port, '127.0.0.1')
      upstreams.add(upstream)
      upstream.on('error', () => client.destroy())
      client.on('error', () => upstream.destroy())
      client.once('data', (first: Buffer) => {
        chunks.push(first)
        client.write(answer, 'latin1')
        client.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          upstream.write(chunk)
        })
        upstream.pipe(client)
      })
    }),
  )
  return {
    port: listener.port,
    received: () => Buffer.concat(chunks),
    async [Symbol.asyncDispose]() {
      for (const upstream of upstreams) upstream.destroy()
      await listener[Symbol.asyncDispose]()
    },
  }
}

test('parameters of TLS that would be ignored, or weaken it, are refused', () => {
  const cases: Readonly<Record<string, RegExp>> = {
    'sslmode=prefer': /^Error: sslmode=prefer may end in an unencrypted connection; use one of disable, no-verify/,
    'sslmode=allow': /^Error: sslmode=allow may end/,
    'sslmode=verify_full': /sslmode must be one of disable, no-verify, require, verify-ca, verify-full/,
    'sslmode=': /^Error: sslmode must be one of/,
    'SSLMODE=require': /the parameter SSLMODE is not supported; those of TLS are sslmode, ssl/,
    'sslMode=verify-full': /the parameter sslMode is not supported/,
    'ssl_mode=require': /the parameter ssl_mode is not supported/,
    'requiressl=1': /the parameter requiressl is not supported/,
    'sslcrl=/crl.pem&sslmode=verify-full': /the parameter sslcrl is not supported/,
    'ssl_min_protocol_version=TLSv1.3&sslmode=verify-full': /the parameter ssl_min_protocol_version is not supported/,
    'ssl=yes': /^Error: ssl must be true or false/,
    'sslmode=verify-ca': /sslmode=verify-ca needs the certificate of your authority in sslrootcert/,
    'sslmode=verify-ca&sslrootcert=system': /sslmode=verify-ca needs the certificate of your authority/,
    'sslmode=verify-full&sslcert=/c.pem': /sslcert and sslkey are only useful together/,
  }
  for (const [query, expected] of Object.entries(cases)) {
    assert.throws(() => parseHosts(`postgres://db.test/pharos?${query}`), expected, query)
  }
})
