import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { listen } from '../outbound/fixtures.ts'
import { packageHook, runMain } from '../support/loaded-packages.ts'
import { closedPort } from '../support/ports.ts'

/** Runs it without a shell, HOME and PATH; what it loads of packages is printed on standard error. */
async function healthcheck(env: Record<string, string>) {
  const child = spawn(process.execPath, [...packageHook, '-e', runMain, '--', 'healthcheck'], { env })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  const [code] = await once(child, 'close')
  return { code, ...output }
}

describe('pharos healthcheck', () => {
  for (const host of ['127.0.0.1', '0.0.0.0', '::1', '::']) {
    test(`exits with 0 if the server on ${host} is ready, and 1 if not, with one line`, async () => {
      const asked: (string | undefined)[] = []
      let status = 200
      const server = createServer((request, response) => {
        asked.push(request.url)
        response.writeHead(status).end('The server\nis stopping')
      })
      await using listener = await listen(server, host)
      const { port } = listener
      const url = `http://${host.includes(':') ? '[::1]' : '127.0.0.1'}:${port}`
      const env = { HOST: host, PORT: `${port}`, PHAROS_DATA_DIR: '/nowhere', DATABASE_URL_FILE: '/nowhere' }
      assert.deepEqual(await healthcheck(env), { code: 0, stdout: `Ready: ${url}\n`, stderr: '' })
      status = 503
      const refused = await healthcheck(env)
      assert.deepEqual([refused.code, refused.stderr], [1, ''])
      assert.match(refused.stdout, /^Not ready: http:.*: HTTP\/1\.1 503 .*is stopping.*\n$/)
      assert.deepEqual(asked, ['/readyz', '/readyz'])
    })
  }

  test('exits with 1 if nothing listens, or the settings are no address', async () => {
    const port = await closedPort()
    const stdout = `Not ready: http://127.0.0.1:${port}: ECONNREFUSED\n`
    assert.deepEqual(await healthcheck({ PORT: `${port}` }), { code: 1, stdout, stderr: '' })
    const wrong = await healthcheck({ PORT: 'tcp://10.0.0.1:3000' })
    assert.deepEqual([wrong.code, wrong.stdout], [1, ''])
    assert.match(wrong.stderr, /^pharos: HOST and PORT are no address: \S+\n$/)
  })
})
