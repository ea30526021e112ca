import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeLoose, judgeMode } from '../../src/lib/private-files.ts'

const file = { uid: 1000, nlink: 1, isDirectory: () => false }
const folder = { uid: 1000, nlink: 4, isDirectory: () => true }

test('an entry without permissions for others is private', () => {
  assert.equal(judgeMode('/a', { ...file, mode: 0o100600 }, false, 1000), undefined)
  assert.equal(judgeMode('/a', { ...folder, mode: 0o40700 }, false, 1000), undefined)
  assert.equal(judgeMode('/a', { ...file, mode: 0o100400 }, true, 0), undefined)
})

test('a loose entry may be corrected only if it is a file of this user with one name', () => {
  const obstacle = (stats: object, isLink: boolean, uid: number) =>
    judgeMode('/a', { ...file, mode: 0o100644, ...stats }, isLink, uid)?.obstacle
  assert.equal(obstacle({}, false, 1000), null)
  assert.equal(obstacle(folder, false, 1000), null)
  assert.equal(obstacle({}, false, 0), 'owned by another user', 'root changes no file of somebody else')
  assert.equal(obstacle({}, true, 1000), 'symbolic link')
  assert.equal(obstacle({ nlink: 2 }, false, 1000), 'several hard links')
})

test('the description says who can do what, and what to run', () => {
  const described = (mode: number, uid: number, stats = file) => {
    const entry = judgeMode('/data/x', { ...stats, mode }, false, uid)
    return entry && describeLoose(entry)
  }
  assert.equal(described(0o100640, 1000), '/data/x can be read by other users (mode 640): run "chmod 600 /data/x"')
  assert.equal(
    described(0o40770, 1000, folder),
    '/data/x can be changed by other users (mode 770): run "chmod 700 /data/x"',
  )
  assert.equal(
    described(0o100644, 7),
    '/data/x can be read by other users (mode 644, owned by another user): let its owner run "chmod 600 /data/x"',
  )
})
