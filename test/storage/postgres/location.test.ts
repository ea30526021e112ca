import assert from 'node:assert/strict'
import { test } from 'node:test'
import { locationOf } from '../../../src/storage/postgres/hosts.ts'

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
