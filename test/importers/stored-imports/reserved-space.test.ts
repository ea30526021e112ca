import assert from 'node:assert/strict'
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { ReservedSpace } from '../../../src/importers/stored-imports/reserved-space.ts'

const GIB = 1024 ** 3
const isFull = { code: 'conflict', message: /has not enough free space/ }

test('space that one upload has reserved is not given to another, until the first has ended', async () => {
  const { bavail, bsize } = statfsSync(tmpdir())
  // Other processes may write meanwhile.
  const leftBytes = Math.min(2 * GIB, (bavail * bsize) / 4)
  using second = new ReservedSpace(tmpdir())
  {
    using first = new ReservedSpace(tmpdir())
    await first.reserve(bavail * bsize - leftBytes)
    await assert.rejects(second.reserve(leftBytes * 2), isFull)
    await first.reserve(0)
    await second.reserve(leftBytes * 2)
    await assert.rejects(first.reserve(bavail * bsize - leftBytes), isFull)
  }
  await second.reserve(leftBytes * 3)
})
