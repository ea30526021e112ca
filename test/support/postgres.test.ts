import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from './eventually.ts'
import { findServerPrograms } from './postgres-cluster.ts'

const programs = findServerPrograms()
const withoutPrograms = programs ? false : 'there are no PostgreSQL server programs'

test('a cluster ends and its folder goes when the run that started it is killed', {
  skip: withoutPrograms,
}, async () => {
  const script = `
    import { startCluster } from ${JSON.stringify(new URL('./postgres-cluster.ts', import.meta.url).href)}
    const cluster = await startCluster(${JSON.stringify(programs)})
    process.stdout.write(new URL(cluster.url).searchParams.get('host'))
    setInterval(() => {}, 1000)`
  const run = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [home] = (await once(run.stdout, 'data')).map(String)
  assert.ok(home && existsSync(`${home}/.s.PGSQL.5432`))
  run.kill('SIGKILL')
  await eventually(async () => assert.equal(existsSync(home), false))
})
