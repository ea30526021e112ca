import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readFiles } from '../../../src/importers/stored-imports/read-files.ts'
import { HostileOutput, readAnswer } from '../../../src/importers/stored-imports/reader-answer.ts'
import { emptyDataDir } from '../../support/sqlite.ts'
import { checks } from './upload.ts'

const MIB = 1024 * 1024

test('the reader process reads the files of its folder, and no other file of the server', async () => {
  const data = emptyDataDir()
  const [own, other] = [join(data, 'uploads/org_1'), join(data, 'uploads/org_12')]
  for (const folder of [own, other]) mkdirSync(folder, { recursive: true })
  const places = [join(own, 'checks.json'), join(other, 'checks.json'), join(data, 'secret.key')]
  for (const path of places) writeFileSync(path, checks)
  const read = async (path: string) => {
    const parts: string[] = []
    const task = { source: 'healthchecks', files: [{ name: 'checks.json', path, bytes: checks.length }] } as const
    const { counts } = await readFiles(task, own, new AbortController().signal, (part) => void parts.push(part))
    assert.deepEqual([counts.MAPPED_WITH_LOSSES, counts.NOT_SUPPORTED], [2, 1])
    assert.deepEqual(parts, ['document', 'document', 'document', 'objects'])
  }
  const [allowed = '', ...denied] = places
  await read(allowed)
  for (const path of denied) {
    await assert.rejects(read(path), (error: Error) => {
      assert.match((error.cause as Error).message, /access to this API has been restricted/i)
      return true
    })
  }
})

test('the server stops reading what a reader process sends beyond its bounds', async () => {
  let [received, sent] = [0, 0]
  async function* repeated(chunk: string) {
    for (let i = 0; i < 100; i += 1) {
      sent += chunk.length
      yield Buffer.from(chunk)
    }
  }
  const read = (chunk: string) => {
    ;[received, sent] = [0, 0]
    return readAnswer(repeated(chunk), (_part, json) => {
      received += json.length
    })
  }
  await assert.rejects(read(`D${'x'.repeat(MIB)}\n`), HostileOutput)
  assert.ok(received < 20 * MIB && sent < 22 * MIB, 'no more than 20 MiB in all')
  await assert.rejects(read('O'.repeat(MIB)), HostileOutput)
  assert.ok(received === 0 && sent < 6 * MIB, 'no line above 4 MiB')
  await assert.rejects(read(`E${' '.repeat(MIB)}\n`), HostileOutput, 'nothing large is parsed')
  await assert.rejects(read('?\n'), HostileOutput)
  assert.equal(await read('D1'), undefined, 'the process ended without an answer')
})
