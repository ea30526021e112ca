import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutPassword } from '../../../src/storage/postgres/database.ts'

test('the location of a database has no part of its password', () => {
  const cases = [
    ['postgres://pharos:secret@db/pharos', 'postgres://pharos@db/pharos'],
    ['postgres://pharos:se@cr@et@db:5432/pharos?sslmode=require', 'postgres://pharos@db:5432/pharos?sslmode=require'],
    ['postgres://pharos:se/cr@et@db/pharos', 'postgres://pharos@db/pharos'],
    ['postgres://pharos:se:cr@db1,db2/pharos', 'postgres://pharos@db1,db2/pharos'],
    ['postgres://db/pharos?user=a&password=sec@ret', 'postgres://db/pharos?user=a&password=…'],
    ['postgres://db/pharos', 'postgres://db/pharos'],
  ] as const
  for (const [url, location] of cases) assert.equal(withoutPassword(url), location)
})
