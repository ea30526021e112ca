import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { program } from '../../support/pharos-process.ts'

export interface Answer {
  readonly jsonrpc: '2.0'
  readonly id: string | number | null
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

/** Speaks to `pharos mcp` line by line, as no library would. */
export function openAssistant(url = 'http://127.0.0.1:9') {
  const child = spawn(process.execPath, [program, 'mcp'], {
    env: { PATH: process.env.PATH, PHAROS_API_KEY: 'phr_x', PHAROS_URL: url },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  // A test that ends the program writes to nobody.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'exit').then(([code]) => ({ code, stderr }))
  return {
    child,
    ended,
    write: (text: string) => void child.stdin.write(`${text}\n`),
    send: (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    /** Everything that the program prints must be an answer. */
    async answer(): Promise<Answer> {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`The program ended: ${stderr}`)
      return JSON.parse(value)
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
