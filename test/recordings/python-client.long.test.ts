import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { closedPort } from '../support/ports.ts'
import { skipWithout } from '../support/programs.ts'
import type { Client } from '../support/server.ts'
import { settle } from '../support/webhooks.ts'
import { Placeholders, readSteps, replay } from './replay.ts'

const folder = import.meta.dirname
const steps = readSteps()

/** A Python with the generator; Debian's package is for Debian's Python. */
const python = ['python3', '/usr/bin/python3'].find(
  (command) => spawnSync(command, ['-c', 'import fastjsonschema']).status === 0,
)
const skip = skipWithout(python !== undefined, "Python's fastjsonschema (Debian: python3-fastjsonschema)")

interface LiveAnswer {
  readonly operation: string
  readonly status: number
  readonly body: unknown
}

/** Whether Python code that is generated from the document accepts the answers. */
function accept(document: unknown, answers: readonly LiveAnswer[]): ReturnType<typeof spawnSync> {
  const temporary = mkdtempSync(join(tmpdir(), 'pharos-python-'))
  try {
    const [documentFile, answersFile] = [join(temporary, 'openapi.json'), join(temporary, 'answers.json')]
    writeFileSync(documentFile, JSON.stringify(document))
    writeFileSync(answersFile, JSON.stringify(answers))
    const args = [join(folder, 'accept_answers.py'), documentFile, answersFile]
    return spawnSync(python as string, args, { encoding: 'utf8' })
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

forEachEngine('Python code generated from the OpenAPI document', (engine) => {
  const api = useApi(engine)

  test('accepts every live answer, and no other', { skip }, async () => {
    const { client } = await api.tenant()
    const answers: LiveAnswer[] = []
    const placeholders = new Placeholders({ port: String(await closedPort()), base: api.server.url })
    for (const step of steps) {
      const { operation, failedDelivery } = step
      if (failedDelivery !== undefined) await settle(api.server, placeholders.fillText(failedDelivery), 'FAILED')
      const collecting: Client = {
        ...client,
        async send(...args) {
          const answer = await client.send(...args)
          answers.push({ operation, status: answer.status, body: answer.body })
          return answer
        },
      }
      await replay(collecting, step, placeholders)
    }
    const document = await (await fetch(`${api.server.url}/openapi.json`)).json()
    const { status, stdout, stderr } = accept(document, answers)
    assert.deepEqual([status, stdout, stderr], [0, `${steps.length}\n`, ''])
    const created = answers.find(({ operation, status: code }) => operation === 'createMonitor' && code === 201)
    const wrong = { ...(created as LiveAnswer), body: { ...(created?.body as object), state: 'ASLEEP' } }
    assert.match(String(accept(document, [wrong]).stderr), /^createMonitor 201: data.*state must be one of/)
  })
})
