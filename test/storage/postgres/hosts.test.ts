import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { hostLabel, locationOf, parseHosts } from '../../../src/storage/postgres/hosts.ts'

function targetsOf(url: string): string[] {
  return parseHosts(url).urls.map((one) => {
    const client = new pg.Client({ connectionString: one })
    return `${client.user}:${client.password}@${hostLabel(client)}/${client.database}`
  })
}

test('hosts are tried in the order of the URL', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    'postgres://u:p@one/db': ['u:p@one:5432/db'],
    'postgres://u:p@one:5433/db?sslmode=disable': ['u:p@one:5433/db'],
    'postgresql://u:p@one:5433,two,three:1/db': ['u:p@one:5433/db', 'u:p@two:5432/db', 'u:p@three:1/db'],
    'postgres://u:p@[::1]:1,[fd00::2]/db': ['u:p@[::1]:1/db', 'u:p@[fd00::2]:5432/db'],
    'postgres://u:p%40%2F%3F@one,two/db': ['u:p@/?@one:5432/db', 'u:p@/?@two:5432/db'],
    'postgres://u:a@b:c@one,two/db': ['u:a@b:c@one:5432/db', 'u:a@b:c@two:5432/db'],
    'postgres:///db?host=/run/pg&user=u&password=p': ['u:p@/run/pg/.s.PGSQL.5432/db'],
    'postgres://u:p@/db?host=/run/a,/run/b&port=1,2': ['u:p@/run/a/.s.PGSQL.1/db', 'u:p@/run/b/.s.PGSQL.2/db'],
    'postgres://u:p@%2Frun%2Fpg/db': ['u:p@/run/pg/.s.PGSQL.5432/db'],
  }
  for (const [url, expected] of Object.entries(cases)) assert.deepEqual(targetsOf(url), expected, url)
})

test('with several hosts, or on request, only those that accept writes are used', () => {
  const cases = {
    'postgres://one/db': false,
    'postgres://one/db?target_session_attrs=read-write': true,
    'postgres://one/db?target_session_attrs=primary&sslmode=disable': true,
    'postgres://one,two/db': true,
    'postgres://one,two/db?target_session_attrs=any': false,
  }
  for (const [url, expected] of Object.entries(cases)) assert.equal(parseHosts(url).needsWrites, expected, url)
})

test('parameters of TLS apply to every host', () => {
  const { urls, tls } = parseHosts('postgres://one,two/db?sslmode=no-verify&target_session_attrs=read-write')
  assert.deepEqual(urls, ['postgres://one/db', 'postgres://two/db'])
  assert.equal(tls.mode, 'no-verify')
})

test('a wrong URL is refused with what is wrong', () => {
  const cases: Readonly<Record<string, RegExp>> = {
    'postgres://one,two/db?target_session_attrs=standby': /target_session_attrs must be read-write, primary or any/,
    'postgres://one,,two/db': /the list of hosts has an empty entry/,
    'postgres://[half:5432/x': /not a valid URL/,
    'postgres://one:port/x': /not a valid URL/,
    'postgres:///db?host=/a,/b&port=1,2,3': /2 hosts but 3 ports/,
  }
  for (const [url, expected] of Object.entries(cases)) assert.throws(() => parseHosts(url), expected, url)
})

test('the location of a database has no part of its password, and no parameter that may be secret', () => {
  const cases = [
    ['postgres://pharos:secret@db/pharos', 'postgres://***@db/pharos'],
    ['postgres://alice@corp.example:secret@db/pharos', 'postgres://***@db/pharos'],
    ['postgres://secret@db/pharos', 'postgres://***@db/pharos'],
    ['postgres://pharos:se@cr@et@db:5432/pharos?sslmode=require', 'postgres://***@db:5432/pharos?sslmode=require'],
    ['postgres://pharos:se/cr@et@db/pharos', 'postgres://***@db/pharos'],
    ['postgres://pharos:se?cr#et@db/pharos', 'postgres://***@db/pharos'],
    ['postgres://pharos:123/cr@et@db/pharos', 'postgres://pharos:123/***'],
    ['postgres://pharos:se:cr@db1,db2/pharos', 'postgres://***@db1,db2/pharos'],
    ['postgres://db/pharos?user=a&password=sec@ret&port=1', 'postgres://db/pharos?port=1'],
    ['postgres://db/pharos?sslpassword=secret&sslkey=/key', 'postgres://db/pharos'],
    ['postgres://db/pharos?p%61ssword=secret&PASSWORD=secret', 'postgres://db/pharos'],
    ['postgres://db/pharos?host=/run/postgresql#secret', 'postgres://db/pharos?host=/run/postgresql'],
    ['postgres://db/pharos', 'postgres://db/pharos'],
  ] as const
  for (const [url, location] of cases) assert.equal(locationOf(url), location)
})
